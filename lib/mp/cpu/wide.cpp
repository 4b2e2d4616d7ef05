#include "lib/mp/cpu/wide.hpp"

#include <algorithm>
#include <functional>

#include "lib/numerics/wide.hpp"

namespace accublas::mp {

Sum classify(const MpProduct& p, std::int64_t i, std::int64_t v) {
  bool plus = false, minus = false;
  for (std::int64_t q = 0; q < p.k; ++q) {
    const std::int64_t at_a = p.transposed ? p.block_a.at(q, i) : p.block_a.at(i, q);
    const std::int64_t at_b = p.b ? p.block_b.at(q, v) : 0;
    const std::int32_t ea = p.a->exponent[at_a], eb = p.b ? p.b->exponent[at_b] : 1;
    if (ea == exponent_nan || eb == exponent_nan) return {Kind::nan, false, nullptr};
    if (ea != exponent_infinity && eb != exponent_infinity) continue;
    if (ea == exponent_zero || eb == exponent_zero) {
      return {Kind::nan, false, nullptr};
    }
    const bool negative = (p.a->sign[at_a] != 0) != (p.b && p.b->sign[at_b] != 0);
    (negative ? minus : plus) = true;
  }
  if (plus && minus) return {Kind::nan, false, nullptr};
  if (plus || minus) return {Kind::infinite, minus, nullptr};
  return {};
}

WideSum::WideSum(const MpProduct& product, const HostAligned& a, const AlignedVectors& b, const Basis& basis,
                 const cpu::MpKernels& kernels, const std::uint32_t* sums, std::int64_t sums_ld,
                 std::int64_t sums_plane)
    : product_(product),
      a_(a),
      b_(b),
      basis_(basis),
      kernels_(kernels),
      sums_(sums),
      sums_ld_(sums_ld),
      sums_plane_(sums_plane),
      terms_(product.k),
      padded_(round_up(terms_, cpu::mp_padding)),
      vector_band_(terms_),
      term_band_(most_rows * padded_),
      group_of_(4 * padded_),
      group_(most_rows * padded_),
      order_(most_rows * padded_),
      band_(2 * terms_),
      end_(2 * terms_),
      rows_of_plane_(product.transposed ? 0 : most_rows * padded_),
      residue_(2 * terms_ * basis.count),
      digit_(basis.count + 1) {
  group_.zero();
}

/// Fills term_band_ for outputs i .. i + rows - 1, in the order in which their entries lie, and vector_band_ if the
/// vector differs from that of the previous call.
void WideSum::find_bands(std::int64_t i, std::int64_t v, int rows) {
  const MpProduct& p = product_;
  if (v != vector_)
    for (std::int64_t q = 0; q < terms_; ++q)
      vector_band_[q] = p.b && is_special(p.b->exponent[p.block_b.at(q, v)]) ? -1 : b_.band(q, v);
  const std::int32_t *exponent = p.a->exponent + (p.transposed ? p.block_a.at(0, i) : p.block_a.at(i, 0)),
                     *band = !a_.banded()   ? nullptr
                             : p.transposed ? a_.bands() + i * a_.rows()
                                            : a_.bands() + i;
  const std::int64_t across = p.transposed ? p.block_a.column_stride : p.block_a.row_stride,
                     along = p.transposed ? p.block_a.row_stride : p.block_a.column_stride,
                     band_across = p.transposed ? a_.rows() : 1, band_along = p.transposed ? 1 : a_.rows();
  const std::int32_t* of_vector = vector_band_.data();
  std::int32_t* out = term_band_.data();
  const auto find = [&](std::int64_t q, int row) {
    const bool zero = is_special(exponent[q * along + row * across]) || of_vector[q] < 0;
    const std::int32_t own = band ? band[q * band_along + row * band_across] : 0;
    out[row * padded_ + q] = zero ? -1 : own + of_vector[q];
  };
  if (p.transposed)
    for (int row = 0; row < rows; ++row)
      for (std::int64_t q = 0; q < terms_; ++q) find(q, row);
  else
    for (std::int64_t q = 0; q < terms_; ++q)
      for (int row = 0; row < rows; ++row) find(q, row);
}

/// Finds the bands that occur in a row, from the top, and replaces its terms' bands by groups. Returns the number of
/// bands.
int WideSum::find_groups(int row, std::int32_t* band) {
  std::int32_t* term = &term_band_[row * padded_];
  const std::int32_t highest = *std::max_element(term, term + terms_);
  int count = 0;
  if (highest < group_of_.size()) {
    std::int32_t* of = group_of_.data();
    std::fill_n(of, highest + 1, -1);
    for (std::int64_t q = 0; q < terms_; ++q)
      if (term[q] >= 0) of[term[q]] = 0;
    for (std::int32_t b = highest; b >= 0; --b)
      if (of[b] == 0) {
        of[b] = count;
        band[count++] = b;
      }
    for (std::int64_t q = 0; q < terms_; ++q) term[q] = term[q] < 0 ? -1 : of[term[q]];
  } else {
    for (std::int64_t q = 0; q < terms_; ++q)
      if (term[q] >= 0) band[count++] = term[q];
    std::sort(band, band + count, std::greater<>());
    count = static_cast<int>(std::unique(band, band + count) - band);
    for (std::int64_t q = 0; q < terms_; ++q)
      if (term[q] >= 0)
        term[q] = static_cast<std::int32_t>(std::lower_bound(band, band + count, term[q], std::greater<>()) - band);
  }
  return count;
}

/// Prepares the lists by which the sums of a row select their terms: group_, or order_ and end_.
void WideSum::sort_terms(int row, int groups) {
  const std::int32_t* group = &term_band_[row * padded_];
  if (masked(row)) {
    std::uint8_t* to = &group_[row * padded_];
    for (std::int64_t q = 0; q < terms_; ++q) to[q] = static_cast<std::uint8_t>(group[q]);  // -1: 255, no group
    return;
  }
  std::int32_t *end = &end_[first_group_[row]], *order = &order_[row * padded_];
  std::fill_n(end, groups, 0);
  for (std::int64_t q = 0; q < terms_; ++q)
    if (group[q] >= 0) ++end[group[q]];
  std::int32_t start = 0;
  for (int g = 0; g < groups; ++g) {
    const std::int32_t terms = end[g];
    end[g] = start;
    start += terms;
  }
  for (std::int64_t q = 0; q < terms_; ++q)
    if (group[q] >= 0) order[end[group[q]]++] = static_cast<std::int32_t>(q);
}

namespace {

/// Returns the sum of a[q] x[q] over the terms q of a list of fewer than 2^34 terms.
Uint128 listed_sum(const std::uint32_t* a, const std::uint32_t* x, const std::int32_t* term, std::int64_t count) {
  Uint128 sum = 0;
  std::int64_t t = 0;
  for (; t + 4 <= count; t += 4) {  // four products fit into 64 bits
    std::uint64_t part = 0;
    for (int u = 0; u < 4; ++u) part += static_cast<std::uint64_t>(a[term[t + u]]) * x[term[t + u]];
    sum += part;
  }
  for (; t < count; ++t) sum += static_cast<std::uint64_t>(a[term[t]]) * x[term[t]];
  return sum;
}

}  // namespace

/// Sums output i, and those that follow up to the end of its cache lines, while there is room for their groups.
void WideSum::sum_rows(std::int64_t i, std::int64_t v, std::int64_t end) {
  const MpProduct& p = product_;
  const std::int64_t last = std::min(end, round_up(i + 1, most_rows)), line = i / most_rows * most_rows;
  find_bands(i, v, static_cast<int>(last - i));
  first_ = i;
  vector_ = v;
  for (rows_ = 0; i + rows_ < last; ++rows_) {
    const std::int64_t group = first_group_[rows_];
    if (group > terms_) break;  // the next one may have as many as there are terms
    const int row = static_cast<int>(rows_), groups = in_bands(i + rows_, v) ? find_groups(row, &band_[group]) : 0;
    first_group_[rows_ + 1] = group + groups;
    if (groups > 0) sort_terms(row, groups);
  }
  const RnsModulus* modulus = moduli(basis_.count);
  for (int k = 0; k < basis_.count; ++k) {
    const std::uint32_t* x = b_.plane(k) + v * b_.ld();
    std::uint32_t* residue = &residue_[2 * terms_ * k];
    if (!p.transposed)
      kernels_.rows(
          {a_.plane(k) + line, a_.ld(), std::min(most_rows, a_.ld() - line), terms_, rows_of_plane_.data(), padded_});
    for (std::int64_t row = 0; row < rows_; ++row) {
      const std::uint32_t* a =
          p.transposed ? a_.plane(k) + (i + row) * a_.ld() : &rows_of_plane_[(i + row - line) * padded_];
      const std::int64_t begin = first_group_[row];
      const int groups = static_cast<int>(first_group_[row + 1] - begin), last_group = groups - 1;
      if (groups == 0) continue;
      if (masked(row)) {
        if (last_group > 0)
          kernels_.product_groups({modulus[k], a, x, &group_[row * padded_], terms_, last_group, residue + begin});
      } else {
        const std::int32_t* order = &order_[row * padded_];
        for (std::int32_t g = 0, from = 0; g < last_group; from = end_[begin + g++]) {
          const Uint128 sum = listed_sum(a, x, order + from, end_[begin + g] - from);
          residue[begin + g] = rns_reduce96(static_cast<std::uint32_t>(sum), static_cast<std::uint32_t>(sum >> 32),
                                            static_cast<std::uint32_t>(sum >> 64), modulus[k]);
        }
      }
      std::uint32_t rest = sums_[k * sums_plane_ + v * sums_ld_ + i + row];
      for (int g = 0; g < last_group; ++g) rest = rns_add(rest, rns_negate(residue[begin + g], modulus[k]), modulus[k]);
      residue[begin + last_group] = rest;
    }
  }
}

BandSums& WideSum::add_up(std::int64_t i, std::int64_t v, std::int64_t end) {
  if (v != vector_ || i < first_ || i >= first_ + rows_) sum_rows(i, v, end);
  row_ = i - first_;
  unit_ = (product_.transposed ? a_.column_exponent()[i] : a_.row_exponent()[i]) + b_.unit(v);
  return *this;
}

void WideSum::integer(int g, std::uint64_t* limb) {
  kernels_.crt_digits({&residue_[first_group_[row_] + g], 2 * terms_, moduli(basis_.count), basis_.inverse.data(),
                       basis_.reciprocal.data(), basis_.count, 1, digit_.data(), 1});
  reconstruct(basis_, digit_.data(), 1, limb);
}

}  // namespace accublas::mp
