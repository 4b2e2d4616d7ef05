// The memory space of the matrices of a certified solution (lib/certified), and the operations on them there other than
// the library's own calls.
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

/// A matrix of any element type.
using AnyOperand = std::variant<Operand<double>, Operand<float>, Operand<Complex<double>>, Operand<Complex<float>>>;

/// Matrices are in the memory space of the Place. Vectors of numbers and exponents are in host memory, and operations
/// that use them wait. A device runs all operations on the context's stream.
class Place {
 public:
  virtual ~Place() = default;

  virtual bool on_device() const = 0;
  /// Allocates memory that is not initialised. Throws Error(ACCUBLAS_ERROR_MEMORY) or std::bad_alloc.
  virtual void* take(std::size_t bytes) = 0;
  virtual void give_back(void* memory) noexcept = 0;

  /// Copies `lines` times `width` bytes, whose distances are `to_next` and `from_next` bytes, between any two memory
  /// spaces; waits.
  virtual void copy(void* to, std::size_t to_next, const void* from, std::size_t from_next, std::size_t width,
                    Index lines) = 0;

  virtual void run(const ElementStep<double>&, Index rows, Index cols) = 0;
  /// Writes the RealParts of A of order n, which is in this memory space, with adjacent columns.
  virtual void load(const AnyOperand& a, Index n, double* to) = 0;
  /// Multiplies element (i, j) of an n x n matrix with adjacent columns by 2^(row[i] + column[j]). Returns whether any
  /// was rounded.
  virtual bool scale(Index n, double* a, const int* row, const int* column) = 0;
  /// Sets to_i to the largest exponent_of(m_ij) + offsets_j of entries that are not zero, else no_exponent; a null
  /// `offsets` means zeros.
  virtual void exponents(Index rows, Index cols, const Matrix<const double>& m, const int* offsets, int* to) = 0;
  /// Sets to_i = sum_j abs(m_ij) v_j, with every product and then every sum rounded, j rising; a null `v` means ones.
  virtual void row_sums(Index rows, Index cols, const Matrix<const double>& m, const double* v, double* to) = 0;
};

/// Returns the Place in the memory of a device, for the context whose state is given. Throws Error if the context's
/// stream is being captured, or if the build has no CUDA.
std::unique_ptr<Place> device_place(BackendState& state, const char* what = "a certified solution");

}  // namespace accublas
