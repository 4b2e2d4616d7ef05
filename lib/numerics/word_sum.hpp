// Sums of products in a fixed number of words, whose error is found on the way. They decide results after cancellation,
// and ties.
#pragma once

#include "lib/numerics/outward.hpp"
#include "lib/numerics/triple_sum.hpp"

namespace accublas {

/// Returns an upper bound of a + b. Neither is negative. A zero sum is exact.
ACCUBLAS_HD inline double add_upward(double a, double b) {
#ifdef __CUDA_ARCH__
  return __dadd_ru(a, b);
#else
  return add_up(a, b);
#endif
}

/// A sum in `words` words (Ogita, Rump, Oishi 2005, with K = words). The exact sum lies within `error` of the words'
/// sum, unless a word is not finite. A step takes 12 words + 1 operations.
///
/// Proof: two_sum and two_product are exact, except for products near underflow (see `step`). So a step loses only the
/// two numbers that leave the last word. Their magnitudes are added to the error, which is rounded up. The error of a
/// sum that the words hold is therefore zero. It needs no bound in advance: the last word of a sum of n terms is below
/// some n^(words - 1) 2^-53 (words - 1) times the sum of their magnitudes, and each of n steps loses 2^-53 of it.
template <int words>
struct WordSum {
  double word[words] = {};
  double error = 0;

  /// Adds x y.
  ACCUBLAS_HD void step(double x, double y) {
    const DoublePair product = two_product(x, y), first = two_sum(word[0], product.high);
    word[0] = first.high;
    double high = first.low, low = product.low;
    ACCUBLAS_WORDS(words)
    for (int i = 1; i < words; ++i) {
      const DoublePair both = two_sum(high, low), sum = two_sum(word[i], both.high);
      word[i] = sum.high;
      high = sum.low, low = both.low;
    }
    // A product below 2^-960 may have bits below the least subnormal number, and loses less than that.
    const bool underflows = absolute(product.high) < 0x1p-960 && !is_zero(x) && !is_zero(y);
    error = add_upward(error, add_upward(add_upward(absolute(low), absolute(high)), underflows ? 0x1p-1074 : 0.0));
  }

  /// Adds another sum.
  ACCUBLAS_HD void add(const WordSum& other) {
    double lost = other.error;
    ACCUBLAS_WORDS(words)
    for (int j = 0; j < words; ++j) {
      double rest = other.word[j];
      ACCUBLAS_WORDS(words)
      for (int i = j; i < words; ++i) {
        const DoublePair sum = two_sum(word[i], rest);
        word[i] = sum.high;
        rest = sum.low;
      }
      lost = add_upward(lost, absolute(rest));
    }
    error = add_upward(error, lost);
  }

  /// Returns the three leading words of the sum. The other words are added to the error. After cancellation the first
  /// words are small or zero, so each pass moves the rest up by one word.
  ACCUBLAS_HD TripleSum leading() const {
    WordSum sum = *this;
    if constexpr (words > 3) {
      ACCUBLAS_WORDS(words)
      for (int pass = 1; pass < words; ++pass) {
        ACCUBLAS_WORDS(words)
        for (int i = words - 2; i >= 0; --i) {
          const DoublePair pair = two_sum(sum.word[i], sum.word[i + 1]);
          sum.word[i] = pair.high, sum.word[i + 1] = pair.low;
        }
      }
      ACCUBLAS_WORDS(words)
      for (int i = 3; i < words; ++i) sum.error = add_upward(sum.error, absolute(sum.word[i]));
    }
    return {sum.word[0], sum.word[1], sum.word[2], sum.error};
  }
};

}  // namespace accublas
