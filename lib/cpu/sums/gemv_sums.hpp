// The sums of a GEMV in cr: how its rows are read, and how they are divided into tasks.
#pragma once

#include <algorithm>

#include "lib/base/integers.hpp"
#include "lib/call/execution.hpp"
#include "lib/cpu/kernels/cr_kernels.hpp"
#include "lib/cpu/tuning/tuning.hpp"

namespace accublas::cpu {

/// How the inner products are computed.
enum class Way {
  rows,     ///< from contiguous rows of A and a contiguous x
  columns,  ///< from contiguous columns of A
  packed    ///< from copies of blocks of A and x, for any strides
};

/// Scratch of one thread: sums of a panel, bits of x, then the state of `columns` or a packed block.
template <class T>
struct Scratch {
  TripleSum* sums;
  std::uint64_t* nonzero;
  double* columns;
  T *packed_a, *packed_x;
};

/// A GEMV, divided into tasks: panels of rows times segments of the inner dimension.
template <class T>
class GemvSums {
 protected:
  GemvSums(const Gemv<T>& g, Execution& execution)
      : g_(g), execution_(execution), kernels_(kernels_for<CrKernels<T>>(execution.isa)) {
    choose_way();
    divide();
  }

  /// Sets sums[i] to the inner product of row begin + i and x over `terms` terms from `first` on. `scaled` is null, or
  /// takes the place of x.
  void add_up(Speed speed, Index begin, Index rows, Index first, Index terms, const Scratch<T>& scratch,
              TripleSum* sums, const T* scaled = nullptr) const {
    const T* a = &g_.a(begin, first);
    switch (way_) {
      case Way::rows:
        kernels_.rows[index(speed)](rows, terms, a, g_.a.row_stride, (scaled ? scaled : x_) + first, {}, sums);
        break;
      case Way::columns: {
        const double* x = x_double_;
        if constexpr (sizeof(T) == sizeof(double)) x = scaled ? scaled : x_double_ ? x_double_ : x_;
        kernels_.columns[index(speed)](rows, terms, a, g_.a.col_stride, x + first, scratch.columns, sums);
        break;
      }
      case Way::packed:
        for (Index i = 0; i < rows; i += VectorTuning::packed_rows) {
          add_up_packed(speed, begin + i, std::min(VectorTuning::packed_rows, rows - i), first, terms, scratch,
                        sums + i, scaled ? Vector<const T>{scaled, 1} : g_.x);
        }
        break;
    }
  }

  static int index(Speed speed) { return static_cast<int>(speed); }

  void add_up_packed(Speed speed, Index begin, Index rows, Index first, Index terms, const Scratch<T>& scratch,
                     TripleSum* sums, const Vector<const T>& x) const {
    std::fill(sums, sums + rows, TripleSum{0, 0, 0, 0});
    for (Index p = 0; p < terms; p += VectorTuning::packed_terms) {
      const Index n = std::min(VectorTuning::packed_terms, terms - p);
      const Matrix<const T> block = g_.a.block(begin, first + p);
      for (Index q = 0; q < n; ++q) {
        scratch.packed_x[q] = x[first + p + q];
        for (Index i = 0; i < rows; ++i) scratch.packed_a[i * VectorTuning::packed_terms + q] = block(i, q);
      }
      TripleSum part[VectorTuning::packed_rows];
      kernels_.rows[index(speed)](rows, n, scratch.packed_a, VectorTuning::packed_terms, scratch.packed_x, {}, part);
      for (Index i = 0; i < rows; ++i) triple_add(sums[i], part[i]);
    }
  }

  const Gemv<T>& g_;
  Execution& execution_;
  const VectorTuning& tuning_ = tuning().vector;
  const CrKernels<T>& kernels_;
  Way way_;
  Index panel_rows_, panels_, segment_terms_, segments_;

 private:
  void choose_way() {
    const bool rows = g_.a.col_stride == 1 || g_.k == 1, columns = g_.a.row_stride == 1 && g_.m >= 4;
    way_ = rows ? Way::rows : columns ? Way::columns : Way::packed;
    x_ = g_.x.data;
    const bool as_it_is = g_.x.stride == 1 && (way_ == Way::rows || sizeof(T) == sizeof(double));
    if (way_ == Way::packed || as_it_is) return;
    // x must be contiguous, and double if A is read by columns. If the workspace cannot hold it, blocks are copied.
    const std::size_t bytes = static_cast<std::size_t>(g_.k) * sizeof(double);
    if (bytes > execution_.workspace.most() / 2) {
      way_ = Way::packed;
    } else if (way_ == Way::columns) {
      x_double_ = execution_.workspace.take<double>(static_cast<std::size_t>(g_.k));
      for (Index p = 0; x_double_ && p < g_.k; ++p) x_double_[p] = g_.x[p];
    } else {
      T* copy = execution_.workspace.take<T>(static_cast<std::size_t>(g_.k));
      for (Index p = 0; copy && p < g_.k; ++p) copy[p] = g_.x[p];
      x_ = copy;
    }
    execution_.report.copied_bytes += static_cast<std::int64_t>(g_.k * static_cast<Index>(sizeof(T)));
  }

  void divide() {
    const Index threads = execution_.threads;
    const Index unit = way_ == Way::columns ? 64 : way_ == Way::packed ? VectorTuning::packed_rows : 1;
    // Tasks by rows have few terms, so that threads share the work evenly. Tasks by columns are whole panels.
    Index rows = way_ == Way::columns ? cr_panel : std::max<Index>(1, tuning_.task_terms / g_.k);
    rows = std::min({rows, cr_panel, ceil_div(g_.m, threads)});
    panel_rows_ = std::min(cr_panel, round_up(rows, unit));
    const Index row_bytes = 96;  // of scratch by columns; a small workspace makes shorter panels
    if (threads * panel_rows_ * row_bytes > static_cast<Index>(execution_.workspace.available())) {
      panel_rows_ = std::min<Index>(panel_rows_, 64);
    }
    panels_ = ceil_div(g_.m, panel_rows_);
    segments_ = 1;
    if (threads > 1 && panels_ < 2 * threads && g_.k >= 2 * tuning_.segment_terms) {
      segments_ = std::min(ceil_div(4 * threads, panels_), g_.k / tuning_.segment_terms);
    }
    segment_terms_ = ceil_div(g_.k, segments_);
    segment_terms_ = round_up(segment_terms_, 64);
    segments_ = ceil_div(g_.k, segment_terms_);
  }

  const T* x_ = nullptr;        ///< contiguous
  double* x_double_ = nullptr;  ///< a copy of x as double; null without one
};

}  // namespace accublas::cpu
