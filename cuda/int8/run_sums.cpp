#include "cuda/int8/int8_flows.hpp"
#include "cuda/int8/int8_pass.hpp"
#include "cuda/int8/plan.hpp"

namespace accublas::cuda {

template <class T>
void run_sums(Int8Call<T>& call, const PairSums& sums, std::byte* memory) {
  call.begin(memory);
  call.measure_lines(Measures::all);
  plan_sums(call.model, call.plan.first.moduli, call.arrays.rows, call.arrays.cols, call.plan.first, call.device,
            call.stream);
  run_pass(call, 0, &sums);
  call.end();
}

template void run_sums(Int8Call<double>&, const PairSums&, std::byte*);
template void run_sums(Int8Call<float>&, const PairSums&, std::byte*);

}  // namespace accublas::cuda
