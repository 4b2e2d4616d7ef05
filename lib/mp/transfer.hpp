// Numbers in and out of arrays in host memory: integers of limbs to residues and back. Chunks of elements go through
// planes of digits of 31 bits, which is what the kernels of lib/cpu/mp_kernels.hpp take; chunks are what threads share.
#pragma once

#include <cstdint>
#include <memory>

#include "lib/cpu/mp_kernels.hpp"
#include "lib/mp/basis.hpp"
#include "lib/mp/format.hpp"
#include "lib/mp/memory.hpp"

namespace accublas::mp {

/// Elements that go through the caches together: at 1696 bits the digits of 256 take 56 KB.
inline constexpr std::int64_t chunk = 256;

constexpr std::int64_t chunks_of(std::int64_t elements) { return (elements + chunk - 1) / chunk; }

/// Writes numbers into elements, a chunk at a time. One per thread; all memory is taken when it is made.
class Encoder {
 public:
  Encoder(const Format& format, const cpu::MpKernels& kernels);

  /// Elements block(first .. first + count - 1), counted down its columns, from limbs of numbers[0 .. count): count <=
  /// chunk.
  void limbs(Elements& to, const Block& block, std::int64_t first, std::int64_t count, const ConstNumbers& numbers);
  /// Likewise from doubles.
  void doubles(Elements& to, const Block& block, std::int64_t first, std::int64_t count, const double* values);

 private:
  void reduce(Elements& to, const Block& block, std::int64_t first, std::int64_t count, const DigitWeights& weights);
  void store(Elements& to, const Block& block, std::int64_t first, std::int64_t count, const std::uint64_t* top,
             const std::int32_t* exponent, const std::uint8_t* sign);

  Format format_;
  const cpu::MpKernels& kernels_;
  std::shared_ptr<const DigitWeights> limb_weights_, double_weights_;
  EvalFactor factor_;
  Buffer<std::uint32_t> digits_, residues_;
};

/// Reads elements as limbs; the counterpart.
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
  Buffer<std::uint64_t> integers_;
  Buffer<std::uint32_t> limbs_;
  Buffer<std::int32_t> exponent_;
  Buffer<std::uint8_t> sign_;
};

/// Residue k of `count` elements of a block to out[k chunk + .], for k < format.moduli; or their place where they lie
/// one after the other already. Returns the first plane, the distance of planes in `stride`.
const std::uint32_t* gather(const Elements& from, const Block& block, std::int64_t first, std::int64_t count,
                            std::uint32_t* out, std::int64_t& stride);

/// RN of (-1)^negative 0.X 2^exponent to double, X p bits in 64-bit limbs with its leading bit set (or a code of
/// lib/mp/format.hpp).
double round_to_double(bool negative, std::int32_t exponent, const std::uint32_t* limb, const Format& format);

}  // namespace accublas::mp
