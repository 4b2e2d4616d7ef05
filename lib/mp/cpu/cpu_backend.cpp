#include "lib/mp/cpu/cpu_backend.hpp"

#include <algorithm>
#include <utility>

#include "lib/base/fork_safe.hpp"
#include "lib/base/thread_pool.hpp"
#include "lib/mp/numbers.hpp"
#include "lib/mp/transfer.hpp"

namespace accublas::mp {

namespace {

/// Calls body(coder, first, count) for chunks of `size` elements. Each thread has a coder of its own, made by
/// make(kernels).
template <class Make, class Body>
void for_coders(std::int64_t size, const MpExecution& execution, Make&& make, Body&& body) {
  const cpu::MpKernels& kernels = cpu::mp_kernels(execution.isa);
  for_chunks(
      size, 1, execution.threads, [&] { return make(kernels); },
      [&](auto& coder, std::int64_t first, std::int64_t, std::int64_t count) { body(coder, first, count); });
}

/// Calls body(at, t, run) for the elements first .. first + count - 1 of a matrix, counted down its columns of `rows`
/// and leading dimension ld: `run` of them from index `at` on are numbers t .. t + run - 1.
template <class Body>
void for_columns(std::int64_t rows, std::int64_t ld, std::int64_t first, std::int64_t count, Body&& body) {
  std::int64_t i = first % rows, column = first / rows * ld;
  for (std::int64_t t = 0; t < count; i = 0, column += ld) {
    const std::int64_t run = std::min(rows - i, count - t);
    body(column + i, t, run);
    t += run;
  }
}

class CpuMpBackend final : public MpBackend {
 public:
  const char* name() const noexcept override { return "cpu"; }
  bool on_device() const noexcept override { return false; }

  void allocate(Elements& e, int) override {
    static_assert(plane_padding % cpu::mp_padding == 0);
    e.set_stride();
    Buffer<std::uint32_t> digits(e.stride * e.format.moduli);
    Buffer<std::int32_t> exponent(e.stride);
    Buffer<std::uint8_t> sign(e.stride);
    Buffer<double> eval(2 * e.length);
    digits.zero();
    sign.zero();
    std::fill_n(exponent.data(), e.stride, exponent_zero);
    e.digits = digits.release();
    e.exponent = exponent.release();
    e.sign = sign.release();
    e.eval = eval.release();
    e.positional = true;
    e.low = digits_of(e.format);
  }
  void release(Elements& e) noexcept override {
    free_buffer(e.digits);
    free_buffer(e.exponent);
    free_buffer(e.sign);
    free_buffer(e.eval);
    e.digits = nullptr;
    e.exponent = nullptr;
    e.sign = nullptr;
    e.eval = nullptr;
  }

  void write(Elements& to, const Block& given, const ConstNumbers& numbers, MpExecution& execution) override {
    const Block block = given.flattened();
    to.low = 0;
    for_coders(
        block.size(), execution, [&](const cpu::MpKernels& kernels) { return Encoder(to, kernels); },
        [&](Encoder& encoder, std::int64_t first, std::int64_t count) {
          encoder.limbs(to, block, first, count,
                        {numbers.limb + first * to.format.limbs, numbers.exponent + first, numbers.sign + first});
        });
  }
  void write_limbs(Elements& to, const Block& given, const UserNumbers& numbers, MpExecution& execution) override {
    const Block block = given.flattened();
    struct Coder {
      Encoder encoder;
      Reader reader;
      NumberBuffer buffer;
    };
    const auto make = [&](const cpu::MpKernels& kernels) {
      return Coder{Encoder(to, kernels), Reader(to.format, numbers), NumberBuffer(to.format, chunk)};
    };
    to.low = 0;
    for_coders(block.size(), execution, make, [&](Coder& coder, std::int64_t first, std::int64_t count) {
      coder.encoder.limbs(to, block, first, count, coder.reader.look(first, count, coder.buffer));
    });
  }
  void read(const Elements& from, const Block& given, const Numbers& numbers, MpExecution& execution) override {
    const Block block = given.flattened();
    for_coders(
        block.size(), execution, [&](const cpu::MpKernels& kernels) { return Decoder(from.format, kernels); },
        [&](Decoder& decoder, std::int64_t first, std::int64_t count) {
          decoder.limbs(from, block, first, count,
                        {numbers.limb + first * from.format.limbs, numbers.exponent + first, numbers.sign + first});
        });
  }

  void write_doubles(Elements& to, const Block& block, const double* values, std::int64_t ld,
                     MpExecution& execution) override {
    for_coders(
        block.size(), execution, [&](const cpu::MpKernels& kernels) { return Encoder(to, kernels); },
        [&](Encoder& encoder, std::int64_t first, std::int64_t count) {
          double numbers[chunk];
          for_columns(block.rows, ld, first, count, [&](std::int64_t at, std::int64_t t, std::int64_t run) {
            std::copy_n(values + at, run, numbers + t);
          });
          encoder.doubles(to, block.flattened(), first, count, numbers);
        });
    const int lowest = lowest_double_digit(to.format);
    to.low = block.size() == to.length ? lowest : std::min(to.low, lowest);
  }
  void read_doubles(const Elements& from, const Block& block, double* values, std::int64_t ld,
                    MpExecution& execution) override {
    for_coders(
        block.size(), execution, [&](const cpu::MpKernels& kernels) { return Decoder(from.format, kernels); },
        [&](Decoder& decoder, std::int64_t first, std::int64_t count) {
          double numbers[chunk];
          decoder.doubles(from, block.flattened(), first, count, numbers);
          for_columns(block.rows, ld, first, count, [&](std::int64_t at, std::int64_t t, std::int64_t run) {
            std::copy_n(numbers + t, run, values + at);
          });
        });
  }

  /// Copies elements of one form as they are. If the forms differ, or an interval is missing, the elements are made
  /// from limbs.
  void copy(Elements& to, const Block& block_to, const Elements& from, const Block& block_from,
            MpExecution& execution) override {
    if (to.positional != from.positional) {
      NumberBuffer numbers(from.format, block_from.size());
      read(from, block_from, numbers.view(), execution);
      return write(to, block_to, std::as_const(numbers).view(), execution);
    }
    const int low = to.positional ? std::min(to.low, from.low) : 0,
              planes = to.positional ? digits_of(to.format) : to.format.moduli;
    parallel_for(block_to.columns, execution.threads, [&](std::int64_t j, int) {
      for (std::int64_t i = 0; i < block_to.rows; ++i) {
        const std::int64_t t = block_to.at(i, j), f = block_from.at(i, j);
        for (int k = low; k < planes; ++k) to.digits[k * to.stride + t] = from.digits[k * from.stride + f];
        to.exponent[t] = from.exponent[f];
        to.sign[t] = from.sign[f];
        if (to.positional) continue;
        to.eval[t] = from.eval[f];
        to.eval[to.length + t] = from.eval[from.length + f];
      }
    });
    to.low = low;
  }

  // Both places are host memory: nothing moves here.
  void import_host(Elements&, const Elements&, MpExecution&) override {}
  void export_host(const Elements&, Elements&, MpExecution&) override {}

  std::unique_ptr<Aligned> align(const Elements& a, const Block& block, int spread, std::int64_t terms,
                                 MpExecution& execution) override {
    auto aligned = std::make_unique<HostAligned>(a, block, execution.threads);
    if (spread >= 0) {
      // The spread of a vector itself is at most 63, that of one band.
      const int bits = product_bits(a.format.precision, aligned->spread() + std::min(spread, shifts - 1), terms);
      aligned->ensure(a, moduli_for_bits(bits), cpu::mp_kernels(execution.isa), execution.threads);
    }
    execution.report.spread = aligned->spread();
    execution.report.moduli = aligned->moduli();
    execution.report.aligned_bytes = aligned->bytes();
    return aligned;
  }
  void product(const MpProduct& product, MpExecution& execution) override { host_product(product, execution); }
};

}  // namespace

MpBackend& cpu_mp_backend() {
  static constinit Lazy<CpuMpBackend> backend;
  return backend.get();
}

}  // namespace accublas::mp
