// Named matrices for benchmarks and tests: random ones, and matrices that occur in science.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "perf/matrices/entries.hpp"

namespace matrices {

/// The entries of a file in Matrix Market form, column-major. A matrix of another size repeats them periodically.
struct FileEntries {
  Index rows, columns;
  std::vector<double> entries;
};

/// A named matrix, without a size.
struct Matrix {
  /// Returns whether the entries decay: for a kernel, Vandermonde's or Hilbert's matrix.
  bool decays() const { return kind >= Kind::gauss && kind <= Kind::hilbert; }

  std::string name;
  Kind kind;
  double parameter = 0;
  std::shared_ptr<const FileEntries> file{};
};

/// Returns the matrix of a name: `phi:1`, `gauss:0.02`, `identity`, or the path of a square matrix in Matrix Market
/// form. Throws std::runtime_error for an unknown name, with the list of known names, for a parameter out of range, and
/// for a malformed file.
Matrix named(const std::string& name);

/// Returns all names with their parameters: "phi:X, ties, ...".
std::string known_names();

/// Returns whether a name is the path of a file.
bool is_file(const std::string& name);

/// Returns the path of a file: the name itself if there is such a file, else a path in `folder`, which has the shipped
/// matrices. Other names are returned unchanged.
std::string located(const std::string& name, const std::string& folder);

/// Returns the names that the tables of costs list. Random data come first, files last.
const std::vector<std::string>& listed();

/// Returns the names of data near the ends of the range, which the CPU's table of costs lists for GEMM.
const std::vector<std::string>& listed_at_ends();

/// Fills rows x columns numbers, column-major with the leading dimension `rows`. Complex ones are pairs of reals.
/// Random matrices of another `number` have other entries.
template <class T>
void fill(const Matrix& matrix, Side side, bool complex, T* to, Index rows, Index columns, Index number = 0);

/// Adds a number, at least 4 n, to the diagonal of a square matrix, so that each entry of the diagonal dominates its
/// row and column.
template <class T>
void make_dominant(bool complex, T* a, Index n);

}  // namespace matrices
