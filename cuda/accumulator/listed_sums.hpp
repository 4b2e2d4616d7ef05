// Exact sums of single elements for the second round of an accumulator.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"

namespace accublas::cuda {

/// Where an exact sum is: `count` digits of 32 bits in two's complement, the lowest of which is digit `first` of a
/// LongAccumulator. A sum of no digits is zero.
struct ListedSum {
  std::int32_t first, count;
};

/// Computes the exact sums of the products of row list[s] / cols.count and column list[s] % cols.count for s < count.
/// The digits of sum s begin at digits[s most]. Lines with Inf or NaN count as zero. A sum that has more than `most`
/// digits, which its lines' measurements say, counts as zero too.
template <class T>
void sum_listed(const DeviceModel&, const Operand<T>& rows, const Lines& row_lines, const Operand<T>& cols,
                const Lines& col_lines, const Index* list, Index count, int most, ListedSum* sums,
                std::uint32_t* digits, cudaStream_t);

}  // namespace accublas::cuda
