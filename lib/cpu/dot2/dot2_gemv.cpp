// dot2's GEMV. Threads take chunks of rows. If there are too few rows for the threads, they take blocks of k, whose
// pairs are then combined from left to right.
#include <algorithm>

#include "lib/base/integers.hpp"
#include "lib/cpu/dot2/dot2.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/tuning/tuning.hpp"
#include "lib/numerics/bounds.hpp"

namespace accublas::cpu {

namespace {

constexpr Index lost_bytes = 64;  // bytes that a part of the workspace may lose

/// Memory of one thread.
template <class T>
struct Buffers {
  double *s, *c, *scratch, *x;
  T* a;
};

template <class T>
class Gemver {
 public:
  Gemver(const Gemv<T>& gemv, const Dot2Pairs* pairs, Execution& execution)
      : g_(gemv), to_(pairs), execution_(execution), kernels_(kernels_for<Dot2GemvKernels<T>>(execution.isa)) {}

  void run() {
    const Index blocks = ceil_div(g_.k, dot2_block);
    int threads = execution_.threads;
    if (g_.m * g_.k < tuning_.thread_work) threads = 1;
    if (g_.m <= tuning_.few_rows && g_.a.col_stride == 1 && blocks >= 8) {
      run_few_rows(threads, blocks);
      return;
    }
    Index rows = std::clamp(round_up(ceil_div(g_.m, threads), 8), tuning_.least_rows, tuning_.most_rows);
    const bool share_k = threads > 1 && ceil_div(g_.m, rows) < threads && blocks >= 2 * threads;
    if (share_k) rows = round_up(std::min(g_.m, tuning_.least_rows), 8);
    // A small workspace may hold shorter chunks or fewer threads only.
    const Index most = static_cast<Index>(execution_.workspace.most()) - 4 * lost_bytes;
    const auto need = [&] {
      const Index pairs = share_k ? (2 * threads + 1) * 2 * round_up(rows, 8) * Index{sizeof(double)} : 0;
      return threads * bytes(rows) + pairs;
    };
    while (need() > most && (threads > 1 || rows > tuning_.least_rows)) {
      if (rows > tuning_.least_rows) {
        rows = std::max(tuning_.least_rows, round_up(rows / 2, 8));
      } else {
        threads /= 2;
      }
    }
    take(threads, rows);
    if (share_k) {
      run_blocks(threads, rows, blocks);
      return;
    }
    if (execution_.workspace.rehearses()) return;
    parallel_for(ceil_div(g_.m, rows), threads, [&](Index task, int thread) {
      const Index first = task * rows, count = std::min(rows, g_.m - first);
      const Buffers<T> own = buffers(thread, rows);
      std::fill_n(own.s, 2 * round_up(rows, 8), 0.0);
      accumulate(first, count, 0, g_.k, own, own.s, own.c);
      finish(first, count, own.s, own.c);
    });
  }

 private:
  void take(int threads, Index rows) {
    doubles_ = execution_.workspace.template take<double>(static_cast<std::size_t>(threads * doubles(rows)));
    copies_ = nullptr;
    if (copies_rows())
      copies_ =
          execution_.workspace.template take<T>(static_cast<std::size_t>(threads * tuning_.copy_rows * dot2_block));
  }

  /// Returns whether rows of A are copied: neither its rows nor its columns are contiguous.
  bool copies_rows() const { return g_.a.row_stride != 1 && g_.a.col_stride != 1; }
  /// Returns the bytes of workspace of a thread.
  Index bytes(Index rows) const {
    return doubles(rows) * Index{sizeof(double)} +
           (copies_rows() ? tuning_.copy_rows * dot2_block * Index{sizeof(T)} : 0);
  }
  Index doubles(Index rows) const { return 4 * round_up(rows, 8) + tuning_.x_chunk; }

  Buffers<T> buffers(int thread, Index rows) const {
    const Index padded = round_up(rows, 8);
    double* const s = doubles_ + thread * doubles(rows);
    return {s, s + padded, s + 2 * padded, s + 4 * padded,
            copies_ + (copies_ ? thread * tuning_.copy_rows * dot2_block : 0)};
  }

  /// Combines (s, c)[i] with the pairs of the blocks of columns first_p .. end_p - 1, for rows first .. first + count -
  /// 1.
  void accumulate(Index first, Index count, Index first_p, Index end_p, const Buffers<T>& own, double* s, double* c) {
    const Matrix<const T> a = g_.a.block(first, 0);
    if constexpr (compensated<T>) {
      if (g_.x.stride == 1 && copies_ == nullptr) {
        accumulate_chunk(a.block(0, first_p), count, end_p - first_p, &g_.x[first_p], own, s, c);
        return;
      }
    }
    for (Index p = first_p; p < end_p; p += tuning_.x_chunk) {
      const Index length = std::min(tuning_.x_chunk, end_p - p);
      accumulate_chunk(a.block(0, p), count, length, contiguous_x(p, length, own.x), own, s, c);
    }
  }

  void accumulate_chunk(const Matrix<const T>& a, Index count, Index length, const double* x, const Buffers<T>& own,
                        double* s, double* c) {
    if (a.row_stride == 1) {
      kernels_.columns(count, length, dot2_block, a.data, a.col_stride, x, s, c, own.scratch);
    } else if (a.col_stride == 1) {
      kernels_.rows(count, length, dot2_block, a.data, a.row_stride, x, s, c);
    } else {
      for (Index i = 0; i < count; i += tuning_.copy_rows) {
        const Index part = std::min(tuning_.copy_rows, count - i);
        for (Index p = 0; p < length; p += dot2_block) {
          const Index width = std::min(dot2_block, length - p);
          for (Index q = 0; q < width; ++q)
            for (Index r = 0; r < part; ++r) own.a[q * tuning_.copy_rows + r] = a(i + r, p + q);
          kernels_.columns(part, width, dot2_block, own.a, tuning_.copy_rows, x + p, s + i, c + i, own.scratch);
        }
      }
    }
  }

  /// Computes the outputs with threads that share k. The pairs of a batch of blocks are computed in parallel, then
  /// combined from left to right for each output.
  void run_blocks(int threads, Index rows, Index blocks) {
    const Index padded = round_up(rows, 8);
    double* const totals = execution_.workspace.template take<double>(static_cast<std::size_t>(2 * padded));
    const Index room = static_cast<Index>(execution_.workspace.available() / (2 * sizeof(double)));
    const Index batch =
        std::clamp(std::min(tuning_.split_pairs, room) / padded, std::min<Index>(2 * threads, blocks), blocks);
    double* const pairs = execution_.workspace.template take<double>(static_cast<std::size_t>(2 * padded * batch));
    if (execution_.workspace.rehearses()) return;
    const Index group = std::max<Index>(1, batch / (4 * threads));
    for (Index first = 0; first < g_.m; first += rows) {
      const Index count = std::min(rows, g_.m - first);
      std::fill_n(totals, 2 * padded, 0.0);
      for (Index b = 0; b < blocks; b += batch) {
        const Index end = std::min(b + batch, blocks);
        parallel_for(ceil_div(end - b, group), threads, [&](Index task, int thread) {
          const Buffers<T> own = buffers(thread, rows);
          for (Index q = b + task * group; q < std::min(b + (task + 1) * group, end); ++q) {
            double* const s = pairs + (q - b) * 2 * padded;
            std::fill_n(s, 2 * padded, 0.0);
            accumulate(first, count, q * dot2_block, std::min((q + 1) * dot2_block, g_.k), own, s, s + padded);
          }
        });
        for (Index q = 0; q < end - b; ++q) {
          const double* const s = pairs + q * 2 * padded;
          for (Index i = 0; i < count; ++i) {
            const Dot2Pair total = dot2_combine<T>({totals[i], totals[padded + i]}, {s[i], s[padded + i]});
            totals[i] = total.s;
            totals[padded + i] = total.c;
          }
        }
      }
      finish(first, count, totals, totals + padded);
    }
  }

  /// Computes the outputs of contiguous rows that are fewer than the lanes of a vector. The lanes, and the threads,
  /// take blocks of one row instead.
  void run_few_rows(int threads, Index blocks) {
    const Index group = tuning_.x_chunk / dot2_block;
    Index batch = std::min(blocks, tuning_.split_pairs / (2 * g_.m) / group * group);
    const Index most = static_cast<Index>(execution_.workspace.most() / sizeof(double)) - lost_bytes / 4;
    while (threads > 1 && threads * tuning_.x_chunk + 2 * g_.m * batch > most) threads /= 2;
    while (batch > group && tuning_.x_chunk + 2 * g_.m * batch > most) batch = round_up(batch / 2, group);
    double* const copies =
        execution_.workspace.template take<double>(static_cast<std::size_t>(threads * tuning_.x_chunk));
    double* const pairs = execution_.workspace.template take<double>(static_cast<std::size_t>(2 * g_.m * batch));
    if (execution_.workspace.rehearses()) return;
    double totals[2][8] = {};
    std::fill_n(pairs, 2 * g_.m * batch, 0.0);
    for (Index first = 0; first < blocks; first += batch) {
      const Index count = std::min(batch, blocks - first);
      parallel_for(ceil_div(count, group), threads, [&](Index task, int thread) {
        const Index b = task * group, p = (first + b) * dot2_block;
        const Index length = std::min(tuning_.x_chunk, g_.k - p), full = length / dot2_block,
                    rest = length % dot2_block;
        const double* const x = contiguous_x(p, length, copies + thread * tuning_.x_chunk);
        for (Index i = 0; i < g_.m; ++i) {
          double* const s = pairs + 2 * i * batch + b;
          kernels_.row_blocks(full, dot2_block, &g_.a(i, p), x, s, s + batch);
          if (rest == 0) continue;
          double last[2][8] = {};
          kernels_.rows(1, rest, dot2_block, &g_.a(i, p + full * dot2_block), 0, x + full * dot2_block, last[0],
                        last[1]);
          s[full] = last[0][0];
          s[batch + full] = last[1][0];
        }
      });
      for (Index i = 0; i < g_.m; ++i) {
        for (Index b = 0; b < count; ++b) {
          const double* const s = pairs + 2 * i * batch + b;
          const Dot2Pair total = dot2_combine<T>({totals[0][i], totals[1][i]}, {s[0], s[batch]});
          totals[0][i] = total.s;
          totals[1][i] = total.c;
        }
      }
    }
    finish(0, g_.m, totals[0], totals[1]);
  }

  /// Returns x[p] .. x[p + length - 1] as contiguous doubles, which are in `copy` unless x has them.
  const double* contiguous_x(Index p, Index length, double* copy) const {
    if constexpr (compensated<T>) {
      if (g_.x.stride == 1) return &g_.x[p];
    }
    for (Index q = 0; q < length; ++q) copy[q] = g_.x[p + q];
    return copy;
  }

  void finish(Index first, Index count, const double* s, const double* c) {
    if (to_)
      dot2_write_pairs(count, s, c, g_.k, g_.a.block(first, 0), g_.x, to_->block(first, 0));
    else
      dot2_write(execution_.isa, count, s, c, g_.k, g_.alpha, g_.a.block(first, 0), g_.x, g_.beta,
                 Vector<T>{&g_.y[first], g_.y.stride});
  }

  const Gemv<T>& g_;
  const Dot2Pairs* const to_;
  Execution& execution_;
  const Dot2Tuning& tuning_ = tuning().dot2;
  const Dot2GemvKernels<T>& kernels_;
  double* doubles_ = nullptr;
  T* copies_ = nullptr;
};

}  // namespace

template <class T>
void dot2_gemv(const Gemv<T>& gemv, Execution& execution, const Dot2Pairs* pairs) {
  PhaseTimer timer(execution, &accublas_report_t::ms_product);
  dot2_report_bound(dot2_depth_gemm(gemv.k), gemv.k, gemv.alpha, execution.report);
  Gemver<T>(gemv, pairs, execution).run();
}

template void dot2_gemv(const Gemv<double>&, Execution&, const Dot2Pairs*);
template void dot2_gemv(const Gemv<float>&, Execution&, const Dot2Pairs*);

}  // namespace accublas::cpu
