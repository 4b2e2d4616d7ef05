// A panel of LU with partial pivoting in floating-point arithmetic as it is (in cr: cuda/factor/lu_panel.hpp).
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "cuda/core/device_model.hpp"
#include "cuda/factor/lu_panel.hpp"

namespace accublas::cuda {

/// At most: a thread keeps a row of them in registers.
template <class E>
inline constexpr int plain_panel_columns = sizeof(E) > 8 ? 16 : 32;
static_assert(plain_panel_columns<double> <= lu_panel_columns);

/// Rows of a thread block, one a thread.
inline constexpr int plain_panel_rows = 512;

/// Columns first .. first + width - 1 of an m x n matrix.
template <class E>
struct PlainPanel {
  Matrix<E> a;
  Index m, first;
  int width;
  ToldWord* told;  ///< of all thread blocks for two steps, told_words<E, plain_panel_columns<E>> each
  RowMoves* moves;
  std::int64_t* pivots;  ///< LAPACK's ipiv
  long long* info;       ///< LAPACK's: the first column without a pivot, 0 before one was found
};

/// Thread blocks of a panel of so many rows; 0 where the device has not that many at a time.
template <class E>
int plain_panel_blocks(const DeviceModel&, Index rows);

/// The panel by columns: of each element a_ij less l_ik u_kj one after the other in FMAs (a complex one has two for
/// each of its parts), then the quotient. The pivot is the first of the rows with the largest abs (complex: abs(Re) +
/// abs(Im)), where NaN is larger than every number. Rows stay where they are: moves and pivots tell where they belong.
/// `steps`: those that `told`, zero before the first of them, has seen, which grow by those of this panel.
template <class E>
void factor_panel(const DeviceModel&, const PlainPanel<E>&, std::uint32_t& steps, cudaStream_t);

}  // namespace accublas::cuda
