// Certified solutions against exact ones: never a false radius, and a small one wherever the condition allows.
#include <accublas.h>
#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <type_traits>

#include "test/certified/systems.hpp"

namespace {

template <class E>
class CertifiedTypes : public testing::Test {};
using Types = testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(CertifiedTypes, Types);

TYPED_TEST(CertifiedTypes, EveryConditionNumber) {
  Random random(1);
  const int most = std::is_same_v<RealOf<TypeParam>, float> ? 6 : 17;
  for (int digits = 0; digits <= most; ++digits)
    for (int repetition = 0; repetition < 6; ++repetition)
      for (const bool symmetric : {false, true}) {
        const auto s = conditioned<TypeParam>(random, integer(random, 1, is_complex<TypeParam> ? 6 : 12),
                                              integer(random, 1, 3), std::pow(10, digits), symmetric);
        const Form form = any_form(random);
        const double largest = check(s, form);
        if (digits <= 14) {
          EXPECT_LE(largest, 0.51) << "condition 1e" << digits;
        }
        EXPECT_LE(largest, 4) << "condition 1e" << digits;
        if (symmetric && digits <= 12) {
          EXPECT_EQ(solve(s, form).certificate.positive_definite, 1) << "condition 1e" << digits;
        }
      }
}

TYPED_TEST(CertifiedTypes, IndefiniteMatrices) {
  Random random(2);
  for (int repetition = 0; repetition < 20; ++repetition) {
    auto s = system_of<TypeParam>(integer(random, 2, 6), 1);
    s.symmetric = true;
    for (int i = 0; i < s.n; ++i)
      for (int j = 0; j <= i; ++j) {
        const int re = integer(random, -9, 9), im = i == j ? 0 : integer(random, -9, 9);
        s.at(i, j) = number<TypeParam>(re, im);
        s.at(j, i) = number<TypeParam>(re, -im);
      }
    for (auto& z : s.b) z = number<TypeParam>(integer(random, -9, 9), integer(random, -9, 9));
    check(s, any_form(random));
  }
}

/// Products of triangles with ones on the diagonal: integers below 2^53 with determinant 1, whose inverses are large.
System<double> unimodular(Random& random, int n, int most) {
  std::vector<std::vector<long>> lower(static_cast<std::size_t>(n), std::vector<long>(static_cast<std::size_t>(n))),
      upper = lower;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      lower[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = i == j ? 1 : integer(random, -most, most);
      upper[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)] = i == j ? 1 : integer(random, -most, most);
    }
  System<double> s = system_of<double>(n, 1);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k)
        s.at(i, j) +=
            static_cast<double>(lower[static_cast<std::size_t>(i)][k] * upper[k][static_cast<std::size_t>(j)]);
  for (double& x : s.b) x = integer(random, -9, 9);
  return s;
}

TEST(Certified, BeyondDoublePrecision) {
  Random random(3);
  int two_parts = 0;
  for (int repetition = 0; repetition < 60; ++repetition) {
    const System<double> s = unimodular(random, integer(random, 4, 9), 1 << integer(random, 2, 7));
    const double largest = check(s);
    const Answer<double> answer = solve(s);
    two_parts += answer.certificate.parts == 2 && answer.status == ACCUBLAS_SUCCESS;
    if (answer.status == ACCUBLAS_SUCCESS) {
      EXPECT_LE(largest, 4);
    }
    if (answer.certificate.condition < 1e16) {
      EXPECT_EQ(answer.status, ACCUBLAS_SUCCESS);
    }
  }
  EXPECT_GE(two_parts, 10);
}

TEST(Certified, Hilbert) {
  for (int n = 1; n <= 18; ++n)
    for (const bool symmetric : {false, true}) {
      System<double> s = system_of<double>(n, 1);
      s.symmetric = symmetric;
      for (int i = 0; i < n; ++i) {
        s.right(i, 0) = 1;
        for (int j = 0; j < n; ++j) s.at(i, j) = 1.0 / (i + j + 1);
      }
      EXPECT_LE(check(s), 0.51) << n;
    }
}

/// Rump 1991: condition 6.4e64, out of reach; and what two parts reach.
TEST(Certified, Rump) {
  System<double> s = system_of<double>(4, 1);
  s.a = {-5046135670319638.,  -3871391041510136.,  -5206336348183639., -6745986988231149.,
         -640032173419322.,   8694411469684959.,   -564323984386760.,  -2807912511823001.,
         -16935782447203334., -18752427538303772., -8188807358110413., -14820968618548534.,
         -1069537498856711.,  -14079150289610606., 7074216604373039.,  7257960283978710.};
  s.b = {1, 2, 3, 4};
  EXPECT_EQ(check(s), HUGE_VAL);
  EXPECT_NE(solve(s).certificate.reason, ACCUBLAS_REASON_OVERFLOW);
}

/// ((k, k + 1), (k + 1, k + 2)) has the determinant -1 and a condition number of 4 k^2. Where its inverse in one part
/// is rounded to a matrix that is singular but for 10^-11, the next one proves nothing either.
TEST(Certified, ConditionsThatTwoPartsReach) {
  Random random(12);
  for (int repetition = 0; repetition < 150; ++repetition) {
    const double k = repetition == 0 ? 1e15 : std::floor(std::pow(10, 15 - 5 * std::fabs(uniform(random))));
    System<double> two = system_of<double>(2, 2);
    two.symmetric = repetition % 2;
    two.a = {k, k + 1, k + 1, k + 2};
    two.b = {1, 3, 2, -5};
    EXPECT_LE(check(two), 4) << k;
  }
}

TEST(Certified, GradedRowsAndColumns) {
  Random random(4);
  for (int repetition = 0; repetition < 60; ++repetition) {
    const bool symmetric = repetition % 3 == 0;
    System<double> s =
        conditioned<double>(random, integer(random, 2, 8), 2, std::pow(10, integer(random, 0, 10)), symmetric);
    std::vector<int> rows, columns;
    for (int i = 0; i < s.n; ++i) {
      rows.push_back(integer(random, -500, 500));
      columns.push_back(symmetric ? rows.back() : integer(random, -500, 500));
    }
    for (int i = 0; i < s.n; ++i) {
      const auto row = static_cast<std::size_t>(i);
      for (int j = 0; j < s.n; ++j)
        s.at(i, j) = std::ldexp(s.at(i, j), rows[row] + columns[static_cast<std::size_t>(j)]);
      for (int c = 0; c < 2; ++c) s.right(i, c) = std::ldexp(s.right(i, c), std::min(rows[row], 300));
    }
    const double largest = check(s, any_form(random));
    if (solve(s).certificate.reason != ACCUBLAS_REASON_OVERFLOW) {
      EXPECT_LE(largest, 4);
    }
  }
}

/// Single entries that differ by hundreds of binary places, so that scaling loses some.
TEST(Certified, ScatteredExponents) {
  Random random(5);
  for (int repetition = 0; repetition < 60; ++repetition) {
    System<double> s = system_of<double>(integer(random, 2, 7), 1);
    for (double& x : s.a) x = std::ldexp(uniform(random), integer(random, -1074, 1000));
    for (double& x : s.b) x = std::ldexp(uniform(random), integer(random, -1074, 1000));
    check(s);
  }
}

TEST(Certified, SingularMatrices) {
  Random random(6);
  for (int repetition = 0; repetition < 100; ++repetition) {
    System<double> s = system_of<double>(integer(random, 1, 9), 1);
    for (double& x : s.a) x = integer(random, -99, 99);
    for (double& x : s.b) x = integer(random, -9, 9);
    // A row is a combination of others, or zero.
    const int row = integer(random, 0, s.n - 1);
    for (int j = 0; j < s.n; ++j) {
      double sum = 0;
      for (int i = 0; i < s.n; ++i) sum += i == row ? 0 : (i + 1) * s.at(i, j);
      s.at(row, j) = sum;
    }
    if (repetition % 2)
      for (int j = 0; j < s.n; ++j) s.at(row, j) *= 0x1p-600;
    EXPECT_EQ(check(s), HUGE_VAL);
  }
  System<double> zero = system_of<double>(3, 1);
  zero.b = {1, 2, 3};
  EXPECT_EQ(check(zero), HUGE_VAL);
  EXPECT_EQ(solve(zero).certificate.reason, ACCUBLAS_REASON_SINGULAR);
}

TEST(Certified, NearlySingular) {
  Random random(7);
  for (int repetition = 0; repetition < 100; ++repetition) {
    const bool symmetric = repetition % 4 == 0;
    System<double> s = system_of<double>(integer(random, 2, 7), 2);
    s.symmetric = symmetric;
    for (int i = 0; i < s.n; ++i)
      for (int j = 0; j < s.n; ++j)
        s.at(i, j) = symmetric ? 1 + (i == j) * 0.25 * integer(random, 0, 1) : integer(random, -9, 9);
    for (int j = 0; j < s.n && !symmetric; ++j) s.at(0, j) = s.at(1, j) * 3;
    const int moved = integer(random, 0, s.n - 1);
    double& x = symmetric ? s.at(moved, moved) : s.at(0, moved);
    x = std::nextafter(x, integer(random, 0, 1) ? HUGE_VAL : -HUGE_VAL);
    for (double& b : s.b) b = integer(random, -9, 9);
    check(s);
  }
}

TEST(Certified, SubnormalNumbers) {
  Random random(8);
  for (int repetition = 0; repetition < 40; ++repetition) {
    System<double> s = system_of<double>(integer(random, 1, 6), 1);
    for (double& x : s.a) x = integer(random, -99, 99) * std::ldexp(1.0, repetition % 2 ? -1074 : -1);
    for (double& x : s.b) x = integer(random, -99, 99) * std::ldexp(1.0, repetition % 4 < 2 ? -1074 : -1060);
    check(s);
  }
}

TEST(Certified, Overflow) {
  System<double> s = system_of<double>(2, 2);
  s.a = {0x1p-600, 0, 0, 1};
  s.b = {0x1p600, 1, 1, 3};
  const Answer<double> answer = solve(s);
  EXPECT_EQ(answer.status, ACCUBLAS_ERROR_NOT_CERTIFIED);
  EXPECT_EQ(answer.certificate.reason, ACCUBLAS_REASON_OVERFLOW);
  EXPECT_EQ(answer.radius[0], HUGE_VAL);
  EXPECT_EQ(answer.x[3], 3);
  EXPECT_LE(answer.radius[3], 0x1p-52);
}

TEST(Certified, InfinitiesAndNaN) {
  for (const double special : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    System<double> s = system_of<double>(2, 2);
    s.a = {2, 1, 1, 3};
    s.b = {1, special, 1, 2};
    const Answer<double> of_b = solve(s);
    EXPECT_EQ(of_b.certificate.reason, ACCUBLAS_REASON_NOT_FINITE);
    for (const std::size_t i : {0, 2}) EXPECT_LT(of_b.radius[i], 1e-15);
    for (const std::size_t i : {1, 3}) EXPECT_EQ(of_b.radius[i], HUGE_VAL);
    s.b[1] = 1;
    s.a[2] = special;
    const Answer<double> of_a = solve(s);
    EXPECT_EQ(of_a.status, ACCUBLAS_ERROR_NOT_CERTIFIED);
    EXPECT_EQ(of_a.certificate.reason, ACCUBLAS_REASON_NOT_FINITE);
    EXPECT_EQ(of_a.certificate.contraction, HUGE_VAL) << "below 1 means that A is regular";
    for (const double radius : of_a.radius) EXPECT_EQ(radius, HUGE_VAL);
  }
}

TEST(Certified, ZerosAndManySides) {
  Random random(9);
  System<double> s = conditioned<double>(random, 3, 150, 10);
  for (int i = 0; i < 3; ++i) s.right(i, 70) = 0;
  EXPECT_LE(check(s, {ACCUBLAS_ROW_MAJOR, ACCUBLAS_UPPER, 2}), 0.51);
  const Answer<double> answer = solve(s);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(answer.x[i * 150 + 70], 0);
    EXPECT_EQ(answer.radius[i * 150 + 70], 0);
  }
  const Answer<double> none = solve(system_of<double>(0, 3));
  EXPECT_EQ(none.status, ACCUBLAS_SUCCESS);
  System<double> no_sides = conditioned<double>(random, 4, 0, 10, true);
  const Answer<double> matrix = solve(no_sides);
  EXPECT_EQ(matrix.status, ACCUBLAS_SUCCESS);
  EXPECT_EQ(matrix.certificate.positive_definite, 1);
  EXPECT_GE(matrix.certificate.condition, 1);
}

/// Matrices of the Harwell-Boeing collection; with a column as right-hand side the solution is known.
TEST(Certified, RealMatrices) {
  for (const char* const name : {"pores_1", "lund_a", "west0479"}) {
    std::ifstream file(std::string(DATA "/") + name + ".mtx");
    ASSERT_TRUE(file) << name;
    std::string line;
    std::getline(file, line);
    const bool symmetric = line.find("symmetric") != std::string::npos;
    while (std::getline(file, line) && line[0] == '%') {
    }
    int n = 0;
    std::istringstream(line) >> n;
    System<double> s = system_of<double>(n, 2);
    int i = 0, j = 0;
    for (double value = 0; file >> i >> j >> value;) {
      s.at(i - 1, j - 1) = value;
      if (symmetric) s.at(j - 1, i - 1) = value;
    }
    s.symmetric = symmetric;
    for (i = 0; i < n; ++i) {
      s.right(i, 0) = s.at(i, 3);
      s.right(i, 1) = -4 * s.at(i, n - 1);
    }
    const Answer<double> answer = solve(s);
    EXPECT_EQ(answer.status, ACCUBLAS_SUCCESS) << name;
    for (i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(2 * i);
      EXPECT_LE(std::fabs(answer.x[at] - (i == 3)), answer.radius[at]) << name;
      EXPECT_LE(std::fabs(answer.x[at + 1] + 4 * (i == n - 1)), answer.radius[at + 1]) << name;
      EXPECT_LE(answer.radius[at], 1e-15);
    }
    if (symmetric) {
      EXPECT_EQ(answer.certificate.positive_definite, 1) << name;
    }
    if (n < 50) check(s);
  }
}

/// Checks that the bits are the same for every number of threads, and for every instruction set: meson.build runs this
/// test on several.
TEST(Certified, BitsAreDefined) {
  std::uint64_t sum = 0;
  for (const int threads : {1, 2, 3}) {
    std::uint64_t hash = 14695981039346656037u;
    Random random(10);
    for (const double condition : {1e2, 1e10, 1e17}) {
      System<double> s = system_of<double>(80, 3);
      for (double& x : s.a) x = std::ldexp(static_cast<double>(random() >> 11), -53) - 0.5;
      for (double& x : s.b) x = std::ldexp(static_cast<double>(random() >> 11), -53);
      for (int j = 0; j < s.n; ++j) s.at(0, j) = s.at(1, j) + s.at(0, j) / condition;
      for (const char* const mode : {"cr", "dp:repro"}) {
        accublas_options options = ACCUBLAS_OPTIONS_INIT;
        options.mode_name = mode;
        options.num_threads = threads;
        const Answer<double> answer = solve(s, {}, &options);
        EXPECT_EQ(answer.status, ACCUBLAS_SUCCESS) << condition;
        for (const std::vector<double>& values : {answer.x, answer.radius})
          for (const double& value : values) {
            std::uint64_t bits;
            std::memcpy(&bits, &value, sizeof bits);
            hash = (hash ^ bits) * 1099511628211u;
          }
      }
    }
    if (sum == 0) sum = hash;
    EXPECT_EQ(hash, sum) << threads << " threads";
  }
  EXPECT_EQ(sum, 15751804284425058717u);
}

TEST(Certified, BadArguments) {
  double a[4] = {2, 0, 0, 2}, b[2] = {1, 1}, x[2], r[2];
  const auto message = [](accublas_status status) {
    EXPECT_EQ(status, ACCUBLAS_ERROR_ARGUMENT);
    return std::string(accublas_last_error(nullptr));
  };
  const auto general = [&](accublas_layout layout, int n, int m, int lda, int ldb, int ldx, int ldr) {
    return message(accublas_dgesv_certified(nullptr, layout, n, m, a, lda, b, ldb, x, ldx, r, ldr, nullptr));
  };
  const auto names = [](const std::string& text, const char* name) {
    EXPECT_NE(text.find("argument " + std::string(name) + " "), std::string::npos) << text;
  };
  names(general(100, 2, 1, 2, 2, 2, 2), "layout");
  names(general(ACCUBLAS_COL_MAJOR, -1, 1, 2, 2, 2, 2), "n");
  names(general(ACCUBLAS_COL_MAJOR, 2, -1, 2, 2, 2, 2), "nrhs");
  names(general(ACCUBLAS_COL_MAJOR, 2, 1, 1, 2, 2, 2), "lda");
  names(general(ACCUBLAS_COL_MAJOR, 2, 1, 2, 1, 2, 2), "ldb");
  names(general(ACCUBLAS_COL_MAJOR, 2, 1, 2, 2, 1, 2), "ldx");
  names(general(ACCUBLAS_COL_MAJOR, 2, 1, 2, 2, 2, 1), "ldr");
  names(general(ACCUBLAS_ROW_MAJOR, 2, 2, 2, 1, 2, 2), "ldb");
  names(message(accublas_dposv_certified(nullptr, ACCUBLAS_COL_MAJOR, 0, 2, 1, a, 2, b, 2, x, 2, r, 2, nullptr)),
        "uplo");
  const auto with = [&](const double* ga, const double* gb, double* gx, double* gr) {
    return message(accublas_dgesv_certified(nullptr, ACCUBLAS_COL_MAJOR, 2, 1, ga, 2, gb, 2, gx, 2, gr, 2, nullptr));
  };
  names(with(nullptr, b, x, r), "a");
  names(with(a, nullptr, x, r), "b");
  names(with(a, b, nullptr, r), "x");
  names(with(a, b, x, nullptr), "radius");
  accublas_certificate_t certificate{};
  names(message(accublas_dgesv_certified(nullptr, ACCUBLAS_COL_MAJOR, 2, 1, a, 2, b, 2, x, 2, r, 2, &certificate)),
        "certificate");
  accublas_options options = ACCUBLAS_OPTIONS_INIT;
  options.mode_name = "fixed:70";
  EXPECT_EQ(accublas_dgesv_certified_ex(nullptr, ACCUBLAS_COL_MAJOR, 2, 1, a, 2, b, 2, x, 2, r, 2, nullptr, &options),
            ACCUBLAS_ERROR_MODE);
  EXPECT_EQ(accublas_dgesv_certified(nullptr, ACCUBLAS_COL_MAJOR, 2, 1, a, 2, b, 2, x, 2, r, 2, nullptr),
            ACCUBLAS_SUCCESS);
  EXPECT_EQ(x[0], 0.5);
}

/// Settings of the context change no proof, and are as they were.
TEST(Certified, Settings) {
  Random random(11);
  const System<double> s = conditioned<double>(random, 5, 1, 1e5);
  const bool device = accublas_set_pointer_mode(nullptr, ACCUBLAS_POINTER_DEVICE) == ACCUBLAS_SUCCESS;
  accublas_set_engine(nullptr, ACCUBLAS_ENGINE_DOT2);
  accublas_set_target(nullptr, 1e-30);
  EXPECT_LE(check(s), 0.51);
  const double x = 1;
  double result = 0;
  EXPECT_EQ(accublas_ddot(nullptr, 1, &x, 1, &x, 1, &result), ACCUBLAS_ERROR_ENGINE);
  accublas_set_engine(nullptr, ACCUBLAS_ENGINE_AUTO);
  accublas_set_target(nullptr, 0);
  EXPECT_EQ(accublas_ddot(nullptr, 1, &x, 1, &x, 1, &result), device ? ACCUBLAS_ERROR_POINTERS : ACCUBLAS_SUCCESS);
  accublas_set_pointer_mode(nullptr, ACCUBLAS_POINTER_HOST);
}

}  // namespace
