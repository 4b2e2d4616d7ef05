#include "perf/gpu/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <thread>

#include "perf/gpu/context.hpp"
#include "perf/gpu/device.hpp"
#include "perf/gpu/fp64_limit.hpp"
#include "perf/gpu/peers.hpp"
#include "perf/gpu/sample.hpp"

namespace gpu_bench {
namespace {

using Clock = std::chrono::steady_clock;

accublas_status gemm(accublas_context* ctx, bool complex, Index m, Index n, Index k, const double* a, const double* b,
                     double* c) {
  const double one[2] = {1, 0}, zero[2] = {0, 0};
  constexpr auto columns = ACCUBLAS_COL_MAJOR;
  constexpr auto plain = ACCUBLAS_NO_TRANS;
  return complex ? accublas_zgemm(ctx, columns, plain, plain, m, n, k, one, a, m, b, k, zero, c, m)
                 : accublas_dgemm(ctx, columns, plain, plain, m, n, k, one, a, m, b, k, zero, c, m);
}
accublas_status gemm(accublas_context* ctx, bool complex, Index m, Index n, Index k, const float* a, const float* b,
                     float* c) {
  const float one[2] = {1, 0}, zero[2] = {0, 0};
  constexpr auto columns = ACCUBLAS_COL_MAJOR;
  constexpr auto plain = ACCUBLAS_NO_TRANS;
  return complex ? accublas_cgemm(ctx, columns, plain, plain, m, n, k, one, a, m, b, k, zero, c, m)
                 : accublas_sgemm(ctx, columns, plain, plain, m, n, k, one, a, m, b, k, zero, c, m);
}

/// One thing that is timed: puts a call on the stream.
struct Contender {
  std::function<void()> call;
  std::unique_ptr<Context> timed, phases;  ///< at level 0, at level 2
  std::function<void(Context&)> ours;
  std::vector<double> ms;
};

void rest(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

double time_burst(const std::function<void()>& call, cudaStream_t stream, const Effort& effort, int warm_ups) {
  const Event start, end;
  require(cudaStreamSynchronize(stream), "stream");
  rest(effort.pause);
  for (int q = 0; q < warm_ups; ++q) call();
  start.record(stream);
  call();
  end.record(stream);
  return end.since(start);
}

double time_calls(const std::function<void()>& call, cudaStream_t stream, int count) {
  const Event start, end;
  start.record(stream);
  for (int q = 0; q < count; ++q) call();
  end.record(stream);
  return end.since(start) / count;
}

/// Small products warm up the device's clocks three times before a burst.
int warm_ups(const Case& what) {
  return static_cast<double>(what.m) * static_cast<double>(what.n) * static_cast<double>(what.k) <= 7e10 ? 3 : 0;
}

void time_all(const Case& what, std::vector<Contender>& contenders, std::vector<Result>& results, const Effort& effort,
              cudaStream_t stream) {
  for (std::size_t q = 0; q < contenders.size(); ++q) {
    if (!results[q].error.empty()) continue;
    try {  // once, for what is made once
      contenders[q].call();
      require(cudaStreamSynchronize(stream), "first call");
    } catch (const std::exception& error) {
      results[q].error = error.what();
    }
  }
  if (what.method == Method::burst) {
    for (int round = 0; round < effort.repetitions; ++round)
      for (std::size_t q = 0; q < contenders.size(); ++q)
        if (results[q].error.empty())
          contenders[q].ms.push_back(time_burst(contenders[q].call, stream, effort, warm_ups(what)));
  } else {
    for (std::size_t q = 0; q < contenders.size(); ++q) {
      if (!results[q].error.empty()) continue;
      const double once = time_calls(contenders[q].call, stream, 2);
      const int count = std::clamp(static_cast<int>(1000 * effort.seconds / effort.repetitions / once), 1, 20000);
      for (int round = 0; round < effort.repetitions; ++round)
        contenders[q].ms.push_back(time_calls(contenders[q].call, stream, count));
    }
  }
  for (std::size_t q = 0; q < contenders.size(); ++q)
    if (results[q].error.empty()) results[q].ms = median(contenders[q].ms);
}

/// Times of the phases by calls of their own: level 2 puts events between them.
void time_phases(const Case& what, Contender& contender, Result& result, const Effort& effort, cudaStream_t stream) {
  const bool burst = what.method == Method::burst;
  const auto call = [&] { contender.ours(*contender.phases); };
  std::vector<std::pair<double, accublas_report_t>> runs;
  const auto start = Clock::now();
  for (int round = 0; round < 5; ++round) {
    if (burst) {
      time_burst(call, stream, effort, warm_ups(what));
    } else {  // the device is kept busy; report() waits for the call
      const auto end = start + std::chrono::duration<double>(0.06 * (round + 1) * effort.seconds);
      do {
        call();
        contender.phases->report();
      } while (Clock::now() < end);
    }
    const accublas_report_t report = contender.phases->report();
    runs.emplace_back(report.ms_product, report);
  }
  std::sort(runs.begin(), runs.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  result.product_ms = runs[runs.size() / 2].first;
  result.report = runs[runs.size() / 2].second;
  result.ours = true;
}

/// dot2's operations over what the device's FP64 units issue in that time, measured now: ten operations a term as the
/// mode is tabled, one for `s`. More than 1 where the kernel needs fewer.
double fp64_share(const Case& what, double ms, cudaStream_t stream) {
  const double operations = what.single() ? 1 : 10;
  return operations * 1e12 / 2 * tera(what, ms) / fp64_operations_per_second(0.2, stream);
}

template <class T>
std::vector<Result> measure_type(const Case& what, const std::vector<std::string>& names, const Effort& effort) {
  const Index m = what.m, n = what.n, k = what.k;
  const Stream stream;
  const Index parts = what.complex() ? 2 : 1;  // numbers of an entry
  const DeviceArray<T> a(parts * m * k), b(parts * k * n), c(parts * m * n);
  const matrices::Matrix matrix = matrices::named(what.data);
  fill(matrix, Side::a, what.complex(), a.data(), m, k, 1, stream);
  fill(matrix, Side::b, what.complex(), b.data(), k, n, 1, stream);
  std::unique_ptr<CuBlas> cublas, words;
  std::unique_ptr<DeviceArray<std::uint16_t>> halves;
  std::unique_ptr<Int8Product> int8;
  std::unique_ptr<DeviceArray<std::int8_t>> bytes;
  std::unique_ptr<DeviceArray<std::int32_t>> sums;

  std::vector<Result> results(names.size());
  std::vector<Contender> contenders(names.size());
  for (std::size_t q = 0; q < names.size(); ++q) {
    Contender& contender = contenders[q];
    results[q].contender = names[q];
    try {
      if (names[q] == "cublas") {
        cublas = std::make_unique<CuBlas>(stream);
        contender.call = [&] {
          what.complex() ? cublas->complex_gemm(m, n, k, a.data(), b.data(), c.data())
                         : cublas->gemm(m, n, k, a.data(), b.data(), c.data());
        };
      } else if (std::is_same_v<T, float> && !what.complex() && names[q].starts_with("cublas-")) {
        if constexpr (std::is_same_v<T, float>) {
          if (!words) words = std::make_unique<CuBlas>(stream);
          const int products = names[q].ends_with("x3") ? 3 : 1;
          if (names[q].starts_with("cublas-tf32")) {
            contender.call = [&, products] { words->gemm_tf32(m, n, k, a.data(), b.data(), c.data(), products); };
          } else {
            if (!halves) {
              halves = std::make_unique<DeviceArray<std::uint16_t>>((m + n) * k);
              to_half(a.data(), halves->data(), m * k, stream);
              to_half(b.data(), halves->data() + m * k, n * k, stream);
            }
            contender.call = [&, products] {
              words->gemm_half(m, n, k, halves->data(), halves->data() + m * k, c.data(), products);
            };
          }
        }
      } else if (names[q] == "cublasLt-int8") {
        bytes = std::make_unique<DeviceArray<std::int8_t>>((m + n) * k);
        sums = std::make_unique<DeviceArray<std::int32_t>>(m * n);
        fill_bytes(bytes->data(), (m + n) * k, 7, stream);
        int8 = std::make_unique<Int8Product>(m, n, k, bytes->data(), bytes->data() + m * k, sums->data(), stream);
        contender.call = [&] { int8->run(); };
      } else {
        contender.timed = std::make_unique<Context>(names[q], stream, 0);
        contender.phases = std::make_unique<Context>(names[q], stream, 2);
        contender.ours = [&](Context& context) {
          context.need(gemm(context, what.complex(), m, n, k, a.data(), b.data(), c.data()));
        };
        contender.call = [&contender] { contender.ours(*contender.timed); };
      }
    } catch (const std::exception& error) {
      results[q].error = error.what();
    }
  }
  time_all(what, contenders, results, effort, stream);
  for (std::size_t q = 0; q < names.size(); ++q) {
    if (!results[q].error.empty() || names[q].starts_with("cublasLt-") || names[q].starts_with("cublas-")) continue;
    if (contenders[q].ours) time_phases(what, contenders[q], results[q], effort, stream);
    if (what.complex()) continue;
    require(cudaMemsetAsync(c.data(), 0xFF, static_cast<std::size_t>(m * n) * sizeof(T), stream), "poison");
    contenders[q].call();
    stream.wait();
    const accublas_report_t& report = results[q].report;
    const SampledError error = sample_error(Product<T>{m, n, k, a.data(), b.data(), c.data()}, report.bound_relative,
                                            report.bound_componentwise);
    results[q].largest_error = error.largest;
    if (!results[q].ours) continue;
    results[q].bound = error.allowed;
    if (std::string(report.engine) == "dot2") results[q].fp64_share = fp64_share(what, results[q].ms, stream);
  }
  return results;
}

}  // namespace

double tera(const Case& what, double ms) {
  return ms > 0 ? (what.complex() ? 8e-9 : 2e-9) * static_cast<double>(what.m) * static_cast<double>(what.n) *
                      static_cast<double>(what.k) / ms
                : 0;
}

std::vector<Result> measure(const Case& what, const std::vector<std::string>& contenders, const Effort& effort) {
  return what.single() ? measure_type<float>(what, contenders, effort) : measure_type<double>(what, contenders, effort);
}

bool is_cublas_gemm(const std::string& contender) {
  for (const char* known : {"cublas", "cublas-tf32", "cublas-tf32x3", "cublas-fp16", "cublas-fp16x3"})
    if (contender == known) return true;
  return false;
}

const Result* find(const std::vector<Result>& results, const std::string& contender) {
  for (const Result& r : results)
    if (r.contender == contender && r.error.empty()) return &r;
  return nullptr;
}

std::vector<FirstCall> measure_first_calls(Index n) {
  const Stream stream;
  const DeviceArray<double> a(n * n), b(n * n), c(n * n);
  fill_random(Side::a, a.data(), n, n, stream);
  fill_random(Side::b, b.data(), n, n, stream);
  stream.wait();
  std::vector<FirstCall> calls;
  const auto timed = [&](const auto& work) {
    const auto start = Clock::now();
    work();
    stream.wait();
    return 1e3 * std::chrono::duration<double>(Clock::now() - start).count();
  };
  std::unique_ptr<CuBlas> cublas;
  const auto peer = [&] {
    if (!cublas) cublas = std::make_unique<CuBlas>(stream);
    cublas->gemm(n, n, n, a.data(), b.data(), c.data());
  };
  for (const char* mode : {"dp/int8", "cr", "dp:repro"}) {
    std::unique_ptr<Context> context;
    const auto own = [&] {
      if (!context) context = std::make_unique<Context>(mode, stream, 0);
      context->need(gemm(*context, false, n, n, n, a.data(), b.data(), c.data()));
    };
    const double first = timed(own);
    timed(own);
    calls.push_back({std::string(mode) + ", context and call", first, timed(own)});
  }
  const double first = timed(peer);
  timed(peer);
  calls.push_back({"cublasDgemm, handle and call", first, timed(peer)});
  return calls;
}

std::string device_name() {
  int device = 0;
  cudaDeviceProp properties{};
  require(cudaGetDevice(&device), "device");
  require(cudaGetDeviceProperties(&properties, device), "device");
  return properties.name;
}

std::string cublas_version() {
  const Stream stream;
  return CuBlas(stream).version();
}

}  // namespace gpu_bench
