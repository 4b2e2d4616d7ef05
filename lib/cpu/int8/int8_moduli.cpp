// How many moduli a pass of cr takes: the fewest that leave few elements undecided, by the lines and by sampled
// elements.
#include <algorithm>

#include "lib/cpu/int8/int8_gemm.hpp"
#include "lib/numerics/capacity.hpp"
#include "lib/numerics/escalation.hpp"

namespace accublas::cpu {

namespace {

/// How many lines drop bits.
class DroppingLines {
 public:
  explicit DroppingLines(const Int8Lines& lines) : lines_(lines.count) {
    for (Index i = 0; i < lines.count; ++i)
      if (lines.norm[i] > 0) ++needs_[line_needs(lines.needed_bits(i), lines.norm[i])];
    for (int b = most_needs; b > 0; --b) needs_[b - 1] += needs_[b];
  }

  /// Their part of all lines with so many bits, times 2^-bits.
  double part(int bits) const {
    return std::ldexp(static_cast<double>(needs_[bits + 1]) / static_cast<double>(lines_), -bits);
  }

 private:
  Index lines_;
  std::int32_t needs_[most_needs + 1] = {};  ///< lines that need so many bits or more
};

/// sum of x y 2^-(E + F).
template <class T>
double scaled_product(const Vector<const T>& x, int x_exponent, const Vector<const T>& y, int y_exponent, Index k) {
  const ScaleDown x_scale(x_exponent), y_scale(y_exponent);
  double sum = 0;
  for (Index p = 0; p < k; ++p) sum += x_scale(x[p]) * y_scale(y[p]);
  return sum;
}

/// Of operands that the caches hold more may be left.
template <class T>
double accepted_part(Index m, Index n, Index k) {
  return (m + n) * k * static_cast<Index>(sizeof(T)) <= cached_bytes_cpu ? accepted_cached_cpu : accepted_cpu;
}

}  // namespace

void int8_split_bits(int moduli, Index k, int& row_bits, int& col_bits) {
  split_bits(capacity_of(int8_capacity(moduli)), most_relative_norm, most_relative_norm, k, row_bits, col_bits);
}

/// Elements of the wanted tiles, as many as their number and k make worth reading; how many were found.
template <class T>
int Int8Gemm<T>::sample_elements(UndecidedSample* samples) const {
  const Index k = problem_.k;
  const bool small = rows_.count * cols_.count < 20000;
  const int most = small ? 16 : static_cast<int>(std::min<Index>(most_samples, 131072 / k + 8));
  int found = 0;
  SampleSequence sequence;
  for (int attempt = 0; attempt < 8 * most && found < most; ++attempt) {
    const Index i = sequence.next(rows_.count), j = sequence.next(cols_.count);
    if (!wanted_[i / tile_rows_ * col_tiles_ + j / tile_cols_]) continue;
    if (row_lines_.norm[i] <= 0 || col_lines_.norm[j] <= 0) continue;
    const double sum = scaled_product(rows_.line(i), row_lines_.exponent[i], cols_.line(j), col_lines_.exponent[j], k);
    if (sum != 0)
      samples[found++] =
          undecided_sample<T>(sum, row_lines_.norm[i], row_lines_.lambda[i], col_lines_.norm[j], col_lines_.lambda[j]);
  }
  return found;
}

template <class T>
int Int8Gemm<T>::choose_moduli(int least) const {
  UndecidedSample samples[most_samples];
  const int found = sample_elements(samples);
  const DroppingLines rows(row_lines_), cols(col_lines_);
  const double accepted = accepted_part<T>(rows_.count, cols_.count, problem_.k) * found;
  for (int moduli = least; moduli < max_moduli; ++moduli) {
    int row_bits, col_bits;
    int8_split_bits(moduli, problem_.k, row_bits, col_bits);
    const double row_part = rows.part(row_bits), col_part = cols.part(col_bits);
    double chance = 0;
    for (int i = 0; i < found; ++i) chance += samples[i].chance(row_part, col_part);
    if (chance <= accepted) return moduli;
  }
  return max_moduli;
}

template int Int8Gemm<double>::choose_moduli(int) const;
template int Int8Gemm<float>::choose_moduli(int) const;

}  // namespace accublas::cpu
