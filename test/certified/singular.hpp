// Matrices of every type and shape, their certified singular values, and the check of these in exact arithmetic.
#pragma once

#include "test/certified/spectra.hpp"

/// An m x n matrix, rows side by side.
template <class E>
struct Rectangle {
  int m, n;
  std::vector<E> a;

  Rectangle(int m, int n) : m(m), n(n), a(static_cast<std::size_t>(m * n)) {}
  E& at(int i, int j) { return a[static_cast<std::size_t>(i * n + j)]; }
  const E& at(int i, int j) const { return a[static_cast<std::size_t>(i * n + j)]; }
};

template <class E>
struct Singular {
  accublas_status status;
  accublas_certificate_t certificate;
  std::vector<RealOf<E>> s, radius, angle;
  std::vector<std::int64_t> cluster;
  std::vector<E> u, vt;  // rows side by side
};

#define SINGULAR_NAME(E, T, p)                                                                                         \
  inline accublas_status gesvd(accublas_layout l, accublas_job j, int64_t m, int64_t n, const E* a, int64_t lda, T* s, \
                               T* r, E* u, int64_t ldu, E* vt, int64_t ldvt, T* angle, int64_t* cluster,               \
                               accublas_certificate_t* c) {                                                            \
    return accublas_##p##gesvd_certified(nullptr, l, j, m, n, a, lda, s, r, u, ldu, vt, ldvt, angle, cluster, c);      \
  }
SINGULAR_NAME(double, double, d)
SINGULAR_NAME(float, float, s)
SINGULAR_NAME(std::complex<double>, double, z)
SINGULAR_NAME(std::complex<float>, float, c)

template <class E>
Singular<E> singular(const Rectangle<E>& a, const Form& form = {}, accublas_job job = ACCUBLAS_VECTORS) {
  using T = RealOf<E>;
  const bool columns = form.layout == ACCUBLAS_COL_MAJOR;
  const int k = std::min(a.m, a.n);
  const auto count = static_cast<std::size_t>(k);
  const auto ld = [&](int rows, int cols) { return std::max(1, columns ? rows : cols) + form.pad; };
  const auto stored = [&](int rows, int cols) {
    return std::vector<E>(static_cast<std::size_t>(ld(rows, cols) * (columns ? cols : rows)), number<E>(7));
  };
  const auto at = [&](auto& m, int rows, int cols, int i, int j) -> auto& {
    return m[static_cast<std::size_t>(columns ? i + j * ld(rows, cols) : i * ld(rows, cols) + j)];
  };
  std::vector<E> matrix = stored(a.m, a.n), u = stored(a.m, k), vt = stored(k, a.n);
  for (int i = 0; i < a.m; ++i)
    for (int j = 0; j < a.n; ++j) at(matrix, a.m, a.n, i, j) = a.at(i, j);
  const std::vector<E> before = matrix;
  Singular<E> answer{{}, {}, std::vector<T>(count), std::vector<T>(count), std::vector<T>(count), {}, {}, {}};
  answer.cluster.resize(count);
  answer.certificate.struct_size = sizeof answer.certificate;
  answer.status =
      gesvd(form.layout, job, a.m, a.n, matrix.data(), ld(a.m, a.n), answer.s.data(), answer.radius.data(), u.data(),
            ld(a.m, k), vt.data(), ld(k, a.n), answer.angle.data(), answer.cluster.data(), &answer.certificate);
  EXPECT_EQ(std::memcmp(matrix.data(), before.data(), matrix.size() * sizeof(E)), 0) << "A was written to";
  for (int i = 0; i < a.m; ++i)
    for (int j = 0; j < k; ++j) answer.u.push_back(at(u, a.m, k, i, j));
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < a.n; ++j) answer.vt.push_back(at(vt, k, a.n, i, j));
  return answer;
}

/// The real matrix of the parts of ((0, A), (A^H, 0)), whose positive eigenvalues are the singular values of A, for
/// complex A twice.
template <class E>
SymmetricMatrix jordan_wielandt(const Rectangle<E>& a) {
  constexpr int parts = is_complex<E> ? 2 : 1;
  const int rows = parts * a.m, n = rows + parts * a.n;
  std::vector<double> all(static_cast<std::size_t>(n * n));
  for (int i = 0; i < rows; ++i)
    for (int j = rows; j < n; ++j) {
      const bool lower = i >= a.m, right = j - rows >= a.n;
      const E& z = a.at(i % a.m, (j - rows) % a.n);
      const double x = lower == right ? part(z, 0) : lower ? part(z, 1) : -part(z, 1);
      all[static_cast<std::size_t>(i * n + j)] = all[static_cast<std::size_t>(j * n + i)] = x;
    }
  return {n, all};
}

/// No radius is false. Singular values that are smaller than `least` do not count as loose.
template <class E>
void check_singular(const Rectangle<E>& a, const Singular<E>& answer, Checked& checked, double least = 0) {
  constexpr int parts = is_complex<E> ? 2 : 1;
  const SymmetricMatrix exact = jordan_wielandt(a);
  const int order = parts * (a.m + a.n);
  ASSERT_EQ(answer.status, ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
  for (int i = 0; i < std::min(a.m, a.n); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double s = static_cast<double>(answer.s[at]), r = static_cast<double>(answer.radius[at]);
    ASSERT_GE(r, 0);
    const Inertia high = exact.around(s, r);
    EXPECT_LE(order - high.below - high.equal, parts * i) << "false: s(" << i << ") = " << s << " + " << r;
    if (s > r) {
      const Inertia low = exact.around(s, -r);
      EXPECT_GE(order - low.below, parts * (i + 1)) << "false: s(" << i << ") = " << s << " - " << r;
    }
    if (i > 0) {
      EXPECT_LE(answer.s[at], answer.s[at - 1]);
      EXPECT_GE(answer.cluster[at], answer.cluster[at - 1]);
    }
    ++checked.radii;
    if (s > least) checked.ulps = std::max(checked.ulps, r / unit_in_last_place<RealOf<E>>(s));
  }
}

/// P D Q^T with D = values, exactly, where P has orthonormal columns, multiplied by powers of i for complex types. The
/// matrix is 8 x 4, 4 x 8 or 4 x 4.
template <class E>
struct KnownTriplets {
  Rectangle<E> a{1, 1};
  std::vector<double> values;
  std::vector<std::vector<double>> p, q;  // all rows and columns, also those that belong to no singular value
  std::vector<int> left_phases, right_phases;

  KnownTriplets(Random& random, std::vector<double> spectrum, int shape)
      : a(shape == 1 ? 8 : 4, shape == 2 ? 8 : 4), values(std::move(spectrum)) {
    std::sort(values.rbegin(), values.rend());
    p = orthogonal(random, a.m);
    q = orthogonal(random, a.n);
    for (int i = 0; i < a.m; ++i) left_phases.push_back(is_complex<E> ? integer(random, 0, 3) : 0);
    for (int j = 0; j < a.n; ++j) right_phases.push_back(is_complex<E> ? integer(random, 0, 3) : 0);
    for (int i = 0; i < a.m; ++i)
      for (int j = 0; j < a.n; ++j) {
        mpq_class sum = 0;
        for (std::size_t k = 0; k < 4; ++k)
          sum += mpq_class(p[static_cast<std::size_t>(i)][k]) * mpq_class(values[k]) *
                 mpq_class(q[static_cast<std::size_t>(j)][k]);
        const auto x = static_cast<double>(static_cast<RealOf<E>>(sum.get_d()));
        EXPECT_TRUE(mpq_class(x) == sum) << "the matrix is not exact";
        const int turn = (left_phases[static_cast<std::size_t>(i)] - right_phases[static_cast<std::size_t>(j)] + 4) % 4;
        a.at(i, j) = number<E>(turn == 0 ? x : turn == 2 ? -x : 0, turn == 1 ? x : turn == 3 ? -x : 0);
      }
  }

  static std::vector<std::vector<double>> orthogonal(Random& random, int order) {
    if (order == 8) return exact_orthogonal(random);
    std::vector<double> v = {1, 1, 1, 1};
    for (double& x : v) x *= integer(random, 0, 1) ? 1 : -1;
    std::vector<std::vector<double>> h(4, std::vector<double>(4));
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 4; ++j) h[i][j] = (i == j) - v[i] * v[j] / 2;
    return h;
  }

  /// The squared sine of the angle between a vector and the span of those basis vectors for which is_inside(j).
  template <class Element, class Inside>
  static mpq_class squared_sine(const std::vector<std::vector<double>>& basis, const std::vector<int>& phases,
                                Element&& element, Inside&& is_inside) {
    mpq_class all = 0, outside = 0;
    for (std::size_t j = 0; j < basis.size(); ++j) {
      mpq_class re = 0, im = 0;
      for (std::size_t i = 0; i < basis.size(); ++i) {
        const E z = element(i);
        mpq_class x = mpq_class(part(z, 0)), y = mpq_class(part(z, 1));
        for (int turn = 0; turn < phases[i]; ++turn) {  // multiplies by -i
          swap(x, y);
          y = -y;
        }
        re += x * mpq_class(basis[i][j]);
        im += y * mpq_class(basis[i][j]);
      }
      const mpq_class size = re * re + im * im;
      all += size;
      if (!is_inside(j)) outside += size;
    }
    return outside / all;
  }
};

template <class E>
void check_known(const KnownTriplets<E>& known, const Form& form, Checked& checked) {
  const Singular<E> answer = singular(known.a, form);
  ASSERT_EQ(answer.status, ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
  const auto n = static_cast<std::size_t>(known.a.n);
  for (std::size_t k = 0; k < 4; ++k) {
    const mpq_class error = abs(mpq_class(static_cast<double>(answer.s[k])) - mpq_class(known.values[k]));
    EXPECT_TRUE(error <= mpq_class(static_cast<double>(answer.radius[k]))) << "false radius: " << answer.s[k];
    // A cluster that may reach zero has the vectors that belong to no singular value, too.
    const bool at_zero = answer.cluster[k] == answer.cluster[3] && answer.s[3] <= answer.radius[3];
    const auto is_inside = [&](std::size_t j) { return j < 4 ? answer.cluster[j] == answer.cluster[k] : at_zero; };
    const mpq_class angle = static_cast<double>(answer.angle[k]), most = angle * angle;
    const auto left = [&](std::size_t i) { return answer.u[i * 4 + k]; };
    const auto right = [&](std::size_t j) {
      const E z = answer.vt[k * n + j];
      return number<E>(part(z, 0), -part(z, 1));
    };
    EXPECT_TRUE(known.squared_sine(known.p, known.left_phases, left, is_inside) <= most)
        << "false angle of U: " << angle.get_d();
    EXPECT_TRUE(known.squared_sine(known.q, known.right_phases, right, is_inside) <= most)
        << "false angle of V: " << angle.get_d();
    checked.angle = std::max(checked.angle, static_cast<double>(answer.angle[k]));
    if (known.values[k] != 0)
      checked.ulps = std::max(checked.ulps, static_cast<double>(answer.radius[k]) /
                                                unit_in_last_place<RealOf<E>>(static_cast<double>(answer.s[k])));
    ++checked.radii;
    ++checked.angles;
  }
}
