// dot2's GEMM. A task is a tile of C, for which it packs its own slabs of A and B; each packed entry is used a hundred
// times from the cache. So threads share nothing, and the workspace does not grow with the problem.
#include <algorithm>

#include "lib/base/integers.hpp"
#include "lib/cpu/dot2/dot2.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/tuning/tuning.hpp"
#include "lib/numerics/bounds.hpp"

namespace accublas::cpu {

namespace {

constexpr Index alignment = 8;  // doubles that a part of the workspace may lose

template <class T>
class Gemmer {
 public:
  Gemmer(const Gemm<T>& gemm, const Dot2Pairs* pairs, Execution& execution)
      : g_(gemm), to_(pairs), execution_(execution), kernel_(kernels_for<Dot2GemmKernel<T>>(execution.isa)) {}

  void run() {
    threads_ = static_cast<double>(g_.m) * g_.n * g_.k < tuning_.thread_work ? 1 : execution_.threads;
    choose_tiles(threads_ == 1 ? 1 : tuning_.tasks_a_thread * threads_);
    // A small workspace may hold the tiles of fewer threads only, or smaller ones.
    const Index most = static_cast<Index>(execution_.workspace.most() / sizeof(double)) - 3 * alignment;
    const auto fits = [&] {
      return threads_ * per_thread() + (shares_k() ? (2 * threads_ + 1) * pair_values() : 0) <= most;
    };
    while (threads_ > 1 && !fits()) {
      threads_ /= 2;
      choose_tiles(threads_ == 1 ? 1 : tuning_.tasks_a_thread * threads_);
    }
    // This ends with the kernel's tiles at the latest. C may have fewer tiles than `wanted`.
    for (Index wanted = row_tiles_ * col_tiles_; !fits() && (rows_ > kernel_.rows || cols_ > kernel_.cols);)
      choose_tiles(wanted *= 2);
    const Index tiles = row_tiles_ * col_tiles_;
    if (shares_k()) {
      run_blocks(tiles);
      return;
    }
    const Index own = per_thread();
    double* const memory = execution_.workspace.template take<double>(static_cast<std::size_t>(threads_ * own));
    if (execution_.workspace.rehearses()) return;
    parallel_for(tiles, threads_, [&](Index tile, int thread) {
      double* const pairs = memory + thread * own;
      accumulate(tile, 0, g_.k, pairs, pairs + pair_values());
      finish(tile, pairs);
    });
  }

 private:
  /// Chooses tiles of nearly equal size: at least `wanted` of them, if C has so many tiles of the kernel.
  void choose_tiles(Index wanted) {
    const Index row_units = ceil_div(g_.m, kernel_.rows), col_units = ceil_div(g_.n, kernel_.cols);
    row_tiles_ = ceil_div(g_.m, tuning_.task_rows);
    col_tiles_ = ceil_div(g_.n, tuning_.task_cols);
    while (row_tiles_ * col_tiles_ < wanted && (row_tiles_ < row_units || col_tiles_ < col_units)) {
      const bool rows_longer = g_.m * col_tiles_ >= g_.n * row_tiles_;
      if ((rows_longer && row_tiles_ < row_units) || col_tiles_ >= col_units) {
        row_tiles_ = std::min(2 * row_tiles_, row_units);
      } else {
        col_tiles_ = std::min(2 * col_tiles_, col_units);
      }
    }
    rows_ = ceil_div(row_units, row_tiles_) * kernel_.rows;
    cols_ = ceil_div(col_units, col_tiles_) * kernel_.cols;
    row_tiles_ = ceil_div(g_.m, rows_);
    col_tiles_ = ceil_div(g_.n, cols_);
  }

  /// Returns whether threads share k: there are fewer tiles than threads, and blocks for all threads.
  bool shares_k() const { return row_tiles_ * col_tiles_ < threads_ && ceil_div(g_.k, dot2_block) >= 2 * threads_; }
  /// Returns how many doubles of workspace a thread needs.
  Index per_thread() const { return pack_values() + (shares_k() ? 0 : pair_values()); }
  Index pair_values() const { return 2 * rows_ * cols_; }
  Index pack_values() const { return (rows_ + cols_) * std::min(tuning_.slab, g_.k); }

  /// A tile of C: its corner and its size.
  struct Tile {
    Index i, j, rows, cols;
  };
  Tile tile_of(Index tile) const {
    const Index i = tile % row_tiles_ * rows_, j = tile / row_tiles_ * cols_;
    return {i, j, std::min(rows_, g_.m - i), std::min(cols_, g_.n - j)};
  }

  /// Computes the pairs of a tile over terms first_p .. end_p - 1. The kernel's tiles are stored one after another, by
  /// columns of tiles.
  void accumulate(Index index, Index first_p, Index end_p, double* pairs, double* packed) {
    const Tile t = tile_of(index);
    double* const packed_a = packed;
    double* const packed_b = packed + rows_ * std::min(tuning_.slab, g_.k);
    std::fill_n(pairs, pair_values(), 0.0);
    for (Index p = first_p; p < end_p; p += tuning_.slab) {
      const Index length = std::min(tuning_.slab, end_p - p);
      const Matrix<const T> a = g_.a.block(t.i, p), b = g_.b.block(p, t.j);
      kernel_.pack_rows(length, t.rows, a.data, a.row_stride, a.col_stride, packed_a);
      kernel_.pack_cols(length, t.cols, b.data, b.col_stride, b.row_stride, packed_b);
      double* pair = pairs;
      for (Index j = 0; j < t.cols; j += kernel_.cols)
        for (Index i = 0; i < t.rows; i += kernel_.rows, pair += 2 * kernel_.rows * kernel_.cols)
          kernel_.tile(length, dot2_block, packed_a + i * length, packed_b + j * length, pair);
    }
  }

  void finish(Index index, const double* pairs) {
    const Tile t = tile_of(index);
    const Index size = kernel_.rows * kernel_.cols;
    for (Index j = 0; j < t.cols; j += kernel_.cols) {
      for (Index i = 0; i < t.rows; i += kernel_.rows, pairs += 2 * size) {
        const Index rows = std::min<Index>(kernel_.rows, t.rows - i), row = t.i + i;
        for (Index q = 0; q < std::min<Index>(kernel_.cols, t.cols - j); ++q) {
          const double* const s = pairs + q * kernel_.rows;
          const Index col = t.j + j + q;
          if (to_)
            dot2_write_pairs(rows, s, s + size, g_.k, g_.a.block(row, 0), g_.b.col(col), to_->block(row, col));
          else
            dot2_write(execution_.isa, rows, s, s + size, g_.k, g_.alpha, g_.a.block(row, 0), g_.b.col(col), g_.beta,
                       g_.c.block(row, col).col(0));
        }
      }
    }
  }

  /// Computes the tiles with threads that share k. The pairs of a batch of blocks are computed in parallel, then
  /// combined from left to right.
  void run_blocks(Index tiles) {
    const Index values = pair_values(), blocks = ceil_div(g_.k, dot2_block);
    double* const totals = execution_.workspace.template take<double>(static_cast<std::size_t>(values));
    double* const packed =
        execution_.workspace.template take<double>(static_cast<std::size_t>(threads_ * pack_values()));
    const Index room = static_cast<Index>(execution_.workspace.available() / sizeof(double));
    const Index batch = std::clamp<Index>(std::min(tuning_.split_values, room) / values, 2 * threads_, blocks);
    double* const pairs = execution_.workspace.template take<double>(static_cast<std::size_t>(batch * values));
    if (execution_.workspace.rehearses()) return;
    const Index size = kernel_.rows * kernel_.cols;
    for (Index tile = 0; tile < tiles; ++tile) {
      std::fill_n(totals, values, 0.0);
      for (Index first = 0; first < blocks; first += batch) {
        const Index count = std::min(batch, blocks - first);
        parallel_for(count, threads_, [&](Index task, int thread) {
          const Index p = (first + task) * dot2_block;
          accumulate(tile, p, std::min(p + dot2_block, g_.k), pairs + task * values, packed + thread * pack_values());
        });
        for (Index b = 0; b < count; ++b) {
          for (Index v = 0; v < values; v += 2 * size) {
            double* const s = totals + v;
            const double* const right = pairs + b * values + v;
            for (Index i = 0; i < size; ++i) {
              const Dot2Pair total = dot2_combine<T>({s[i], s[size + i]}, {right[i], right[size + i]});
              s[i] = total.s;
              s[size + i] = total.c;
            }
          }
        }
      }
      finish(tile, totals);
    }
  }

  const Gemm<T>& g_;
  const Dot2Pairs* const to_;
  Execution& execution_;
  const Dot2Tuning& tuning_ = tuning().dot2;
  const Dot2GemmKernel<T>& kernel_;
  int threads_ = 1;
  Index row_tiles_ = 1, col_tiles_ = 1, rows_ = 0, cols_ = 0;
};

}  // namespace

template <class T>
void dot2_gemm(const Gemm<T>& gemm, Execution& execution, const Dot2Pairs* pairs) {
  // A GEMM with one column or one row is a GEMV: both have one chain for each output, in equal blocks.
  if (gemm.n == 1) {
    dot2_gemv(Gemv<T>{gemm.m, gemm.k, gemm.alpha, gemm.a, gemm.b.col(0), gemm.beta, gemm.c.col(0)}, execution, pairs);
    return;
  }
  if (gemm.m == 1) {
    const Dot2Pairs row = pairs ? pairs->transposed() : Dot2Pairs{};
    dot2_gemv(Gemv<T>{gemm.n, gemm.k, gemm.alpha, gemm.b.transposed(), gemm.a.row(0), gemm.beta, gemm.c.row(0)},
              execution, pairs ? &row : nullptr);
    return;
  }
  PhaseTimer timer(execution, &accublas_report_t::ms_product);
  dot2_report_bound(dot2_depth_gemm(gemm.k), gemm.k, gemm.alpha, execution.report);
  Gemmer<T>(gemm, pairs, execution).run();
}

template void dot2_gemm(const Gemm<double>&, Execution&, const Dot2Pairs*);
template void dot2_gemm(const Gemm<float>&, Execution&, const Dot2Pairs*);

}  // namespace accublas::cpu
