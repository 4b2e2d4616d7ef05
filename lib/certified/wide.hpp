// Systems of binary128 numbers: their exact products, scales, and conversions (docs/certified.md, "Binary128").
#pragma once

#include "lib/certified/results.hpp"
#include "lib/certified/system.hpp"
#include "lib/numerics/wide_sum.hpp"
#include "lib/quad/calls.hpp"

namespace accublas::certified {

/// The matrix and the right-hand sides of a system, columns adjacent; System::scale scales the matrix.
struct WideNumbers {
  std::vector<Binary128> a, b;
  quad::QuadCall& call;
};

/// Views of matrices with adjacent columns.
inline quad::Operand view(const Binary128* data, Index ld) { return quad::view(quad::Format::binary128, data, 1, ld); }
inline quad::Operand view(const double* data, Index ld) { return quad::view(quad::Format::binary64, data, 1, ld); }
inline quad::Operand view(const Matrix<const double>& m) {
  return quad::view(quad::Format::binary64, m.data, m.row_stride, m.col_stride);
}
/// C = alpha A B + beta C, every element rounded once; alpha and beta are 1, -1 or 0.
void multiply(const WideNumbers& wide, Index m, Index n, Index k, double alpha, const quad::Operand& a,
              const quad::Operand& b, double beta, const quad::Operand& c);
/// Returns copies of A above each other, or side by side.
std::vector<Binary128> copies_above(const System& system, Index copies);
std::vector<Binary128> copies_beside(const System& system, Index copies);

/// System::measure and System::scale if `wide` is not null.
bool measure_wide(System& system);
bool scale_wide(System& system);

/// scale_side for the right-hand sides of `wide`.
int scale_side(const System& system, Index side, Binary128* to);

/// x 2^e for a finite x, rounded away from zero.
double away_from_zero(const Binary128& x, int e = 0);
Binary128 to_binary128(double x);
/// A unit in the last place of x, or 2^-1074 if that is smaller.
double unit_of(const Binary128& x);

/// A ball as scaled() states it.
Ball<Binary128> scaled(const Binary128& center, double radius, std::int64_t e);

/// Exact sums of a few numbers, for one thread.
class PartsOf {
 public:
  /// Replaces the parts, which are `step` apart, by those of their sum and `more`, all finite: each part is what the
  /// ones before it leave, rounded.
  void add(Binary128* part, Index parts, Index step, const Binary128& more);

 private:
  WideSum sum_;
  std::uint64_t limbs_[WideSum::limbs];
};

}  // namespace accublas::certified
