// Eigenvalues and singular values with their vectors in the caller's memory and type of numbers, and the frame of the
// calls that return them.
#pragma once

#include <functional>

#include "lib/certified/eigenpairs.hpp"
#include "lib/certified/results.hpp"
#include "lib/certified/spectrum.hpp"

namespace accublas::certified {

/// Divides a matrix with adjacent columns by 2^exponent, so that its largest element lies in [1/2, 1), or with an
/// `even` exponent in [1/4, 1). Returns whether the matrix is finite. Sets `inexact` to whether an element was rounded.
bool scale_to_one(Index rows, Index cols, double* a, bool even, int& exponent, bool& inexact, const Calls& calls);

/// Returns a bound of the angle between a vector and a subspace. The part of x outside of the subspace is no longer
/// than `outside`, x^H x differs from 1 by at most `contraction`, and the vector differs from x by at most `moved`.
double angle_up(double outside, double contraction, double moved);

/// How vectors are measured and written: norms are at most `stretch` times the Euclidean one, and the caller's numbers
/// are 2^exponent times those of X.
struct VectorScale {
  double stretch = 1;
  int exponent = 0;
};

/// Calls write(i, part, number) for the rounded parts of the elements of column k of X, which has n elements. Returns a
/// bound of the angle to the subspace, as angle_up() does. `lost` is room for as many numbers as the column has.
template <class E, class Write>
double put_vector(Index n, const Eigenpairs& pairs, Index k, double outside, double contraction, const Array& lost,
                  Write&& write, const VectorScale& scale = {}) {
  using T = RealOf<E>;
  const Index rows = is_complex<E> ? 2 * n : n;
  const double* const x = pairs.x.data() + k * rows;
  const double* const x_low = pairs.parts == 2 ? pairs.x_low.data() + k * rows : nullptr;
  for (Index i = 0; i < rows; ++i) {
    const T rounded = static_cast<T>(std::ldexp(x[i], scale.exponent));
    write(i % n, i >= n, rounded);
    lost[i] = (x[i] - std::ldexp(static_cast<double>(rounded), -scale.exponent)) + (x_low ? x_low[i] : 0);
  }
  // Each number of `lost` passed two roundings; the scaled numbers do not differ from those of X by underflow alone.
  const double moved = mul_up(norm_up(rows, lost.data()), 1 + 0x1p-51);
  if (scale.stretch != 1) return angle_up(outside, contraction, mul_up(moved, scale.stretch));
  return angle_up(outside, contraction, moved);
}

/// Writes a part of an element of a matrix.
template <class E>
void write_part(E& z, bool imaginary, RealOf<E> value) {
  if constexpr (is_complex<E>)
    (imaginary ? z.im : z.re) = value;
  else
    z = value;
}

template <class E>
void fill_with_nan(const Matrix<E>& to, Index rows, Index cols) {
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i)
      for (const bool imaginary : {false, true}) write_part(to(i, j), imaginary, canonical_nan<RealOf<E>>());
}

/// The results that are numbers. Without vectors `angle` and `cluster` are not used.
template <class T>
struct SpectrumNumbers {
  T *w, *radius;
  bool vectors;
  T* angle;
  std::int64_t* cluster;

  /// Writes the results of a matrix that is not finite.
  void put_nothing(Index count) const {
    for (Index k = 0; k < count; ++k) {
      w[k] = canonical_nan<T>();
      radius[k] = std::numeric_limits<T>::infinity();
      if (!vectors) continue;
      angle[k] = std::numeric_limits<T>::infinity();
      cluster[k] = 1;
    }
  }
};

/// Fills in the certificate of a spectrum that was divided by 2^exponent, except for the reason and positive_definite.
void put_certificate(const Spectrum& s, const EigenBounds& bounds, Index parts, Index count, int exponent,
                     accublas_certificate_t* certificate);
/// Fills in the certificate of a matrix that is not finite.
accublas_reason put_not_finite(accublas_certificate_t* certificate);

/// Copies in host memory of matrices and vectors in memory of the device.
class HostCopies {
 public:
  /// Makes `calls` work in host memory, after all operands have been fetched from the place of `run`.
  HostCopies(const Run& run, Calls& calls) : run_(run), calls_(calls) { calls_.move_to(run_); }

  template <class E>
  Matrix<const E> fetch(const Matrix<const E>& from, Index rows, Index cols) {
    const Compact<E> here(from, rows, cols, memory<E>(rows * cols));
    here.from(from, calls_.place());
    const Matrix<E> matrix = here.matrix();
    return {matrix.data, matrix.row_stride, matrix.col_stride};
  }
  template <class E>
  Matrix<E> result(const Matrix<E>& to, Index rows, Index cols) {
    const Compact<E> here(to, rows, cols, memory<E>(rows * cols));
    puts_.push_back([=](Place& place) { here.to(to, place); });
    return here.matrix();
  }
  template <class T>
  T* result(T* to, Index count) {
    T* const here = memory<T>(count);
    puts_.push_back([=, bytes = static_cast<std::size_t>(count) * sizeof(T)](Place& place) {
      place.copy(to, bytes, here, bytes, bytes, 1);
    });
    return here;
  }
  /// Calls certify() in host memory, and copies the results to the device.
  accublas_reason run(const std::function<accublas_reason()>& certify);

 private:
  template <class E>
  E* memory(Index count) {
    memory_.emplace_back(ceil_div(count * Index{sizeof(E)}, Index{sizeof(double)}));
    return reinterpret_cast<E*>(memory_.back().data());
  }

  const Run& run_;
  Calls& calls_;
  std::vector<Array> memory_{};
  std::vector<std::function<void(Place&)>> puts_{};
};

/// A call that certifies a spectrum of a matrix, m x n.
struct SpectrumCall {
  Routine routine;
  const char* numbers;  ///< what it certifies, for messages
  Index m, n;
  std::vector<Named> operands;
};

/// Runs certify(run, calls) unless m or n is 0, and sets the reason of *certificate to its result. Throws
/// Error(ACCUBLAS_ERROR_NOT_CERTIFIED) afterwards if there is a reason.
void run_spectrum(Context& context, const SpectrumCall& call, const accublas_options* options,
                  accublas_certificate_t* certificate,
                  const std::function<accublas_reason(const Run&, Calls&)>& certify);

}  // namespace accublas::certified
