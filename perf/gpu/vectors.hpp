// Compares the bandwidth of DOT, NRM2, ASUM, GEMV, SYMV, HEMV and TRMV with cuBLAS's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpu_bench {

/// The names that print_vectors takes.
std::vector<std::string> vector_routines();

/// The rows of the table. An empty list stands for all routines, the usual lengths or orders, or the usual data.
struct VectorSelection {
  std::vector<std::string> routines;
  std::vector<std::int64_t> sizes;
  std::vector<std::string> data;
  int repetitions;
};

/// Prints a table of the selected routines, sizes and data in every mode; targets are marked. The figures also go to
/// the CSV file `csv`, unless its name is empty. Returns whether all targets are met.
bool print_vectors(const VectorSelection&, const std::string& csv);

}  // namespace gpu_bench
