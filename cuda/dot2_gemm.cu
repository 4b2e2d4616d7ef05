// The kernels of dot2's GEMM by the table of tile shapes, and the choice among them.
#include <cmath>
#include <iterator>
#include <limits>

#include "cuda/check.hpp"
#include "cuda/dot2_gemm.hpp"
#include "cuda/dot2_gemm_kernel.hpp"

namespace accublas::cuda {

namespace {

constexpr bool table_is_right() {
  for (const Dot2Row& row : Dot2Table::rows)
    if (dot2_shape_fault(row.shape, !row.single) != nullptr) return false;
  return true;
}
static_assert(table_is_right());

Index tiles_of(const Dot2Shape& shape, Index m, Index n) {
  return ((m + shape.rows - 1) / shape.rows) * ((n + shape.cols - 1) / shape.cols);
}

/// The row that computes an m x n result first, by full waves of thread blocks.
template <class T>
int choose_row(const DeviceModel& model, Index m, Index n) {
  const auto serves = [&](const Dot2Row& row) { return row.single == !compensated<T> && row.major == model.major && row.minor == model.minor; };
  bool own = false;
  for (const Dot2Row& row : Dot2Table::rows) own = own || serves(row);
  int best = -1;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < static_cast<int>(std::size(Dot2Table::rows)); ++i) {
    const Dot2Row& row = Dot2Table::rows[i];
    if (own ? !serves(row) : row.single != !compensated<T>) continue;
    const double at_once = static_cast<double>(row.shape.resident) * model.processors;
    const double waves = std::ceil(static_cast<double>(tiles_of(row.shape, m, n)) / at_once);
    const double time = waves * row.shape.resident * row.shape.rows * row.shape.cols * row.cycles;
    if (time < least) best = i, least = time;
  }
  return best;
}

template <class T, int index, Dot2Compare compare>
void launch(const ExactArguments<T>& g, cudaStream_t stream) {
  constexpr Dot2Shape shape = Dot2Table::rows[index].shape;
  constexpr int bytes = shape.shared_bytes(compensated<T>);
  constexpr auto kernel = dot2_gemm_kernel<T, Dot2Table, index, compare>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "dot2_gemm");
  kernel<<<static_cast<unsigned>(tiles_of(shape, g.rows.count, g.cols.count)), shape.threads(), bytes, stream>>>(g);
  check_launch("dot2_gemm");
}

template <class T, int index = 0>
void launch_row(int wanted, const ExactArguments<T>& g, cudaStream_t stream) {
  if constexpr (index < static_cast<int>(std::size(Dot2Table::rows))) {
    if constexpr (Dot2Table::rows[index].single == !compensated<T>)
      if (index == wanted) return launch<T, index, Dot2Compare::high_words>(g, stream);
    launch_row<T, index + 1>(wanted, g, stream);
  }
}

}  // namespace

template <class T>
void dot2_tiles(const DeviceModel& model, const ExactArguments<T>& g, cudaStream_t stream) {
  launch_row(choose_row<T>(model, g.rows.count, g.cols.count), g, stream);
  // Tiles with numbers beyond binary32's reach; the others return at once.
  if constexpr (compensated<T>) launch<T, 0, Dot2Compare::numbers>(g, stream);
}

template void dot2_tiles(const DeviceModel&, const ExactArguments<double>&, cudaStream_t);
template void dot2_tiles(const DeviceModel&, const ExactArguments<float>&, cudaStream_t);

}  // namespace accublas::cuda
