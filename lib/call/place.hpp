// Where the matrices of a certified solution are (lib/certified), and what is done to them there beside the library's
// own calls.
#pragma once

#include <cstddef>
#include <memory>
#include <variant>

#include "lib/call/element_steps.hpp"

namespace accublas {

class BackendState;

/// Writes the real matrix in double precision that represents A of order n. For a real A this is A. For a complex A = x
/// + i y it is the 2n x 2n matrix ((x, -y), (y, x)), which multiplies (u, v) as A multiplies u + i v. operator()(i, j)
/// writes the entries that belong to element (i, j) of A.
template <class E>
struct RealParts {
  Matrix<double> to;
  Operand<E> from;
  Index n;
  ACCUBLAS_HD void operator()(Index i, Index j) const {
    const E z = from(i, j);
    if constexpr (is_complex<E>) {
      to(i, j) = to(i + n, j + n) = z.re;
      to(i + n, j) = z.im;
      to(i, j + n) = -static_cast<double>(z.im);
    } else {
      to(i, j) = z;
    }
  }
};

/// A matrix of any type.
using AnyOperand = std::variant<Operand<double>, Operand<float>, Operand<Complex<double>>, Operand<Complex<float>>>;

/// Matrices are in the memory of the place, vectors of numbers and exponents in that of the host: what has those waits.
/// On a device all is put on the context's stream.
class Place {
 public:
  virtual ~Place() = default;

  virtual bool on_device() const = 0;
  /// Not initialised. Throws Error(ACCUBLAS_ERROR_MEMORY) or std::bad_alloc.
  virtual void* take(std::size_t bytes) = 0;
  virtual void give_back(void* memory) noexcept = 0;

  /// `lines` times `width` bytes, which begin so many bytes apart, between any two kinds of memory; waits.
  virtual void copy(void* to, std::size_t to_next, const void* from, std::size_t from_next, std::size_t width,
                    Index lines) = 0;

  virtual void run(const ElementStep<double>&, Index rows, Index cols) = 0;
  /// The RealParts of A of order n, which is in the memory of the place, columns adjacent.
  virtual void load(const AnyOperand& a, Index n, double* to) = 0;
  /// Element (i, j), n x n with columns adjacent, times 2^(row[i] + column[j]); whether any was rounded.
  virtual bool scale(Index n, double* a, const int* row, const int* column) = 0;
  /// to_i = the largest exponent_of(m_ij) + offsets_j of what is not zero, else no_exponent; `offsets` null for zeros.
  virtual void exponents(Index rows, Index cols, const Matrix<const double>& m, const int* offsets, int* to) = 0;
  /// to_i = sum_j abs(m_ij) v_j, every product and then every sum rounded, j rising; `v` null for ones.
  virtual void row_sums(Index rows, Index cols, const Matrix<const double>& m, const double* v, double* to) = 0;
};

/// In the memory of a device, for the context that has this state of it. Throws Error where the context's stream is
/// captured, or where the build has no CUDA.
std::unique_ptr<Place> device_place(BackendState& state);

}  // namespace accublas
