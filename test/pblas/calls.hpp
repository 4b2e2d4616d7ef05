// The tests of libaccublas_pblas share this code: calls of a routine on the processes of a grid, compared with one call
// on one process, and the grids.
#pragma once

#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "lib/call/mode.hpp"
#include "test/pblas/data.hpp"
#include "test/pblas/names.hpp"
#include "test/typed_routines.hpp"

namespace accublas::test {

constexpr int exceptions = FE_INVALID | FE_OVERFLOW | FE_DIVBYZERO;
constexpr int any_flags = -1;  ///< exceptions are not compared
inline int failures = 0, cases = 0;
inline std::int64_t partly_rejected = 0, wholly_rejected = 0;

template <class E>
using RealType = decltype(std::abs(E{}));

template <class E>
constexpr bool is_complex_number = !std::is_floating_point_v<E>;

/// A routine's call on the processes of a grid, in a mode.
struct Call {
  Grid grid;
  std::string mode;
  Random& random;
  Data kind;
  bool extended;
  std::string what;
  int expected_flags = 0;

  char letter(const char* list) {
    const char letter = list[number(random, 0, static_cast<int>(std::strlen(list)) - 1)];
    what += letter;
    return letter;
  }
  int size(int least, int most) {
    const int n = number(random, 0, 19) == 0 ? number(random, 0, 1) : number(random, least, most);
    what += ' ' + std::to_string(n);
    return n;
  }
  /// A number of terms, in dp:repro often of more than those that have cr's values. `one_in`: the share of these.
  template <class E>
  int terms(int least, int most, int one_in) {
    const int k = size(least, most);
    if (mode != "dp:repro" || number(random, 0, one_in - 1) != 0) return k;
    what += " longer";
    return k + static_cast<int>(most_terms_as_cr) / (is_complex_number<E> ? 2 : 1);
  }
  template <class E>
  E factor() {
    const int which = number(random, 0, 4);
    what += " f" + std::to_string(which);
    if (which <= 1) return E(static_cast<float>(which));
    if constexpr (is_complex_number<E>)
      if (which == 2) return {0, static_cast<typename E::value_type>(-1.5)};
    return random_number<E>(random, Data::moderate);
  }

  /// Computes on rank 0 what is expected. `run` returns the status.
  template <class E, class Run>
  void expect(std::vector<E>& result, Run&& run) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
      std::feclearexcept(FE_ALL_EXCEPT);
      if (const accublas_status status = run()) {
        std::fprintf(stderr, "rank 0: %s\n", accublas_last_error(nullptr));
        MPI_Abort(MPI_COMM_WORLD, status);
      }
      expected_flags = std::fetestexcept(exceptions);
      accublas_report_t report{};
      report.struct_size = sizeof report;
      accublas_report(nullptr, &report);
      if (report.rejected > 0 && mode == "dp:repro") (report.bits > 0 ? partly_rejected : wholly_rejected) += 1;
    }
    MPI_Bcast(&expected_flags, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(result.data(), static_cast<int>(result.size() * sizeof(E)), MPI_BYTE, 0, MPI_COMM_WORLD);
  }

  /// Runs the distributed call. Afterwards `differences()` of this process must be 0, and the processes together must
  /// have the expected exceptions.
  template <class Run, class Differences>
  void check(const char* routine, Run&& run, Differences&& differences) {
    int wrong = 0, flags = 0;
    if (grid.has_me()) {
      to_device = device_memory() != DeviceMemory::none;
      std::feclearexcept(FE_ALL_EXCEPT);
      run();
      flags = std::fetestexcept(exceptions);
      to_device = false;
      wrong = differences();
    }
    int all[2] = {wrong, 0};
    MPI_Allreduce(&wrong, all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&flags, all + 1, 1, MPI_INT, MPI_BOR, MPI_COMM_WORLD);
    ++cases;
    if (all[0] == 0 && (all[1] == expected_flags || expected_flags == any_flags)) return;
    ++failures;
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 && failures < 20)
      std::printf("%s %s on %d x %d, %s, data %d%s: %d elements differ, exceptions %x, expected %x\n", routine,
                  mode.c_str(), grid.rows, grid.cols, what.c_str(), static_cast<int>(kind),
                  extended ? ", extended" : "", all[0], all[1], expected_flags);
  }

  template <class E>
  Distributed<E> matrix(int m, int n, bool odd = false, bool trans = false) {
    Distributed<E> made(grid, random, m, n, extended);
    fill(made, random, kind, odd, trans);
    return made;
  }
};

inline accublas_transpose transpose_of(char c) {
  return c == 'N' ? ACCUBLAS_NO_TRANS : c == 'T' ? ACCUBLAS_TRANS : ACCUBLAS_CONJ_TRANS;
}
inline accublas_side side_of(char c) { return c == 'L' ? ACCUBLAS_LEFT : ACCUBLAS_RIGHT; }
inline accublas_uplo uplo_of(char c) { return c == 'U' ? ACCUBLAS_UPPER : ACCUBLAS_LOWER; }
inline accublas_diag diag_of(char c) { return c == 'U' ? ACCUBLAS_UNIT : ACCUBLAS_NON_UNIT; }

/// Calls body(grid) for the grids of all processes, and of all but one if their number is odd.
template <class Body>
void for_grids(Random& random, Body&& body) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int rows = 1; rows <= size; ++rows)
    for (int cols = 1; rows * cols <= size; ++cols) {
      if (rows * cols != size && (rows * cols != size - 1 || size % 2 == 0)) continue;
      Grid grid{-1, rows, cols};
      Cblacs_get(-1, 0, &grid.context);
      Cblacs_gridinit(&grid.context, number(random, 0, 1) ? "Row" : "Col", rows, cols);
      int shape[2];
      if (grid.context >= 0) Cblacs_gridinfo(grid.context, shape, shape + 1, &grid.row, &grid.col);
      body(grid);
      if (grid.context >= 0) Cblacs_gridexit(grid.context);
    }
}

/// Runs a test program with the arguments [rounds [seed [size]]]: calls on_grid(grid, rounds, random) for all grids,
/// and prints a summary, whose text all processes make. `rounds` and `size` have the default values. Returns the
/// program's status.
template <class OnGrid, class Summary>
int test_main(int count, char** arguments, int rounds, int& size, OnGrid&& on_grid, Summary&& summary) {
  MPI_Init(&count, &arguments);
  int ranks = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (count > 1) rounds = std::atoi(arguments[1]);
  if (count > 3) size = std::atoi(arguments[3]);
  Random random(static_cast<std::uint64_t>(count > 2 ? std::atoi(arguments[2]) : ranks));
  for_grids(random, [&](const Grid& grid) { on_grid(grid, rounds, random); });
  std::int64_t on_device[2] = {arrays_on_device, copies};
  MPI_Allreduce(MPI_IN_PLACE, on_device, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  const bool missing = device_memory() != DeviceMemory::none && (on_device[0] == 0 || on_device[1] < on_device[0] / 2);
  const std::string text = summary();
  if (rank == 0)
    std::printf("%d ranks: %d cases, %d failures; %s; %lld arrays in device memory, %lld copies\n", ranks, cases,
                failures, text.c_str(), static_cast<long long>(on_device[0]), static_cast<long long>(on_device[1]));
  Cblacs_exit(0);
  return failures > 0 || missing;
}

}  // namespace accublas::test
