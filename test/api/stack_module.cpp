// A module whose constructor calls LAPACK. While it runs, this thread holds the loader's lock, which no other thread
// may need to load OpenBLAS.
#include <cstdint>
#include <cstdlib>

#include "accublas.h"

[[gnu::constructor]] static void call_at_load() {
  double a = 4;
  std::int64_t pivot = 0, info = -1;
  if (accublas_set_mode_name(nullptr, "dp") != ACCUBLAS_SUCCESS ||
      accublas_dgetrf(nullptr, ACCUBLAS_COL_MAJOR, 1, 1, &a, 1, &pivot, &info) != ACCUBLAS_SUCCESS || info != 0 ||
      a != 4)
    std::_Exit(1);
}
