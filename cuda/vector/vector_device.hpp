// What the kernels of DOT, GEMV and the norms share: the problem, the division of the scratch, and the way from sums to
// outputs.
#pragma once

#include "cuda/launch.hpp"
#include "cuda/vector/vector_kernels.hpp"
#include "lib/numerics/finish.hpp"

namespace accublas::cuda {

/// y = alpha A x + beta y; DOT is the case of one row, alpha = 1 and beta = 0. Norms: one row too, x the row itself;
/// not products but `terms` are added up, and of squares y is the root.
template <class T>
struct RowProblem {
  Index m, k;
  Matrix<const T> a;
  Vector<const T> x;
  Vector<T> y;
  Scalar<T> alpha, beta;
  Terms terms = Terms::products;
};

template <class T>
RowProblem<T> row_problem(const Gemv<T>& g, Scalar<T> alpha, Scalar<T> beta) {
  return {g.m, g.k, g.a, g.x, g.y, alpha, beta};
}

template <class T>
RowProblem<T> row_problem(const Dot<T>& d) {
  return {1, d.n, {d.x.data, 0, d.x.stride}, d.y, {d.result, 1}, {T(1), nullptr}, {T(0), nullptr}};
}

template <class T>
RowProblem<T> row_problem(const Reduction<T>& r, Terms terms) {
  return {1, r.n, {r.x.data, 0, r.x.stride}, r.x, {r.result, 1}, {T(1), nullptr}, {T(0), nullptr}, terms};
}

/// fixed:T: bits of the largest magnitudes of the rows, then of x (entry m). No scaling: null.
struct FixedScaling {
  const std::uint64_t* most;
  int bits;
};

/// The outputs that the exact kernel must compute: state->open numbers of rows.
struct OpenRows {
  VectorState* state;
  Index* list;
  unsigned long long* count = nullptr;  ///< null: state->open
};

/// Divides a piece of memory; with no base it only counts.
class Carver {
 public:
  explicit Carver(void* base) : base_(static_cast<unsigned char*>(base)) {}
  template <class T>
  T* take(Index count) {
    T* const p = base_ ? reinterpret_cast<T*>(base_ + used_) : nullptr;
    used_ += (static_cast<std::size_t>(count) * sizeof(T) + 255) / 256 * 256;
    return p;
  }
  std::size_t used() const { return used_; }

 private:
  unsigned char* base_;
  std::size_t used_ = 0;
};

// ---- exact_vector.cu ----------------------------------------------------------------------------------------------
/// The exact kernel: one warp a thread block, with accumulators in shared memory (34 KiB: six on a multiprocessor).
inline constexpr int exact_slot_words =
    138;  ///< of a partial sum: digits, then the sum of special terms and whether there are any
inline Index exact_blocks(const DeviceModel& model) { return Index{6} * model.processors; }

struct ExactScratch {
  Index* list;
  std::int64_t* slots;
  static ExactScratch carve(Carver& carver, const DeviceModel& model, Index m) {
    ExactScratch s;
    s.list = carver.take<Index>(m);
    s.slots = carver.take<std::int64_t>(exact_blocks(model) * exact_slot_words);
    return s;
  }
};

/// The end of every call: computes the open rows with long accumulators; returns at once where there are none. Sets
/// state->undecided, clears state->open.
template <class T>
void exact_rows(const VectorCall&, const RowProblem<T>&, FixedScaling, const ExactScratch&);

// ---- correct_vector.cu --------------------------------------------------------------------------------------------
/// cr of every row, or of the rows rounded to fixed:T.
template <class T>
void correct_rows(const VectorCall&, const RowProblem<T>&, FixedScaling, Carver&);
void correct_scratch(const DeviceModel&, Index m, Index k, Carver&);

// ---- dot2_dot.cu, dot2_gemv.cu ------------------------------------------------------------------------------------
void dot2_dot_scratch(const DeviceModel&, Index n, Carver&);
void dot2_gemv_scratch(const DeviceModel&, Index m, Index k, Carver&);

// ---- dot2_gemv_stream.cu ------------------------------------------------------------------------------------------
/// All of a dot2 GEMV, m and k > 0, its open rows included; false, and nothing is done, where this kernel cannot serve.
template <class T>
bool dot2_gemv_stream(const VectorCall&, const RowProblem<T>&);

// ---- what these kernels share -------------------------------------------------------------------------------------
#ifdef __CUDACC__

inline constexpr unsigned full_warp = 0xFFFFFFFFu;

/// 2^e, a normal number.
__device__ inline double power_of_two(int e) { return __hiloint2double((e + 1023) << 20, 0); }

/// out[j] = entry j `spacing` of a vector.
template <int spacing, int count, class T>
__device__ void load_spaced(const T* p, Index stride, T (&out)[count]) {
  if (stride == 1) {  // offsets are constants of the instructions
#pragma unroll
    for (int j = 0; j < count; ++j) out[j] = __ldg(p + j * spacing);
  } else {
#pragma unroll
    for (int j = 0; j < count; ++j, p += spacing * stride) out[j] = __ldg(p);
  }
}

/// The same for the entries below `left`; zero from there on.
template <int spacing, int count, class T>
__device__ void load_spaced_below(const T* p, Index stride, Index left, T (&out)[count]) {
#pragma unroll
  for (int j = 0; j < count; ++j) out[j] = j * spacing < left ? __ldg(p + j * spacing * stride) : T(0);
}

/// Leaves row i to the exact kernel; y is not touched.
__device__ inline void leave_open(const OpenRows& open, Index i) {
  open.list[atomicAdd(open.count ? open.count : &open.state->open, 1ull)] = i;
}

/// alpha = 0: A and x are not read, and beta = 1 leaves y alone.
template <class T>
__device__ void write_without_terms(const RowProblem<T>& p, Index i) {
  const T beta = p.beta.get();
  if (beta == T(1)) return;
  T* const y = p.y.data + i * p.y.stride;
  *y = finish_scaled(beta, read_addend(beta, y));
}

/// True in all threads of the thread block that is the last of `expected` to call; what the others wrote before is
/// visible to it (through L2: read it with __ldcg). The counter is zero again then.
__device__ inline bool last_to_arrive(std::uint32_t* counter, std::uint32_t expected) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(counter, 1u) == expected - 1;
    if (last) *counter = 0;
    __threadfence();
  }
  __syncthreads();
  return last;
}

#endif

}  // namespace accublas::cuda
