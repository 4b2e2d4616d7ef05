#include "cuda/int8/int8_call.hpp"

#include <limits>
#include <numeric>

#include "cuda/core/carver.hpp"
#include "cuda/core/check.hpp"
#include "cuda/core/rehearsal.hpp"
#include "cuda/core/scale.hpp"
#include "cuda/core/totals.hpp"
#include "cuda/exact/exact.hpp"
#include "cuda/exact/exact_call.hpp"
#include "cuda/int8/convert.hpp"
#include "cuda/int8/spare_moduli.hpp"
#include "cuda/scaling/measure.hpp"
#include "lib/call/accuracy.hpp"

namespace accublas::cuda {

namespace {

constexpr SlabTuning no_slabs{.least_work = std::numeric_limits<double>::infinity()};

}  // namespace

template <class T>
Int8Call<T>::Int8Call(State& of_context, const Call<Gemm<T>, T>& call, Execution& call_execution,
                      const NativeOffer* native_offer, int sum_moduli, bool grouped)
    : state(of_context),
      model(state.model()),
      stream(state.cuda_stream()),
      as_made(call),
      execution(call_execution),
      offer(native_offer),
      combined(call.problem.combined),
      in_engine(call, grouped),
      plan(plan_int8(in_engine,
                     {.mode = call.mode,
                      .cap = execution.workspace.cap(),
                      .complex_kernels = in_engine.pairs_of_columns != RowPairs::none && converts_complex(model),
                      .combined = combined != nullptr,
                      .offer = offer,
                      .sum_moduli = sum_moduli,
                      .spare_moduli = SpareModuli::current(),
                      .tuning = model.tuning().int8,
                      .slabs = grouped ? no_slabs : model.tuning().slabs})) {}

template <class T>
Index Int8Call<T>::product_bytes() const {
  Carver carver(nullptr);
  carver.take<CallState>(1);
  take_arrays(carver, in_engine, plan);
  const Index chunk = plan.buffers.k_padded;
  const Index line = plan.flow == Int8Flow::grade ? std::lcm(chunk, plan.certificate.chunk) : chunk;
  return round_up(static_cast<Index>(carver.used()), line_group * line);
}

template <class T>
void Int8Call<T>::begin(std::byte* memory) {
  Carver carver(memory);
  execution.report.workspace_bytes = group.exists() ? group.count * group.bytes : static_cast<std::int64_t>(plan.bytes);
  put_bound(execution.report, rounded_once<T>());
  device = of_context = state.begin_call(execution.report.level);
  if (group.exists()) {
    device = carver.take<CallState>(1);
    clear_states(device, group, stream);
  }
  arrays = take_arrays(carver, in_engine, plan);
  phase(&accublas_report_t::ms_convert);
  if (!in_engine.wanted.all())
    set_on_stream(arrays.open, 0, sizeof(std::uint32_t) * open_words(in_engine), stream,
                  "clearing the bits of open elements");
}

template <class T>
void Int8Call<T>::measure_lines(Measures measures) {
  const Operand<T> numbers = plan.as_stored ? in_engine.cols.numbers() : in_engine.cols;
  const bool with_lambda = measures != Measures::scales;
  if (measures == Measures::bounds) {
    measure_bounds(model, in_engine.rows, arrays.rows, numbers, arrays.numbers, device, stream);
  } else {
    measure(model, in_engine.rows, arrays.rows, numbers, arrays.numbers, with_lambda, device, stream, group);
  }
  if (plan.keep_terms) find_group_terms(model, arrays.rows, arrays.cols, arrays.nonzero, device, stream);
  if (plan.as_stored) {
    spread_over_pairs(model, arrays.numbers, arrays.cols, with_lambda, stream, group);
  } else if (plan.residues == ResidueKind::complex) {
    share_in_pairs(model, arrays.cols, with_lambda, stream, group);
  }
}

template <class T>
void Int8Call<T>::resolve_zeros(int index) {
  if (!plan.keep_nonzero) return;
  phase(&accublas_report_t::ms_exact);
  resolve_structural_zeros(model, open_elements(), index, stream);
}

template <class T>
ExactArguments<T> Int8Call<T>::open_elements() const {
  ExactArguments<T> open = exact_arguments(in_engine, arrays.rows, arrays.cols, arrays.open, device);
  open.group = group;
  return open;
}

template <class T>
void Int8Call<T>::end() {
  if (group.exists()) add_states(device, group, of_context, stream);
  state.end_call();
}

template <class T>
void Int8Call<T>::compute_open_elements() {
  phase(&accublas_report_t::ms_exact);
  ExactArguments<T> open = open_elements();
  if (plan.slabs.square > 0) {
    const SlabArrays& slabs = arrays.slabs;
    open.exponents = {{slabs.top[0], slabs.top[1]}, {slabs.low[0], slabs.low[1]}, plan.slabs.k_padded()};
  }
  if (group.exists()) {
    exact_of_small(model, open, stream);
    if (in_engine.alpha.pointer)
      scale_matrices(group.at, in_engine.at, in_engine.rows.count, in_engine.cols.count, group.count, in_engine.alpha,
                     in_engine.beta, true, stream);
    return;
  }
  combined ? exact_combined(model, open, *combined, stream) : exact(model, open, stream);
  if (in_engine.alpha.pointer && in_engine.wanted.all())
    scale_if_alpha_is_zero(model, in_engine.rows.count, in_engine.cols.count, in_engine.at, in_engine.alpha,
                           in_engine.beta, true, stream);
}

template struct Int8Call<double>;
template struct Int8Call<float>;

}  // namespace accublas::cuda
