#include "perf/mp/measure.hpp"

#ifdef ACCUBLAS_HAVE_CUDA
#include "perf/gpu/device.hpp"
#endif

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

namespace mp_bench {

void need(accublas_context* context, accublas_status status) {
  if (status != ACCUBLAS_SUCCESS) throw std::runtime_error(accublas_last_error(context));
}

double wall_ms(const std::function<void()>& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

namespace {

/// Milliseconds of work that is enqueued on a stream of the device.
double device_ms([[maybe_unused]] void* stream, [[maybe_unused]] const std::function<void()>& body) {
#ifdef ACCUBLAS_HAVE_CUDA
  const auto on = static_cast<cudaStream_t>(stream);
  gpu_bench::Event start, stop;
  start.record(on);
  body();
  stop.record(on);
  return stop.since(start);
#else
  throw std::runtime_error("this build has no CUDA");
#endif
}

/// In huge pages and with software prefetch, as the kernels read: without them a reader is slower than the products
/// that it is to judge.
double read_bandwidth(std::int64_t bytes, int threads) {
  constexpr std::size_t huge_page = std::size_t{1} << 21, ahead = 512;  // words
  const std::size_t words = static_cast<std::size_t>(bytes) / 8,
                    size = (words * 8 + huge_page - 1) / huge_page * huge_page;
  const std::unique_ptr<void, decltype(&std::free)> block(std::aligned_alloc(huge_page, size), std::free);
  if (!block) throw std::bad_alloc();
  madvise(block.get(), size, MADV_HUGEPAGE);
  std::uint64_t* const memory = static_cast<std::uint64_t*>(block.get());
  std::fill_n(memory, words, std::uint64_t{1});
  std::atomic<std::uint64_t> sum{0};
  const auto share = [&](int t) {
    const std::size_t first = words * static_cast<std::size_t>(t) / static_cast<std::size_t>(threads);
    const std::size_t last = words * static_cast<std::size_t>(t + 1) / static_cast<std::size_t>(threads);
    std::uint64_t lanes[8] = {};
    for (std::size_t i = first; i + 8 <= last; i += 8) {
      __builtin_prefetch(memory + i + ahead);
      for (std::size_t l = 0; l < 8; ++l) lanes[l] += memory[i + l];
    }
    for (std::uint64_t lane : lanes) sum += lane;
  };
  double best = 1e300;
  for (int r = 0; r < 5; ++r)
    best = std::min(best, wall_ms([&] {
                      std::vector<std::thread> others;
                      for (int t = 1; t < threads; ++t) others.emplace_back(share, t);
                      share(0);
                      for (std::thread& other : others) other.join();
                    }));
  if (sum == 0) throw std::runtime_error("nothing was read");
  return static_cast<double>(bytes) / best * 1e3;
}

/// A GPU that was idle needs some 50 ms of work to reach its clocks: until then it reads up to 15 % more slowly.
void warm_up([[maybe_unused]] void* stream, [[maybe_unused]] const std::function<void()>& body) {
#ifdef ACCUBLAS_HAVE_CUDA
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  do {
    body();
    gpu_bench::require(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), "warming up");
  } while (std::chrono::steady_clock::now() < until);
#endif
}

double copy_bandwidth([[maybe_unused]] std::int64_t bytes) {
#ifdef ACCUBLAS_HAVE_CUDA
  gpu_bench::Stream stream;
  gpu_bench::DeviceArray<char> from(bytes), to(bytes);
  gpu_bench::require(cudaMemsetAsync(from.data(), 1, static_cast<std::size_t>(bytes), stream), "memory");
  const auto copy = [&] {
    gpu_bench::require(
        cudaMemcpyAsync(to.data(), from.data(), static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice, stream),
        "copy");
  };
  warm_up(static_cast<cudaStream_t>(stream), copy);
  std::vector<double> ms;
  for (int r = 0; r < 10; ++r) ms.push_back(device_ms(static_cast<cudaStream_t>(stream), copy));
  return 2 * static_cast<double>(bytes) / median(ms) * 1e3;
#else
  throw std::runtime_error("this build has no CUDA");
#endif
}

}  // namespace

double bandwidth(std::int64_t bytes, bool device, int threads) {
  return device ? copy_bandwidth(bytes) : read_bandwidth(bytes, threads);
}

Gemv::Gemv(const Run& run, const Numbers& a, const Numbers& x) : run_(run) {
  need(nullptr, accublas_create(&context_));
  need(context_, accublas_set_num_threads(context_, run.threads));
#ifdef ACCUBLAS_HAVE_CUDA
  if (run.device) {
    cudaStream_t stream;
    gpu_bench::require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    stream_ = stream;
    need(context_, accublas_set_stream(context_, stream_));
  }
#endif
  const auto create = [&](std::int64_t length) {
    accublas_mp_array* array = nullptr;
    need(context_, accublas_mp_create(context_, run.input.bits, length, &array));
    if (run.device) need(context_, accublas_mp_move(context_, array, ACCUBLAS_MP_DEVICE));
    return array;
  };
  a_ = create(run.n * run.n);
  x_ = create(run.n);
  y_ = create(run.n);
  const auto set = [&](accublas_mp_array* array, const Numbers& from) {
    need(context_, accublas_mp_set_limbs(context_, array, 0, 1, 1, from.count, from.limbs.data(), from.size,
                                         from.exponents.data(), from.signs.data()));
  };
  set(x_, x);
  const auto align = [&] {
    need(context_, accublas_mp_align(context_, a_, 0, run.n, run.n, run.n, 0));
    if (run.device) need(context_, accublas_sync(context_));
  };
  set(a_, a);
  align();  // memory is taken from the system once
  std::vector<double> set_ms, align_ms;
  for (int r = 0; r < 3; ++r) {
    set_ms.push_back(wall_ms([&] { set(a_, a); }));  // drops the aligned form
    align_ms.push_back(wall_ms(align));
  }
  set_ms_ = median(set_ms);
  align_ms_ = median(align_ms);
}

Gemv::~Gemv() {
  for (accublas_mp_array* array : {a_, x_, y_}) accublas_mp_destroy(array);
  accublas_destroy(context_);
#ifdef ACCUBLAS_HAVE_CUDA
  if (stream_) cudaStreamDestroy(static_cast<cudaStream_t>(stream_));
#endif
}

void Gemv::call(bool transposed) {
  need(context_, accublas_mp_gemv(context_, transposed ? ACCUBLAS_TRANS : ACCUBLAS_NO_TRANS, run_.n, run_.n, nullptr, 0,
                                  a_, 0, run_.n, x_, 0, 1, nullptr, 0, y_, 0, 1));
}

Times Gemv::measure(bool transposed) {
  Times out;
  out.set_ms = set_ms_;
  out.align_ms = align_ms_;
  std::vector<double> ms;
  const auto one = [&] { call(transposed); };
  if (run_.device) warm_up(stream_, one);
  for (int r = 0; r < run_.repetitions + 3; ++r) {
    const double time = run_.device ? device_ms(stream_, one) : wall_ms(one);
    if (r >= 3) ms.push_back(time);
  }
  out.ms = median(ms);
  if (run_.device) {
    constexpr int calls = 50;
    out.sustained_ms = device_ms(stream_,
                                 [&] {
                                   for (int r = 0; r < calls; ++r) call(transposed);
                                 }) /
                       calls;
  }
  need(context_, accublas_set_report_level(context_, 2));
  call(transposed);
  out.report.struct_size = sizeof out.report;
  need(context_, accublas_mp_report(context_, &out.report));
  need(context_, accublas_set_report_level(context_, 0));
  return out;
}

}  // namespace mp_bench
