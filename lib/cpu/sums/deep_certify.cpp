// The survey of a deep product, before its sums: the lines and the bound of fixed:T, and the certificate of dp and sp
// reproducible. The certificate's sums read panels, as the products do.
#include "lib/base/atomic_maximum.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/cpu/sums/deep.hpp"
#include "lib/numerics/bounds.hpp"
#include "lib/numerics/certificate.hpp"
#include "lib/numerics/component_sum.hpp"

namespace accublas::cpu {

template <class T>
void Deep<T>::measure_lines() {
  PhaseTimer timer(execution_, &accublas_report_t::ms_convert);
  for (const DeepSide<T>* side : {&rows_side_, &cols_side_})
    if (side == &rows_side_ || !one_survey_)
      deep_survey(*side, execution_.isa, certifies(), threads_, segments_, memory_, thread_bytes());
}

template <class T>
void Deep<T>::survey() {
  measure_lines();
  const auto set_special_aside = [&] {
    for (Index block = 0; block < blocks_; ++block)
      for_elements(block, [&](Index i, Index j, Index part, Index) {
        if (element(i, j, part) == rounded && special(i, j)) element(i, j, part) = as_given;
      });
  };
  set_special_aside();
  constexpr CertificateRungs rungs = certificate_rungs<T>();
  if (mode_.kind == ACCUBLAS_MODE_FIXED) {
    bits_ = mode_.parameter;
    return fixed_bound();
  }
  execution_.report.bound_componentwise = certificate_bound(g_.k, unit_roundoff<T>());
  PhaseTimer timer(execution_, &accublas_report_t::ms_product);
  certify();
  bits_ = execution_.certified_bits(rung_ < 0 ? 0 : rungs.t[rung_], rejected_, elements_wanted());
  if (bits_ == 0)
    std::replace(elements_, elements_ + parts_ * g_.m * g_.n, std::uint8_t{rounded}, std::uint8_t{as_given});
  else if (joins_parts())
    join_rejected();
}

/// Gives cr's sums to each part of a result that has terms of a rejected sum.
template <class T>
void Deep<T>::join_rejected() {
  for (Index j = 0; j < g_.n; ++j)
    for (Index i = 0; i < g_.m; ++i) {
      const bool kept[2] = {element(i, j, 0) != as_given, element(i, j, 1) != as_given};
      for (int part = 0; part < 2; ++part)
        if (element(i, j, part) != final)
          element(i, j, part) = is_kept(g_.alpha, kept[part], kept[1 - part]) ? rounded : as_given;
    }
}

/// Computes the certificate's sums of each block, and judges its elements by them.
template <class T>
void Deep<T>::certify() {
  const Index period = Index{certificate_block} * certificate_stride(g_.k),
              most_rejected = execution_.most_rejected(elements_wanted());
  const auto fails = [&] { return rejected_ > most_rejected; };
  for_sums(
      ceil_div(g_.k, period), block_size(),
      [&](Index block, Index piece, int thread, double* sums) {
        if (!fails()) add_bytes(block, piece, thread, sums);
      },
      [&](double* sums, const double* others) {
        for (Index e = 0; e < block_size(); ++e) sums[e] += others[e];
      },
      [&](Index block, const double* sums) {
        if (!fails()) judge(block, sums);
      });
}

/// Adds the certificate's products over one piece of the terms to `sums`.
template <class T>
void Deep<T>::add_bytes(Index block, Index piece, int thread, double* sums) const {
  const Index stride = certificate_stride(g_.k), unit = kernel_.lines, first = piece * certificate_block * stride,
              k = std::min(Index{certificate_block}, g_.k - first);
  const Range rows = rows_of(block), cols = cols_of(block);
  unsigned char* const memory = memory_of(thread);
  const CrPanels a = row_panels(memory, k), b = col_panels(memory, k);
  const auto make = [&](const DeepSide<T>& side, Range range, Index parts, Index part_lines, double* to) {
    for (Index i = 0; i < range.count; i += unit) {
      const Index line = range.begin + i, lines = std::min(unit, range.count - i);
      side.pack(kernel_, line, lines, first, k, spare_panel(memory), copies(memory));
      for (Index part = 0; part < parts; ++part)
        panels_.bytes(k, spare_panel(memory), side.scale(line, lines, 7), part == 1, to + (part * part_lines + i) * k);
    }
  };
  make(rows_side_, rows, 1, 0, a.entries);
  make(cols_side_, cols, parts_, cols_, b.entries);
  double tile[64], rest[64];
  for (Index part = 0; part < parts_; ++part)
    for (Index i = 0; i < rows.count; i += unit)
      for (Index j = 0; j < cols.count; j += kernel_.cols) {
        const Index down = std::min(unit, rows.count - i), across = std::min<Index>(kernel_.cols, cols.count - j);
        if (!any_wanted({rows.begin + i, down}, {cols.begin + j, across}, part_of_sums(part))) continue;
        panels_.products(k, k, a.entry(i), b.entry(part * cols_ + j), tile, rest);
        for (Index c = 0; c < across; ++c)
          for (Index r = 0; r < down; ++r) sums[(part * cols_ + j + c) * rows_ + i + r] += tile[c * unit + r];
      }
}

/// Applies the certificate to a block: finds the largest rung, and gives rejected elements cr's sums. For fixed:T it
/// finds the largest error instead.
template <class T>
void Deep<T>::judge(Index block, const double* sums) {
  constexpr CertificateRungs rungs = certificate_rungs<T>();
  int rung = -1;
  std::int64_t rejected = 0;
  FixedError error;
  for_elements(block, [&](Index i, Index j, Index part, Index at) {
    if (element(i, j, part) != rounded) return;
    const Line &row = rows_side_.known[i], &col = cols_side_.known[j];
    const auto sum_of_bytes = [&] { return static_cast<std::int64_t>(sums[at]); };
    if (mode_.kind == ACCUBLAS_MODE_FIXED) return error.add(row, col, bits_, g_.k, true, sum_of_bytes);
    const int own = rung_of<T>(row, col, g_.k, sum_of_bytes);
    if (own < rungs.count)
      rung = std::max(rung, own);
    else
      ++rejected, element(i, j, part) = as_given;
  });
  raise(rung_, rung);
  raise(worst_, error.worst);
  rejected_.fetch_add(rejected);
}

/// Reports the bound of fixed:T on this data. Throws Error(ACCUBLAS_ERROR_ACCURACY) if it misses the target.
template <class T>
void Deep<T>::fixed_bound() {
  FixedError error;
  for (Index block = 0; block < blocks_; ++block)
    for_elements(block, [&](Index i, Index j, Index part, Index) {
      if (element(i, j, part) == rounded)
        error.add(rows_side_.known[i], cols_side_.known[j], bits_, g_.k, false, [] { return std::int64_t{0}; });
    });
  if (certifies() && !error.exact) {
    certify();
    error.worst = worst_;
  }
  const double u = unit_roundoff<T>(), target = execution_.target;
  put_fixed_bound(execution_.report, bits_, u, error.bound(u, target > 0), target);
}

template void Deep<double>::measure_lines();
template void Deep<float>::measure_lines();
template void Deep<double>::survey();
template void Deep<float>::survey();

}  // namespace accublas::cpu
