// Groups of approximate eigenvalues (or singular values) that are close to each other, and changes of the columns of X
// (docs/eigenvalues.md, "Refinement"). A complex column has its real parts and then its imaginary parts.
#pragma once

#include "lib/certified/eigenpairs.hpp"

namespace accublas::certified {

/// Gives X, of rows x cols numbers, a low part of zeros if it has none.
void ensure_two_parts(Eigenpairs& pairs, Index rows, Index cols, const Calls& calls);

/// D and the groups of its numbers, where steps on elements read them.
class SentNumbers {
 public:
  SentNumbers(const Eigenpairs& pairs, Index count, const std::vector<Index>& groups, const Calls& calls);
  TwoParts d() const { return {high_.data(), low_.data()}; }
  const double* groups() const { return groups_.data(); }
  /// The distance of each number from the first one of its group.
  const double* shifts() const { return shifts_.data(); }

 private:
  Array groups_here_, shifts_here_;
  Sent high_, low_, groups_, shifts_;
};

/// Returns the first number of each number's group in D. Between groups the elements of the correction Y are small, so
/// that their squares are negligible. Clusters that are just separate share a group.
std::vector<Index> groups_of(const Eigenpairs& pairs, Index count, double residual);
/// Whether a distance that is at most `distance` does not separate groups.
bool are_close(double distance, double residual);

/// The Hermitian matrix X^H A X - origin of a group's columns of X, in parts with adjacent columns.
struct GroupBlock {
  Index first, size;
  double origin;
  Placed matrix;
  bool diagonal;
};

/// Returns the blocks of the groups from column `begin` on that have more than one column. H approximates X^H F, in
/// parts with adjacent columns.
std::vector<GroupBlock> group_blocks(bool complex, Index count, Index begin, const Eigenpairs& pairs,
                                     const std::vector<Index>& groups, const SentNumbers& numbers, const double* h,
                                     const Calls& calls);

/// The eigenvalues and eigenvectors of a block.
struct Rotation {
  Array values;
  Placed vectors;
};
Rotation rotation_of(bool complex, const GroupBlock& block, const Calls& calls);

/// Computes columns first .. first + size - 1 of X = Z W, where Z has `inner` columns in two parts, by two products
/// that are rounded once, and one in the caller's mode. W is given in parts with adjacent columns.
void set_columns(bool complex, Index rows, Eigenpairs& pairs, Index first, Index size, Index inner, const double* z,
                 const double* z_low, const double* w, const Calls& calls);
/// Multiplies the columns first .. first + size - 1 of X by a matrix of order `size`.
void multiply_columns(bool complex, Index rows, Eigenpairs& pairs, Index first, Index size, const double* w,
                      const Calls& calls);

/// Sets number k of D to the sum of two numbers.
void set_number(Eigenpairs& pairs, Index k, double x, double y);

/// Returns the order in which D ascends.
std::vector<Index> ascending_order(const Eigenpairs& pairs, Index count);
/// Permutes D, and X in two parts with it.
void permute(Eigenpairs& pairs, Index rows, const std::vector<Index>& order, const Calls& calls);

}  // namespace accublas::certified
