// Costs of small and middle sizes, as one table with limits.
#pragma once

#include "perf/bench/table.hpp"

namespace bench {

/// Prints the times of small and middle GEMM (single, in batches, skinny, complex), GEMV, TRSM, LU and Cholesky's
/// factorization in the modes that define bits, on one thread, over OpenBLAS's. Some rows have limits of their own; the
/// others may take 8 times OpenBLAS's time from order 16 on. `seconds`: for each row. Returns whether every limit is
/// kept.
bool print_small_table(Table& table, double seconds);

}  // namespace bench
