// The panels of a product: the rows of op(A), or the columns of op(B), that a process needs for its part of C, over all
// terms. A structured operand becomes a general one here: its panel has the mirrored entries, or the zeros and ones,
// that the structure stands for. Only stored entries are sent.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "c_api/pblas/exchange.hpp"
#include "c_api/pblas/local.hpp"
#include "lib/call/product.hpp"

namespace accublas::pblas {

/// A distributed operand of a product.
struct Source {
  Part part;
  accublas_transpose trans = ACCUBLAS_NO_TRANS;  ///< unused for symmetric and Hermitian operands
  Structure structure = Structure::general;
  Triangle stored = Triangle::all;
  bool unit = false;  ///< a triangular operand has ones on its diagonal

  bool plain() const { return trans == ACCUBLAS_NO_TRANS; }
  bool mirrors() const { return structure == Structure::symmetric || structure == Structure::hermitian; }
};

/// The panel of the lines that an axis gives to this process: rows of op(A), or columns of op(B) if `right`. The
/// constructor starts the messages.
template <class E>
class Panel {
 public:
  Panel(const char* routine, const Team& team, const Source& source, const Axis& lines, bool right)
      : source_(source),
        lines_(lines.of_group(lines.group_of(team, team.rank))),
        are_rows_(right != source.plain()),
        entries_(buffer(routine, are_rows_)) {
    if (source.structure == Structure::triangular) std::fill_n(entries_.data.get(), entries_.rows * entries_.cols, E{});
    const Mask mask = source.structure == Structure::general ? Mask{} : Mask{source.stored, !source.unit};
    main_.emplace(team, source.part, target(lines, are_rows_, entries_), sizeof(E), mask);
    if (!source.mirrors()) return;
    mirrored_ = buffer(routine, !are_rows_);
    mirror_.emplace(team, source.part, target(lines, !are_rows_, mirrored_), sizeof(E), Mask{source.stored, false});
  }

  /// Waits for the messages and completes the panel.
  void finish() {
    main_->finish();
    main_.reset();
    if (source_.mirrors()) {
      mirror_->finish();
      mirror_.reset();
      for (std::int64_t i = 0; i < count(); ++i) mirror(i);
      mirrored_ = {};
    }
    if (source_.unit)
      for (std::int64_t i = 0; i < count(); ++i) entry(i, line(i)) = one();
  }

  Stored<E> stored() const { return {entries_.data.get(), entries_.ld(), source_.trans}; }
  /// Returns the transposed panel, conjugated on request.
  Stored<E> transposed(bool conjugated) const {
    const accublas_transpose other = conjugated ? ACCUBLAS_CONJ_TRANS : ACCUBLAS_TRANS;
    return {entries_.data.get(), entries_.ld(), source_.plain() ? other : ACCUBLAS_NO_TRANS};
  }
  std::int64_t count() const { return static_cast<std::int64_t>(lines_.size()); }
  std::int64_t terms() const { return are_rows_ ? entries_.cols : entries_.rows; }
  /// Returns the index of a line in the whole operand.
  int line(std::int64_t i) const { return lines_[static_cast<std::size_t>(i)]; }
  /// The entry of line i and term p, not conjugated.
  E& entry(std::int64_t i, std::int64_t p) { return are_rows_ ? entries_(i, p) : entries_(p, i); }

 private:
  static E one() {
    if constexpr (is_complex<E>)
      return {1, 0};
    else
      return 1;
  }
  Buffer<E> buffer(const char* routine, bool are_rows) const {
    const auto lines = static_cast<std::int64_t>(lines_.size());
    return are_rows ? Buffer<E>(routine, lines, source_.part.cols.count)
                    : Buffer<E>(routine, source_.part.rows.count, lines);
  }
  Part target(const Axis& lines, bool are_rows, Buffer<E>& to) const {
    Part part{Axis::all(source_.part.rows.count), Axis::all(source_.part.cols.count), to.data.get(), to.ld()};
    (are_rows ? part.rows : part.cols) = lines;
    return part;
  }
  /// Writes those entries of a line that the other triangle stores.
  void mirror(std::int64_t i) {
    const int own = line(i);
    const bool hermitian = source_.structure == Structure::hermitian;
    for (int p = 0; p < static_cast<int>(terms()); ++p) {
      const bool held = are_rows_ ? holds(source_.stored, own, p) : holds(source_.stored, p, own);
      if (!held) entry(i, p) = conjugate_if(hermitian, are_rows_ ? mirrored_(p, i) : mirrored_(i, p));
    }
    if constexpr (is_complex<E>)
      if (hermitian) entry(i, own).im = 0;
  }

  const Source source_;
  const std::vector<int> lines_;
  const bool are_rows_;  ///< the lines are rows of the stored operand
  Buffer<E> entries_, mirrored_;
  std::optional<Exchange> main_, mirror_;
};

}  // namespace accublas::pblas
