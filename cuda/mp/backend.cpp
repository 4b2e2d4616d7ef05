// The CUDA backend of the multiple-precision arrays: memory, transfers, reports.
#include <algorithm>
#include <string>
#include <vector>

#include "cuda/core/check.hpp"
#include "cuda/core/device.hpp"
#include "cuda/mp/aligned.hpp"
#include "cuda/mp/context.hpp"
#include "cuda/mp/product_call.hpp"
#include "cuda/mp/tables.hpp"
#include "lib/base/error.hpp"
#include "lib/mp/transfer.hpp"

namespace accublas::cuda {

namespace {

constexpr const char* transfer = "a transfer of multiple-precision numbers";
constexpr std::size_t staging_bytes = std::size_t{64} << 20;  // size of the staging area of a transfer

State& state_of(mp::MpExecution& execution) { return static_cast<State&>(*execution.state); }

void copy_bytes(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, State& state) {
  if (bytes > 0) check(cudaMemcpyAsync(to, from, bytes, kind, state.cuda_stream()), "cudaMemcpyAsync");
}

void finish_transfer(State& state, std::size_t bytes, mp::MpExecution& execution) {
  check(cudaStreamSynchronize(state.cuda_stream()), transfer);
  execution.report.copied_bytes += static_cast<std::int64_t>(bytes);
}

/// Calls body(first, count, staging) for chunks of `size` numbers, each with a staging area in device memory.
template <class Body>
void in_chunks(State& state, const mp::Format& format, std::int64_t size, Body&& body) {
  if (size == 0) return;
  const std::size_t each = 4 * static_cast<std::size_t>(format.limbs) + 5;
  const std::int64_t most = std::min(size, static_cast<std::int64_t>(staging_bytes / each));
  const auto carve = [&](std::byte* base, MpLimbs& staging) {
    Carver carver(base);
    staging.limb = carver.take<std::uint32_t>(static_cast<std::size_t>(most * format.limbs));
    staging.exponent = carver.take<std::int32_t>(static_cast<std::size_t>(most));
    staging.sign = carver.take<std::uint8_t>(static_cast<std::size_t>(most));
    return carver.used();
  };
  MpLimbs staging{};
  const DeviceBlock memory(state, carve(nullptr, staging));
  carve(memory.data(), staging);
  for (std::int64_t first = 0; first < size; first += most) {
    staging.first = first;
    staging.count = std::min(most, size - first);
    body(staging);
  }
}

class CudaMpBackend final : public mp::MpBackend {
 public:
  const char* name() const noexcept override { return "cuda"; }
  bool on_device() const noexcept override { return true; }

  void allocate(mp::Elements& e, int device) override {
    const DeviceScope scope(device);
    e.set_stride();
    const auto carve = [&](std::byte* base) {
      Carver carver(base);
      e.digits =
          carver.take<std::uint32_t>(static_cast<std::size_t>(e.stride) * static_cast<std::size_t>(e.format.moduli));
      e.exponent = carver.take<std::int32_t>(static_cast<std::size_t>(e.stride));
      e.sign = carver.take<std::uint8_t>(static_cast<std::size_t>(e.stride));
      e.eval = carver.take<double>(static_cast<std::size_t>(2 * e.length));
      return carver.used();
    };
    DeviceBlock memory(std::max<std::size_t>(carve(nullptr), 1));
    carve(memory.data());
    const OwnStream stream;
    mp_clear(e, stream);
    check(cudaStreamSynchronize(stream), "clearing a multiple-precision array");
    memory.release();
  }

  void release(mp::Elements& e) noexcept override {
    if (!forked_from_user()) {
      const DeviceScope scope;
      cudaFree(e.digits);  // `digits` is the first part of the allocation
    }
    e.digits = nullptr;
    e.exponent = nullptr;
    e.sign = nullptr;
    e.eval = nullptr;
  }

  void write(mp::Elements& to, const mp::Block& block, const mp::ConstNumbers& numbers,
             mp::MpExecution& execution) override {
    State& state = state_of(execution);
    const CallScope scope(state);
    state.require_not_captured(transfer);
    const MpFormat format = device_format(to.format);
    std::size_t bytes = 0;
    in_chunks(state, to.format, block.size(), [&](const MpLimbs& staging) {
      const std::size_t count = static_cast<std::size_t>(staging.count),
                        limbs = static_cast<std::size_t>(to.format.limbs);
      copy_bytes(staging.limb, numbers.limb + staging.first * to.format.limbs, 4 * count * limbs,
                 cudaMemcpyHostToDevice, state);
      copy_bytes(staging.exponent, numbers.exponent + staging.first, 4 * count, cudaMemcpyHostToDevice, state);
      copy_bytes(staging.sign, numbers.sign + staging.first, count, cudaMemcpyHostToDevice, state);
      mp_encode(format, to, block, staging, state.cuda_stream());
      bytes += count * (4 * limbs + 5);
    });
    finish_transfer(state, bytes, execution);
  }

  void read(const mp::Elements& from, const mp::Block& block, const mp::Numbers& numbers,
            mp::MpExecution& execution) override {
    State& state = state_of(execution);
    const CallScope scope(state);
    state.require_not_captured(transfer);
    const MpFormat format = device_format(from.format);
    std::size_t bytes = 0;
    in_chunks(state, from.format, block.size(), [&](const MpLimbs& staging) {
      const std::size_t count = static_cast<std::size_t>(staging.count),
                        limbs = static_cast<std::size_t>(from.format.limbs);
      mp_decode(format, from, block, staging, state.cuda_stream());
      copy_bytes(numbers.limb + staging.first * from.format.limbs, staging.limb, 4 * count * limbs,
                 cudaMemcpyDeviceToHost, state);
      copy_bytes(numbers.exponent + staging.first, staging.exponent, 4 * count, cudaMemcpyDeviceToHost, state);
      copy_bytes(numbers.sign + staging.first, staging.sign, count, cudaMemcpyDeviceToHost, state);
      bytes += count * (4 * limbs + 5);
    });
    finish_transfer(state, bytes, execution);
  }

  void write_doubles(mp::Elements& to, const mp::Block& block, const double* values, std::int64_t ld,
                     mp::MpExecution& execution) override {
    State& state = state_of(execution);
    const CallScope scope(state);
    state.require_not_captured(transfer);
    const std::int64_t size = block.size();
    if (size == 0) return;
    const MpFormat format = device_format(to.format);
    const std::int64_t most = std::min(size, static_cast<std::int64_t>(staging_bytes / sizeof(double)));
    const DeviceBlock memory(state, static_cast<std::size_t>(most) * sizeof(double));
    double* const staging = reinterpret_cast<double*>(memory.data());
    const bool packed = ld == block.rows || block.columns == 1;
    std::vector<double> pack(packed ? 0 : static_cast<std::size_t>(most));
    for (std::int64_t first = 0; first < size; first += most) {
      const std::int64_t count = std::min(most, size - first);
      if (!packed) {
        // waits until the previous chunk has left `pack`
        check(cudaStreamSynchronize(state.cuda_stream()), "cudaStreamSynchronize");
        for (std::int64_t t = 0; t < count; ++t)
          pack[static_cast<std::size_t>(t)] = values[(first + t) % block.rows + (first + t) / block.rows * ld];
      }
      copy_bytes(staging, packed ? values + first : pack.data(), static_cast<std::size_t>(count) * sizeof(double),
                 cudaMemcpyHostToDevice, state);
      mp_encode_doubles(format, to, block, staging, first, count, state.cuda_stream());
    }
    finish_transfer(state, static_cast<std::size_t>(size) * sizeof(double), execution);
  }

  void read_doubles(const mp::Elements& from, const mp::Block& block, double* values, std::int64_t ld,
                    mp::MpExecution& execution) override {
    constexpr std::int64_t most = 1 << 20;  // numbers held in host memory at a time
    const std::int64_t size = block.size(), limbs = from.format.limbs;
    std::vector<std::uint32_t> limb(static_cast<std::size_t>(std::min(size, most) * limbs));
    std::vector<std::int32_t> exponent(static_cast<std::size_t>(std::min(size, most)));
    std::vector<std::uint8_t> sign(exponent.size());
    for (std::int64_t j = 0; j < block.columns; ++j)
      for (std::int64_t i = 0; i < block.rows; i += most) {
        const mp::Block part{block.at(i, j), std::min(most, block.rows - i), 1, block.row_stride, 0};
        read(from, part, {limb.data(), exponent.data(), sign.data()}, execution);
        for (std::int64_t t = 0; t < part.rows; ++t)
          values[i + t + j * ld] =
              mp::round_to_double(sign[static_cast<std::size_t>(t)] != 0, exponent[static_cast<std::size_t>(t)],
                                  &limb[static_cast<std::size_t>(t * limbs)], from.format);
      }
  }

  void copy(mp::Elements& to, const mp::Block& block_to, const mp::Elements& from, const mp::Block& block_from,
            mp::MpExecution& execution) override {
    State& state = state_of(execution);
    const CallScope scope(state);
    mp_copy(to, block_to, from, block_from, state.cuda_stream());
  }

  void convert(mp::Elements& to, const mp::Block& block_to, const mp::Elements& from, const mp::Block& block_from,
               mp::MpExecution& execution) override {
    State& state = state_of(execution);
    const CallScope scope(state);
    mp_convert(device_format(to.format), to, block_to, device_format(from.format), from, block_from,
               state.cuda_stream());
  }

  void import_host(mp::Elements& here, const mp::Elements& host, mp::MpExecution& execution) override {
    transfer_all(here, host, cudaMemcpyHostToDevice, execution);
  }
  void export_host(const mp::Elements& here, mp::Elements& host, mp::MpExecution& execution) override {
    transfer_all(host, here, cudaMemcpyDeviceToHost, execution);
  }

  std::unique_ptr<mp::Aligned> align(const mp::Elements& a, const mp::Block& block, int spread, std::int64_t terms,
                                     mp::MpExecution& execution) override {
    State& state = state_of(execution);
    const CallScope scope(state);
    MpContext& context = MpContext::of(state);
    context.begin(state.cuda_stream(), execution.report.level, false);
    context.phase(&accublas_mp_report_t::ms_align);
    auto aligned = std::make_unique<DeviceAligned>(state, a, block, spread < 0 ? mp::shifts : spread, terms, true);
    context.end();
    execution.report.bands = 1;
    execution.report.spread = aligned->spread();
    execution.report.moduli = aligned->moduli();
    execution.report.aligned_bytes = aligned->bytes();
    return aligned;
  }

  void product(const mp::MpProduct& product, mp::MpExecution& execution) override {
    State& state = state_of(execution);
    const CallScope scope(state);
    MpContext& context = MpContext::of(state);
    context.begin(state.cuda_stream(), execution.report.level, true);
    mp_product_call(state, product, execution);
    context.end();
  }

  void complete(accublas_mp_report_t& report, BackendState* base) override {
    State& state = static_cast<State&>(*base);
    const MpContext* const context = MpContext::existing(state);
    if (report.bands == 0 || !context) return;  // there was no product and no alignment
    const CallScope scope(state);
    state.require_not_captured("a report");
    MpCall call{};
    copy_bytes(&call, context->call(), sizeof call, cudaMemcpyDeviceToHost, state);
    check(cudaStreamSynchronize(state.cuda_stream()), "a product of multiple-precision numbers");
    if (context->counts()) {
      report.bands = std::max(1, call.bands);
      report.outputs_in_bands = static_cast<std::int64_t>(call.in_bands);
    }
    context->report(report);
  }

 private:
  static void transfer_all(const mp::Elements& to, const mp::Elements& from, cudaMemcpyKind kind,
                           mp::MpExecution& execution) {
    State& state = state_of(execution);
    const CallScope scope(state);
    state.require_not_captured(transfer);
    const std::size_t length = static_cast<std::size_t>(from.length);
    const std::size_t digits = static_cast<std::size_t>(from.digit_bytes());
    copy_bytes(to.digits, from.digits, digits, kind, state);
    copy_bytes(to.exponent, from.exponent, 4 * length, kind, state);
    copy_bytes(to.sign, from.sign, length, kind, state);
    copy_bytes(to.eval, from.eval, 16 * length, kind, state);
    finish_transfer(state, digits + 21 * length, execution);
  }
};

}  // namespace

}  // namespace accublas::cuda

namespace accublas::mp {

MpBackend& cuda_mp_backend() {
  std::string reason;
  if (cuda::usable_devices(reason) == 0) throw Error(ACCUBLAS_ERROR_NO_DEVICE, reason);
  static cuda::CudaMpBackend backend;
  return backend;
}

}  // namespace accublas::mp
