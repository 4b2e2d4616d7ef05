// Certified eigenvalues against exact arithmetic: never a false radius or angle, and small ones where the matrix
// allows.
#include <fstream>
#include <sstream>
#include <string>

#include "test/certified/spectra.hpp"

namespace {

template <class E>
class EigenTypes : public testing::Test {};
using Types = testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(EigenTypes, Types);

TYPED_TEST(EigenTypes, RandomMatrices) {
  Random random(1);
  Checked checked;
  for (int repetition = 0; repetition < cases(100); ++repetition) {
    Hermitian<TypeParam> h(integer(random, 1, is_complex<TypeParam> ? 5 : 9));
    for (int i = 0; i < h.n; ++i)
      for (int j = 0; j <= i; ++j) h.set(i, j, uniform(random), uniform(random));
    check_radii(h, eigen(h, any_form(random)), checked, 1e-3);
  }
  checked.print("random");
  EXPECT_LE(checked.ulps, 0.51);
}

TYPED_TEST(EigenTypes, SmallIntegers) {
  Random random(2);
  Checked checked;
  for (int repetition = 0; repetition < cases(100); ++repetition) {
    Hermitian<TypeParam> h(integer(random, 1, is_complex<TypeParam> ? 5 : 9));
    for (int i = 0; i < h.n; ++i)
      for (int j = 0; j <= i; ++j) h.set(i, j, integer(random, -1, 1), integer(random, -1, 1));
    check_radii(h, eigen(h, any_form(random)), checked, 1e-6);  // many of these have multiple eigenvalues, and zeros
  }
  checked.print("integers");
  EXPECT_LE(checked.ulps, 0.51);
}

template <class E>
void check_known(const Known<E>& known, const Form& form, Checked& checked) {
  const Eigen<E> answer = eigen(known.h, form);
  ASSERT_EQ(answer.status, ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
  for (std::size_t k = 0; k < 8; ++k) {
    const mpq_class error = abs(mpq_class(static_cast<double>(answer.w[k])) - mpq_class(known.values[k]));
    EXPECT_TRUE(error <= mpq_class(static_cast<double>(answer.radius[k]))) << "false radius: " << answer.w[k];
    const mpq_class angle = static_cast<double>(answer.angle[k]);
    std::vector<E> column;
    for (std::size_t i = 0; i < 8; ++i) column.push_back(answer.v[i * 8 + k]);
    const auto in_cluster = [&](std::size_t j) { return answer.cluster[j] == answer.cluster[k]; };
    EXPECT_TRUE(known.squared_sine(column, in_cluster) <= angle * angle) << "false angle: " << answer.angle[k];
    checked.angle = std::max(checked.angle, static_cast<double>(answer.angle[k]));
    if (known.values[k] != 0)
      checked.ulps = std::max(checked.ulps, static_cast<double>(answer.radius[k]) /
                                                unit_in_last_place<RealOf<E>>(static_cast<double>(answer.w[k])));
    ++checked.radii;
    ++checked.angles;
  }
}

TYPED_TEST(EigenTypes, KnownVectors) {
  Random random(3);
  Checked checked;
  for (int repetition = 0; repetition < cases(60); ++repetition) {
    std::vector<double> values;
    for (int k = 0; k < 8; ++k) values.push_back(integer(random, -500, 500));
    if (repetition % 2) values[0] = values[1] = values[2];
    if (repetition % 5 == 0) values[3] = values[4] = 0;
    check_known(Known<TypeParam>(random, values), any_form(random), checked);
  }
  checked.print("known vectors");
  EXPECT_LE(checked.ulps, 0.51);
  EXPECT_LE(checked.angle, 4 * std::numeric_limits<RealOf<TypeParam>>::epsilon());
}

/// Clusters of every width down to the last bit of the matrix.
TEST(Eigen, Clusters) {
  Random random(4);
  for (int bits = 5; bits <= 42; ++bits) {
    Checked checked;
    for (int repetition = 0; repetition < 10; ++repetition) {
      std::vector<double> values = {2, 3, -1, 1, 1, 1, 1, 1};
      for (int k = 3; k < 8; ++k) values[static_cast<std::size_t>(k)] += integer(random, 0, 3) * std::ldexp(1.0, -bits);
      check_known(Known<double>(random, values), any_form(random), checked);
      check_known(Known<std::complex<double>>(random, values), any_form(random), checked);
    }
    EXPECT_LE(checked.ulps, 0.51) << "width 2^-" << bits;
    EXPECT_LE(checked.angle, 0x1p-50) << "width 2^-" << bits;
    if (bits % 12 == 6) checked.print(("clusters of width 2^-" + std::to_string(bits)).c_str());
  }
}

/// Clusters as rounding leaves them, where nothing is known exactly but the matrix.
TEST(Eigen, RoundedClusters) {
  Random random(5);
  Checked checked;
  for (int repetition = 0; repetition < cases(60); ++repetition) {
    const int n = integer(random, 3, 8);
    System<double> s = conditioned<double>(random, n, 0, std::pow(2, -integer(random, 30, 60)) + 1, true);
    Hermitian<double> h(n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) h.set(i, j, s.at(i, j));
    check_radii(h, eigen(h, any_form(random)), checked, 1e-3);
  }
  checked.print("rounded clusters");
  EXPECT_LE(checked.ulps, 0.51);
}

TEST(Eigen, Wilkinson) {
  for (const int m : {2, 5, 10, 15}) {
    Hermitian<double> h(2 * m + 1);
    for (int i = 0; i <= 2 * m; ++i) {
      h.set(i, i, std::abs(i - m));
      if (i > 0) h.set(i, i - 1, 1);
    }
    Checked checked;
    check_radii(h, eigen(h), checked);
    checked.print("Wilkinson");
    EXPECT_LE(checked.ulps, 0.51) << m;
  }
}

/// The eigenvalues are -10 sqrt 10405, 0, 510 - 100 sqrt 26, 1000 (twice), 510 + 100 sqrt 26, 1020 and 10 sqrt 10405.
TEST(Eigen, Rosser) {
  Hermitian<double> h(8);
  h.a = {611,  196, -192, 407, -8,  -52,  -49, 29,   196, 899,  113, -192, -71,  -43, -8,   -44,
         -192, 113, 899,  196, 61,  49,   8,   52,   407, -192, 196, 611,  8,    44,  59,   -23,
         -8,   -71, 61,   8,   411, -599, 208, 208,  -52, -43,  49,  44,   -599, 411, 208,  208,
         -49,  -8,  8,    59,  208, 208,  99,  -911, 29,  -44,  52,  -23,  208,  208, -911, 99};
  const Eigen<double> answer = eigen(h);
  Checked checked;
  check_radii(h, answer, checked, 1e-6);
  checked.print("Rosser");
  EXPECT_LE(checked.ulps, 0.51);
  EXPECT_LE(std::fabs(answer.w[1]), answer.radius[1]);
  EXPECT_LE(answer.radius[1], 1e-25);
  const std::vector<double> others = {1000, 1000, 510 + 100 * std::sqrt(26), 1020};
  for (std::size_t k = 0; k < others.size(); ++k) EXPECT_DOUBLE_EQ(answer.w[k + 3], others[k]);
  EXPECT_EQ(answer.cluster, (std::vector<std::int64_t>{1, 2, 3, 4, 4, 6, 7, 8}));
}

/// Clement's matrix with rounded roots, Hilbert's, Lauchli's and matrices of ones.
TEST(Eigen, NamedMatrices) {
  Checked checked;
  for (const int n : {2, 7, 12, 16}) {
    Hermitian<double> clement(n), hilbert(n), lauchli(n), ones(n), identity(n);
    for (int i = 0; i < n; ++i) {
      if (i > 0) clement.set(i, i - 1, std::sqrt(static_cast<double>(i) * (n - i)));
      identity.set(i, i, 1);
      for (int j = 0; j <= i; ++j) {
        hilbert.set(i, j, 1.0 / (i + j + 1));
        ones.set(i, j, 1);
        lauchli.set(i, j, j == 0 ? 1 : i == j ? 0x1p-30 : 0);
      }
    }
    for (const Hermitian<double>& h : {clement, hilbert, lauchli, ones, identity})
      check_radii(h, eigen(h, {}, ACCUBLAS_VALUES), checked, 1e-9);
  }
  checked.print("named");
  EXPECT_LE(checked.ulps, 0.51);
}

/// Elements of D B D with D = 2^0, 2^-e, ...: LAPACK has no correct digit of the smallest eigenvalues.
TEST(Eigen, GradedMatrices) {
  Random random(6);
  Checked checked;
  for (int repetition = 0; repetition < cases(90); ++repetition) {
    const int n = integer(random, 2, 8), step = integer(random, 1, 6);
    Hermitian<double> h(n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j)
        h.set(i, j, std::ldexp(i == j ? 2 + uniform(random) : uniform(random), -step * (i + j)));
    check_radii(h, eigen(h, any_form(random)), checked, 0x1p-40);
  }
  checked.print("graded");
  EXPECT_LE(checked.ulps, 0.51);
}

/// Exponents from the least to the largest, also within a matrix.
TEST(Eigen, Scaling) {
  Random random(7);
  Checked checked, scattered;
  for (int repetition = 0; repetition < cases(90); ++repetition) {
    const int n = integer(random, 1, 6), e = integer(random, -1060, 1018);
    Hermitian<double> h(n), wild(n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) {
        h.set(i, j, std::ldexp(uniform(random), e));
        wild.set(i, j, std::ldexp(uniform(random), integer(random, -1074, 1000)));
      }
    check_radii(h, eigen(h), checked, std::ldexp(1, std::max(e - 10, -1000)));
    if (repetition % 3 == 0) check_radii(wild, eigen(wild), scattered);
  }
  checked.print("scaled");
  EXPECT_LE(checked.ulps, 0.51);
}

TEST(Eigen, Overflow) {
  Hermitian<double> h(2);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j <= i; ++j) h.set(i, j, 0x1.fp1023);
  const Eigen<double> answer = eigen(h);
  EXPECT_EQ(answer.status, ACCUBLAS_ERROR_NOT_CERTIFIED);
  EXPECT_EQ(answer.certificate.reason, ACCUBLAS_REASON_OVERFLOW);
  EXPECT_EQ(answer.radius[1], HUGE_VAL);
  EXPECT_LE(std::fabs(answer.w[0]), answer.radius[0]);
  EXPECT_LE(answer.radius[0], 0x1p950);
}

TEST(Eigen, InfinitiesAndNaN) {
  for (const double special : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    Hermitian<double> h(3);
    for (int i = 0; i < 3; ++i) h.set(i, i, i);
    h.set(2, 1, special);
    const Eigen<double> answer = eigen(h);
    EXPECT_EQ(answer.status, ACCUBLAS_ERROR_NOT_CERTIFIED);
    EXPECT_EQ(answer.certificate.reason, ACCUBLAS_REASON_NOT_FINITE);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_TRUE(std::isnan(answer.w[k]));
      EXPECT_EQ(answer.radius[k], HUGE_VAL);
      EXPECT_EQ(answer.angle[k], HUGE_VAL);
      EXPECT_EQ(answer.cluster[k], 1);
    }
  }
}

TEST(Eigen, SmallOrdersAndCertificate) {
  const Eigen<double> none = eigen(Hermitian<double>(0));
  EXPECT_EQ(none.status, ACCUBLAS_SUCCESS);
  Hermitian<std::complex<double>> one(1);
  one.set(0, 0, -3);
  const auto single = eigen(one);
  EXPECT_EQ(single.status, ACCUBLAS_SUCCESS);
  EXPECT_EQ(single.w[0], -3);
  EXPECT_LE(single.radius[0], 1e-30);
  EXPECT_LE(single.angle[0], 0x1p-51);
  EXPECT_EQ(single.cluster[0], 1);
  Hermitian<double> two(2);
  two.set(0, 0, 1);
  two.set(1, 1, 3);
  two.set(1, 0, 0.5);
  const auto certificate = eigen(two).certificate;
  EXPECT_EQ(certificate.reason, ACCUBLAS_REASON_NONE);
  EXPECT_EQ(certificate.positive_definite, 1);
  EXPECT_LE(certificate.contraction, 1e-14);
  EXPECT_LE(certificate.residual, 1e-14);
  EXPECT_NEAR(certificate.gap, std::sqrt(5), 1e-12);
  EXPECT_NEAR(certificate.condition, (2 + std::sqrt(5) / 2) / std::sqrt(5), 1e-9);
  two.set(0, 0, 0.0625);
  EXPECT_EQ(eigen(two).certificate.positive_definite, 0);
  two.set(1, 0, 0);
  two.set(0, 0, -1.7e308);
  two.set(1, 1, 1.7e308);
  const auto wide = eigen(two).certificate;
  EXPECT_EQ(wide.gap, std::numeric_limits<double>::max());
  EXPECT_NEAR(wide.condition, 0.5, 1e-12);
}

/// Without vectors their arguments may be null.
TEST(Eigen, ValuesAlone) {
  const double a[4] = {2, 1, 1, 2};
  double w[2], r[2];
  EXPECT_EQ(accublas_dsyev_certified(nullptr, ACCUBLAS_COL_MAJOR, ACCUBLAS_VALUES, ACCUBLAS_LOWER, 2, a, 2, w, r,
                                     nullptr, 0, nullptr, nullptr, nullptr),
            ACCUBLAS_SUCCESS);
  EXPECT_LE(std::fabs(w[0] - 1), r[0]);
  EXPECT_LE(std::fabs(w[1] - 3), r[1]);
  EXPECT_LE(r[1], 0x1p-52);
}

/// A symmetric matrix of the Harwell-Boeing collection, and a part of it whose eigenvalues can be checked.
TEST(Eigen, RealMatrix) {
  std::ifstream file(DATA "/lund_a.mtx");
  ASSERT_TRUE(file);
  std::string line;
  while (std::getline(file, line) && line[0] == '%') {
  }
  constexpr int order = 36;
  int n = 0, i = 0, j = 0;
  std::istringstream(line) >> n;
  Hermitian<double> h(n), leading(order);
  for (double value = 0; file >> i >> j >> value;) {
    h.set(i - 1, j - 1, value);
    if (i <= order && j <= order) leading.set(i - 1, j - 1, value);
  }
  const Eigen<double> answer = eigen(h);
  EXPECT_EQ(answer.certificate.positive_definite, 1);
  for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k) {
    EXPECT_LE(answer.radius[k] / unit_in_last_place<double>(answer.w[k]), 0.51);
    EXPECT_LE(answer.angle[k], 1e-15);
  }
  const Eigen<double> part = eigen(leading);
  Checked checked;
  for (const int k : {0, order / 2, order - 1}) check_radii(leading, part, checked, 0, k, k + 1);
  checked.print("lund_a, leading part");
  EXPECT_LE(checked.ulps, 0.51);
}

TEST(Eigen, BadArguments) {
  double a[4] = {2, 0, 0, 2}, w[2], r[2], v[4], angle[2];
  std::int64_t cluster[2];
  const auto message = [&](accublas_layout layout, accublas_job job, accublas_uplo uplo, int n, int lda, int ldv,
                           double* to) {
    EXPECT_EQ(accublas_dsyev_certified(nullptr, layout, job, uplo, n, a, lda, w, r, to, ldv, angle, cluster, nullptr),
              ACCUBLAS_ERROR_ARGUMENT);
    return std::string(accublas_last_error(nullptr));
  };
  const auto names = [](const std::string& text, const char* name) {
    EXPECT_NE(text.find("argument " + std::string(name) + " "), std::string::npos) << text;
  };
  constexpr accublas_layout columns = ACCUBLAS_COL_MAJOR;
  names(message(3, ACCUBLAS_VECTORS, ACCUBLAS_UPPER, 2, 2, 2, v), "layout");
  names(message(columns, 3, ACCUBLAS_UPPER, 2, 2, 2, v), "jobz");
  names(message(columns, ACCUBLAS_VECTORS, 3, 2, 2, 2, v), "uplo");
  names(message(columns, ACCUBLAS_VECTORS, ACCUBLAS_UPPER, -1, 2, 2, v), "n");
  names(message(columns, ACCUBLAS_VECTORS, ACCUBLAS_UPPER, 2, 1, 2, v), "lda");
  names(message(columns, ACCUBLAS_VECTORS, ACCUBLAS_UPPER, 2, 2, 1, v), "ldv");
  names(message(columns, ACCUBLAS_VECTORS, ACCUBLAS_UPPER, 2, 2, 2, nullptr), "v");
  EXPECT_NE(message(columns, ACCUBLAS_VECTORS, ACCUBLAS_UPPER, 2, 2, 2, a).find("v"), std::string::npos) << "overlap";
  accublas_certificate_t unset{};
  EXPECT_EQ(accublas_dsyev_certified(nullptr, columns, ACCUBLAS_VALUES, ACCUBLAS_UPPER, 2, a, 2, w, r, nullptr, 0,
                                     nullptr, nullptr, &unset),
            ACCUBLAS_ERROR_ARGUMENT);
  names(accublas_last_error(nullptr), "certificate");
}

}  // namespace
