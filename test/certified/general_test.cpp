// Certified eigenvalues of A x = lambda B x against exact arithmetic, as eigen_test.cpp does for A x = lambda x.
#include <string>

#include "test/certified/spectra.hpp"

namespace {

#define GENERAL_NAME(E, T, name)                                                                               \
  accublas_status sygv(accublas_layout l, accublas_job j, accublas_uplo u, int64_t n, const E* a, int64_t lda, \
                       const E* b, int64_t ldb, T* w, T* r, E* v, int64_t ldv, T* angle, int64_t* cluster,     \
                       accublas_certificate_t* c) {                                                            \
    return accublas_##name##_certified(nullptr, l, j, u, n, a, lda, b, ldb, w, r, v, ldv, angle, cluster, c);  \
  }
GENERAL_NAME(double, double, dsygv)
GENERAL_NAME(float, float, ssygv)
GENERAL_NAME(std::complex<double>, double, zhegv)
GENERAL_NAME(std::complex<float>, float, chegv)

/// The triangles that must not be read hold NaN, and so do the imaginary parts of the diagonals.
template <class E>
Eigen<E> general(const Hermitian<E>& a, const Hermitian<E>& b, const Form& form = {},
                 accublas_job job = ACCUBLAS_VECTORS) {
  using T = RealOf<E>;
  const bool columns = form.layout == ACCUBLAS_COL_MAJOR;
  const int n = a.n, ld = std::max(1, n) + form.pad;
  const auto size = static_cast<std::size_t>(n), all = static_cast<std::size_t>(ld) * size;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const auto place = [&](int i, int j) { return static_cast<std::size_t>(columns ? i + j * ld : i * ld + j); };
  const auto stored = [&](const Hermitian<E>& h) {
    std::vector<E> to(all, number<E>(nan));
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        if (form.uplo == ACCUBLAS_UPPER ? i <= j : i >= j)
          to[place(i, j)] = i == j ? number<E>(std::real(h.at(i, i)), nan) : h.at(i, j);
    return to;
  };
  const std::vector<E> of_a = stored(a), of_b = stored(b);
  std::vector<E> left = of_a, right = of_b, v(all, number<E>(7));
  Eigen<E> answer{{}, {}, std::vector<T>(size), std::vector<T>(size), std::vector<T>(size), {}, {}};
  answer.cluster.resize(size);
  answer.certificate.struct_size = sizeof answer.certificate;
  answer.status =
      sygv(form.layout, job, form.uplo, n, left.data(), ld, right.data(), ld, answer.w.data(), answer.radius.data(),
           v.data(), ld, answer.angle.data(), answer.cluster.data(), &answer.certificate);
  EXPECT_EQ(std::memcmp(left.data(), of_a.data(), all * sizeof(E)), 0) << "A was written to";
  EXPECT_EQ(std::memcmp(right.data(), of_b.data(), all * sizeof(E)), 0) << "B was written to";
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) answer.v.push_back(v[place(i, j)]);
  return answer;
}

/// No radius is false. Eigenvalues that are smaller than `least` do not count as loose.
template <class E>
void check_general(const Hermitian<E>& a, const Hermitian<E>& b, const Eigen<E>& answer, Checked& checked,
                   double least = 0) {
  constexpr int parts = is_complex<E> ? 2 : 1;
  const SymmetricMatrix left = symmetric_of(a), right = symmetric_of(b);
  ASSERT_EQ(answer.status, ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
  EXPECT_EQ(answer.certificate.positive_definite, 1);
  for (int k = 0; k < a.n; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const double w = static_cast<double>(answer.w[at]), r = static_cast<double>(answer.radius[at]);
    ASSERT_GE(r, 0);
    const Inertia low = left.around(w, -r, right), high = left.around(w, r, right);
    EXPECT_LE(low.below, parts * k) << "false: w(" << k << ") = " << w << " - " << r << ", n = " << a.n;
    EXPECT_GE(high.below + high.equal, parts * (k + 1)) << "false: w(" << k << ") = " << w << " + " << r;
    ++checked.radii;
    if (std::fabs(w) > least) checked.ulps = std::max(checked.ulps, r / unit_in_last_place<RealOf<E>>(w));
    checked.angle = std::max(checked.angle, static_cast<double>(answer.angle[at]));
  }
}

template <class E>
Hermitian<E> any_matrix(Random& random, int n) {
  Hermitian<E> h(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) h.set(i, j, uniform(random), uniform(random));
  return h;
}

/// A diagonally dominant matrix, with rows and columns scaled by powers of two.
template <class E>
Hermitian<E> definite(Random& random, int n, int step) {
  Hermitian<E> h(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      const double s = std::ldexp(1, -step * (i + j));
      h.set(i, j, i == j ? (n + uniform(random)) * s : uniform(random) / 2 * s, uniform(random) / 2 * s);
    }
  return h;
}

template <class E>
class GeneralTypes : public testing::Test {};
using Types = testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(GeneralTypes, Types);

TYPED_TEST(GeneralTypes, RandomMatrices) {
  Random random(1);
  Checked checked;
  for (int repetition = 0; repetition < cases(100); ++repetition) {
    const int n = integer(random, 1, is_complex<TypeParam> ? 5 : 9);
    const auto a = any_matrix<TypeParam>(random, n), b = definite<TypeParam>(random, n, 0);
    check_general(a, b, general(a, b, any_form(random)), checked, 1e-3);
  }
  checked.print("random");
  EXPECT_LE(checked.ulps, 0.51);
}

/// Refinement fails for some of these: B = L L^T is nearly singular. Vectors of a proved spectrum have bounds all the
/// same, those of the step before.
TEST(General, VectorsOfHardPencilsHaveBounds) {
  Random random(11);
  Checked checked;
  int proved = 0, last_step_proves = 0;
  for (int repetition = 0; repetition < cases(400); ++repetition) {
    const int n = integer(random, 2, 6);
    const double range = 9 * (1 + uniform(random));
    std::vector<double> l(static_cast<std::size_t>(n * n));
    const auto at = [n](int i, int j) { return static_cast<std::size_t>(i * n + j); };
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) l[at(i, j)] = uniform(random) * std::pow(10, -range * j / (2 * (n - 1.0)));
    Hermitian<double> b(n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) {
        double sum = 0;
        for (int k = 0; k < n; ++k) sum += l[at(i, k)] * l[at(j, k)];
        b.set(i, j, sum);
      }
    const Hermitian<double> a = any_matrix<double>(random, n);
    const Eigen<double> answer = general(a, b, any_form(random));
    if (answer.status != ACCUBLAS_SUCCESS) continue;
    ++proved;
    last_step_proves += answer.certificate.contraction <= 0x1p-20;
    for (const double angle : answer.angle) EXPECT_TRUE(std::isfinite(angle)) << "order " << n;
    if (repetition % 8 == 0) check_general(a, b, answer, checked);
  }
  checked.print("hard pencils");
  EXPECT_GT(proved, 100);
  EXPECT_LT(last_step_proves, proved) << "no refinement fails: the matrices are not hard";
}

/// The first step proves vectors with a contraction below 2^-20, and the second one nothing. Vectors, values and the
/// certificate are those of the first step.
TEST(General, StepAfterGoodVectorsFails) {
  Hermitian<double> a(3), b(3);
  const double of_a[3][3] = {{0}, {2, -2}, {2, 1, 2}}, of_b[3][3] = {{2 + 0x1p-51}, {-1, 1}, {-5, 3, 13}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j <= i; ++j) a.set(i, j, of_a[i][j]), b.set(i, j, of_b[i][j]);
  for (const accublas_job job : {ACCUBLAS_VALUES, ACCUBLAS_VECTORS}) {
    const Eigen<double> answer = general(a, b, {}, job);
    Checked checked;
    check_general(a, b, answer, checked);
    EXPECT_LT(answer.certificate.contraction, 1);
    EXPECT_TRUE(std::isfinite(answer.certificate.residual));
    if (job == ACCUBLAS_VECTORS)
      for (const double angle : answer.angle) EXPECT_TRUE(std::isfinite(angle));
  }
}

/// B is far from well conditioned.
TYPED_TEST(GeneralTypes, GradedMatrices) {
  Random random(2);
  Checked checked;
  for (int repetition = 0; repetition < cases(60); ++repetition) {
    const int n = integer(random, 2, is_complex<TypeParam> ? 4 : 7);
    const auto a = any_matrix<TypeParam>(random, n), b = definite<TypeParam>(random, n, integer(random, 1, 2));
    check_general(a, b, general(a, b, any_form(random)), checked, 1e-3);
  }
  checked.print("graded");
  EXPECT_LE(checked.ulps, 0.51);
}

/// Multiples of B have one eigenvalue, which is exact.
TYPED_TEST(GeneralTypes, OneEigenvalue) {
  Random random(3);
  for (int repetition = 0; repetition < cases(20); ++repetition) {
    const int n = integer(random, 1, 5);
    const auto b = definite<TypeParam>(random, n, 0);
    Hermitian<TypeParam> a(n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) a.set(i, j, -4 * part(b.at(i, j), 0), -4 * part(b.at(i, j), 1));
    const auto answer = general(a, b, any_form(random));
    ASSERT_EQ(answer.status, ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
    for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k) {
      EXPECT_EQ(answer.w[k], -4);
      EXPECT_LE(answer.radius[k], sizeof(RealOf<TypeParam>) == 4 ? 1e-9 : 1e-25);
      EXPECT_EQ(answer.cluster[k], 1);
    }
  }
}

/// Eigenvectors in the norm of B, in exact arithmetic: A = diag(values) B for a diagonal B.
TEST(General, KnownVectors) {
  Random random(4);
  for (int repetition = 0; repetition < cases(40); ++repetition) {
    const int n = integer(random, 1, 6);
    Hermitian<double> a(n), b(n);
    for (int i = 0; i < n; ++i) {
      const double scale = integer(random, 1, 1000) * std::ldexp(1, integer(random, -20, 20));
      a.set(i, i, (2 * i + 1) * scale);
      b.set(i, i, scale);
    }
    const auto answer = general(a, b, any_form(random));
    ASSERT_EQ(answer.status, ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
    const auto at = [&](int i, int k) { return answer.v[static_cast<std::size_t>(i * n + k)]; };
    for (int k = 0; k < n; ++k) {
      EXPECT_LE(std::fabs(answer.w[static_cast<std::size_t>(k)] - (2 * k + 1)),
                answer.radius[static_cast<std::size_t>(k)]);
      double outside = 0;
      for (int i = 0; i < n; ++i) outside += i == k ? 0 : at(i, k) * at(i, k) * b.at(i, i);
      EXPECT_LE(std::sqrt(outside), 1.0001 * answer.angle[static_cast<std::size_t>(k)] + 1e-300);
      EXPECT_NEAR(at(k, k) * at(k, k) * b.at(k, k), 1, 1e-9);
    }
  }
}

/// Exponents from the least to the largest.
TEST(General, Scaling) {
  Random random(5);
  Checked checked;
  for (int repetition = 0; repetition < cases(60); ++repetition) {
    const int n = integer(random, 1, 5), e = integer(random, -500, 500), f = integer(random, -1000, 1000);
    Hermitian<double> a(n), b(n);
    const auto first = any_matrix<double>(random, n), second = definite<double>(random, n, 0);
    const int of_a = std::clamp(e + f, -1000, 1000);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) {
        a.set(i, j, std::ldexp(first.at(i, j), of_a));
        b.set(i, j, std::ldexp(second.at(i, j), f));
      }
    check_general(a, b, general(a, b), checked, std::ldexp(1, std::max(of_a - f - 10, -1000)));
  }
  checked.print("scaled");
  EXPECT_LE(checked.ulps, 0.51);
}

TEST(General, NotDefinite) {
  Hermitian<double> a(3), b(3);
  for (int i = 0; i < 3; ++i) {
    a.set(i, i, i);
    b.set(i, i, 1 - i);
  }
  for (const double last : {-1.0, 0.0}) {
    b.set(1, 1, 1);
    b.set(2, 2, last);
    const auto answer = general(a, b);
    EXPECT_EQ(answer.status, ACCUBLAS_ERROR_NOT_CERTIFIED);
    EXPECT_EQ(answer.certificate.reason, ACCUBLAS_REASON_ILL_CONDITIONED);
    EXPECT_EQ(answer.certificate.positive_definite, 0);
    EXPECT_NE(std::string(accublas_last_error(nullptr)).find("positive definite"), std::string::npos);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(answer.radius[k], HUGE_VAL);
  }
}

/// B is singular but for its rounding. A step of refinement may prove nothing, and what the steps before it proved
/// stays in the certificate: finite radii prove that B is positive definite.
TEST(General, BarelyDefinite) {
  Random random(6);
  int proved = 0;
  for (int repetition = 0; repetition < cases(2000); ++repetition) {
    const int n = integer(random, 2, 4);
    Hermitian<double> a(n), b(n);
    std::vector<double> v;
    for (int i = 0; i < n * (n - 1); ++i) v.push_back(uniform(random));
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) {
        double sum = 0;
        for (int k = 0; k < n - 1; ++k)
          sum += v[static_cast<std::size_t>(i * (n - 1) + k)] * v[static_cast<std::size_t>(j * (n - 1) + k)];
        b.set(i, j, sum);
        a.set(i, j, repetition % 2 ? -4 * sum : uniform(random));
      }
    const auto answer = general(a, b);
    if (!(answer.radius[0] < HUGE_VAL)) continue;
    Checked checked;
    check_general(a, b, answer, checked);
    ++proved;
  }
  EXPECT_GT(proved, 0);
}

TEST(General, SpecialValuesAndSizes) {
  const Hermitian<double> none(0);
  EXPECT_EQ(general(none, none).status, ACCUBLAS_SUCCESS);
  for (const double special : {HUGE_VAL, std::nan("")})
    for (const bool in_b : {false, true}) {
      Hermitian<double> a(2), b(2);
      for (int i = 0; i < 2; ++i) {
        a.set(i, i, 1);
        b.set(i, i, 1);
      }
      (in_b ? b : a).set(1, 0, special);
      const auto answer = general(a, b);
      EXPECT_EQ(answer.certificate.reason, ACCUBLAS_REASON_NOT_FINITE);
      EXPECT_TRUE(std::isnan(answer.w[0]) && std::isnan(answer.v[0]));
      EXPECT_EQ(answer.radius[1], HUGE_VAL);
    }
}

TEST(General, BadArguments) {
  double a[4] = {2, 0, 0, 2}, b[4] = {1, 0, 0, 1}, w[2], r[2], v[4], angle[2];
  std::int64_t cluster[2];
  const auto message = [&](int n, int lda, int ldb, int ldv, double* to) {
    EXPECT_EQ(accublas_dsygv_certified(nullptr, ACCUBLAS_COL_MAJOR, ACCUBLAS_VECTORS, ACCUBLAS_LOWER, n, a, lda, b, ldb,
                                       w, r, to, ldv, angle, cluster, nullptr),
              ACCUBLAS_ERROR_ARGUMENT);
    return std::string(accublas_last_error(nullptr));
  };
  EXPECT_NE(message(-1, 2, 2, 2, v).find("argument n "), std::string::npos);
  EXPECT_NE(message(2, 1, 2, 2, v).find("argument lda "), std::string::npos);
  EXPECT_NE(message(2, 2, 1, 2, v).find("argument ldb "), std::string::npos);
  EXPECT_NE(message(2, 2, 2, 1, v).find("argument ldv "), std::string::npos);
  EXPECT_NE(message(2, 2, 2, 2, b).find("v"), std::string::npos) << "overlap";
}

}  // namespace
