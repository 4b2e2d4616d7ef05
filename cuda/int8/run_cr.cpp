#include "cuda/exact/exact.hpp"
#include "cuda/int8/int8_flows.hpp"
#include "cuda/int8/int8_pass.hpp"
#include "cuda/int8/plan.hpp"

namespace accublas::cuda {

template <class T>
void run_cr(Int8Call<T>& call, std::byte* memory) {
  call.begin(memory);
  call.measure_lines(Measures::all);
  for (int index = 0; index < call.plan.passes; ++index) {
    if (index > 0) call.resolve_zeros(index - 1);
    run_cr_pass(call, index, true);
  }
  call.compute_open_elements();
  call.end();
}

template <class T>
void run_cr_pass(Int8Call<T>& call, int index, bool first) {
  if (index > 0) call.phase(&accublas_report_t::ms_convert);
  const ExactTuning& tuning = call.model.tuning().exact;
  const Index m = call.in_engine.rows.count, n = call.in_engine.cols.count, k = call.in_engine.rows.k;
  const bool tiles = !call.combined && computes_tiles(call.model, m, n);
  plan_cr(call.model, index, first, call.in_engine.rows, call.arrays.rows, call.in_engine.cols, call.arrays.cols,
          call.plan.launch_of(index), call.arrays.open, call.in_engine.alpha,
          tiles ? TileTime{tuning.all_tiles(m, n, k), tuning.no_terms(m, n, k)} : TileTime{}, call.device, call.stream);
  run_pass(call, index);
}

#define ACCUBLAS_INSTANTIATE(T)                   \
  template void run_cr(Int8Call<T>&, std::byte*); \
  template void run_cr_pass(Int8Call<T>&, int, bool);
ACCUBLAS_FOR_REAL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
