#include "cuda/exact/exact.hpp"
#include "cuda/int8/int8_flows.hpp"
#include "cuda/int8/int8_pass.hpp"
#include "cuda/int8/plan.hpp"
#include "cuda/int8/product.hpp"
#include "cuda/int8/slabs.hpp"

namespace accublas::cuda {

namespace {

template <class T>
void plan_cr_pass(Int8Call<T>& call, int index, bool slabs) {
  if (index > 0) call.phase(&accublas_report_t::ms_convert);
  const ExactTuning& tuning = call.model.tuning().exact;
  const Index m = call.in_engine.rows.count, n = call.in_engine.cols.count, k = call.in_engine.rows.k;
  const bool tiles = !call.combined &&
                     (call.group.exists() ? computes_small_tiles(call.model, m, n) : computes_tiles(call.model, m, n));
  const Index certified = call.plan.flow == Int8Flow::cr ? 0 : certified_elements(call.in_engine);
  plan_cr(call.model, index, certified, call.in_engine.rows, call.arrays.rows, call.in_engine.cols, call.arrays.cols,
          call.plan.launch_of(index), call.arrays.open, call.in_engine.alpha,
          tiles ? TileTime{tuning.all_tiles(m, n, k), tuning.no_terms(m, n, k)} : TileTime{},
          slabs ? call.model.tuning().slabs.least_time : 0, call.device, call.stream, call.group);
}

/// Launches the products by slabs, one chunk of C after another. The kernels return at once unless the device plans
/// slabs.
template <class T>
void run_slabs(Int8Call<T>& call, const SlabJob<T>& job) {
  const Int8Arrays& arrays = call.arrays;
  const SlabShape& shape = job.shape;
  for (Index row = 0; row < job.rows.count; row += shape.rows) {
    for (Index col = 0; col < job.cols.count; col += shape.cols) {
      call.phase(&accublas_report_t::ms_convert);
      convert_slabs(call.model, job, row, col, arrays.row_residues, arrays.col_residues, call.stream);
      call.phase(&accublas_report_t::ms_product);
      const SlabProduct product{.rows = arrays.row_residues,
                                .cols = arrays.col_residues,
                                .rows_bytes = call.plan.buffers.rows_bytes,
                                .cols_bytes = call.plan.buffers.cols_bytes,
                                .result = reinterpret_cast<std::int8_t*>(arrays.result),
                                .shape = shape,
                                .balance = job.arrays.balance,
                                .m = job.rows.count,
                                .n = job.cols.count,
                                .row = row,
                                .col = col,
                                .state = job.state};
      slab_product(call.model, product, call.stream);
      call.phase(&accublas_report_t::ms_reconstruct);
      const SlabResults<T> results{product.result,      row,        col, call.in_engine.at, call.in_engine.alpha,
                                   call.in_engine.beta, arrays.open};
      reconstruct_slabs(call.model, job, results, call.stream);
    }
  }
}

}  // namespace

template <class T>
void run_cr(Int8Call<T>& call, std::byte* memory) {
  call.begin(memory);
  call.measure_lines(Measures::all);
  for (int index = 0; index < call.plan.passes; ++index) {
    if (index > 0) call.resolve_zeros(index - 1);
    run_cr_pass(call, index);
  }
  if (call.plan.passes == 1 && call.plan.slabs.square == 0) call.resolve_zeros(0);
  call.compute_open_elements();
  call.end();
}

template <class T>
void run_cr_pass(Int8Call<T>& call, int index) {
  const bool slabs = call.plan.slabs.square > 0 && index == 0;
  const SlabJob<T> job{.rows = call.in_engine.rows,
                       .cols = call.in_engine.cols,
                       .row_lines = call.arrays.rows,
                       .col_lines = call.arrays.cols,
                       .shape = call.plan.slabs,
                       .arrays = call.arrays.slabs,
                       .pass = index,
                       .state = call.device};
  plan_cr_pass(call, index, slabs);
  if (slabs) plan_slabs(call.model, job, call.stream);
  run_pass(call, index);
  if (slabs) run_slabs(call, job);
}

#define ACCUBLAS_INSTANTIATE(T)                   \
  template void run_cr(Int8Call<T>&, std::byte*); \
  template void run_cr_pass(Int8Call<T>&, int);
ACCUBLAS_FOR_REAL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
