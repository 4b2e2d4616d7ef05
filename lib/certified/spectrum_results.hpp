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

/// Returns a bound of the angle of a rounded vector, as angle_up() does. `lost` bounds the norm of what LostStep
/// wrote.
inline double angle_of_rounded(double outside, double contraction, double lost, const VectorScale& scale) {
  // Each number of `lost` has at most two roundings. What underflow in the scaling loses is part of `lost`.
  const double moved = mul_up(lost, 1 + 0x1p-51);
  if (scale.stretch != 1) return angle_up(outside, contraction, mul_up(moved, scale.stretch));
  return angle_up(outside, contraction, moved);
}

/// Columns first .. first + count - 1 of X, which has n rows, as results of type E.
template <class E>
struct VectorColumns {
  Index n;
  const Eigenpairs& pairs;
  Index first, count;
  int exponent = 0;

  Index rows() const { return is_complex<E> ? 2 * n : n; }
  /// Returns bounds of the norms of what rounding loses.
  Array lost(const Calls& calls) const {
    const Placed rest = numbers_at(calls, rows(), count);
    const double* const low = pairs.parts == 2 ? pairs.x_low.data() + first * rows() : nullptr;
    calls.place().run(
        LostStep<RealOf<E>>{columns_at(rest.data(), rows()), columns(), read_columns(low, rows()), exponent}, rows(),
        count);
    Array norms(count);
    calls.place().column_norms(rows(), count, rest.data(), norms.data());
    return norms;
  }
  /// Writes the columns, or their conjugates, to the memory of the place. Takes no memory.
  void write(const Matrix<E>& to, bool conjugate, const Calls& calls) const {
    calls.place().run(RoundStep<E>{to, columns(), n, exponent, conjugate}, n, count);
  }

 private:
  Matrix<const double> columns() const { return read_columns(pairs.x.data() + first * rows(), rows()); }
};

/// Fills a matrix of results, wherever it is, with NaN.
template <class E>
void put_nan(const Matrix<E>& to, Index rows, Index cols, const Calls& calls) {
  E nan{};
  if constexpr (is_complex<E>)
    nan.re = nan.im = canonical_nan<RealOf<E>>();
  else
    nan = canonical_nan<E>();
  std::vector<E> numbers(static_cast<std::size_t>(rows * cols), nan);
  Compact<E>(to, rows, cols, numbers.data()).to(to, calls.place());
}

/// The results that are numbers, at first those of a matrix that is not finite.
template <class T>
struct SpectrumNumbers {
  std::vector<T> w, radius, angle;
  std::vector<std::int64_t> cluster;

  explicit SpectrumNumbers(Index count)
      : w(static_cast<std::size_t>(count), canonical_nan<T>()),
        radius(static_cast<std::size_t>(count), std::numeric_limits<T>::infinity()),
        angle(radius),
        cluster(static_cast<std::size_t>(count), 1) {}

  /// Sets number k to 2^exponent times the ball. Returns whether that has a finite radius.
  bool set(Index k, double center, double of_center, int exponent) {
    const Ball<T> ball = scaled<T>(center, of_center, exponent);
    w[static_cast<std::size_t>(k)] = ball.center;
    radius[static_cast<std::size_t>(k)] = ball.radius;
    return is_finite(ball.radius);
  }
  /// Copies the numbers to the caller's memory; without `vectors` only eigenvalues and radii.
  void put(T* to_w, T* to_radius, bool vectors, T* to_angle, std::int64_t* to_cluster, const Calls& calls) const {
    put(w, to_w, calls);
    put(radius, to_radius, calls);
    if (!vectors) return;
    put(angle, to_angle, calls);
    put(cluster, to_cluster, calls);
  }

 private:
  template <class N>
  static void put(const std::vector<N>& numbers, N* to, const Calls& calls) {
    const std::size_t bytes = numbers.size() * sizeof(N);
    if (bytes > 0) calls.place().copy(to, bytes, numbers.data(), bytes, bytes, 1);
  }
};

/// Fills in the certificate of a spectrum that was divided by 2^exponent, except for the reason and positive_definite.
void put_certificate(const Spectrum& s, const EigenBounds& bounds, Index parts, Index count, int exponent,
                     accublas_certificate_t* certificate);
/// Fills in the certificate of a matrix that is not finite.
accublas_reason put_not_finite(accublas_certificate_t* certificate);

/// A call that certifies a spectrum of a matrix, m x n.
struct SpectrumCall {
  Routine routine;
  const char* numbers;  ///< what it certifies, for messages
  Index m, n;
  std::vector<Named> operands;
};

/// Runs certify(calls), where possible, unless m or n is 0, and sets the reason of *certificate to its result. Throws
/// Error(ACCUBLAS_ERROR_NOT_CERTIFIED) afterwards if there is a reason.
void run_spectrum(Context& context, const SpectrumCall& call, const accublas_options* options,
                  accublas_certificate_t* certificate, const std::function<accublas_reason(const Calls&)>& certify);

}  // namespace accublas::certified
