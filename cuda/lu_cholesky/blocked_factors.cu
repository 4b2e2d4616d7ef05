#include <algorithm>

#include "cuda/core/launch.hpp"
#include "cuda/core/matrices.hpp"
#include "cuda/lu_cholesky/blocked_factors.hpp"
#include "cuda/lu_cholesky/blocked_lines.hpp"
#include "cuda/lu_cholesky/panel_pivots.hpp"
#include "cuda/lu_cholesky/small_factors.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {
namespace {

/// The batch as the kernels get it. For Cholesky the matrix is the upper triangle X of X^H X = A.
template <class E>
struct BlockedJob {
  BatchArray<E> a;
  Matrix<E> at;  ///< strides in memory
  int m, n;
  std::int64_t *pivots, *info;  ///< info: or null
  unsigned long long* undecided;

  ACCUBLAS_HD int order() const { return m < n ? m : n; }
};

__device__ __forceinline__ int thread_of_block() { return static_cast<int>(threadIdx.x); }
__device__ __forceinline__ int lane_of_warp() { return thread_of_block() % 32; }
__device__ __forceinline__ int warp_of_block() { return thread_of_block() / 32; }
__device__ __forceinline__ int warps_of_block() { return static_cast<int>(blockDim.x) / 32; }

// ---- LU -------------------------------------------------------------------------------------------------------------

template <class E, bool cr>
struct LuStorage {
  static constexpr int width = blocked_width<E, cr>;
  PivotPlace best[most_blocked_lines / 32];
  Unknown<E> unknown;  ///< of the step's pivot: what its quotients need
  SmallSum<E, cr> published[width];
  E row[width];         ///< the pivot's row of U, from the step's column on
  E top[width][width];  ///< L and U in the rows of the panel's pivots
  int pivot_row[width];
  RowMoves moves;
};

/// Factors a matrix by panels of a few columns. In a panel a thread has a row and the sums of its elements, first over
/// all columns to the left. Then column after column gives a pivot, quotients, and one more term for the sums to the
/// right. Rows stay in place until the panel is finished. After that a thread has a column to the right of the panel,
/// and computes its elements of U in the panel's rows.
template <class E, bool cr>
class BlockedLu {
  using T = RealOf<E>;
  using Sums = LineSums<E, cr>;
  static constexpr int width = Sums::width;
  static_assert(2 * width <= 32);  // a lane has one move of a row

 public:
  __device__ BlockedLu(const BlockedJob<E>& job, LuStorage<E, cr>& storage, LineStage<E, cr>& stage)
      : job_(job), s_(storage), stage_(stage), a_{job.a[blockIdx.x], job.at.row_stride, job.at.col_stride} {}

  __device__ void run() {
    for (int at = thread_of_block(); at < width * width; at += static_cast<int>(blockDim.x)) (&s_.top[0][0])[at] = E{};
#pragma unroll 1
    for (first_ = 0; first_ < job_.order(); first_ += width) {
      count_ = min(width, job_.order() - first_);
      __syncthreads();
      factor_panel();
      __syncthreads();
      leave_panel();
      __syncthreads();
      move_rows();
      __syncthreads();
      find_above();
    }
    if (thread_of_block() == 0 && job_.info) job_.info[blockIdx.x] = info_;
  }

 private:
  __device__ Index row() const { return first_ + row_.place; }

  __device__ void factor_panel() {
    const int lines = job_.m - first_;
    row_.place = row_.position = thread_of_block();
    row_.open = thread_of_block() < lines;
    const E* const elements = &a_(row_.open ? row() : first_, first_);
    sums_.begin([&](int c) { return elements[min(c, count_ - 1) * a_.col_stride]; });
    sums_.template add<false>({&a_(first_, 0), a_.row_stride, a_.col_stride}, lines,
                              {&a_(0, first_), a_.col_stride, a_.row_stride}, count_, first_, stage_);
#pragma unroll 1
    for (int j = 0; j < count_; ++j) step(j);
  }

  /// Returns the terms of the element of a row in memory and a column of the panel, over the columns before `known` of
  /// the panel and all to its left.
  __device__ SmallTerms<E> terms_of(Index row, int column, int known) const {
    return {&a_(row, 0),
            &a_(0, first_ + column),
            &a_(row, first_ + column),
            &s_.top[0][column],
            a_.col_stride,
            a_.row_stride,
            first_ + known,
            first_,
            width,
            0};
  }

  /// Computes column j of L, and its contributions to the columns to its right.
  __device__ void step(int j) {
    E value{};
    const Index own_row = row_.open ? row() : Index{first_};
    if (__any_sync(0xFFFFFFFFu, row_.open))
      value = sums_[0].value(numerator_alone<E>(), row_.open, terms_of(own_row, j, j), job_.undecided);
    const PivotPlace best = best_of_warp(row_.candidate(size_bits(value)));
    if (lane_of_warp() == 0) s_.best[warp_of_block()] = best;
    __syncthreads();
    const PivotPlace winner = best_of_warp(lane_of_warp() < warps_of_block() ? s_.best[lane_of_warp()] : no_pivot());
    const bool mine = row_.open && row_.position == winner.position;
    if (__any_sync(0xFFFFFFFFu, mine)) publish(j, value, mine);
    __syncthreads();
    const Unknown<E> unknown = s_.unknown;
    if (thread_of_block() == 0) {
      job_.pivots[Index{blockIdx.x} * job_.order() + first_ + j] = first_ + winner.position + 1;
      if (unknown.unit && info_ == 0) info_ = first_ + j + 1;
    }
    row_.exchange(j, winner.position);
    if (!__any_sync(0xFFFFFFFFu, row_.open)) return;
    const E l = sums_[0].value(unknown, row_.open, terms_of(own_row, j, j), job_.undecided);
    if (row_.open) a_(own_row, first_ + j) = l;
    __syncwarp();
    sums_.advance(l, count_ - j, [&](int c) { return s_.row[c]; });
  }

  /// Publishes the pivot's row; the warp that has it calls this. Lane c rounds the element c columns to the right of
  /// the pivot.
  __device__ void publish(int j, const E& value, bool mine) {
    const int from = __ffs(static_cast<int>(__ballot_sync(0xFFFFFFFFu, mine))) - 1, lane = lane_of_warp();
    const E pivot = of_lane(value, from);
    const int place = __shfl_sync(0xFFFFFFFFu, row_.place, from);
    if (mine)
#pragma unroll
      for (int c = 0; c < width; ++c) s_.published[c] = sums_[c];
    __syncwarp();
    const bool wanted = lane > 0 && lane < count_ - j;
    const SmallSum<E, cr> sum = s_.published[min(lane, width - 1)];
    E number =
        sum.value(numerator_alone<E>(), wanted, terms_of(first_ + place, wanted ? j + lane : j, j), job_.undecided);
    if (lane == 0) number = pivot;
    if (lane < width) s_.row[lane] = lane < count_ - j ? number : E{};
    if (lane < count_ - j) s_.top[j][j + lane] = number;
    if (lane < j) s_.top[j][lane] = a_(first_ + place, first_ + lane);
    if (lane == 0) s_.pivot_row[j] = place, s_.unknown = Unknown<E>::of_row(E{T(1)}, pivot, pivot == 0);
  }

  /// Lists the moves of rows, and stores the elements of U in the rows that they still have in memory.
  __device__ void leave_panel() {
    if (warp_of_block() == 0) put_moves(s_.moves, first_, count_, s_.pivot_row, row_);
    for (int at = thread_of_block(); at < count_ * count_; at += static_cast<int>(blockDim.x)) {
      const int c = at / count_, j = at % count_;
      if (c >= j) a_(first_ + s_.pivot_row[j], first_ + c) = s_.top[j][c];
    }
  }
  /// Moves the rows in all columns. Some lanes of a warp have the moves of one column, which are loaded before one of
  /// them is stored.
  __device__ void move_rows() const {
    constexpr int most = 2 * width, together = 4;
    const int move = lane_of_warp() % most, step = warps_of_block() * (32 / most);
    const bool wanted = move < s_.moves.count;
    const E* const from = &a_(wanted ? s_.moves.source[move] : 0, 0);
    E* const to = &a_(wanted ? s_.moves.target[move] : 0, 0);
    if (s_.moves.count == 0) return;
#pragma unroll 1
    for (int begin = warp_of_block() * (32 / most); begin < job_.n; begin += together * step) {
      const int column = begin + lane_of_warp() / most;
      E kept[together];
#pragma unroll
      for (int i = 0; i < together; ++i)
        if (wanted && column + i * step < job_.n) kept[i] = from[(column + i * step) * a_.col_stride];
      __syncwarp();
#pragma unroll
      for (int i = 0; i < together; ++i)
        if (wanted && column + i * step < job_.n) to[(column + i * step) * a_.col_stride] = kept[i];
    }
  }

  /// Computes the panel's rows of U to the right of it.
  __device__ void find_above() {
    const int next = first_ + count_, lines = job_.n - next;
    if (lines <= 0) return;
    const bool wanted = thread_of_block() < lines;
    const Index column = wanted ? next + thread_of_block() : next;
    const E* const elements = &a_(first_, column);
    sums_.begin([&](int r) { return elements[min(r, count_ - 1) * a_.row_stride]; });
    sums_.template add<false>({&a_(0, next), a_.col_stride, a_.row_stride}, lines,
                              {&a_(first_, 0), a_.row_stride, a_.col_stride}, count_, first_, stage_);
    if (32 * warp_of_block() >= lines) return;
#pragma unroll 1
    for (int r = 0; r < count_; ++r) {
      const Index at = first_ + r;
      const SmallTerms<E> terms =
          small_terms<E>(&a_(at, 0), a_.col_stride, &a_(0, column), a_.row_stride, &a_(at, column), first_ + r, false);
      const E u = sums_[0].value(numerator_alone<E>(), wanted, terms, job_.undecided);
      __syncwarp();
      if (wanted) a_(at, column) = u;
      __syncwarp();
      sums_.advance(u, count_ - r, [&](int c) { return s_.top[(r + c) % width][r]; });
    }
  }

  const BlockedJob<E>& job_;
  LuStorage<E, cr>& s_;
  LineStage<E, cr>& stage_;
  const Matrix<E> a_;
  Sums sums_;
  PanelRow row_{};
  int first_ = 0, count_ = 0;
  int info_ = 0;  ///< of the first thread
};

// ---- Cholesky -------------------------------------------------------------------------------------------------------

/// The first warp stores its results here. Two of these alternate from step to step.
template <class E, bool cr>
struct CholeskyStorage {
  struct Step {
    FoundPivot<RealOf<E>> root;
    E row[blocked_width<E, cr>];  ///< X from the diagonal's column on
  } steps[2];
};

/// Computes a few rows of X at a time. A thread has a column and the sums of its elements, first over all rows above.
/// The columns of the diagonal's elements are in the first warp, which is a step ahead of the others.
template <class E, bool cr>
class BlockedCholesky {
  using T = RealOf<E>;
  using Sums = LineSums<E, cr>;
  static constexpr int width = Sums::width;
  static_assert(width <= 32);

 public:
  __device__ BlockedCholesky(const BlockedJob<E>& job, CholeskyStorage<E, cr>& storage, LineStage<E, cr>& stage)
      : job_(job), s_(storage), stage_(stage), x_{job.a[blockIdx.x], job.at.row_stride, job.at.col_stride} {}

  __device__ void run() {
    const int thread = thread_of_block();
    if (thread < 2 * width) s_.steps[thread / width].row[thread % width] = E{};
    int info = 0;
#pragma unroll 1
    for (first_ = 0; first_ < job_.n && info == 0; first_ += width) {
      __syncthreads();
      info = factor_rows(min(width, job_.n - first_));
    }
    if (thread == 0 && job_.info) job_.info[blockIdx.x] = info;
  }

 private:
  /// Computes `count` rows. Returns info.
  __device__ int factor_rows(int count) {
    const int lines = job_.n - first_, thread = thread_of_block();
    const bool in = thread < lines;
    const Index column = in ? first_ + thread : first_;
    const E* const elements = &x_(0, column);
    // The other triangle is not read.
    sums_.begin([&](int r) { return elements[min(Index{first_ + r}, column) * x_.row_stride]; });
    const LineNumbers<E> own{&x_(0, first_), x_.col_stride, x_.row_stride};
    sums_.template add<is_complex<E>>(own, lines, own, count, first_, stage_);
#pragma unroll 1
    for (int r = 0; r < count; ++r) {
      auto& step = s_.steps[r % 2];
      const bool right = in && thread > r;
      const Index at = first_ + r;
      const SmallTerms<E> terms = terms_of(at, right ? column : at);
      E x{};
      const auto find = [&] {
        const FoundPivot<T> root = step.root;
        x = sums_[0].value(Unknown<E>::of_row(E{T(1)}, E{root.pivot}, false), right && root.found, terms,
                           job_.undecided);
        if (root.found && right) x_(at, column) = x;
        if (root.found && thread == r) x_(at, at) = E{root.pivot};
        __syncwarp();
      };
      if (warp_of_block() == 0) {
        const FoundPivot<T> root = of_lane(sums_[0], r).root(terms_of(at, at), true, 32, job_.undecided);
        if (lane_of_warp() == 0) step.root = root;
        __syncwarp();
        find();
        if (thread > r && thread < count) step.row[thread - r] = x;
      }
      __syncthreads();
      if (!step.root.found) return first_ + r + 1;
      if (32 * warp_of_block() >= lines) continue;
      if (warp_of_block() > 0) find();
      sums_.advance(x, count - r, [&](int c) { return conjugate_if(is_complex<E>, step.row[c]); });
    }
    return 0;
  }
  __device__ SmallTerms<E> terms_of(Index row, Index column) const {
    return small_terms<E>(&x_(0, row), x_.row_stride, &x_(0, column), x_.row_stride, &x_(row, column),
                          static_cast<int>(row), is_complex<E>);
  }

  const BlockedJob<E>& job_;
  CholeskyStorage<E, cr>& s_;
  LineStage<E, cr>& stage_;
  const Matrix<E> x_;
  Sums sums_;
  int first_ = 0;
};

template <class E, bool cr, template <class, bool> class Storage, template <class, bool> class Factor>
__global__ void __launch_bounds__(most_blocked_lines, 1)
    blocked_factors_kernel(const __grid_constant__ BlockedJob<E> job) {
  await_predecessor();
  extern __shared__ __align__(16) unsigned char memory[];
  __shared__ alignas(16) unsigned char storage[sizeof(Storage<E, cr>)];
  Factor<E, cr>(job, *reinterpret_cast<Storage<E, cr>*>(storage), *reinterpret_cast<LineStage<E, cr>*>(memory)).run();
}

template <class E>
int threads_for(const Factorization<E>& f) {
  return static_cast<int>(round_up(std::max(f.rows(), f.n), Index{32}));
}

template <class E, bool cr>
void launch_blocked(const DeviceModel& model, const BlockedJob<E>& job, const FactorizationBatch<E>& batch,
                    cudaStream_t stream) {
  const char* const what = "factorizations of a batch";
  const auto kernel = is_cholesky(batch.shape.kind) ? blocked_factors_kernel<E, cr, CholeskyStorage, BlockedCholesky>
                                                    : blocked_factors_kernel<E, cr, LuStorage, BlockedLu>;
  const int threads = threads_for(batch.shape);
  const std::size_t bytes = LineStage<E, cr>::bytes(threads);
  allow_shared_bytes(kernel, bytes, what);
  launch(model, what, kernel, {static_cast<unsigned>(batch.count), static_cast<unsigned>(threads), bytes}, stream, job);
}

}  // namespace

template <class E>
bool blocked_factors_serve(const DeviceModel& model, const FactorizationBatch<E>& batch) {
  constexpr std::size_t of_storage = 12 << 10;
  static_assert(std::max(sizeof(LuStorage<E, true>), sizeof(LuStorage<E, false>)) <= of_storage);
  const Factorization<E>& f = batch.shape;
  const Index lines = std::max(f.rows(), f.n);
  if (!has_factor(f.kind) || lines > most_blocked_lines || batch.count > most_matrices) return false;
  const std::size_t staged =
      std::max(LineStage<E, true>::bytes(threads_for(f)), LineStage<E, false>::bytes(threads_for(f)));
  return of_storage + staged <= shared_bytes_of_block(model);
}

template <class E>
void blocked_factors(const DeviceModel& model, const FactorizationBatch<E>& batch, bool cr, std::int64_t* info,
                     unsigned long long* undecided, cudaStream_t stream) {
  const Factorization<E>& f = batch.shape;
  const BlockedJob<E> job{{batch.a.base, batch.a.stride, batch.a.pointers},
                          is_cholesky(f.kind) ? f.cholesky_factor() : f.a,
                          static_cast<int>(f.rows()),
                          static_cast<int>(f.n),
                          static_cast<std::int64_t*>(f.pivots.data),
                          info,
                          undecided};
  cr ? launch_blocked<E, true>(model, job, batch, stream) : launch_blocked<E, false>(model, job, batch, stream);
}

#define ACCUBLAS_INSTANTIATE(E)                                                                        \
  template bool blocked_factors_serve(const DeviceModel&, const FactorizationBatch<E>&);               \
  template void blocked_factors(const DeviceModel&, const FactorizationBatch<E>&, bool, std::int64_t*, \
                                unsigned long long*, cudaStream_t);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
