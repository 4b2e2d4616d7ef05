// accublas-pblas-bench: the time of the PBLAS in accublas's modes divided by that of ScaLAPACK's own routines, and the
// bytes that a rank sends. Run it by mpirun.
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "include/accublas.h"
#include "perf/pblas/model.hpp"

extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int cols);
void Cblacs_gridinfo(int context, int* rows, int* cols, int* row, int* col);
void Cblacs_exit(int keep_mpi);
int numroc_(const int* n, const int* block, const int* process, const int* source, const int* processes);
void pdgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*,
             const int*, const int*, const double*, const int*, const int*, const int*, const double*, double*,
             const int*, const int*, const int*);
void pdsymm_(const char*, const char*, const int*, const int*, const double*, const double*, const int*, const int*,
             const int*, const double*, const int*, const int*, const int*, const double*, double*, const int*,
             const int*, const int*);
void pdsyrk_(const char*, const char*, const int*, const int*, const double*, const double*, const int*, const int*,
             const int*, const double*, double*, const int*, const int*, const int*);
void pdtrmm_(const char*, const char*, const char*, const char*, const int*, const int*, const double*, const double*,
             const int*, const int*, const int*, double*, const int*, const int*, const int*);
void pdtrsm_(const char*, const char*, const char*, const char*, const int*, const int*, const double*, const double*,
             const int*, const int*, const int*, double*, const int*, const int*, const int*);
void pdpotrf_(const char*, const int*, double*, const int*, const int*, const int*, int*);
void pdgetrf_(const int*, const int*, double*, const int*, const int*, const int*, int*, int*);
}

namespace {

std::int64_t bytes_sent = 0;

void count(int elements, MPI_Datatype type) {
  int size = 0;
  MPI_Type_size(type, &size);
  bytes_sent += std::int64_t{elements} * size;
}

}  // namespace

// Counts the bytes that the BLACS and accublas send, through MPI's profiling interface.
extern "C" int MPI_Isend(const void* data, int elements, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  count(elements, type);
  return PMPI_Isend(data, elements, type, to, tag, comm, request);
}
extern "C" int MPI_Send(const void* data, int elements, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  count(elements, type);
  return PMPI_Send(data, elements, type, to, tag, comm);
}
extern "C" int MPI_Rsend(const void* data, int elements, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  count(elements, type);
  return PMPI_Rsend(data, elements, type, to, tag, comm);
}
extern "C" int MPI_Allgather(const void* data, int elements, MPI_Datatype type, void* to, int each, MPI_Datatype of_to,
                             MPI_Comm comm) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  for (int i = 1; i < size; ++i) count(elements, type);
  return PMPI_Allgather(data, elements, type, to, each, of_to, comm);
}
extern "C" int MPI_Allgatherv(const void* data, int elements, MPI_Datatype type, void* to, const int* each,
                              const int* at, MPI_Datatype of_to, MPI_Comm comm) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  for (int i = 1; i < size; ++i) count(elements, type);
  return PMPI_Allgatherv(data, elements, type, to, each, at, of_to, comm);
}
/// The root's share of a broadcast is a copy for every other process.
extern "C" int MPI_Bcast(void* data, int elements, MPI_Datatype type, int root, MPI_Comm comm) {
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int i = 1; i < size && rank == root; ++i) count(elements, type);
  return PMPI_Bcast(data, elements, type, root, comm);
}
extern "C" int MPI_Reduce(const void* data, void* to, int elements, MPI_Datatype type, MPI_Op op, int root,
                          MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank != root) count(elements, type);
  return PMPI_Reduce(data, to, elements, type, op, root, comm);
}

namespace {

/// Matrices of order n on a grid. The product of n x k and k x n matrices has operands of its own if k is not n.
struct Problem {
  int n, rows, cols, row, col;
  int desc[9];
  int k, left_desc[9], right_desc[9];
  std::vector<double> left, right;
  std::vector<double> a, b, c;
  std::vector<int> pivots;

  Problem(int n, int depth, int block, int context) : n(n), k(depth > 0 ? depth : n) {
    Cblacs_gridinfo(context, &rows, &cols, &row, &col);
    const int zero = 0, own_rows = numroc_(&n, &block, &row, &zero, &rows),
              own_cols = numroc_(&n, &block, &col, &zero, &cols), ld = std::max(own_rows, 1);
    const int made[] = {1, context, n, n, block, block, 0, 0, ld};
    std::copy(made, made + 9, desc);
    a.resize(static_cast<std::size_t>(ld) * static_cast<std::size_t>(own_cols) + 1);
    b = c = a;
    pivots.resize(static_cast<std::size_t>(own_rows + block));
    std::uint64_t state = static_cast<std::uint64_t>(row * cols + col + 1) * 0x9e3779b97f4a7c15u;
    for (std::vector<double>* matrix : {&a, &b, &c})
      for (double& x : *matrix) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x = std::ldexp(static_cast<double>(static_cast<std::int64_t>(state) >> 11), -52);
      }
    if (k != n) {
      const auto make = [&](std::vector<double>& matrix, int m, int of_cols, int* to) {
        const int high = std::max(numroc_(&m, &block, &row, &zero, &rows), 1),
                  wide = numroc_(&of_cols, &block, &col, &zero, &cols),
                  list[] = {1, context, m, of_cols, block, block, 0, 0, high};
        std::copy(list, list + 9, to);
        matrix.resize(static_cast<std::size_t>(high) * static_cast<std::size_t>(wide) + 1);
        for (std::size_t i = 0; i < matrix.size(); ++i)
          matrix[i] = b[i % b.size()] + std::ldexp(static_cast<double>(i), -40);
      };
      make(left, n, k, left_desc), make(right, k, n, right_desc);
    }
    // A triangular matrix whose solutions stay small.
    for (int j = 0; j < own_cols; ++j)
      for (int i = 0; i < own_rows; ++i) {
        const int gi = (i / block * rows + row) * block + i % block, gj = (j / block * cols + col) * block + j % block;
        if (gi == gj) a[static_cast<std::size_t>(i) + static_cast<std::size_t>(j) * static_cast<std::size_t>(ld)] = n;
      }
  }
  /// Factors a copy of a diagonally dominant matrix (PDPOTRF) or of a random one (PDGETRF).
  void factor(const std::string& routine) {
    const int one = 1;
    int info = 0;
    if (routine == "pdpotrf")
      pdpotrf_("L", &n, (c = a).data(), &one, &one, desc, &info);
    else
      pdgetrf_(&n, &n, b.data(), &one, &one, desc, pivots.data(), &info);
    if (info != 0) MPI_Abort(MPI_COMM_WORLD, 3);
  }
  void call(const std::string& routine) {
    const int one = 1;
    const double alpha = 1, beta = 0;
    if (routine == "pdgemm" && k != n)
      pdgemm_("N", "N", &n, &n, &k, &alpha, left.data(), &one, &one, left_desc, right.data(), &one, &one, right_desc,
              &beta, c.data(), &one, &one, desc);
    else if (routine == "pdgemm")
      pdgemm_("N", "N", &n, &n, &n, &alpha, a.data(), &one, &one, desc, b.data(), &one, &one, desc, &beta, c.data(),
              &one, &one, desc);
    else if (routine == "pdsymm")
      pdsymm_("L", "L", &n, &n, &alpha, a.data(), &one, &one, desc, b.data(), &one, &one, desc, &beta, c.data(), &one,
              &one, desc);
    else if (routine == "pdsyrk")
      pdsyrk_("L", "N", &n, &n, &alpha, a.data(), &one, &one, desc, &beta, c.data(), &one, &one, desc);
    else if (routine == "pdtrmm")
      pdtrmm_("L", "L", "N", "N", &n, &n, &alpha, a.data(), &one, &one, desc, b.data(), &one, &one, desc);
    else if (routine == "pdpotrf" || routine == "pdgetrf")
      factor(routine);
    else
      pdtrsm_("L", "L", "N", "N", &n, &n, &alpha, a.data(), &one, &one, desc, b.data(), &one, &one, desc);
  }
};

struct Measured {
  double seconds = INFINITY, megabytes = 0;  ///< the least time of the slowest rank, and what a rank sends on average
};

Measured measure(Problem& problem, const std::string& routine, const std::string& mode, int repeats) {
  if (accublas_set_mode_name(nullptr, mode.c_str())) {
    std::fprintf(stderr, "accublas-pblas-bench: %s\n", accublas_last_error(nullptr));
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  Measured best;
  const std::vector<double> b = problem.b;
  for (int i = 0; i <= repeats; ++i) {  // the first call warms up
    problem.b = b;
    MPI_Barrier(MPI_COMM_WORLD);
    bytes_sent = 0;
    const double start = MPI_Wtime();
    problem.call(routine);
    double seconds = MPI_Wtime() - start, megabytes = static_cast<double>(bytes_sent) * 1e-6;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &megabytes, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (i > 0 || repeats == 0) best.seconds = std::min(best.seconds, seconds);
    best.megabytes = megabytes / (problem.rows * problem.cols);
  }
  problem.b = b;
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int size = 1, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  CLI::App app(
      "Times accublas's PBLAS against ScaLAPACK's on matrices of order n, and counts what a rank sends. Run it by "
      "mpirun.");
  std::vector<std::string> routines = {"pdgemm"}, modes = {"cr", "dp:repro", "fixed:60"};
  std::vector<int> sizes = {512, 1024, 2048};
  int block = 64, repeats = 3, grid_rows = 0, depth = 0;
  double bandwidth = 0, latency = 2;
  bool targets = false, checks = false;
  app.add_option("-r,--routine", routines, "routines")
      ->delimiter(',')
      ->check(CLI::IsMember({"pdgemm", "pdsymm", "pdsyrk", "pdtrmm", "pdtrsm", "pdpotrf", "pdgetrf"}))
      ->capture_default_str();
  app.add_option("-m,--mode", modes, "mode words")->delimiter(',')->capture_default_str();
  app.add_option("-n,--size", sizes, "orders")->delimiter(',')->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("-k,--depth", depth, "inner dimension of PDGEMM (default: the order)")->check(CLI::PositiveNumber);
  app.add_option("-b,--block", block, "block size")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("-p,--rows", grid_rows,
                 "rows of the process grid (default: the most that are no more than its columns)");
  app.add_option("--repeats", repeats, "calls of which the least time counts")->capture_default_str();
  app.add_option("--model", bandwidth,
                 "the predicted efficiency on 4 to 4096 ranks instead, each of which receives so many GB in a second")
      ->check(CLI::PositiveNumber);
  app.add_option("--latency", latency, "microseconds of a message in the model")->capture_default_str();
  app.add_flag(
      "--check-model", checks,
      "PDGEMM by ScaLAPACK and in cr: the share of the time in which a process computes, as the model predicts "
      "it from rates measured here, and as measured");
  app.add_flag("--targets", targets,
               "PDGEMM in cr, n = 2048, against the targets: at most 4 times ScaLAPACK's time and twice the volume of "
               "the panels; status 1 if one is missed");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int status = rank == 0 ? app.exit(error) : 2;
    MPI_Finalize();
    return status ? 2 : 0;
  }
  if (bandwidth > 0) {
    if (rank == 0) bench::print_model(bandwidth, latency);
    MPI_Finalize();
    return 0;
  }
  if (targets) routines = {"pdgemm"}, modes = {"cr"}, sizes = {2048};
  if (grid_rows < 1 || size % grid_rows != 0)
    for (grid_rows = static_cast<int>(std::sqrt(size + 0.5)); size % grid_rows != 0;) --grid_rows;
  const int grid_cols = size / grid_rows;
  int context = 0;
  Cblacs_get(-1, 0, &context);
  Cblacs_gridinit(&context, "Row", grid_rows, grid_cols);
  if (checks) {
    const bench::Prediction model(1024);
    if (rank == 0) {
      std::printf("grid %d x %d; %s\n", grid_rows, grid_cols, model.rates().c_str());
      std::printf("%6s %20s %9s %14s %9s\n", "n", "ScaLAPACK: predicted", "measured", "cr: predicted", "measured");
    }
    for (const int n : sizes) {
      Problem problem(n, 0, block, context);
      double share[4];
      for (const bool cr : {false, true}) {
        const double seconds = measure(problem, "pdgemm", cr ? "cr" : "native", repeats).seconds;
        share[2 * cr] = model.predicted(n, grid_rows, grid_cols, cr);
        share[2 * cr + 1] = model.measured(n, grid_rows, grid_cols, cr, seconds);
      }
      if (rank == 0) std::printf("%6d %20.2f %9.2f %14.2f %9.2f\n", n, share[0], share[1], share[2], share[3]);
    }
    Cblacs_exit(0);
    return 0;
  }
  if (rank == 0) {
    std::printf(
        "grid %d x %d, blocks of %d; MB: what a rank sends on average; panels: MB of GEMM that leaves C in place\n",
        grid_rows, grid_cols, block);
    std::printf("%-8s %6s %-10s %12s %12s %7s %9s %9s %9s\n", "routine", "n", "mode", "ScaLAPACK ms", "ms", "ratio",
                "Sca. MB", "MB", "panels MB");
  }
  bool met = true;
  for (const std::string& routine : routines)
    for (const int n : sizes) {
      Problem problem(n, depth, block, context);
      const Measured theirs = measure(problem, routine, "native", repeats);
      const double panels = 8e-6 * n * problem.k * ((grid_rows - 1.0) + (grid_cols - 1.0)) / size;
      for (const std::string& mode : modes) {
        const Measured ours = measure(problem, routine, mode, repeats);
        const double ratio = ours.seconds / theirs.seconds;
        if (ratio > 4 || ours.megabytes > 2 * panels + 0.01) met = false;
        if (rank == 0)
          std::printf("%-8s %6d %-10s %12.1f %12.1f %7.2f %9.2f %9.2f %9.2f\n", routine.c_str(), n, mode.c_str(),
                      1e3 * theirs.seconds, 1e3 * ours.seconds, ratio, theirs.megabytes, ours.megabytes, panels);
      }
    }
  if (targets && rank == 0)
    std::printf("targets (ratio at most 4, volume at most twice the panels'): %s\n", met ? "met" : "missed");
  Cblacs_exit(0);
  return targets && !met;
}
