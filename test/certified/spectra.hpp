// Hermitian matrices of every type, their certified eigenvalues, and the check of these in exact arithmetic.
#pragma once

#include <cstdlib>

#include "test/certified/inertia.hpp"
#include "test/certified/systems.hpp"

/// The number of random cases; ACCUBLAS_TEST_SCALE multiplies it.
inline int cases(int usual) {
  const char* const scale = std::getenv("ACCUBLAS_TEST_SCALE");
  return scale ? static_cast<int>(usual * std::max(std::atof(scale), 1.0)) : usual;
}

/// A Hermitian matrix, rows side by side.
template <class E>
struct Hermitian {
  int n;
  std::vector<E> a;

  explicit Hermitian(int n) : n(n), a(static_cast<std::size_t>(n * n)) {}
  const E& at(int i, int j) const { return a[static_cast<std::size_t>(i * n + j)]; }
  /// Sets element (i, j) and its conjugate.
  void set(int i, int j, double re, double im = 0) {
    a[static_cast<std::size_t>(i * n + j)] = number<E>(re, i == j ? 0 : im);
    a[static_cast<std::size_t>(j * n + i)] = number<E>(re, i == j ? 0 : -im);
  }
};

template <class E>
struct Eigen {
  accublas_status status;
  accublas_certificate_t certificate;
  std::vector<RealOf<E>> w, radius, angle;
  std::vector<std::int64_t> cluster;
  std::vector<E> v;  // rows side by side
};

#define EIGEN_NAME(type, E, T, name)                                                                                  \
  inline accublas_status syev(accublas_layout l, accublas_job j, accublas_uplo u, int64_t n, const E* a, int64_t lda, \
                              T* w, T* r, E* v, int64_t ldv, T* angle, int64_t* cluster, accublas_certificate_t* c,   \
                              const accublas_options* o) {                                                            \
    return accublas_##name##_certified_ex(nullptr, l, j, u, n, a, lda, w, r, v, ldv, angle, cluster, c, o);           \
  }
EIGEN_NAME(double, double, double, dsyev)
EIGEN_NAME(float, float, float, ssyev)
EIGEN_NAME(void, std::complex<double>, double, zheev)
EIGEN_NAME(void, std::complex<float>, float, cheev)

/// The triangle that must not be read holds NaN, and so do the imaginary parts of the diagonal.
template <class E>
Eigen<E> eigen(const Hermitian<E>& h, const Form& form = {}, accublas_job job = ACCUBLAS_VECTORS,
               const accublas_options* options = nullptr) {
  using T = RealOf<E>;
  const bool columns = form.layout == ACCUBLAS_COL_MAJOR;
  const int n = h.n, ld = std::max(1, n) + form.pad;
  const auto size = static_cast<std::size_t>(n), all = static_cast<std::size_t>(ld) * size;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const auto place = [&](int i, int j) { return static_cast<std::size_t>(columns ? i + j * ld : i * ld + j); };
  std::vector<E> a(all, number<E>(nan)), v(all, number<E>(7));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (form.uplo == ACCUBLAS_UPPER ? i <= j : i >= j)
        a[place(i, j)] = i == j ? number<E>(std::real(h.at(i, i)), nan) : h.at(i, j);
  std::vector<E> before = a;
  Eigen<E> answer{{}, {}, std::vector<T>(size), std::vector<T>(size), std::vector<T>(size), {}, {}};
  answer.cluster.resize(size);
  answer.certificate.struct_size = sizeof answer.certificate;
  answer.status = syev(form.layout, job, form.uplo, n, a.data(), ld, answer.w.data(), answer.radius.data(), v.data(),
                       ld, answer.angle.data(), answer.cluster.data(), &answer.certificate, options);
  EXPECT_EQ(std::memcmp(a.data(), before.data(), all * sizeof(E)), 0) << "A was written to";
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) answer.v.push_back(v[place(i, j)]);
  return answer;
}

/// The real matrix of the parts, which has every eigenvalue of a complex one twice.
template <class E>
SymmetricMatrix symmetric_of(const Hermitian<E>& h) {
  constexpr int parts = is_complex<E> ? 2 : 1;
  const int n = parts * h.n;
  std::vector<double> rows;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const E& z = h.at(i % h.n, j % h.n);
      const bool lower = i >= h.n, right = j >= h.n;
      rows.push_back(lower == right ? part(z, 0) : lower ? part(z, 1) : -part(z, 1));
    }
  return {n, rows};
}

/// An orthogonal matrix of order 8 whose elements are multiples of 1/8: reflections by vectors of squared norm 16.
inline std::vector<std::vector<double>> exact_orthogonal(Random& random) {
  std::vector<std::vector<double>> q(8, std::vector<double>(8));
  std::vector<double> v = {1, 1, 1, 1, 2, 2, 2, 0};
  std::shuffle(v.begin(), v.end(), random);
  for (double& x : v) x *= integer(random, 0, 1) ? 1 : -1;
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t j = 0; j < 8; ++j) q[i][j] = (i == j) - v[i] * v[j] / 8;
  return q;
}

/// Q D Q^T with D = values, exactly, with phases that are powers of i for complex types.
template <class E>
struct Known {
  Hermitian<E> h{8};
  std::vector<double> values;
  std::vector<std::vector<double>> q;
  std::vector<int> phases;

  Known(Random& random, std::vector<double> spectrum) : values(std::move(spectrum)), q(exact_orthogonal(random)) {
    std::sort(values.begin(), values.end());
    for (int i = 0; i < 8; ++i) phases.push_back(is_complex<E> ? integer(random, 0, 3) : 0);
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j <= i; ++j) {
        mpq_class sum = 0;
        for (std::size_t k = 0; k < 8; ++k)
          sum += mpq_class(entry(i, k)) * mpq_class(values[k]) * mpq_class(entry(j, k));
        const auto x = static_cast<double>(static_cast<RealOf<E>>(sum.get_d()));
        EXPECT_TRUE(mpq_class(x) == sum) << "the matrix is not exact";
        const int turn = (phases[static_cast<std::size_t>(i)] - phases[static_cast<std::size_t>(j)] + 4) % 4;
        h.set(i, j, turn == 0 ? x : turn == 2 ? -x : 0, turn == 1 ? x : turn == 3 ? -x : 0);
      }
  }
  double entry(int i, std::size_t k) const { return q[static_cast<std::size_t>(i)][k]; }

  /// The squared sine of the angle between a vector and the span of the exact vectors j with inside(j).
  template <class Inside>
  mpq_class squared_sine(const std::vector<E>& vector, Inside&& inside) const {
    mpq_class all = 0, outside = 0;
    for (std::size_t j = 0; j < 8; ++j) {
      mpq_class re = 0, im = 0;
      for (int i = 0; i < 8; ++i) {
        const E& z = vector[static_cast<std::size_t>(i)];
        mpq_class x = mpq_class(part(z, 0)), y = mpq_class(part(z, 1));
        for (int turn = 0; turn < phases[static_cast<std::size_t>(i)]; ++turn) {  // multiplies by -i
          swap(x, y);
          y = -y;
        }
        re += x * mpq_class(entry(i, j));
        im += y * mpq_class(entry(i, j));
      }
      const mpq_class size = re * re + im * im;
      all += size;
      if (!inside(j)) outside += size;
    }
    return outside / all;
  }
};

/// Counts what was checked, and how tight it was.
struct Checked {
  long radii = 0, angles = 0;
  double ulps = 0, angle = 0;
  void print(const char* what) const {
    std::printf("%s: %ld radii, %ld angles; at most %.4g ulps and %.3g radians\n", what, radii, angles, ulps, angle);
  }
};

/// No radius of the eigenvalues from first to end is false. Those that are smaller than `least` do not count as loose.
template <class E>
void check_radii(const Hermitian<E>& h, const Eigen<E>& answer, Checked& checked, double least = 0, int first = 0,
                 int end = -1) {
  constexpr int parts = is_complex<E> ? 2 : 1;
  const SymmetricMatrix exact = symmetric_of(h);
  ASSERT_EQ(answer.status, ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
  for (int k = first; k < (end < 0 ? h.n : end); ++k) {
    const auto at = static_cast<std::size_t>(k);
    const double w = static_cast<double>(answer.w[at]), r = static_cast<double>(answer.radius[at]);
    ASSERT_GE(r, 0);
    const Inertia low = exact.around(w, -r), high = exact.around(w, r);
    EXPECT_LE(low.below, parts * k) << "false: w(" << k << ") = " << w << " - " << r << ", n = " << h.n;
    EXPECT_GE(high.below + high.equal, parts * (k + 1)) << "false: w(" << k << ") = " << w << " + " << r;
    if (k > 0) {
      EXPECT_GE(answer.w[at], answer.w[at - 1]);
      EXPECT_GE(answer.cluster[at], answer.cluster[at - 1]);
    }
    ++checked.radii;
    if (w != 0 && std::fabs(w) > least) checked.ulps = std::max(checked.ulps, r / unit_in_last_place<RealOf<E>>(w));
  }
}
