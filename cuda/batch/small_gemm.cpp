#include "cuda/batch/small_gemm.hpp"

#include <algorithm>
#include <limits>

#include "cuda/batch/batch_kernels.hpp"
#include "cuda/batch/flat_cost.hpp"
#include "cuda/batch/flat_kernels.hpp"
#include "cuda/batch/skinny_kernels.hpp"
#include "cuda/core/memory.hpp"
#include "cuda/exact/engine_call.hpp"
#include "cuda/exact/exact_call.hpp"
#include "cuda/scaling/measure.hpp"
#include "lib/call/accuracy.hpp"

namespace accublas::cuda {

namespace {

/// Returns whether an operand is a stored matrix of real numbers, rather than the components of a complex one.
template <class T>
bool is_plain(const Operand<T>& x) {
  return x.term_pairs == 0 && x.line_pairs == 0 && x.negative == 0;
}

/// Returns the product as a batch of one matrix with contiguous columns. The engine's columns are the batch's rows.
template <class T>
BatchProblem<T> one_matrix(const EngineCall<T>& call) {
  return {call.cols.count,
          call.rows.count,
          call.rows.k,
          1,
          {call.cols.data, 0, nullptr},
          {call.rows.data, 0, nullptr},
          {call.at.data, 0, nullptr},
          call.cols.stride,
          call.cols.k_stride,
          call.rows.stride,
          call.rows.k_stride,
          call.at.col_stride,
          call.at.row_stride,
          call.alpha,
          call.beta};
}

/// Returns whether a call has mode cr, plain operands and all elements of C.
template <class T>
bool is_plain_product(const Call<Gemm<T>, T>& call) {
  if (call.mode.kind != ACCUBLAS_MODE_CR || call.problem.combined) return false;
  const EngineCall<T> engine(call);
  return engine.wanted.all() && engine.zeros.part == Triangle::all && engine.pairs_of_columns == RowPairs::none &&
         is_plain(engine.rows) && is_plain(engine.cols) && !engine.same_lines();
}

/// The arrays of a call, and the computation of its pending elements.
template <class T>
struct SmallCall {
  EngineCall<T> engine;
  BatchProblem<T> product;
  Lines rows{}, cols{};
  std::uint32_t* open = nullptr;
  bool flat;
  std::byte* cut = nullptr;  ///< of a flat product

  SmallCall(const Call<Gemm<T>, T>& call, bool is_flat) : engine(call), product(one_matrix(engine)), flat(is_flat) {}

  void lay_out(Carver& carver) {
    rows = take_lines(carver, engine.rows, false);
    cols = take_lines(carver, engine.cols, false);
    open = take_open(carver, engine);
    if (flat) cut = carver.take<std::byte>(flat_line_bytes(product.m, product.n, product.k));
  }

  /// Computes the pending elements: those of a small result one by one, without measuring all rows and columns first.
  void finish(const DeviceModel& model, CallState* device, cudaStream_t stream) const {
    if (!flat && !computes_small_tiles(model, engine.rows.count, engine.cols.count))
      return exact_of_one(model, product, open, OpenBits::words_per_row(product.m), device, stream);
    measure_if_pending(model, engine.rows, rows, engine.cols, cols, &device->open[0], device, stream);
    exact_of_small(model, exact_arguments(engine, rows, cols, open, device), stream);
  }

  /// Runs start(device, stream), which leaves elements pending, and computes these.
  template <class Start>
  void run(State& state, Execution& execution, Start&& start) {
    const DeviceModel& model = state.model();
    const ArrayMemory<CallMemory> memory([&](Carver& carver) { lay_out(carver); }, state, execution.workspace);
    run_steps(state, execution, memory.bytes(), start,
              [&](CallState* device, cudaStream_t stream) { finish(model, device, stream); });
  }

  /// Runs start(device, stream), which leaves elements pending, and end(device, stream), which computes these.
  template <class Start, class End>
  static void run_steps(State& state, Execution& execution, std::size_t bytes, Start&& start, End&& end) {
    const cudaStream_t stream = state.cuda_stream();
    execution.report.workspace_bytes = static_cast<std::int64_t>(bytes);
    put_bound(execution.report, rounded_once<T>());
    CallState* const device = state.begin_call(execution.report.level);
    state.phase(&accublas_report_t::ms_product);
    start(device, stream);
    state.phase(&accublas_report_t::ms_exact);
    end(device, stream);
    state.end_call();
  }
};

/// The arrays of a skinny product.
struct SkinnyCall : SmallCall<double> {
  bool large_cols;
  SkinnyPlan plan;
  SkinnyArrays arrays{};

  SkinnyCall(const DeviceModel& model, const Call<Gemm<double>, double>& call)
      : SmallCall(call, false),
        large_cols(engine.cols.count >= engine.rows.count),
        plan(model, large_cols ? engine.cols.count : engine.rows.count,
             large_cols ? engine.rows.count : engine.cols.count, engine.rows.k) {}

  void lay_out(Carver& carver) {
    SmallCall::lay_out(carver);
    arrays = take_skinny(carver, plan);
  }
};

}  // namespace

template <class T>
bool small_gemm_serves(const State& state, const Call<Gemm<T>, T>& call) {
  const Gemm<T>& g = call.problem;
  return batch_cr_serves(state.model(), g.m, g.n, g.k) && g.m * g.n * g.k <= most_small_work && is_plain_product(call);
}

template <class T>
void small_gemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution) {
  const DeviceModel& model = state.model();
  SmallCall<T> small(call, false);
  const BatchProblem<T>& p = small.product;
  small.run(state, execution, [&](CallState* device, cudaStream_t stream) {
    BatchTiles tiles = long_tiles(model, p.m, p.n, 1);
    tiles.open_pitch = OpenBits::words_per_row(p.m);
    std::uint32_t* const open = small.open;
    batch_cr(model, p, tiles, open, false, device, stream);
  });
}

template <class T>
bool flat_gemm_serves(const State& state, const Call<Gemm<T>, T>& call, const Workspace& workspace, double other_time) {
  const Gemm<T>& g = call.problem;
  if (!flat_cr_serves(state.model(), g.k) ||
      flat_time(state.model(), sizeof(T) == sizeof(float), g.m, g.n, g.k) >= other_time || !is_plain_product(call))
    return false;
  SmallCall<T> of_flat(call, true);
  return bytes_of_arrays([&](Carver& carver) { of_flat.lay_out(carver); }) <= workspace.cap();
}

template <class T>
void flat_gemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution) {
  const DeviceModel& model = state.model();
  SmallCall<T> flat(call, true);
  const BatchProblem<T>& p = flat.product;
  flat.run(state, execution, [&](CallState* device, cudaStream_t stream) {
    flat_cr(model, p, flat.cut, flat.open, false, device, stream);
  });
}

double skinny_gemm_time(const State& state, const Call<Gemm<double>, double>& call, const Workspace& workspace) {
  constexpr double never = std::numeric_limits<double>::infinity();
  const Gemm<double>& g = call.problem;
  if (!skinny_serves(state.model(), std::min(g.m, g.n), g.k) || !is_plain_product(call)) return never;
  SkinnyCall skinny(state.model(), call);
  const std::size_t bytes = bytes_of_arrays([&](Carver& carver) { skinny.lay_out(carver); });
  return bytes <= workspace.cap() ? skinny_time(skinny.plan) : never;
}

void skinny_gemm(State& state, const Call<Gemm<double>, double>& call, Execution& execution) {
  const DeviceModel& model = state.model();
  SkinnyCall skinny(model, call);
  const ArrayMemory<CallMemory> memory([&](Carver& carver) { skinny.lay_out(carver); }, state, execution.workspace);
  const auto arguments = [&](CallState* device) {
    return exact_arguments(skinny.engine, skinny.rows, skinny.cols, skinny.open, device);
  };
  SkinnyCall::run_steps(
      state, execution, memory.bytes(),
      [&](CallState* device, cudaStream_t stream) {
        const ExactArguments<double> exact = arguments(device);
        start_skinny(model, exact, skinny.large_cols, skinny.plan, skinny.arrays, stream);
#ifdef ACCUBLAS_HAVE_HOPPER_KERNELS  // skinny_serves is true in no other build
        multiply_skinny(model, skinny.large_cols ? exact.cols : exact.rows, skinny.plan, skinny.arrays, stream);
#endif
        state.phase(&accublas_report_t::ms_reconstruct);
        round_skinny(model, exact, skinny.large_cols, skinny.plan, skinny.arrays, false, stream);
      },
      [&](CallState* device, cudaStream_t stream) { finish_skinny(model, arguments(device), skinny.arrays, stream); });
}

#define ACCUBLAS_INSTANTIATE(T)                                                                    \
  template bool small_gemm_serves(const State&, const Call<Gemm<T>, T>&);                          \
  template void small_gemm(State&, const Call<Gemm<T>, T>&, Execution&);                           \
  template bool flat_gemm_serves(const State&, const Call<Gemm<T>, T>&, const Workspace&, double); \
  template void flat_gemm(State&, const Call<Gemm<T>, T>&, Execution&);
ACCUBLAS_FOR_REAL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
