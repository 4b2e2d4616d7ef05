#include <algorithm>

#include "cuda/core/launch.hpp"
#include "cuda/lu_cholesky/panel_pivots.hpp"
#include "cuda/lu_cholesky/small_factors.hpp"
#include "cuda/lu_cholesky/small_factors_sums.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {
namespace {

/// A thread block has a thread for each row and each column.
constexpr int most_warps = most_lines / 32;

/// The batch as the kernel gets it. A matrix in shared memory has adjacent rows, and its columns are `pitch` apart.
/// Cholesky's matrix is the upper triangle X of X^H X = A, whatever A's triangle is.
template <class E>
struct SmallJob {
  BatchArray<E> a, b;
  Matrix<E> at_a, at_b;  ///< strides in memory
  int m, n, pitch;
  Index sides;
  std::int64_t *pivots, *info;  ///< info: or null
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
  PivotPlace best[most_warps];
  int source[most_lines];  ///< the rows of B in their order after LU's exchanges
};

/// Works on one matrix of the batch.
template <class E, bool cr>
class SmallMatrix {
  using T = RealOf<E>;
  using Sum = SmallSum<E, cr>;
  using Storage = SmallStorage<E, cr>;

 public:
  __device__ SmallMatrix(const SmallJob<E>& job, E* matrix, E* sides, Storage& storage)
      : job_(job), a_(matrix), sides_(sides), storage_(storage) {}

  __device__ void run() {
    const int line = thread();
    const Matrix<E> a{job_.a[blockIdx.x], job_.at_a.row_stride, job_.at_a.col_stride};
    for_elements([&](int i, int j) { at(i, j) = a(i, j); });
    if (line < job_.n) storage_.source[line] = line;
    __syncthreads();
    int info = 0;
    if (job_.factors) {
      info = job_.cholesky ? factor_cholesky() : factor_lu();
      for_elements([&](int i, int j) { a(i, j) = at(i, j); });
    } else if (!job_.cholesky && line == 0) {
      for (int i = 0; i < job_.n; ++i) exchange_sources(i, static_cast<int>(pivots()[i]) - 1);
    }
    if (line == 0 && job_.info) job_.info[blockIdx.x] = info;
    __syncthreads();
    if (job_.solves && info == 0) solve();
  }

 private:
  __device__ static int thread() { return static_cast<int>(threadIdx.x); }
  __device__ static int lane() { return thread() % 32; }
  __device__ static int warp() { return thread() / 32; }
  __device__ static int warps() { return static_cast<int>(blockDim.x) / 32; }
  __device__ E& at(int i, int j) const { return a_[j * job_.pitch + i]; }
  __device__ std::int64_t* pivots() const { return job_.pivots + Index{blockIdx.x} * job_.order(); }
  /// Only one warp counts what all warps compute.
  __device__ unsigned long long* counter() const { return warp() == 0 ? job_.undecided : nullptr; }

  /// Calls body(i, j) for the elements of the matrix, in the order of memory.
  template <class Body>
  __device__ void for_elements(Body&& body) const {
    const bool by_columns = job_.at_a.row_stride == 1;
    const int length = by_columns ? job_.m : job_.n;
    for (int at = thread(); at < job_.m * job_.n; at += static_cast<int>(blockDim.x)) {
      const int fast = at % length, slow = at / length, i = by_columns ? fast : slow, j = by_columns ? slow : fast;
      if (!job_.cholesky || i <= j) body(i, j);
    }
  }
  __device__ void exchange_sources(int i, int other) {
    const int kept = storage_.source[i];
    storage_.source[i] = storage_.source[other];
    storage_.source[other] = kept;
  }

  /// Adds all terms of an element to a sum that begins with the element.
  __device__ __forceinline__ static Sum sum_of(const SmallTerms<E>& terms) {
    Sum sum;
    sum.begin(*terms.element);
#pragma unroll(cr ? 4 : 8)
    for (int q = 0; q < terms.terms; ++q) sum.add(terms.entry(q), terms.known(q), q);
    return sum;
  }
  __device__ static Unknown<E> numerator_itself() { return Unknown<E>::of_row(E{T(1)}, {}, true); }

  // ---- LU ----

  __device__ SmallTerms<E> terms_of(int i, int j, int terms) const {
    return {&at(i, 0), &at(0, j), &at(i, j), job_.pitch, 1, terms, 0};
  }

  /// Column after column: the rows' elements give the pivot; then the quotients below it and the row of U to its right
  /// follow together. Returns info.
  __device__ int factor_lu() {
    const int line = thread();
    int info = 0;
#pragma unroll 1
    for (int j = 0; j < job_.order(); ++j) {
      const bool open = line >= j && line < job_.m;
      const int count = 32 * warp() + 31 < j ? 0 : j;  // a warp without pending rows and columns has no terms to add
      const SmallTerms<E> terms = terms_of(open ? line : j, j, count);
      Sum sum = sum_of(terms);
      const E value = sum.value(numerator_itself(), open, terms, job_.undecided);
      const int from = find_pivot(open ? PivotPlace{size_bits(value), line} : no_pivot());
      if (line == j) storage_.sum = sum;
      if (line == from) storage_.pivot = value;
      if (line == 0) {
        pivots()[j] = from + 1;
        exchange_sources(j, from);
      }
      if (from != j && line < job_.n) exchange(at(j, line), at(from, line));
      __syncthreads();
      const E pivot = storage_.pivot;
      if (line == from) sum = storage_.sum;
      if (pivot == 0 && info == 0) info = j + 1;
      const bool below = line > j && line<job_.m, right = line> j && line < job_.n;
      const SmallTerms<E> of_l = terms_of(below ? line : j, j, count), of_u = terms_of(j, right ? line : j, count);
      const E l = sum.value(Unknown<E>::of_row(E{T(1)}, pivot, pivot == 0), below, of_l, job_.undecided),
              u = sum_of(of_u).value(numerator_itself(), right, of_u, job_.undecided);
      if (below) at(line, j) = l;
      if (right) at(j, line) = u;
      if (line == j) at(j, j) = pivot;
      __syncthreads();
    }
    return info;
  }
  /// Returns the row of the best candidate of all threads.
  __device__ int find_pivot(const PivotPlace& mine) {
    const PivotPlace best = best_of_warp(mine);
    if (lane() == 0) storage_.best[warp()] = best;
    __syncthreads();
    return best_of_warp(lane() < warps() ? storage_.best[lane()] : no_pivot()).position;
  }
  __device__ static void exchange(E& x, E& y) {
    const E kept = x;
    x = y;
    y = kept;
  }

  // ---- Cholesky ----

  /// Row after row of X: all elements' sums, the root of the diagonal's, then the quotients. Returns info.
  __device__ int factor_cholesky() {
    const int line = thread();
#pragma unroll 1
    for (int p = 0; p < job_.n; ++p) {
      const bool open = line >= p && line < job_.n;
      const int column = open ? line : p;
      const int count = 32 * warp() + 31 < p ? 0 : p;  // a warp without pending columns has no terms to add
      const SmallTerms<E> terms{&at(0, p), &at(0, column), &at(p, column), 1, 1, count, is_complex<E>};
      const Sum sum = sum_of(terms);
      if (line == p) storage_.sum = sum;
      __syncthreads();
      const SmallTerms<E> of_pivot{&at(0, p), &at(0, p), &at(p, p), 1, 1, p, is_complex<E>};
      const FoundPivot<T> root = Sum(storage_.sum).root(of_pivot, counter());
      if (!root.found) return p + 1;
      const bool right = open && line > p;
      const E x = sum.value(Unknown<E>::of_row(E{T(1)}, E{root.pivot}, false), right, terms, job_.undecided);
      __syncthreads();
      if (right) at(p, line) = x;
      if (line == p) at(p, p) = E{root.pivot};
      __syncthreads();
    }
    return 0;
  }

  // ---- Solutions ----

  /// Each warp solves for right-hand sides of its own.
  __device__ void solve() {
    const int n = job_.n;
    E* const x = sides_ + warp() * n;
    const Matrix<E> b{job_.b[blockIdx.x], job_.at_b.row_stride, job_.at_b.col_stride};
#pragma unroll 1
    for (Index side = warp(); side < job_.sides; side += warps()) {
      const bool before = !job_.cholesky && job_.rows_first, after = !job_.cholesky && !job_.rows_first;
      for (int i = lane(); i < n; i += 32) x[i] = b(before ? storage_.source[i] : i, side);
      __syncwarp();
#pragma unroll 1
      for (int s = 0; s < 2; ++s) {
        accublas::Operand<E> m = job_.systems[s];
        m.stored.data = a_;
        substitute(m, x);
      }
      for (int i = lane(); i < n; i += 32) b(after ? storage_.source[i] : i, side) = x[i];
      __syncwarp();
    }
  }
  /// Solves m x = x by a warp: a lane has the sums of every 32nd unknown, in the order of substitution.
  __device__ void substitute(const accublas::Operand<E>& m, E* x) const {
    const int n = job_.n, first = m.part == Triangle::lower ? 0 : n - 1, step = m.part == Triangle::lower ? 1 : -1;
    const auto place = [&](int position) { return first + step * position; };
    const int row_step = static_cast<int>(m.stored.row_stride), col_step = static_cast<int>(m.stored.col_stride);
    const E* const entries = m.stored.data;
    Sum sum[most_warps];
#pragma unroll
    for (int r = 0; r < most_warps; ++r) sum[r].begin(x[place(min(32 * r + lane(), n - 1))]);
#pragma unroll
    for (int r = 0; r < most_warps; ++r)
#pragma unroll 1
      for (int position = 32 * r; position < min(32 * r + 32, n); ++position) {
        const int here = place(position);
        const SmallTerms<E> terms{entries + here * row_step + first * col_step,
                                  x + first,
                                  x + here,
                                  step * col_step,
                                  step,
                                  position,
                                  m.conjugate};
        const E pivot = m.unit ? E{} : conjugate_if(m.conjugate, entries[here * (row_step + col_step)]);
        const bool mine = position % 32 == lane();
        const E value = sum[r].value(Unknown<E>::of_row(E{T(1)}, pivot, m.unit), mine, terms, job_.undecided);
        if (mine) x[here] = value;
        __syncwarp();
        const E known = x[here];
#pragma unroll
        for (int later = r; later < most_warps; ++later) {
          const int to = 32 * later + lane();
          if (to <= position || to >= n) continue;
          const E entry = conjugate_if(m.conjugate, entries[place(to) * row_step + here * col_step]);
          sum[later].add(entry, known, position);
        }
      }
  }

  const SmallJob<E>& job_;
  E *const a_, *const sides_;
  Storage& storage_;
};

template <class E, bool cr>
__global__ void __launch_bounds__(most_lines) small_factors_kernel(const __grid_constant__ SmallJob<E> job) {
  await_predecessor();
  extern __shared__ __align__(16) unsigned char memory[];
  auto& storage = *reinterpret_cast<SmallStorage<E, cr>*>(memory);
  E* const matrix = reinterpret_cast<E*>(memory + sizeof storage);
  SmallMatrix<E, cr>(job, matrix, matrix + job.n * job.pitch, storage).run();
}

int warps_of(Index m, Index n) { return static_cast<int>(ceil_div(std::max(m, n), Index{32})); }
/// An odd distance keeps rows free of bank conflicts.
int pitch_of(Index m) { return static_cast<int>(m) | 1; }

template <class E, bool cr>
std::size_t small_factors_bytes(const Factorization<E>& f) {
  const std::size_t n = static_cast<std::size_t>(f.n),
                    sides = has_solution(f.kind) ? static_cast<std::size_t>(warps_of(f.rows(), f.n)) * n : 0;
  return sizeof(SmallStorage<E, cr>) + (n * static_cast<std::size_t>(pitch_of(f.rows())) + sides) * sizeof(E);
}

template <class E, bool cr>
void launch_small(const DeviceModel& model, const SmallJob<E>& job, const Factorization<E>& f, Index count,
                  cudaStream_t stream) {
  const char* const what = "small factorizations";
  const std::size_t bytes = small_factors_bytes<E, cr>(f);
  const auto kernel = small_factors_kernel<E, cr>;
  allow_shared_bytes(kernel, bytes, what);
  launch(model, what, kernel,
         {static_cast<unsigned>(count), static_cast<unsigned>(32 * warps_of(f.rows(), f.n)), bytes}, stream, job);
}

}  // namespace

template <class E>
bool small_factors_serve(const DeviceModel& model, const FactorizationBatch<E>& batch) {
  constexpr Index most_blocks = Index{1} << 30;
  const Factorization<E>& f = batch.shape;
  if (f.rows() > most_lines || f.n > most_lines || batch.count > most_blocks) return false;
  int most = 0;
  check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, model.device), "small factorizations");
  return small_factors_bytes<E, true>(f) <= static_cast<std::size_t>(most);
}

template <class E>
void small_factors(const DeviceModel& model, const FactorizationBatch<E>& batch, bool cr, std::int64_t* info,
                   unsigned long long* undecided, cudaStream_t stream) {
  const Factorization<E>& f = batch.shape;
  const bool cholesky = is_cholesky(f.kind), solves = has_solution(f.kind) && f.nrhs > 0;
  const int pitch = pitch_of(f.rows());
  const Matrix<E> at_a = cholesky ? f.cholesky_factor() : f.a;
  SmallJob<E> job{{batch.a.base, batch.a.stride, batch.a.pointers},
                  {batch.b.base, batch.b.stride, batch.b.pointers},
                  at_a,
                  f.b,
                  static_cast<int>(f.rows()),
                  static_cast<int>(f.n),
                  pitch,
                  f.nrhs,
                  static_cast<std::int64_t*>(f.pivots.data),
                  info,
                  undecided,
                  {},
                  cholesky,
                  has_factor(f.kind),
                  solves,
                  f.trans == ACCUBLAS_NO_TRANS};
  if (solves) {
    Factorization<E> kept = f;
    kept.a = cholesky && f.uplo == ACCUBLAS_LOWER ? Matrix<E>{nullptr, pitch, 1} : Matrix<E>{nullptr, 1, pitch};
    const auto systems = cholesky ? cholesky_solves(kept) : lu_solves(kept);
    job.systems[0] = systems[0], job.systems[1] = systems[1];
  }
  cr ? launch_small<E, true>(model, job, f, batch.count, stream)
     : launch_small<E, false>(model, job, f, batch.count, stream);
}

#define ACCUBLAS_INSTANTIATE(E)                                                                      \
  template bool small_factors_serve(const DeviceModel&, const FactorizationBatch<E>&);               \
  template void small_factors(const DeviceModel&, const FactorizationBatch<E>&, bool, std::int64_t*, \
                              unsigned long long*, cudaStream_t);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
