// The memory space of the matrices of a certified solution (lib/certified), and the operations on them there other than
// the library's own calls.
#pragma once

#include <cstddef>
#include <memory>
#include <variant>

#include "lib/call/element_steps.hpp"
#include "lib/call/spectrum_steps.hpp"

namespace accublas {

class BackendState;

/// Writes the real matrix in double precision that represents A, rows x cols. For a real A this is A. For a complex A =
/// x + i y it is the matrix ((x, -y), (y, x)) of 2 rows x 2 cols numbers, which multiplies (u, v) as A multiplies u + i
/// v. operator()(i, j) writes the entries that belong to element (i, j) of A.
template <class E>
struct RealParts {
  Matrix<double> to;
  Operand<E> from;
  Index rows, cols;
  ACCUBLAS_HD void operator()(Index i, Index j) const {
    const E z = from(i, j);
    if constexpr (is_complex<E>) {
      to(i, j) = to(i + rows, j + cols) = z.re;
      to(i + rows, j) = z.im;
      to(i, j + cols) = -static_cast<double>(z.im);
    } else {
      to(i, j) = z;
    }
  }
};

/// A matrix of any element type.
using AnyOperand = std::variant<Operand<double>, Operand<float>, Operand<Complex<double>>, Operand<Complex<float>>>;

/// Adjacent columns of real or complex numbers.
using AnyColumns = std::variant<double*, Complex<double>*>;

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
  virtual void run(const SpectrumStep&, Index rows, Index cols) = 0;
  /// Writes the RealParts of A, rows x cols, which is in this memory space, with adjacent columns.
  virtual void load(const AnyOperand& a, Index rows, Index cols, double* to) = 0;
  /// Multiplies element (i, j) of a matrix with adjacent columns by 2^(row[i] + column[j]). Returns whether any was
  /// rounded.
  virtual bool scale(Index rows, Index cols, double* a, const int* row, const int* column) = 0;
  /// Sets to_i to the largest exponent_of(m_ij) + offsets_j of entries that are not zero, else no_exponent; a null
  /// `offsets` means zeros.
  virtual void exponents(Index rows, Index cols, const Matrix<const double>& m, const int* offsets, int* to) = 0;
  /// Sets to_i = sum_j abs(m_ij) v_j, with every product and then every sum rounded, j rising; a null `v` means ones.
  virtual void row_sums(Index rows, Index cols, const Matrix<const double>& m, const double* v, double* to) = 0;
  /// Sets to_j >= the Euclidean norm of column j of a matrix with adjacent columns, as norm_up() bounds it.
  virtual void column_norms(Index rows, Index cols, const double* m, double* to) = 0;
  /// Sets to_j = sum_i x_ij y_ij, where both have adjacent columns. Products and sums are rounded, in any order.
  virtual void column_products(Index rows, Index cols, const double* x, const double* y, double* to) = 0;

  // Approximate decompositions by LAPACK or cuSOLVER. Nothing is assumed of what they return; if they do not converge,
  // results are whatever they left. They throw Error(ACCUBLAS_ERROR_NO_BLAS), or Error(ACCUBLAS_ERROR_UNAVAILABLE) for
  // sizes beyond their integers or if this machine has no cuSOLVER, before they write.

  /// Computes the eigenvalues w, in ascending order, and orthonormal eigenvectors of a Hermitian matrix of order n,
  /// which overwrite A. The upper triangle is read.
  virtual void eigensystem(Index n, const AnyColumns& a, double* w) = 0;
  /// Computes the eigenvalues w of A x = w B x, and vectors with X^H B X = I, which overwrite A. B is overwritten.
  virtual void general_eigensystem(Index n, const AnyColumns& a, const AnyColumns& b, double* w) = 0;
  /// Computes the singular values s of A, m x n with m >= n, in descending order, with U, m x n, and V, n x n. A is
  /// overwritten. `fast` allows a method that is less accurate for small singular values.
  virtual void singular_system(Index m, Index n, const AnyColumns& a, double* s, const AnyColumns& u,
                               const AnyColumns& v, bool fast) = 0;
};

/// Returns the Place in the memory of a device, for the context whose state is given. Throws Error if the context's
/// stream is being captured, or if the build has no CUDA.
std::unique_ptr<Place> device_place(BackendState& state, const char* what = "a certified solution");

}  // namespace accublas
