// One pass over C: scaling of the lines, what is known of the error, residues and products.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "lib/base/integers.hpp"
#include "lib/cpu/int8/int8_blocks.hpp"
#include "lib/numerics/capacity.hpp"
#include "lib/numerics/scaling.hpp"

namespace accublas::cpu {

namespace {

/// cr: the exponent g for which a line's norm is at most 2^(E + g), a little below. Lines are scaled to equal norms
/// there, not to equal maxima, because it is norms that bound the sums.
int norm_exponent(double norm) { return norm > 0 ? exponent_above(norm * (1 + 0x1p-10)) : 0; }

/// Fraction of undecided elements that choose_moduli accepts: then recomputing them costs less than one more modulus
/// would. Operands that the caches hold are read much faster by the exact accumulator, which goes along rows and
/// columns.
template <class T>
double accepted_fraction(Index m, Index n, Index k) {
  return (m + n) * k * static_cast<Index>(sizeof(T)) <= Index{1} << 18 ? 1e-3 : 1e-4;
}

}  // namespace

/// Bits of the two sides so that sums stay within the moduli's capacity: lines of norm below 2^bits (1 - 2^-11),
/// rounded.
template <class T>
void Int8Gemm<T>::split_bits(int moduli, int& row_bits, int& col_bits) const {
  const double capacity = int8_capacity(moduli);
  int sum = static_cast<int>(capacity) + 1;
  do {
    --sum;
    row_bits = sum / 2;
    col_bits = sum - row_bits;
  } while (sum > 2 && int8_log2_norm(1 / (1 + 0x1p-11), row_bits, problem_.k) +
                              int8_log2_norm(1 / (1 + 0x1p-11), col_bits, problem_.k) >
                          capacity);
}

template <class T>
void Int8Gemm<T>::prepare_pass(const Int8Pass& pass) {
  decide_ties_ = false;
  bool any_row_exact = false, any_col_exact = false;
  const double joint = static_cast<double>(problem_.k) / 4;
  auto prepare = [&](const Int8Lines& lines, int bits, std::int32_t* scale, std::int32_t* exponent, double* error,
                     double* drop, bool& any_exact) {
    for (Index i = 0; i < lines.count; ++i) {
      const int g = pass.interval ? norm_exponent(lines.norm[i]) : 0;
      scale[i] = lines.norm[i] > 0 ? bits - g - lines.exponent[i] : 0;
      exponent[i] = -scale[i];
      if (!pass.interval) continue;
      const bool exact = lines.norm[i] <= 0 || lines.last_bit[i] >= -scale[i];
      any_exact |= exact;
      drop[i] = exact ? 0 : 1;
      // Half the sum of abs(x) 2^scale, from above by lambda.
      error[i] = std::ldexp(lines.lambda[i], lines.exponent[i] + scale[i] - 25);
      if (mutant(Mutant::ziv_half)) error[i] *= 0x1p-40;
    }
    for (Index i = lines.count; i < round_up(lines.count, 32); ++i) {
      scale[i] = 0;
      exponent[i] = 0;
      drop[i] = error[i] = 0;
    }
  };
  prepare(row_lines_, pass.row_bits, row_scale_, row_exponent_, row_error_, row_drop_, any_row_exact);
  prepare(col_lines_, pass.col_bits, col_scale_, col_exponent_, col_error_, col_drop_, any_col_exact);
  for (Index i = 0; i < row_lines_.count; ++i) {
    row_exponent_[i] += alpha_exponent_;
    if (pass.interval && !mutant(Mutant::ziv_half)) row_error_[i] += row_drop_[i] * joint;
  }
  decide_ties_ = any_row_exact && any_col_exact;
}

template <class T>
int Int8Gemm<T>::choose_moduli(int least) const {
  constexpr int most_samples = 64, digits = FloatFormat<T>::digits;
  struct Sample {
    double row_term,
        col_term;  // chance to be undecided: row_term 2^-row_bits where the row drops bits, col_term 2^-col_bits alike
  } samples[most_samples];
  // How many lines drop bits with b bits: those that need more.
  constexpr int most_bits = 192;
  std::int32_t row_needs[most_bits + 1] = {}, col_needs[most_bits + 1] = {};
  auto count_needs = [](const Int8Lines& lines, std::int32_t* needs) {
    for (Index i = 0; i < lines.count; ++i) {
      if (lines.norm[i] <= 0) continue;
      const std::int64_t bits = lines.needed_bits(i) + norm_exponent(lines.norm[i]);
      ++needs[bits < 0 ? 0 : bits < most_bits ? bits : most_bits];
    }
    for (int b = most_bits; b > 0; --b) needs[b - 1] += needs[b];
  };
  count_needs(row_lines_, row_needs);
  count_needs(col_lines_, col_needs);
  const Index k = problem_.k;
  const double accepted = accepted_fraction<T>(rows_.count, cols_.count, k);
  const bool small = rows_.count * cols_.count < 20000;
  const int wanted = small ? 16 : static_cast<int>(std::min<Index>(most_samples, 131072 / k + 8));
  int found = 0;
  std::uint64_t state = 0x9E3779B97F4A7C15u;
  auto next = [&](Index below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<Index>((state >> 33) % static_cast<std::uint64_t>(below));
  };
  for (int attempt = 0; attempt < 8 * wanted && found < wanted; ++attempt) {
    const Index i = next(rows_.count), j = next(cols_.count);
    if (!wanted_[i / tile_rows_ * col_tiles_ + j / tile_cols_]) continue;
    if (row_lines_.norm[i] <= 0 || col_lines_.norm[j] <= 0) continue;
    const Vector<const T> x = rows_.line(i), y = cols_.line(j);
    const double sx = std::ldexp(1.0, -row_lines_.exponent[i] / 2),
                 tx = std::ldexp(1.0, -row_lines_.exponent[i] - -row_lines_.exponent[i] / 2);
    const double sy = std::ldexp(1.0, -col_lines_.exponent[j] / 2),
                 ty = std::ldexp(1.0, -col_lines_.exponent[j] - -col_lines_.exponent[j] / 2);
    double sum = 0;
    for (Index p = 0; p < k; ++p) sum += (x[p] * sx * tx) * (y[p] * sy * ty);
    if (!(sum != 0)) continue;
    const double ulp = std::ldexp(1.0, std::ilogb(sum) + 1 - digits);
    Sample& s = samples[found++];
    const int gx = norm_exponent(row_lines_.norm[i]), gy = norm_exponent(col_lines_.norm[j]);
    // Dropping bits of the row moves the sum by half a unit 2^(g - bits) times the column's entries, and the other way
    // round.
    s.row_term = std::ldexp(col_lines_.lambda[j], gx - 24) / ulp;
    s.col_term = std::ldexp(row_lines_.lambda[i], gy - 24) / ulp;
  }
  for (int moduli = least; moduli < max_moduli; ++moduli) {
    int row_bits, col_bits;
    split_bits(moduli, row_bits, col_bits);
    const double rows = static_cast<double>(row_needs[row_bits + 1]) / static_cast<double>(rows_.count);
    const double cols = static_cast<double>(col_needs[col_bits + 1]) / static_cast<double>(cols_.count);
    const double row_terms = std::ldexp(rows, -row_bits);
    const double col_terms = std::ldexp(cols, -col_bits);
    double chance = 0;
    for (int i = 0; i < found; ++i) {
      const double c = samples[i].row_term * row_terms + samples[i].col_term * col_terms;
      chance += c < 1 ? c : 1;
    }
    if (chance <= accepted * found) return moduli;
  }
  return max_moduli;
}

template <class T>
void Int8Gemm<T>::run_pass(const Int8Pass& asked) {
  Int8Pass pass = asked;
  if (mutant(Mutant::dropped_modulus) && pass.moduli > 1) --pass.moduli;
  {
    PhaseTimer timer(execution_, &accublas_report_t::ms_convert);
    prepare_pass(pass);
  }
  accublas_report_t& report = execution_.report;
  const int bits = pass.row_bits > pass.col_bits ? pass.row_bits : pass.col_bits;
  if (bits > report.bits) report.bits = bits;
  if (pass.moduli > report.parts) report.parts = pass.moduli;

  const Int8Blocking b = int8_blocking(rows_.count, cols_.count, problem_.k, pass.moduli, tile_rows_, tile_cols_, 1,
                                       threads_, arena_bytes_);
  const CrtTable& crt = int8_crt_table(pass.moduli);
  Int8Bytes row_bytes{false,       false,  row_scale_,   int8_limbs(pass.row_bits),
                      pass.moduli, arena_, b.row_stride, b.row_plane()};
  Int8Bytes col_bytes{true, false,        col_scale_, int8_limbs(pass.col_bits), pass.moduli, arena_ + b.row_bytes,
                      0,    b.col_plane()};
  const bool timed = execution_.report.level >= 2;
  const auto start = std::chrono::steady_clock::now();
  const double convert_before = report.ms_convert;
  for (int t = 0; t < threads_; ++t) counts_[t].product_ns = counts_[t].reconstruct_ns = counts_[t].exact_ns = 0;

  for_each_tile(b, row_bytes, col_bytes, problem_.k, [&](const Int8TileTask& task) {
    using clock = std::chrono::steady_clock;
    const auto begin = timed ? clock::now() : clock::time_point();
    std::int8_t* to = reinterpret_cast<std::int8_t*>(task.result);
    Int8Product product = task.product;
    for (int l = 0; l < pass.moduli; ++l) {
      if (l + 1 < pass.moduli) {
        product.next_rows += row_bytes.plane_stride;
        product.next_columns += col_bytes.plane_stride;
      }
      product_.residues(product, int8_moduli[l], !task.first_chunk, to, tile_cols_);
      product.rows_data = product.next_rows;
      product.columns_data = product.next_columns;
      to += b.tile_plane();
    }
    const auto middle = timed ? clock::now() : clock::time_point();
    const std::int64_t exact_before = counts_[task.thread].exact_ns;
    if (task.last_chunk) finish_tile(pass, crt, task);
    if (timed) {
      Int8Counts& counts = counts_[task.thread];
      counts.product_ns += std::chrono::nanoseconds(middle - begin).count();
      counts.reconstruct_ns +=
          std::chrono::nanoseconds(clock::now() - middle).count() - (counts.exact_ns - exact_before);
    }
  });
  if (timed) {
    // The threads' times, as shares of what this pass took beside the conversions.
    std::int64_t product = 0, reconstruct = 0, exact = 0;
    for (int t = 0; t < threads_; ++t) {
      product += counts_[t].product_ns;
      reconstruct += counts_[t].reconstruct_ns;
      exact += counts_[t].exact_ns;
    }
    const double wall = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() -
                        (report.ms_convert - convert_before);
    const double all = static_cast<double>(product + reconstruct + exact);
    if (all > 0) {
      report.ms_product += wall * static_cast<double>(product) / all;
      report.ms_reconstruct += wall * static_cast<double>(reconstruct) / all;
      report.ms_exact += wall * static_cast<double>(exact) / all;
    }
  }
}

template void Int8Gemm<double>::run_pass(const Int8Pass&);
template void Int8Gemm<float>::run_pass(const Int8Pass&);
template int Int8Gemm<double>::choose_moduli(int) const;
template int Int8Gemm<float>::choose_moduli(int) const;
template void Int8Gemm<double>::split_bits(int, int&, int&) const;
template void Int8Gemm<float>::split_bits(int, int&, int&) const;

}  // namespace accublas::cpu
