// Matrices by name, for benchmarks and tests: random ones, and those that science has.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "perf/matrices/entries.hpp"

namespace matrices {

/// The entries of a file in Matrix Market form, column-major. Another size takes them periodically.
struct FileEntries {
  Index rows, columns;
  std::vector<double> entries;
};

/// A named matrix of no size yet.
struct Matrix {
  /// Whether the entries decay: a kernel, Vandermonde's or Hilbert's matrix.
  bool decays() const { return kind >= Kind::gauss && kind <= Kind::hilbert; }

  std::string name;
  Kind kind;
  double parameter = 0;
  std::shared_ptr<const FileEntries> file{};
};

/// The matrix of a name: `phi:1`, `gauss:0.02`, `identity`, or the path of a square matrix in Matrix Market form.
/// Throws std::runtime_error for any other name, with a list of them, for a parameter out of range, and for a malformed
/// file.
Matrix named(const std::string& name);

/// All names with what stands behind the colon: "phi:X, ties, ...".
std::string known_names();

bool is_file(const std::string& name);

/// The path of a file: the name itself if there is such a file, else in the folder of the shipped matrices. Other names
/// stay as they are.
std::string located(const std::string& name, const std::string& folder);

/// The names that the tables of costs list. Random data come first, files last.
const std::vector<std::string>& listed();

/// Fills rows x columns numbers, column-major with the leading dimension `rows`. Complex ones are pairs of reals.
/// Random matrices of another `number` have other entries.
template <class T>
void fill(const Matrix& matrix, Side side, bool complex, T* to, Index rows, Index columns, Index number = 0);

/// Adds so much to the diagonal of a square matrix, at least 4 n, that each of its entries dominates row and column.
template <class T>
void make_dominant(bool complex, T* a, Index n);

}  // namespace matrices
