#include "cuda/int8/int8_flows.hpp"
#include "cuda/int8/int8_pass.hpp"
#include "cuda/int8/plan.hpp"

namespace accublas::cuda {

template <class T>
void run_fixed(Int8Call<T>& call, std::byte* memory) {
  call.begin(memory);
  call.measure_lines(Measures::scales);
  plan_fixed<T>(call.model, 0, call.as_made.mode.parameter, call.arrays.rows, call.arrays.cols, call.plan.first,
                call.execution.target, call.in_engine.alpha, nullptr, call.device, call.stream, call.group);
  run_pass(call, 0);
  call.compute_open_elements();
  call.end();
}

template void run_fixed(Int8Call<double>&, std::byte*);
template void run_fixed(Int8Call<float>&, std::byte*);

}  // namespace accublas::cuda
