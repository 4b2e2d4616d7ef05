#include <algorithm>

#include "cuda/core/launch.hpp"
#include "cuda/lu_cholesky/panel_pivots.hpp"
#include "cuda/lu_cholesky/small_factors.hpp"
#include "cuda/lu_cholesky/small_factors_sums.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {
namespace {

/// The largest order of matrices whose systems are solved here.
constexpr int most_lines = 128;
constexpr int most_warps = most_lines / 32;
/// Threads of a block that has several matrices.
constexpr int shared_threads = 128;

/// The batch as the kernel gets it. A matrix in shared memory has adjacent rows, and its columns are `pitch` apart.
/// Cholesky's matrix is the upper triangle X of X^H X = A, whatever A's triangle is.
template <class E>
struct SmallJob {
  BatchArray<E> a, b;
  Matrix<E> at_a, at_b;  ///< strides in memory
  int count, m, n, pitch;
  int lanes;     ///< of a group of threads that factors a matrix or solves for a right-hand side; a power of two <= 32
  int matrices;  ///< of a thread block; their threads follow one another
  int bytes;     ///< of shared memory for a matrix
  Index sides;
  std::int64_t *pivots, *info;  ///< info: or null if there are solutions alone
  SmallPart part;
  unsigned long long* undecided;
  /// The triangular systems of a solution. LU's rows of B are exchanged before them (`rows_first`) or after them.
  accublas::Operand<E> systems[2];
  bool cholesky, factors, solves, rows_first;

  ACCUBLAS_HD int order() const { return m < n ? m : n; }
};

template <class E, bool cr>
struct alignas(16) SmallStorage {
  SmallSum<E, cr> sum;  ///< of the row that the pivot's row changes places with, or of the diagonal
  E pivot;
};

/// Works on one matrix of the batch. A matrix that is factored has one group of threads, with a thread for each row and
/// each column. All groups of a warp take the same steps, since sums that are undecided are resolved by whole warps.
/// Groups without a matrix compute the last one, and write nothing, as those do whose matrix is not wanted.
template <class E, bool cr>
class SmallMatrix {
  using T = RealOf<E>;
  using Sum = SmallSum<E, cr>;
  using Storage = SmallStorage<E, cr>;

 public:
  __device__ SmallMatrix(const SmallJob<E>& job, unsigned char* memory)
      : job_(job),
        threads_(static_cast<int>(blockDim.x) / job.matrices),
        index_(static_cast<int>(blockIdx.x) * job.matrices + static_cast<int>(threadIdx.x) / threads_),
        thread_(static_cast<int>(threadIdx.x) % threads_),
        exists_(index_ < job.count),
        present_(exists_ && (job.part != SmallPart::pending || job.info[index_] == pending_info)),
        storage_(*reinterpret_cast<Storage*>(memory)),
        a_(reinterpret_cast<E*>(memory + sizeof(Storage))),
        sides_(a_ + job.n * job.pitch),
        source_(reinterpret_cast<int*>(sides_ + groups() * job.n)) {
    if (!exists_) index_ = job.count - 1;
  }

  __device__ void run() {
    if (!__syncthreads_or(present_)) return;
    const Matrix<E> a{job_.a[index_], job_.at_a.row_stride, job_.at_a.col_stride};
    for_elements([&](int i, int j) { at(i, j) = a(i, j); });
    for (int i = thread_; i < job_.n; i += threads_) source_[i] = i;
    __syncthreads();
    int info = 0;
    if (job_.factors) {
      info = factor();
      if (present_) for_elements([&](int i, int j) { a(i, j) = at(i, j); });
      if (thread_ == 0 && present_) job_.info[index_] = info;
    } else {
      if (job_.info) info = static_cast<int>(job_.info[index_]);
      if (!job_.cholesky && thread_ == 0 && info == 0)
        for (int i = 0; i < job_.n; ++i) exchange_sources(i, static_cast<int>(pivots()[i]) - 1);
      __syncthreads();
    }
    if (job_.solves) solve(present_ && info == 0);
  }

 private:
  /// A thread of a group has this row and this column.
  __device__ int line() const { return thread_ % job_.lanes; }
  __device__ int group() const { return thread_ / job_.lanes; }
  __device__ int groups() const { return threads_ / job_.lanes; }
  __device__ E& at(int i, int j) const { return a_[j * job_.pitch + i]; }
  __device__ std::int64_t* pivots() const { return job_.pivots + Index{index_} * job_.order(); }

  /// Calls body(i, j) for the elements of the matrix, in the order of memory.
  template <class Body>
  __device__ void for_elements(Body&& body) const {
    const bool by_columns = job_.at_a.row_stride == 1;
    const int length = by_columns ? job_.m : job_.n, lines = by_columns ? job_.n : job_.m;
    int fast = thread_ % length, slow = thread_ / length;
    const int fast_step = threads_ % length, slow_step = threads_ / length;
    while (slow < lines) {
      const int i = by_columns ? fast : slow, j = by_columns ? slow : fast;
      if (!job_.cholesky || i <= j) body(i, j);
      fast += fast_step, slow += slow_step;
      if (fast >= length) fast -= length, ++slow;
    }
  }
  __device__ void exchange_sources(int i, int other) {
    const int kept = source_[i];
    source_[i] = source_[other];
    source_[other] = kept;
  }

  /// Adds all terms of an element to a sum that begins with the element.
  __device__ __forceinline__ static Sum sum_of(const SmallTerms<E>& terms) {
    Sum sum;
    sum.begin(*terms.element);
#pragma unroll(cr ? 4 : 8)
    for (int q = 0; q < terms.terms; ++q) {
      const E entry = conjugate_if(terms.conjugated != 0, terms.entries[q * static_cast<int>(terms.step)]);
      sum.add(Sum::factor(entry), terms.numbers[q * static_cast<int>(terms.number_step)]);
    }
    return sum;
  }

  /// Returns info.
  __device__ int factor() {
    if constexpr (cr)
      if (!job_.cholesky) return factor_lu();
    return factor_cholesky();
  }

  // ---- LU in cr ----

  __device__ SmallTerms<E> terms_of(int i, int j, int terms) const {
    return small_terms<E>(&at(i, 0), job_.pitch, &at(0, j), 1, &at(i, j), terms, false);
  }

  /// Column after column: the rows' elements give the pivot; then the quotients below it and the row of U to its right
  /// follow together. Returns info.
  __device__ int factor_lu() {
    static_assert(most_factored_lines * parts_of<E> <= dot2_block);  // a sum needs no renewal
    const int line = this->line();
    int info = 0;
#pragma unroll 1
    for (int j = 0; j < job_.order(); ++j) {
      const bool open = present_ && line >= j && line < job_.m;
      const SmallTerms<E> terms = terms_of(open ? line : j, j, j);
      Sum sum = sum_of(terms);
      const E value = sum.value(numerator_alone<E>(), open, terms, job_.undecided);
      const int best = best_of_group(open ? PivotPlace{size_bits(value), line} : no_pivot()),
                from = present_ ? best : j;
      if (line == j) storage_.sum = sum;
      if (line == from) storage_.pivot = value;
      if (line == 0) {
        if (present_) pivots()[j] = from + 1;
        if (from < job_.n) exchange_sources(j, from);
      }
      __syncwarp();
      if (from != j && line < job_.n) exchange(at(j, line), at(from, line));
      __syncwarp();
      const E pivot = storage_.pivot;
      if (line == from) sum = storage_.sum;
      if (pivot == 0 && info == 0) info = j + 1;
      const bool below = present_ && line > j && line < job_.m, right = present_ && line > j && line < job_.n;
      const SmallTerms<E> of_l = terms_of(below ? line : j, j, j), of_u = terms_of(j, right ? line : j, j);
      const E l = sum.value(Unknown<E>::of_row(E{T(1)}, pivot, pivot == 0), below, of_l, job_.undecided),
              u = sum_of(of_u).value(numerator_alone<E>(), right, of_u, job_.undecided);
      __syncwarp();
      if (below) at(line, j) = l;
      if (right) at(j, line) = u;
      if (line == j) at(j, j) = pivot;
      __syncwarp();
    }
    return info;
  }
  /// Returns the position of the best candidate of a group.
  __device__ int best_of_group(PivotPlace best) const {
    if (job_.lanes == 32) return best_of_warp(best).position;
    for (int apart = job_.lanes / 2; apart > 0; apart /= 2) {
      const std::uint64_t size = __shfl_xor_sync(0xFFFFFFFFu, best.size, apart);
      const int position = __shfl_xor_sync(0xFFFFFFFFu, best.position, apart);
      if (size > best.size || (size == best.size && position < best.position))
        best.size = size, best.position = position;
    }
    return best.position;
  }
  __device__ static void exchange(E& x, E& y) {
    const E kept = x;
    x = y;
    y = kept;
  }

  // ---- Cholesky ----

  /// Row after row of X: all elements' sums, the root of the diagonal's, then the quotients. Returns info.
  __device__ int factor_cholesky() {
    const int line = this->line();
    int info = 0;
    bool pending = present_;
#pragma unroll 1
    for (int p = 0; p < job_.n && __any_sync(0xFFFFFFFFu, pending); ++p) {
      const int column = line >= p && line < job_.n ? line : p;
      const SmallTerms<E> terms = small_terms<E>(&at(0, p), 1, &at(0, column), 1, &at(p, column), p, is_complex<E>);
      const Sum sum = sum_of(terms);
      if (line == p) storage_.sum = sum;
      __syncwarp();
      const SmallTerms<E> of_pivot = small_terms<E>(&at(0, p), 1, &at(0, p), 1, &at(p, p), p, is_complex<E>);
      const FoundPivot<T> root = Sum(storage_.sum).root(of_pivot, pending, job_.lanes, job_.undecided);
      if (pending && !root.found) info = p + 1, pending = false;
      const bool right = pending && line > p && line < job_.n;
      const E x = sum.value(Unknown<E>::of_row(E{T(1)}, E{root.pivot}, false), right, terms, job_.undecided);
      __syncwarp();
      if (right) at(p, line) = x;
      if (pending && line == p) at(p, p) = E{root.pivot};
      __syncwarp();
    }
    return info;
  }

  // ---- Solutions ----

  /// Each group solves for right-hand sides of its own. Groups that need no solution compute one, and do not write it.
  __device__ void solve(bool wanted) {
    const int n = job_.n;
    E* const x = sides_ + group() * n;
    const Matrix<E> b{job_.b[index_], job_.at_b.row_stride, job_.at_b.col_stride};
    if (!__any_sync(0xFFFFFFFFu, wanted)) return;
#pragma unroll 1
    for (Index side = group(); side < job_.sides; side += groups()) {
      const bool before = !job_.cholesky && job_.rows_first, after = !job_.cholesky && !job_.rows_first;
      for (int i = line(); i < n; i += job_.lanes) x[i] = b(before ? source_[i] : i, side);
      __syncwarp();
#pragma unroll 1
      for (int s = 0; s < 2; ++s) {
        accublas::Operand<E> m = job_.systems[s];
        m.stored.data = a_;
        substitute(m, x, wanted);
      }
      if (wanted)
        for (int i = line(); i < n; i += job_.lanes) b(after ? source_[i] : i, side) = x[i];
      __syncwarp();
    }
  }
  /// Solves m x = x by a group: with L lanes, a lane has the sums of every L-th unknown, in the order of substitution.
  __device__ void substitute(const accublas::Operand<E>& m, E* x, bool wanted) const {
    const int n = job_.n, lanes = job_.lanes, first = m.part == Triangle::lower ? 0 : n - 1,
              step = m.part == Triangle::lower ? 1 : -1;
    const auto place = [&](int position) { return first + step * position; };
    const int row_step = static_cast<int>(m.stored.row_stride), col_step = static_cast<int>(m.stored.col_stride);
    const E* const entries = m.stored.data;
    Sum sum[most_warps];
#pragma unroll
    for (int r = 0; r < most_warps; ++r) sum[r].begin(x[place(min(lanes * r + line(), n - 1))]);
    __syncwarp();
#pragma unroll
    for (int r = 0; r < most_warps; ++r) {
      static_assert(2 * 32 * parts_of<E> <= dot2_block);
      if (is_complex<E> && r % 2 == 0 && r > 0)
#pragma unroll
        for (int later = r; later < most_warps; ++later) sum[later].renew();
#pragma unroll 1
      for (int position = lanes * r; position < min(lanes * r + lanes, n); ++position) {
        const int here = place(position);
        const SmallTerms<E> terms = small_terms<E>(entries + here * row_step + first * col_step, step * col_step,
                                                   x + first, step, x + here, position, m.conjugate);
        const E pivot = m.unit ? E{} : conjugate_if(m.conjugate, entries[here * (row_step + col_step)]);
        const bool mine = position % lanes == line();
        const E value = sum[r].value(Unknown<E>::of_row(E{T(1)}, pivot, m.unit), mine && wanted, terms, job_.undecided);
        __syncwarp();
        if (mine) x[here] = value;
        __syncwarp();
        const E known = x[here];
#pragma unroll
        for (int later = r; later < most_warps; ++later) {
          const int to = lanes * later + line();
          if (to <= position || to >= n) continue;
          const E entry = conjugate_if(m.conjugate, entries[place(to) * row_step + here * col_step]);
          sum[later].add(Sum::factor(entry), known);
        }
      }
    }
  }

  const SmallJob<E>& job_;
  const int threads_;
  int index_;
  const int thread_;
  const bool exists_, present_;
  Storage& storage_;
  E *const a_, *const sides_;
  int* const source_;
};

template <class E, bool cr>
__global__ void __launch_bounds__(shared_threads) small_factors_kernel(const __grid_constant__ SmallJob<E> job) {
  await_predecessor();
  extern __shared__ __align__(16) unsigned char memory[];
  const int threads = static_cast<int>(blockDim.x) / job.matrices;
  SmallMatrix<E, cr>(job, memory + static_cast<int>(threadIdx.x) / threads * job.bytes).run();
}

/// How a batch is spread over threads.
struct SmallShape {
  int lanes, matrices, threads;
};
SmallShape shape_of(Index lines) {
  if (lines > most_factored_lines) return {32, 1, static_cast<int>(32 * ceil_div(lines, Index{32}))};
  int lanes = 4;
  while (lanes < lines) lanes *= 2;
  return {lanes, shared_threads / lanes, shared_threads};
}
/// An odd distance keeps rows free of bank conflicts.
int pitch_of(Index m) { return static_cast<int>(m) | 1; }

/// Returns the bytes of shared memory for a matrix.
template <class E, bool cr>
std::size_t small_factors_bytes(const Factorization<E>& f) {
  const SmallShape shape = shape_of(std::max(f.rows(), f.n));
  const std::size_t n = static_cast<std::size_t>(f.n),
                    sides = static_cast<std::size_t>(shape.threads / shape.matrices / shape.lanes) * n,
                    numbers = n * static_cast<std::size_t>(pitch_of(f.rows())) + sides;
  return round_up(sizeof(SmallStorage<E, cr>) + numbers * sizeof(E) + n * sizeof(int), std::size_t{16});
}

template <class E, bool cr>
void launch_small(const DeviceModel& model, SmallJob<E> job, const Factorization<E>& f, cudaStream_t stream) {
  const char* const what = "small factorizations";
  const SmallShape shape = shape_of(std::max(f.rows(), f.n));
  const std::size_t each = small_factors_bytes<E, cr>(f), bytes = each * static_cast<std::size_t>(shape.matrices);
  job.lanes = shape.lanes, job.matrices = shape.matrices, job.bytes = static_cast<int>(each);
  const auto kernel = small_factors_kernel<E, cr>;
  allow_shared_bytes(kernel, bytes, what);
  launch(model, what, kernel,
         {static_cast<unsigned>(ceil_div(job.count, shape.matrices)), static_cast<unsigned>(shape.threads), bytes},
         stream, job);
}

}  // namespace

template <class E>
bool small_factors_serve(const DeviceModel& model, const FactorizationBatch<E>& batch, bool cr) {
  const Factorization<E>& f = batch.shape;
  const Index lines = std::max(f.rows(), f.n);
  if (has_factor(f.kind) && !is_cholesky(f.kind) && !cr) return false;
  if (lines > (has_factor(f.kind) ? most_factored_lines : most_lines) || batch.count > most_matrices) return false;
  return small_factors_bytes<E, true>(f) * static_cast<std::size_t>(shape_of(lines).matrices) <=
         shared_bytes_of_block(model);
}

template <class E>
void small_factors(const DeviceModel& model, const FactorizationBatch<E>& batch, bool cr, SmallPart part,
                   std::int64_t* info, unsigned long long* undecided, cudaStream_t stream) {
  const Factorization<E>& f = batch.shape;
  const bool cholesky = is_cholesky(f.kind), solves = has_solution(f.kind) && f.nrhs > 0 && part != SmallPart::pending;
  const int pitch = pitch_of(f.rows());
  const Matrix<E> at_a = cholesky ? f.cholesky_factor() : f.a;
  SmallJob<E> job{};
  job.a = {batch.a.base, batch.a.stride, batch.a.pointers};
  job.b = {batch.b.base, batch.b.stride, batch.b.pointers};
  job.at_a = at_a, job.at_b = f.b;
  job.count = static_cast<int>(batch.count);
  job.m = static_cast<int>(f.rows()), job.n = static_cast<int>(f.n), job.pitch = pitch;
  job.sides = f.nrhs;
  job.pivots = static_cast<std::int64_t*>(f.pivots.data);
  job.info = info, job.part = part;
  job.undecided = undecided;
  job.cholesky = cholesky, job.factors = part != SmallPart::solutions, job.solves = solves;
  job.rows_first = f.trans == ACCUBLAS_NO_TRANS;
  if (solves) {
    Factorization<E> kept = f;
    kept.a = cholesky && f.uplo == ACCUBLAS_LOWER ? Matrix<E>{nullptr, pitch, 1} : Matrix<E>{nullptr, 1, pitch};
    const auto systems = cholesky ? cholesky_solves(kept) : lu_solves(kept);
    job.systems[0] = systems[0], job.systems[1] = systems[1];
  }
  cr ? launch_small<E, true>(model, job, f, stream) : launch_small<E, false>(model, job, f, stream);
}

#define ACCUBLAS_INSTANTIATE(E)                                                                                 \
  template bool small_factors_serve(const DeviceModel&, const FactorizationBatch<E>&, bool);                    \
  template void small_factors(const DeviceModel&, const FactorizationBatch<E>&, bool, SmallPart, std::int64_t*, \
                              unsigned long long*, cudaStream_t);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
