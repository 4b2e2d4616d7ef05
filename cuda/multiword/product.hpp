// The fused multiword product: one kernel multiplies the words and finishes C. It forms the words from A and B as it
// reads them. If many tiles share them, another kernel splits A and B first, at the cost of a pass over memory.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "cuda/exact/exact.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

/// The factors that the tensor cores multiply.
enum class WordKind : std::int32_t {
  tf32,       ///< TF32 words of the entries
  tf32_half,  ///< the same words, of entries scaled by a power of two a line, as FP16 numbers, which hold them exactly
              ///< where a line's entries lie in FP16's range: at twice the rate
  half,       ///< FP16 words of entries scaled by a power of two per line
};

/// Which tiles are computed: those whose lines are in groups that all fit FP16's range (MultiwordProduct::rows_fit),
/// the others, or all.
enum class Tiles : std::int32_t { all, fitting, not_fitting };

/// Computes at = alpha S + beta at, where S is the sum of 1, 3 or 4 products of words, for the elements of finite lines
/// whose S is finite. Sets the bits of `open` of elements whose S is not finite, and counts them in state->rejected.
struct MultiwordProduct : ExactArguments<float> {
  const std::uint8_t *rows_fit, *cols_fit;  ///< one entry for each line_group of lines
  Tiles tiles;
};

/// The FP16 words of A or B in device memory: [word][line][term], with padded_lines(count) lines and `terms` terms, a
/// multiple of 64. In a unit of 64 lines, line l is at position l / 2 + 32 (l % 2). Null: there are no words.
struct SplitWords {
  std::uint16_t* data = nullptr;
  Index lines = 0, terms = 0;
  int word_sets = 0;

  SplitWords() = default;
  SplitWords(const Operand<float>& x, int words)
      : lines(padded_lines(x.count)), terms(round_up(x.k, 64)), word_sets(words) {}
  std::size_t numbers() const { return static_cast<std::size_t>(lines * terms * word_sets); }
};

/// Splits the entries of A or B into words of a kind other than tf32. If `fits` is not null, groups of lines that do
/// not fit FP16's range are left out.
void split_first(const DeviceModel&, WordKind, const Operand<float>&, const Lines&, const std::uint8_t* fits,
                 const CallState*, const SplitWords& to, cudaStream_t);

namespace hopper {
/// multiword_product for words that are split already. The mode has 1 or 3 products.
void split_product(const DeviceModel&, WordKind, int products, const MultiwordProduct&, const SplitWords& rows,
                   const SplitWords& cols, cudaStream_t);
void multiword_product(const DeviceModel&, WordKind, int products, const MultiwordProduct&, cudaStream_t);
}  // namespace hopper

}  // namespace accublas::cuda
