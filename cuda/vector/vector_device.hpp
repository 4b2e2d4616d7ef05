// The kernels of DOT, GEMV and the norms share this header: the problem, the division of the scratch, and the
// conversion of sums to outputs.
#pragma once

#include "cuda/core/call_state.hpp"
#include "cuda/core/carver.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/vector/vector_kernels.hpp"
#include "lib/numerics/finish.hpp"

namespace accublas::cuda {

/// The problem y = alpha A x + beta y. DOT has one row, alpha = 1 and beta = 0. A norm has one row too, which holds the
/// vector; instead of products `terms` are added up, and for squares y is the root.
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

/// fixed:T: bits of the largest magnitudes of the rows, then of x (entry m). Null: no scaling.
struct FixedScaling {
  const std::uint64_t* most;
  int bits;
};

/// The pending outputs for the exact kernel: state->open row numbers.
struct OpenRows {
  VectorState* state;
  Index* list;
  unsigned long long* count = nullptr;  ///< null: state->open
};

// ---- exact_vector.cu ----------------------------------------------------------------------------------------------
/// The exact kernel has one warp a thread block, with accumulators in shared memory (34 KiB: six on a multiprocessor).
inline constexpr int exact_slot_words =
    138;  ///< words of a partial sum: digits, then the sum of special terms and whether there are any
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

/// Ends every call: computes the pending rows with long accumulators; returns at once if there are none. Sets
/// state->undecided and clears state->open.
template <class T>
void exact_rows(const VectorCall&, const RowProblem<T>&, FixedScaling, const ExactScratch&);

// ---- cr_vector.cu --------------------------------------------------------------------------------------------
/// Computes cr of every row, or of the rows rounded to fixed:T.
template <class T>
void cr_rows(const VectorCall&, const RowProblem<T>&, FixedScaling, Carver&);
void cr_scratch(const DeviceModel&, Index m, Index k, Carver&);

// ---- dot2_dot.cu, dot2_gemv.cu ------------------------------------------------------------------------------------
void dot2_dot_scratch(const DeviceModel&, Index n, Carver&);
void dot2_gemv_scratch(const DeviceModel&, Index m, Index k, Carver&);

// ---- dot2_gemv_stream.cu ------------------------------------------------------------------------------------------
/// Serves a whole dot2 GEMV, m and k > 0, including its pending rows. Returns false, and does nothing, if this kernel
/// cannot serve the call.
template <class T>
bool dot2_gemv_stream(const VectorCall&, const RowProblem<T>&);

// ---- shared by these kernels --------------------------------------------------------------------------------------
#ifdef __CUDACC__

/// Leaves row i pending for the exact kernel; y is not touched.
__device__ inline void leave_open(const OpenRows& open, Index i) {
  open.list[atomicAdd(open.count ? open.count : &open.state->open, 1ull)] = i;
}

/// Finishes row i if alpha = 0: A and x are not read, and beta = 1 leaves y alone.
template <class T>
__device__ void write_without_terms(const RowProblem<T>& p, Index i) {
  const T beta = p.beta.get();
  if (beta == T(1)) return;
  T* const y = p.y.data + i * p.y.stride;
  *y = finish_scaled(beta, read_addend(beta, y));
}

#endif

}  // namespace accublas::cuda
