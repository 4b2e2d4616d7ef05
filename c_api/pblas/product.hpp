// The product of distributed matrices. Each process computes the elements of C that it has, from panels of the operands
// over all terms, by local calls of GEMM. So an element has the bits of a single process's call, in every mode whose
// values are local to an element. dp:repro, whose T* belongs to the call, goes over the panels twice.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "c_api/pblas/certificate.hpp"
#include "c_api/pblas/panels.hpp"
#include "lib/base/integers.hpp"

namespace accublas::pblas {

/// Returns the mode of a product for which no certificate has been computed yet.
template <class E>
Mode mode_of_product(const Mode& mode, std::int64_t k) {
  return mode_of_values(mode, (is_complex<E> ? 2 : 1) * k);
}

/// The operand that C overwrites, as in TRMM.
enum class InPlace { none, left, right };

/// C = alpha op(A) op(B) + beta C.
template <class E>
class DistributedProduct {
 public:
  DistributedProduct(const Caller& by, const Team& team, const Source& a, const Source& b, E alpha, E beta,
                     const Part& c, InPlace in_place = InPlace::none)
      : by_(by), team_(team), source_{a, b}, alpha_(alpha), beta_(beta), c_(c), in_place_(in_place) {}

  void run() {
    const std::int64_t k = source_[0].plain() ? source_[0].part.cols.count : source_[0].part.rows.count;
    if (alpha_ == 0 || k == 0) {
      const auto own = [&](const Axis& axis) {
        return static_cast<std::int64_t>(axis.of_group(axis.group_of(team_, team_.rank)).size());
      };
      const std::int64_t m = own(c_.rows), n = own(c_.cols);
      const Stored<E> none{nullptr, std::max<std::int64_t>(m, 1), ACCUBLAS_NO_TRANS},
          nothing{nullptr, 1, ACCUBLAS_NO_TRANS};
      return local_gemm(by_, m, n, 0, alpha_, none, nothing, beta_, static_cast<E*>(c_.data), c_.ld);
    }
    plan(k);
    by_.mode = mode_of_product<E>(by_.mode, k);
    if (by_.mode.reproducible) {
      for_blocks([&](Panel<E>& a, Panel<E>& b, E*) { measure(a, b); });
      verdict_.agree(team_);
      const std::int64_t elements = std::int64_t{c_.rows.count} * c_.cols.count;
      by_.mode = verdict_.mode<RealOf<E>>(components * elements);
      certified_ = by_.mode.kind == ACCUBLAS_MODE_FIXED;
    }
    computing_ = true;
    for_blocks([&](Panel<E>& a, Panel<E>& b, E* c) { compute(a, b, c); });
  }

 private:
  static constexpr int components = is_complex<E> ? 2 : 1;
  /// Decides how many rows and columns of C a process computes from panels that it has at one time.
  void plan(std::int64_t k) {
    const std::int64_t most[2] = {c_.rows.most(), c_.cols.most()};
    // Memory for a panel, its sent messages and its received messages. Mirrored entries take another panel.
    const std::int64_t line = k * static_cast<std::int64_t>(sizeof(E)) * 4;
    std::int64_t lines = std::max<std::int64_t>(team_.buffer_bytes / std::max<std::int64_t>(line, 1), 3);
    for (int side = 0; side < 2; ++side) height_[side] = most[side];
    if (most[0] + most[1] > lines)
      for (int side = 0; side < 2; ++side) height_[side] = std::min(most[side], std::max<std::int64_t>(lines / 3, 1));
    for (int side = 0; side < 2; ++side)
      blocks_[side] = height_[side] == 0 ? 0 : (most[side] + height_[side] - 1) / height_[side];
  }

  /// Fetches the panel of a block of rows (side 0) or columns (side 1).
  std::unique_ptr<Panel<E>> fetch(int side, std::int64_t block) {
    const Axis& axis = side == 0 ? c_.rows : c_.cols;
    const Axis lines = blocks_[side] == 1
                           ? axis
                           : axis.slice(static_cast<int>(block * height_[side]), static_cast<int>(height_[side]));
    return std::make_unique<Panel<E>>(by_.name, team_, source_[side], lines, side == 1);
  }

  /// Calls body(panel of A, panel of B, C at the block) for all blocks. The outer loop is over the operand that C
  /// overwrites: its panel is fetched before any of its elements is written, and only once. The next panel of the inner
  /// loop is under way while a block is computed.
  template <class Body>
  void for_blocks(Body&& body) {
    const int outer = in_place_ == InPlace::right ? 1 : 0, inner = 1 - outer;
    if (kept_[0]) {  // the previous pass has kept the panels of the only block
      if (computing_ && in_place_ != InPlace::none) find_special(*kept_[outer]);
      return body(*kept_[0], *kept_[1], static_cast<E*>(c_.data));
    }
    for (std::int64_t o = 0; o < blocks_[outer]; ++o) {
      std::unique_ptr<Panel<E>> panels[2], next;
      panels[outer] = fetch(outer, o);
      if (blocks_[inner] > 0) next = fetch(inner, 0);
      panels[outer]->finish();
      if (computing_ && in_place_ != InPlace::none) find_special(*panels[outer]);
      for (std::int64_t i = 0; i < blocks_[inner]; ++i) {
        panels[inner] = std::move(next);
        panels[inner]->finish();
        if (i + 1 < blocks_[inner]) next = fetch(inner, i + 1);
        const std::int64_t row = height_[0] * (outer == 0 ? o : i), col = height_[1] * (outer == 0 ? i : o);
        body(*panels[0], *panels[1], static_cast<E*>(c_.data) + row + col * c_.ld);
      }
      if (blocks_[0] == 1 && blocks_[1] == 1)
        for (int side = 0; side < 2; ++side) kept_[side] = std::move(panels[side]);
    }
  }

  void measure(Panel<E>& a, Panel<E>& b) {
    // If C is replicated, only one of the processes that have an element counts it.
    const bool counts = (!c_.rows.everywhere() || team_.row_of(team_.rank) == team_.first_row) &&
                        (!c_.cols.everywhere() || team_.col_of(team_.rank) == team_.first_col);
    if (!counts || a.count() == 0 || b.count() == 0) return;
    certificate_.emplace(by_.name, a.count(), b.count(), a.terms(), a.stored(), b.stored());
    for (std::int64_t j = 0; j < b.count(); ++j)
      for (std::int64_t i = 0; i < a.count(); ++i) certificate_->count(i, j, true, verdict_);
  }

  void compute(Panel<E>& a, Panel<E>& b, E* c) {
    // Special lines of the operand in place are left out of the product.
    const bool right = in_place_ == InPlace::right;
    const std::int64_t count = right ? b.count() : a.count();
    std::int64_t first = 0;
    for (const std::int64_t line : special_) {
      compute_lines(a, b, c, first, line - first);
      compute_special(a, b, c, line);
      first = line + 1;
    }
    compute_lines(a, b, c, first, count - first);
  }

  /// Computes the elements of consecutive rows, or columns if those are of the operand in place.
  void compute_lines(Panel<E>& a, Panel<E>& b, E* c, std::int64_t first, std::int64_t count) {
    const bool right = in_place_ == InPlace::right;
    if (in_place_ != InPlace::none && by_.mode.kind == ACCUBLAS_MODE_CR)
      return multiply_by_bands(a, b, c, first, count);
    const std::int64_t m = right ? a.count() : count, n = right ? count : b.count(), k = a.terms();
    const Stored<E> left = a.stored().from(right ? 0 : first, 0), lines = b.stored().from(0, right ? first : 0);
    E* const to = c + (right ? first * c_.ld : first);
    const auto multiply = [&] { local_gemm(by_, m, n, k, alpha_, left, lines, beta_, to, c_.ld); };
    if (!certified_ || m == 0 || n == 0) return multiply();
    // The previous pass has kept the certificate of the only block, if it left out no line.
    if (!kept_[0] || !special_.empty() || !certificate_) certificate_.emplace(by_.name, m, n, k, left, lines);
    const auto all = [](std::int64_t, std::int64_t) { return true; };
    with_rejected(by_, *certificate_, m, n, k, alpha_, left, lines, beta_, to, c_.ld, false, all, multiply);
  }

  void find_special(Panel<E>& panel) {
    special_.clear();
    for (std::int64_t i = 0; i < panel.count(); ++i) {
      bool finite = true;
      for (std::int64_t p = 0; p < panel.terms(); ++p) finite &= is_finite_entry(panel.entry(i, p));
      if (!finite) special_.push_back(i);
    }
  }
  static bool is_finite_entry(const E& entry) {
    if constexpr (is_complex<E>)
      return is_finite(entry.re) && is_finite(entry.im);
    else
      return is_finite(entry);
  }

  /// Returns a range of terms. Outside it, lines `first` to `last` of TRMM's triangular operand have only zeros.
  TermRange terms_of(const Panel<E>& triangular, std::int64_t first, std::int64_t last) const {
    const Source& source = source_[in_place_ == InPlace::right ? 0 : 1];
    const bool upper = (source.stored == Triangle::upper) == source.plain();
    // A line is a row if the triangular operand stands on the left, else a column.
    if (upper == (in_place_ == InPlace::right)) return {triangular.line(first), triangular.terms()};
    return {0, triangular.line(last) + 1};
  }

  /// Multiplies lines of TRMM's operand in place in cr, in which zeros change no bit: by bands of the triangular
  /// operand's lines, without most of its zeros.
  void multiply_by_bands(Panel<E>& a, Panel<E>& b, E* c, std::int64_t first, std::int64_t count) {
    constexpr std::int64_t bands = 4, narrowest = 64;
    const bool right = in_place_ == InPlace::right;
    const Panel<E>& triangular = right ? a : b;
    const std::int64_t lines = triangular.count(), width = std::max(ceil_div(lines, bands), narrowest);
    for (std::int64_t i = 0; i < lines; i += width) {
      const std::int64_t of_band = std::min(width, lines - i), row = right ? i : first, col = right ? first : i;
      const TermRange terms = terms_of(triangular, i, i + of_band - 1);
      local_gemm(by_, right ? of_band : count, right ? count : of_band, terms.end - terms.first, alpha_,
                 a.stored().from(row, terms.first), b.stored().from(terms.first, col), beta_, c + row + col * c_.ld,
                 c_.ld);
    }
  }

  /// Computes the elements of a special line of TRMM in cr, from the terms of the triangle alone.
  void compute_special(Panel<E>& a, Panel<E>& b, E* c, std::int64_t line) {
    const bool right = in_place_ == InPlace::right;
    const Panel<E>& triangular = right ? a : b;
    for (std::int64_t i = 0; i < triangular.count(); ++i) {
      const TermRange terms = terms_of(triangular, i, i);
      const std::int64_t row = right ? i : line, col = right ? line : i;
      local_gemm(by_.in({ACCUBLAS_MODE_CR}), 1, 1, terms.end - terms.first, alpha_, a.stored().from(row, terms.first),
                 b.stored().from(terms.first, col), E{}, c + row + col * c_.ld, c_.ld);
    }
  }

  Caller by_;
  const Team& team_;
  const Source source_[2];
  const E alpha_, beta_;
  const Part c_;
  const InPlace in_place_;
  std::int64_t height_[2] = {}, blocks_[2] = {};  ///< rows and columns of a block, and how many blocks there are
  std::unique_ptr<Panel<E>> kept_[2];
  std::optional<Certificate<E>> certificate_;
  Verdict verdict_;
  bool certified_ = false, computing_ = false;
  std::vector<std::int64_t> special_;  ///< lines of the operand in place that hold an Inf or a NaN
};

}  // namespace accublas::pblas
