// Cholesky's factorization of one matrix by a thread block or a cluster of some, for blocked_factors.cu.
#pragma once

#include "cuda/core/ptx_hopper.hpp"
#include "cuda/lu_cholesky/blocked_lines.hpp"

namespace accublas::cuda {

/// Returns sum + abs(x)^2.
template <class E>
__device__ __forceinline__ double add_square(double sum, const E& x) {
  for (int part = 0; part < parts_of<E>; ++part)
    sum = __fma_ru(static_cast<double>(part_of(x, part)), static_cast<double>(part_of(x, part)), sum);
  return sum;
}

/// A step, as the warp of the diagonal has found it.
template <class E, bool cr>
struct alignas(16) CholeskyStep {
  FoundPivot<RealOf<E>> root;
  E row[blocked_width<E, cr>];  ///< X from the diagonal's column on
};

template <class E, bool cr>
struct CholeskyStorage {
  static constexpr int width = blocked_width<E, cr>;
  /// In a thread block alone, two alternate from step to step. In a cluster each of a few rows has its own.
  CholeskyStep<E, cr> steps[width];
  /// The norms of the columns of the diagonal's next elements in the rows above them, where sums have anchors. Two
  /// alternate, because the leader can be ahead.
  double norms[2][width];
  // The following members are used in clusters only.
  CholeskyStep<E, cr> outgoing;
  alignas(8) std::uint64_t arrived[width];
};

/// Computes a few rows of X at a time. A thread has a column and the sums of its elements, first over all rows above.
/// The columns of the diagonal's elements are in one warp, which is ahead of the others: by a step, or in a cluster by
/// up to all of the few rows, which it sends to all thread blocks one by one.
template <class E, bool cr, bool clustered>
class BlockedCholesky {
  using T = RealOf<E>;
  using Sums = LineSums<E, cr>;
  static constexpr int width = Sums::width;
  static_assert(32 % width == 0);

 public:
  using Storage = CholeskyStorage<E, cr>;
  /// A cluster's thread blocks have half of the lines or less.
  static constexpr int most_threads = clustered ? most_blocked_lines / 2 : most_blocked_lines;
  __device__ BlockedCholesky(const BlockedJob<E>& job, Storage& storage, LineStage<E, cr>& stage)
      : job_(job),
        s_(storage),
        stage_(stage),
        blocks_(clustered ? job.blocks : 1),
        rank_(clustered ? static_cast<int>(blockIdx.x) % blocks_ : 0),
        index_(static_cast<int>(blockIdx.x) / blocks_),
        x_{job.a[index_], job.at.row_stride, job.at.col_stride},
        own_{{&x_(0, 0), x_.col_stride, x_.row_stride}, job.n, 0, blocks_, rank_},
        column_(own_.line_of(thread_of_block())) {}

  __device__ void run() {
    const int thread = thread_of_block();
    if (thread < width * width) s_.steps[thread / width].row[thread % width] = E{};
    if (thread < width) s_.outgoing.row[thread] = E{};
    if constexpr (clustered) open();
    int info = 0;
#pragma unroll 1
    for (first_ = 0; first_ < job_.n && info == 0; first_ += width) {
      everyone();
      info = factor_rows(min(width, job_.n - first_));
    }
    if constexpr (clustered) everyone();  // other thread blocks may still send to this one
    if (thread == 0 && rank_ == 0) job_.info[index_] = info;
  }

 private:
  /// Returns which warp of the matrix has the diagonal.
  __device__ int leader() const { return first_ / 32; }
  __device__ bool leads() const { return column_ / 32 == leader(); }

  /// Computes `count` rows. Returns info.
  __device__ int factor_rows(int count) {
    const int distance = column_ - first_;
    own_.begin = (leader() - rank_ + blocks_ - 1) / blocks_;
    const bool in = distance >= 0 && column_ < job_.n, has_lines = own_.has_warp_of(thread_of_block());
    const Index column = in ? column_ : first_;
    const E* const elements = &x_(0, column);
    // The other triangle is not read.
    sums_.begin([&](int r) {
      E element = elements[min(Index{first_ + r}, column) * x_.row_stride];
      if constexpr (is_complex<E>)
        if (r == distance) element.im = T(0);  // it is not read, and may be anything
      return element;
    });
    const double* const norms = s_.norms[first_ / width % 2];
    const auto reach = [&, norm = sqrt(square_)](int c) {  // by the inequality of Cauchy and Schwarz
      return norm * norms[min(c, count - 1)];
    };
    sums_.template add_within<is_complex<E>>(reach, own_, {&x_(0, first_), x_.col_stride, x_.row_stride}, count, first_,
                                             stage_);
    expect(count);
#pragma unroll 1
    for (int r = 0; r < count; ++r) {
      const bool right = in && distance > r;
      const Index at = first_ + r;
      const SmallTerms<E> terms = terms_of(at, right ? column : at, clustered && !leads());
      E x{};
      const auto find = [&](const FoundPivot<T> root) {
        x = sums_[0].template value<is_anchored<E, cr>>(Unknown<E>::of_row(E{T(1)}, E{root.pivot}, false),
                                                        right && root.found, terms, job_.undecided);
        if (root.found && right) x_(at, column) = x;
        if (root.found && distance == r) x_(at, at) = E{root.pivot};
        __syncwarp();
      };
      if (leads()) {
        CholeskyStep<E, cr>& found = clustered ? s_.outgoing : s_.steps[r % 2];
        const FoundPivot<T> root =
            of_lane(sums_[0], static_cast<int>(at % 32)).root(terms_of(at, at, false), true, 32, job_.undecided);
        __syncwarp();
        if (lane_of_warp() == 0) found.root = root;
        find(root);
        if (right && distance < count) found.row[distance - r] = x;
        __syncwarp();
        if constexpr (clustered) send(r);
      }
      const CholeskyStep<E, cr>& step = seen(r);
      if (!step.root.found) return first_ + r + 1;
      if (!has_lines) continue;
      if (!leads()) find(step.root);
      if constexpr (is_anchored<E, cr>) square_ = add_square(square_, x);
      sums_.advance(x, count - r, [&](int c) { return conjugate_if(is_complex<E>, step.row[c]); });
    }
    if constexpr (is_anchored<E, cr>)
      if (const int next = distance - width; in && next >= 0 && next < width)
        put_norm(&s_.norms[(first_ / width + 1) % 2][next], sqrt(square_));
    return 0;
  }
  /// Returns the terms of an element. `received`: the numbers of the diagonal's column in the current rows are those
  /// that arrived with the steps. Another thread block wrote them to global memory, too, but they may be visible there
  /// only after the next synchronisation.
  __device__ SmallTerms<E> terms_of(Index row, Index column, bool received) const {
    SmallTerms<E> terms = small_terms<E>(&x_(0, row), x_.row_stride, &x_(0, column), x_.row_stride, &x_(row, column),
                                         static_cast<int>(row), is_complex<E>);
    if (received) {
      // Number q of the column is steps[q].row[row - first_ - q].
      constexpr int step = static_cast<int>(sizeof(CholeskyStep<E, cr>) / sizeof(E));
      static_assert(sizeof(CholeskyStep<E, cr>) % sizeof(E) == 0);
      terms.first_late = first_, terms.late = &s_.steps[0].row[row - first_], terms.late_step = step - 1;
    }
    return terms;
  }

  /// Returns the step that the leader has found, to all threads.
  __device__ const CholeskyStep<E, cr>& seen(int r) {
    if constexpr (clustered) {
      if (leads()) return s_.outgoing;
      receive(r);
      return s_.steps[r];
    } else {
      __syncthreads();
      return s_.steps[r % 2];
    }
  }

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  __device__ std::uint32_t arrived(int r) const { return ptx::shared_address(&s_.arrived[r]); }
  __device__ void open() {
    if (thread_of_block() > 0) return;
    for (int r = 0; r < width; ++r) ptx::barrier_init(arrived(r), 1);
    ptx::publish_barriers();
  }
  __device__ void everyone() const {
    if constexpr (clustered) {
      __syncwarp();
      ptx::cluster_sync();
    } else {
      __syncthreads();
    }
  }
  /// Stores the norm of a column in all thread blocks.
  __device__ void put_norm(double* to, double norm) const {
    if constexpr (clustered)
      for (int block = 0; block < blocks_; ++block)
        *static_cast<double*>(__cluster_map_shared_rank(to, static_cast<unsigned>(block))) = norm;
    else
      *to = norm;
  }
  /// Lets the barriers of the next rows wait for their steps, which may have arrived.
  __device__ void expect(int count) const {
    if constexpr (clustered)
      if (const int r = thread_of_block(); r < count)
        ptx::barrier_expect(arrived(r), static_cast<int>(sizeof(CholeskyStep<E, cr>)));
  }
  /// Sends the outgoing step to all thread blocks; the leader calls this.
  __device__ void send(int r) const {
    constexpr int pieces = sizeof(CholeskyStep<E, cr>) / 16;
    const std::uint32_t to = ptx::shared_address(&s_.steps[r]);
    for (int at = lane_of_warp(); at < pieces * blocks_; at += 32) {
      const int piece = at % pieces;
      ptx::store_to_peer(to + 16 * static_cast<std::uint32_t>(piece),
                         reinterpret_cast<const uint4*>(&s_.outgoing)[piece], arrived(r),
                         static_cast<std::uint32_t>(at / pieces));
    }
  }
  __device__ void receive(int r) const {
    ptx::barrier_wait(arrived(r), static_cast<std::uint32_t>(first_ / width % 2));
  }
#else
  __device__ void open() {}
  __device__ void everyone() const { __syncthreads(); }
  __device__ void put_norm(double* to, double norm) const { *to = norm; }
  __device__ void expect(int) const {}
  __device__ void send(int) const {}
  __device__ void receive(int) const {}
#endif

  const BlockedJob<E>& job_;
  Storage& s_;
  LineStage<E, cr>& stage_;
  const int blocks_, rank_, index_;
  const Matrix<E> x_;
  OwnLines<E> own_;
  const int column_;
  Sums sums_;
  int first_ = 0;
  double square_ = 0;
};

}  // namespace accublas::cuda
