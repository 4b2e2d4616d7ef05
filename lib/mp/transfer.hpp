// Converts numbers into and out of arrays in host memory: integers of limbs to digits of 31 bits or residues, and back.
// Chunks of elements go through planes of digits, which the kernels of lib/mp/kernels/mp_kernels.hpp read and write.
// Threads share the work by chunks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "lib/base/integers.hpp"
#include "lib/base/thread_pool.hpp"
#include "lib/mp/basis.hpp"
#include "lib/mp/format.hpp"
#include "lib/mp/kernels/mp_kernels.hpp"
#include "lib/mp/memory.hpp"

namespace accublas::mp {

/// The number of elements that go through the caches together: at 1696 bits the digits of 256 elements take 56 KB.
inline constexpr std::int64_t chunk = 256;

constexpr std::int64_t chunks_of(std::int64_t elements) { return ceil_div(elements, chunk); }

/// Calls body(worker, i, j, count) for chunks of rows i .. i + count - 1 of column j. Each thread has a worker of its
/// own, which is made by make() before the first call.
template <class Make, class Body>
void for_chunks(std::int64_t rows, std::int64_t columns, int threads, Make&& make, Body&& body) {
  const std::int64_t row_chunks = chunks_of(rows), tasks = row_chunks * columns;
  if (tasks == 0) return;
  std::vector<decltype(make())> workers;
  const int count = static_cast<int>(std::min<std::int64_t>(threads, tasks));
  workers.reserve(count);
  for (int t = 0; t < count; ++t) workers.push_back(make());
  parallel_for(tasks, count, [&](std::int64_t task, int thread) {
    const std::int64_t i = task % row_chunks * chunk;
    body(workers[thread], i, task / row_chunks, std::min(chunk, rows - i));
  });
}

/// `count` numbers of a format: X in 64-bit limbs.
struct NumberBuffer {
  NumberBuffer(const Format& format, std::int64_t count)
      : limb(count * format.limbs / 2), exponent(count), sign(count), limbs(format.limbs / 2) {}

  Numbers view() { return {reinterpret_cast<std::uint32_t*>(limb.data()), exponent.data(), sign.data()}; }
  ConstNumbers view() const {
    return {reinterpret_cast<const std::uint32_t*>(limb.data()), exponent.data(), sign.data()};
  }
  std::uint64_t* x(std::int64_t t) { return limb.data() + t * limbs; }
  const std::uint64_t* x(std::int64_t t) const { return limb.data() + t * limbs; }

  Buffer<std::uint64_t> limb;
  Buffer<std::int32_t> exponent;
  Buffer<std::uint8_t> sign;
  int limbs;
};

/// Writes numbers into elements, in the form that these have, a chunk at a time. Each thread has its own Encoder, whose
/// constructor takes all memory. The caller maintains Elements::low.
class Encoder {
 public:
  /// Makes an encoder for elements of the format and form of `elements`.
  Encoder(const Elements& elements, const cpu::MpKernels& kernels);

  /// Writes elements block(first .. first + count - 1), counted down its columns, from limbs of numbers[0 .. count),
  /// count <= chunk.
  void limbs(Elements& to, const Block& block, std::int64_t first, std::int64_t count, const ConstNumbers& numbers);
  /// Writes elements block(first .. first + count - 1), counted down its columns, from doubles, count <= chunk. In the
  /// positional form it writes only the planes from to.low on.
  void doubles(Elements& to, const Block& block, std::int64_t first, std::int64_t count, const double* values);

 private:
  void write_planes(Elements& to, const Block& block, std::int64_t first, std::int64_t count, int from, int end,
                    const std::uint32_t* planes, const std::int32_t* exponent, const std::uint8_t* sign);
  void write_residues(Elements& to, const Block& block, std::int64_t first, std::int64_t count,
                      const DigitWeights& weights, const std::uint64_t* top, const std::int32_t* exponent,
                      const std::uint8_t* sign);

  Format format_;
  const cpu::MpKernels& kernels_;
  std::shared_ptr<const DigitWeights> limb_weights_, double_weights_;  ///< for making residues
  EvalFactor factor_{};                                                ///< the factors of the interval evaluation
  bool streamed_;
  Buffer<std::uint32_t> digits_, residues_;
  Buffer<std::uint64_t> room_;
};

/// Returns the lowest digit that a double reaches into.
constexpr int lowest_double_digit(const Format& format) { return (format.precision - 53) / 31; }

/// Converts all elements from the positional form to residues and intervals. Throws Error(ACCUBLAS_ERROR_MEMORY) and
/// changes nothing.
void leave_positional_form(Elements& elements, const cpu::MpKernels& kernels, int threads);

/// Reads elements of either form as limbs; the counterpart of Encoder.
class Decoder {
 public:
  Decoder(const Format& format, const cpu::MpKernels& kernels);

  void limbs(const Elements& from, const Block& block, std::int64_t first, std::int64_t count, const Numbers& numbers);
  void doubles(const Elements& from, const Block& block, std::int64_t first, std::int64_t count, double* values);

 private:
  Format format_;
  const cpu::MpKernels& kernels_;
  const Basis& basis_;
  Buffer<std::uint32_t> residues_, digits_;
  Buffer<std::uint64_t> integers_, room_;
  NumberBuffer numbers_;
};

/// Writes residue or digit k of `count` elements of a block to out[k chunk + .], for k < format.moduli or
/// digits_of(format), or uses their own memory if they are contiguous there. Returns the first plane, and the distance
/// of planes in `stride`.
const std::uint32_t* gather(const Elements& from, const Block& block, std::int64_t first, std::int64_t count,
                            std::uint32_t* out, std::int64_t& stride);

/// Rounds (-1)^negative 0.X 2^exponent to double, where X has p bits in 64-bit limbs with its leading bit set.
/// `exponent` may be a code of lib/mp/format.hpp.
double round_to_double(bool negative, std::int32_t exponent, const std::uint32_t* limb, const Format& format);

}  // namespace accublas::mp
