// Calls that are too short to be timed one by one: microseconds of a call in a row of calls back to back, and of one
// alone.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "perf/gpu/device.hpp"

namespace gpu_bench {

/// One thing that is timed.
struct ShortCall {
  std::string name;
  std::function<void()> call;
  int count = 10;                             ///< calls of a row
  std::vector<double> row_us{}, single_us{};  ///< a call of a row of calls; a single call on an idle stream
};

/// Microseconds of a call among `count`.
inline double time_us(const ShortCall& contender, int count, cudaStream_t stream) {
  const Event start, end;
  start.record(stream);
  for (int q = 0; q < count; ++q) contender.call();
  end.record(stream);
  return 1e3 * end.since(start) / count;
}

/// `repetitions` measurements of each, in turn.
inline void time_in_turn(std::vector<ShortCall>& contenders, int repetitions, cudaStream_t stream) {
  for (int round = 0; round < repetitions; ++round)
    for (ShortCall& c : contenders) {
      c.row_us.push_back(time_us(c, c.count, stream));
      require(cudaStreamSynchronize(stream), "stream");
      c.single_us.push_back(time_us(c, 1, stream));
    }
}

}  // namespace gpu_bench
