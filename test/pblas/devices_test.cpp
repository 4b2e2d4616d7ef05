// The ranks of a host share its GPUs evenly: after a call on distributed matrices, each rank's calls on host operands
// run on its part of the devices. Run by mpirun on one host. ACCUBLAS_DEVICES and ACCUBLAS_DEVICE change the parts.
// The expected parts come from the definition, rank by rank, and share no code with the library.
//   devices_test; the status is 77 without a GPU
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "test/pblas/calls.hpp"

namespace accublas::test {
namespace {

/// The numbers of a list such as "0,1".
std::vector<int> numbers(const char* text) {
  std::vector<int> list;
  for (char* at = const_cast<char*>(text); *at; at += *at == ',')
    list.push_back(static_cast<int>(std::strtol(at, &at, 10)));
  return list;
}

/// Returns the device of the report about a product of host operands.
int device_of_product(int n) {
  const auto count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  const std::vector<double> a(count, 1.25), b(count, -0.75);
  std::vector<double> c(count);
  const double one = 1, zero = 0;
  accublas_options options = ACCUBLAS_OPTIONS_INIT;
  options.backend = ACCUBLAS_BACKEND_CUDA;
  options.mode = ACCUBLAS_MODE_CR;
  if (accublas_dgemm_ex(nullptr, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, n, n, n, &one, a.data(), n,
                        b.data(), n, &zero, c.data(), n, &options)) {
    std::fprintf(stderr, "accublas: %s\n", accublas_last_error(nullptr));
    return -1;
  }
  accublas_report_t report{};
  report.struct_size = sizeof report;
  accublas_report(nullptr, &report);
  // "cuda:1 NVIDIA H200", or "cuda:0,1 NVIDIA H200" of a shared product.
  return std::string(report.device).rfind("cuda:", 0) == 0 ? std::atoi(report.device + 5) : -1;
}

int run() {
  int rank = 0, ranks = 0, devices = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  accublas_device_count(&devices);
  if (devices == 0) return 77;
  accublas_set_mode_name(nullptr, "cr");
  Random random(1);
  Grid grid{-1, 1, ranks};
  Cblacs_get(-1, 0, &grid.context);
  Cblacs_gridinit(&grid.context, "Row", 1, ranks);
  int shape[2];
  Cblacs_gridinfo(grid.context, shape, shape + 1, &grid.row, &grid.col);
  Call call{grid, "cr", random, Data::moderate, false, {}};
  const int n = 40;
  const double alpha = 1, beta = 0;
  auto a = call.matrix<double>(n, n), b = call.matrix<double>(n, n), c = call.matrix<double>(n, n);
  a.distribute(), b.distribute(), c.distribute();
  pblas::gemm(0.0, "N", "N", &n, &n, &n, &alpha, a.local.data(), &a.i, &a.j, a.desc, b.local.data(), &b.i, &b.j, b.desc,
              &beta, c.local.data(), &c.i, &c.j, c.desc);

  const char *const fixed = std::getenv("ACCUBLAS_DEVICE"), *const given = std::getenv("ACCUBLAS_DEVICES");
  std::vector<int> list = given ? numbers(given) : std::vector<int>();
  for (int device = 0; !given && device < devices; ++device) list.push_back(device);
  const int count = static_cast<int>(list.size());
  const int at = ranks >= count ? rank % count : rank * count / ranks;
  const int expected = fixed ? std::atoi(fixed) : list[static_cast<std::size_t>(at)], found = device_of_product(512);
  std::vector<int> all(static_cast<std::size_t>(ranks));
  int wrong = found != expected;
  MPI_Gather(&found, 1, MPI_INT, all.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    std::printf("%d ranks, %d devices, first device of each rank:", ranks, devices);
    for (const int device : all) std::printf(" %d", device);
    std::printf("; %d differ\n", wrong);
  }
  return wrong > 0;
}

}  // namespace
}  // namespace accublas::test

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  const int status = accublas::test::run();
  Cblacs_exit(0);
  return status;
}
