// Certified singular values against exact arithmetic: never a false radius or angle, and small ones where the matrix
// allows.
#include "test/certified/singular.hpp"

#include <string>

namespace {

template <class E>
class SingularTypes : public testing::Test {};
using Types = testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(SingularTypes, Types);

/// A random shape; every fifth is square.
template <class E>
Rectangle<E> any_shape(Random& random) {
  const int most = is_complex<E> ? 4 : 7, m = integer(random, 1, most);
  return Rectangle<E>(m, integer(random, 0, 4) ? integer(random, 1, most) : m);
}

TYPED_TEST(SingularTypes, RandomMatrices) {
  Random random(1);
  Checked checked;
  for (int repetition = 0; repetition < cases(100); ++repetition) {
    auto a = any_shape<TypeParam>(random);
    for (TypeParam& z : a.a) z = number<TypeParam>(uniform(random), uniform(random));
    check_singular(a, singular(a, any_form(random)), checked, 1e-3);
  }
  checked.print("random");
  EXPECT_LE(checked.ulps, 0.51);
}

/// Many of these have multiple singular values, and zeros.
TYPED_TEST(SingularTypes, SmallIntegers) {
  Random random(2);
  Checked checked;
  for (int repetition = 0; repetition < cases(100); ++repetition) {
    auto a = any_shape<TypeParam>(random);
    for (TypeParam& z : a.a) z = number<TypeParam>(integer(random, -1, 1), integer(random, -1, 1));
    const auto answer = singular(a, any_form(random));
    check_singular(a, answer, checked, 1e-6);
    for (std::size_t i = 0; i < answer.s.size(); ++i)
      EXPECT_TRUE(answer.s[i] > 1e-6 || answer.radius[i] <= 1e-24) << a.m << " x " << a.n;
  }
  checked.print("integers");
  EXPECT_LE(checked.ulps, 0.51);
}

/// Products of integer factors: their rank is known, and they are tall, wide or square.
TYPED_TEST(SingularTypes, RankDeficient) {
  Random random(3);
  Checked checked;
  for (int repetition = 0; repetition < cases(60); ++repetition) {
    auto a = any_shape<TypeParam>(random);
    const int rank = integer(random, 0, std::min(a.m, a.n) - 1);
    for (int r = 0; r < rank; ++r) {
      std::vector<int> column, row;
      for (int i = 0; i < a.m; ++i) column.push_back(integer(random, -9, 9));
      for (int j = 0; j < a.n; ++j) row.push_back(integer(random, -9, 9));
      for (int i = 0; i < a.m; ++i)
        for (int j = 0; j < a.n; ++j)
          a.at(i, j) += number<TypeParam>(column[static_cast<std::size_t>(i)] * row[static_cast<std::size_t>(j)]);
    }
    const auto answer = singular(a, any_form(random));
    check_singular(a, answer, checked, 1e-6);
    for (std::size_t i = static_cast<std::size_t>(rank); i < answer.s.size(); ++i) {
      EXPECT_LE(static_cast<double>(answer.s[i]), static_cast<double>(answer.radius[i]));
      EXPECT_LE(answer.radius[i], 1e-24) << a.m << " x " << a.n << ", rank " << rank;
    }
  }
  checked.print("rank-deficient");
  EXPECT_LE(checked.ulps, 0.51);
}

TYPED_TEST(SingularTypes, KnownVectors) {
  Random random(4);
  Checked checked;
  for (int repetition = 0; repetition < cases(60); ++repetition) {
    std::vector<double> values;
    for (int k = 0; k < 4; ++k) values.push_back(integer(random, 1, 500));
    if (repetition % 2) values[0] = values[1];
    if (repetition % 5 == 0) values[2] = 0;
    check_known(KnownTriplets<TypeParam>(random, values, repetition % 3), any_form(random), checked);
  }
  checked.print("known vectors");
  EXPECT_LE(checked.angle, 4 * std::numeric_limits<RealOf<TypeParam>>::epsilon());
}

/// Clusters of every width down to the last bit of the matrix.
TEST(Singular, Clusters) {
  Random random(5);
  for (int bits = 5; bits <= 42; ++bits) {
    Checked checked;
    for (int repetition = 0; repetition < 10; ++repetition) {
      std::vector<double> values = {2, 1, 1, 1};
      for (std::size_t k = 1; k < 4; ++k) values[k] += integer(random, 0, 3) * std::ldexp(1.0, -bits);
      check_known(KnownTriplets<double>(random, values, repetition % 3), any_form(random), checked);
      check_known(KnownTriplets<std::complex<double>>(random, values, repetition % 3), any_form(random), checked);
    }
    EXPECT_LE(checked.ulps, 0.51) << "width 2^-" << bits;
    EXPECT_LE(checked.angle, 0x1p-50) << "width 2^-" << bits;
  }
}

/// Small singular values of clusters at zero, apart by 2^-bits.
TEST(Singular, ClustersAtZero) {
  Random random(6);
  Checked checked;
  for (int bits = 20; bits <= 45; ++bits)
    for (int repetition = 0; repetition < 6; ++repetition) {
      std::vector<double> values = {1, 0, 0, 0};
      for (std::size_t k = 1; k < 4; ++k) values[k] = integer(random, 0, 3) * std::ldexp(1.0, -bits);
      check_known(KnownTriplets<double>(random, values, repetition % 3), any_form(random), checked);
      check_known(KnownTriplets<std::complex<double>>(random, values, repetition % 3), any_form(random), checked);
    }
  checked.print("clusters at zero");
  EXPECT_LE(checked.ulps, 0.51);
  EXPECT_LE(checked.angle, 0x1p-50);
}

/// Lauchli's matrices, whose small singular values are e; for small e LAPACK's have no correct digit.
TEST(Singular, Lauchli) {
  Checked checked;
  for (const int bits : {10, 30, 52, 60, 80})
    for (const int n : {2, 4, 7})
      for (const bool wide : {false, true}) {
        Rectangle<double> a(wide ? n : n + 1, wide ? n + 1 : n);
        for (int j = 0; j < n; ++j) {
          (wide ? a.at(j, 0) : a.at(0, j)) = 1;
          (wide ? a.at(j, j + 1) : a.at(j + 1, j)) = std::ldexp(1.0, -bits);
        }
        check_singular(a, singular(a, {}, wide ? ACCUBLAS_VALUES : ACCUBLAS_VECTORS), checked, 0x1p-40);
      }
  checked.print("Lauchli");
  EXPECT_LE(checked.ulps, 0.51);
}

/// Kahan's upper triangular matrix, whose smallest singular value no diagonal element shows, and Hilbert's.
TEST(Singular, KahanAndHilbert) {
  Checked checked;
  for (const int n : {2, 6, 12, 16}) {
    Rectangle<double> kahan(n, n), hilbert(n + 2, n);
    const double c = 0.4, s = std::sqrt(1 - c * c);
    for (int i = 0; i < n; ++i)
      for (int j = i; j < n; ++j) kahan.at(i, j) = std::pow(s, i) * (i == j ? 1 : -c);
    for (int i = 0; i < n + 2; ++i)
      for (int j = 0; j < n; ++j) hilbert.at(i, j) = 1.0 / (i + j + 1);
    check_singular(kahan, singular(kahan), checked);
    if (n < 12) check_singular(hilbert, singular(hilbert), checked);
  }
  checked.print("Kahan and Hilbert");
  EXPECT_LE(checked.ulps, 0.51);
}

/// Graded rows and columns.
TEST(Singular, GradedMatrices) {
  Random random(7);
  Checked checked;
  for (int repetition = 0; repetition < cases(90); ++repetition) {
    const int m = integer(random, 2, 7), n = integer(random, 2, 7), step = integer(random, 1, 5);
    Rectangle<double> a(m, n);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j)
        a.at(i, j) = std::ldexp(i == j ? 2 + uniform(random) : uniform(random), -step * (i + j));
    check_singular(a, singular(a, any_form(random)), checked, 0x1p-40);
  }
  checked.print("graded");
  EXPECT_LE(checked.ulps, 0.51);
}

/// Exponents from the least to the largest, also within a matrix.
TEST(Singular, Scaling) {
  Random random(8);
  Checked checked, scattered;
  for (int repetition = 0; repetition < cases(90); ++repetition) {
    const int m = integer(random, 1, 5), n = integer(random, 1, 5), e = integer(random, -1060, 1018);
    Rectangle<double> a(m, n), wild(m, n);
    for (double& x : a.a) x = std::ldexp(uniform(random), e);
    for (double& x : wild.a) x = std::ldexp(uniform(random), integer(random, -1074, 1000));
    check_singular(a, singular(a), checked, std::ldexp(1, std::max(e - 10, -1000)));
    if (repetition % 3 == 0) check_singular(wild, singular(wild), scattered);
  }
  checked.print("scaled");
  EXPECT_LE(checked.ulps, 0.51);
}

TEST(Singular, Overflow) {
  Rectangle<double> a(3, 2);
  std::fill(a.a.begin(), a.a.end(), 0x1.fp1023);
  const auto answer = singular(a);
  EXPECT_EQ(answer.status, ACCUBLAS_ERROR_NOT_CERTIFIED);
  EXPECT_EQ(answer.certificate.reason, ACCUBLAS_REASON_OVERFLOW);
  EXPECT_EQ(answer.radius[0], HUGE_VAL);
  EXPECT_LE(answer.s[1], answer.radius[1]);
  EXPECT_LE(answer.radius[1], 0x1p950);
}

TEST(Singular, InfinitiesAndNaN) {
  for (const double special : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    Rectangle<double> a(2, 3);
    for (int i = 0; i < 2; ++i) a.at(i, i) = 1 + i;
    a.at(1, 2) = special;
    const auto answer = singular(a);
    EXPECT_EQ(answer.status, ACCUBLAS_ERROR_NOT_CERTIFIED);
    EXPECT_EQ(answer.certificate.reason, ACCUBLAS_REASON_NOT_FINITE);
    EXPECT_NE(std::string(accublas_last_error(nullptr)).find("the singular values are not certified"),
              std::string::npos);
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_TRUE(std::isnan(answer.s[k]));
      EXPECT_EQ(answer.radius[k], HUGE_VAL);
      EXPECT_EQ(answer.angle[k], HUGE_VAL);
      EXPECT_EQ(answer.cluster[k], 1);
      EXPECT_TRUE(std::isnan(answer.u[k]) && std::isnan(answer.vt[k]));
    }
  }
}

TYPED_TEST(SingularTypes, SmallSizesAndCertificate) {
  for (const auto& [m, n] : {std::pair{0, 0}, {0, 3}, {3, 0}}) {
    const Rectangle<TypeParam> none(m, n);
    EXPECT_EQ(singular(none).status, ACCUBLAS_SUCCESS) << m << " x " << n;
  }
  Rectangle<TypeParam> row(1, 2);
  row.at(0, 0) = number<TypeParam>(-3);
  row.at(0, 1) = number<TypeParam>(0, is_complex<TypeParam> ? 4 : 0) + number<TypeParam>(is_complex<TypeParam> ? 0 : 4);
  const auto answer = singular(row);
  EXPECT_EQ(answer.status, ACCUBLAS_SUCCESS);
  EXPECT_EQ(answer.s[0], 5);
  EXPECT_LE(answer.radius[0], 1e-25);
  EXPECT_EQ(answer.cluster[0], 1);
  EXPECT_LE(answer.angle[0], 4 * std::numeric_limits<RealOf<TypeParam>>::epsilon());
  Rectangle<TypeParam> two(3, 2);
  two.at(0, 0) = number<TypeParam>(3);
  two.at(1, 1) = number<TypeParam>(1);
  const auto certificate = singular(two).certificate;
  EXPECT_EQ(certificate.reason, ACCUBLAS_REASON_NONE);
  EXPECT_EQ(certificate.positive_definite, 0);
  EXPECT_LE(certificate.contraction, 1e-14);
  EXPECT_LE(certificate.residual, 1e-14);
  EXPECT_NEAR(certificate.gap, 2, 1e-12);
  EXPECT_NEAR(certificate.condition, 1.5, 1e-9);
}

/// Without vectors their arguments may be null.
TEST(Singular, ValuesAlone) {
  const double a[4] = {2, 1, 1, 2};
  double s[2], r[2];
  EXPECT_EQ(accublas_dgesvd_certified(nullptr, ACCUBLAS_COL_MAJOR, ACCUBLAS_VALUES, 2, 2, a, 2, s, r, nullptr, 0,
                                      nullptr, 0, nullptr, nullptr, nullptr),
            ACCUBLAS_SUCCESS);
  EXPECT_LE(std::fabs(s[0] - 3), r[0]);
  EXPECT_LE(std::fabs(s[1] - 1), r[1]);
  EXPECT_LE(r[0], 0x1p-52);
}

/// Larger matrices, whose bounds are checked by those of their transposes, and by U S V^H.
TEST(Singular, LargerMatrices) {
  Random random(9);
  for (const auto& [m, n] : {std::pair{60, 60}, {90, 40}, {30, 70}, {200, 3}}) {
    Rectangle<double> a(m, n), transposed(n, m);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) transposed.at(j, i) = a.at(i, j) = uniform(random);
    const auto answer = singular(a), other = singular(transposed);
    ASSERT_EQ(answer.status, ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
    double worst = 0;
    for (std::size_t i = 0; i < answer.s.size(); ++i) {
      EXPECT_LE(std::fabs(answer.s[i] - other.s[i]), answer.radius[i] + other.radius[i]);
      EXPECT_LE(answer.radius[i] / unit_in_last_place<double>(answer.s[i]), 0.51);
      EXPECT_LE(answer.angle[i], 1e-14);
    }
    const int k = std::min(m, n);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        double sum = -a.at(i, j);
        for (int l = 0; l < k; ++l)
          sum += answer.u[static_cast<std::size_t>(i * k + l)] * answer.s[static_cast<std::size_t>(l)] *
                 answer.vt[static_cast<std::size_t>(l * n + j)];
        worst = std::max(worst, std::fabs(sum));
      }
    EXPECT_LE(worst, 1e-13);
  }
}

TEST(Singular, BadArguments) {
  double a[6] = {2, 0, 0, 2, 1, 1}, s[2], r[2], u[6], vt[4], angle[2];
  std::int64_t cluster[2];
  const auto message = [&](accublas_layout layout, accublas_job job, int m, int n, int lda, int ldu, int ldvt,
                           double* to) {
    EXPECT_EQ(
        accublas_dgesvd_certified(nullptr, layout, job, m, n, a, lda, s, r, to, ldu, vt, ldvt, angle, cluster, nullptr),
        ACCUBLAS_ERROR_ARGUMENT);
    return std::string(accublas_last_error(nullptr));
  };
  const auto names = [](const std::string& text, const char* name) {
    EXPECT_NE(text.find("argument " + std::string(name) + " "), std::string::npos) << text;
  };
  constexpr accublas_layout columns = ACCUBLAS_COL_MAJOR;
  constexpr accublas_job vectors = ACCUBLAS_VECTORS;
  names(message(3, vectors, 3, 2, 3, 3, 2, u), "layout");
  names(message(columns, 3, 3, 2, 3, 3, 2, u), "jobz");
  names(message(columns, vectors, -1, 2, 3, 3, 2, u), "m");
  names(message(columns, vectors, 3, -1, 3, 3, 2, u), "n");
  names(message(columns, vectors, 3, 2, 2, 3, 2, u), "lda");
  names(message(columns, vectors, 3, 2, 3, 2, 2, u), "ldu");
  names(message(columns, vectors, 3, 2, 3, 3, 1, u), "ldvt");
  names(message(columns, vectors, 3, 2, 3, 3, 2, nullptr), "u");
  EXPECT_NE(message(columns, vectors, 3, 2, 3, 3, 2, a).find("u"), std::string::npos) << "overlap";
}

}  // namespace
