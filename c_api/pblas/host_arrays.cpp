#include "c_api/pblas/host_arrays.hpp"

#include <algorithm>
#include <new>

#include "c_api/pblas/arguments.hpp"
#include "c_api/private.hpp"

namespace accublas::pblas {

void HostArrays::add(const void* array, const int* i, const int* j, const int* desc, std::size_t element, bool writes) {
  if (!accublas_private_is_on_device(array)) return;
  const Descriptor d = read_descriptor(desc);
  const Grid grid = grid_of(d.context);
  // ScaLAPACK reports a bad descriptor without reading the array.
  if (grid.row < 0 || !is_good_array(grid, d, *i, *j)) return;
  const auto bytes = static_cast<std::int64_t>(element);
  const std::int64_t row = rows_before(grid, d, *i - 1) * bytes, col = cols_before(grid, d, *j - 1);
  const std::int64_t end_row = own_rows(grid, d) * bytes, end_col = own_cols(grid, d);
  char* const device = static_cast<char*>(const_cast<void*>(array));
  for (Array& known : arrays_) {
    if (!known.is(device, d.ld * bytes)) continue;
    known.row = std::min(known.row, row), known.col = std::min(known.col, col);
    known.rows = std::max(known.rows, end_row), known.cols = std::max(known.cols, end_col);
    known.writes |= writes;
    return;
  }
  arrays_.push_back({device, d.ld * bytes, row, col, end_row, end_col, writes, nullptr});
}

void HostArrays::fetch() {
  for (Array& one : arrays_) {
    one.copy.reset(new (std::nothrow) char[static_cast<std::size_t>(one.ld * std::max<std::int64_t>(one.cols, 1))]);
    if (!one.copy) fail(routine_, "out of host memory for a copy of a local array that is in device memory");
    if (one.is_empty()) continue;
    require(routine_, accublas_private_copy(nullptr, one.copy.get() + one.offset(), one.ld, one.device + one.offset(),
                                            one.ld, one.rows - one.row, one.cols - one.col));
  }
}

void HostArrays::give_back() {
  for (const Array& one : arrays_) {
    if (!one.writes || one.is_empty()) continue;
    require(routine_, accublas_private_copy(nullptr, one.device + one.offset(), one.ld, one.copy.get() + one.offset(),
                                            one.ld, one.rows - one.row, one.cols - one.col));
  }
}

}  // namespace accublas::pblas
