// Certified eigenvalues of a part of a spectrum: matrices with exactly known spectra, and proved counts against exact
// ones.
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <string>

#include "test/certified/spectra.hpp"

namespace {

#define PART_NAME(E, T, name)                                                                                          \
  accublas_status syevx(accublas_layout l, accublas_job j, accublas_range range, accublas_uplo u, int64_t n,           \
                        const E* a, int64_t lda, double vl, double vu, int64_t il, int64_t iu, int64_t* found, T* w,   \
                        T* r, E* v, int64_t ldv, T* angle, int64_t* cluster, accublas_certificate_t* c) {              \
    return accublas_##name##_certified(nullptr, l, j, range, u, n, a, lda, vl, vu, il, iu, found, w, r, v, ldv, angle, \
                                       cluster, c);                                                                    \
  }
PART_NAME(double, double, dsyevx)
PART_NAME(float, float, ssyevx)
PART_NAME(std::complex<double>, double, zheevx)
PART_NAME(std::complex<float>, float, cheevx)

/// The eigenvalues that are asked for.
struct Range {
  accublas_range range;
  double vl = 0, vu = 0;
  int il = 1, iu = 0;
};
Range all() { return {ACCUBLAS_ALL}; }
Range interval(double vl, double vu) { return {ACCUBLAS_INTERVAL, vl, vu}; }
Range indices(int il, int iu) { return {ACCUBLAS_INDICES, 0, 0, il, iu}; }

/// The results have as much room as accublas.h demands. Elements after the first *found must stay as they were.
template <class E>
Eigen<E> eigen_part(const Hermitian<E>& h, const Range& range, const Form& form = {},
                    accublas_job job = ACCUBLAS_VECTORS) {
  using T = RealOf<E>;
  constexpr T before = 7;
  const bool columns = form.layout == ACCUBLAS_COL_MAJOR;
  const int n = h.n, most = range.range == ACCUBLAS_INDICES ? range.iu - range.il + 1 : n;
  const int lda = std::max(1, n) + form.pad, ldv = std::max(1, columns ? n : most) + form.pad;
  const auto place = [&](int i, int j, int ld) { return static_cast<std::size_t>(columns ? i + j * ld : i * ld + j); };
  std::vector<E> a(static_cast<std::size_t>(lda * n), number<E>(std::nan(""))),
      v(static_cast<std::size_t>(ldv * (columns ? most : n)), number<E>(before));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (form.uplo == ACCUBLAS_UPPER ? i <= j : i >= j)
        a[place(i, j, lda)] = i == j ? number<E>(std::real(h.at(i, i)), std::nan("")) : h.at(i, j);
  const auto size = static_cast<std::size_t>(most);
  std::vector<T> w(size, before), radius = w, angle = w;
  std::vector<std::int64_t> cluster(size, 77);
  std::int64_t found = -1;
  Eigen<E> answer{};
  answer.certificate.struct_size = sizeof answer.certificate;
  answer.status =
      syevx(form.layout, job, range.range, form.uplo, n, a.data(), lda, range.vl, range.vu, range.il, range.iu, &found,
            w.data(), radius.data(), v.data(), ldv, angle.data(), cluster.data(), &answer.certificate);
  EXPECT_TRUE(found >= 0 && found <= most) << accublas_last_error(nullptr);
  const auto count = static_cast<std::size_t>(std::clamp<std::int64_t>(found, 0, most));
  const bool vectors = job == ACCUBLAS_VECTORS;
  for (std::size_t k = 0; k < size; ++k) {
    const bool number_written = k < count, vector_written = number_written && vectors;
    EXPECT_TRUE(number_written || (w[k] == before && radius[k] == before)) << k;
    EXPECT_TRUE(vector_written || (angle[k] == before && cluster[k] == 77)) << k;
    for (int i = 0; i < n && !vector_written; ++i)
      EXPECT_EQ(v[place(i, static_cast<int>(k), ldv)], number<E>(before)) << i << " " << k;
  }
  answer.w.assign(w.begin(), w.begin() + static_cast<std::ptrdiff_t>(count));
  answer.radius.assign(radius.begin(), radius.begin() + static_cast<std::ptrdiff_t>(count));
  answer.angle.assign(angle.begin(), angle.begin() + static_cast<std::ptrdiff_t>(count));
  answer.cluster.assign(cluster.begin(), cluster.begin() + static_cast<std::ptrdiff_t>(count));
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < static_cast<int>(count); ++k) answer.v.push_back(v[place(i, k, ldv)]);
  return answer;
}

/// The results are those of eigenvalues first .. of a known matrix, counted from 0.
template <class E>
void check_part(const Known<E>& known, const Eigen<E>& answer, std::size_t first, bool vectors = true) {
  for (std::size_t k = 0; k < answer.w.size(); ++k) {
    const mpq_class value = known.values[first + k];
    const mpq_class error = abs(mpq_class(static_cast<double>(answer.w[k])) - value);
    EXPECT_TRUE(error <= mpq_class(static_cast<double>(answer.radius[k]))) << "false radius: " << answer.w[k];
    if (!vectors) continue;
    // The number of the first eigenvalue that is the same: distinct integers are proved to differ.
    const auto same = std::lower_bound(known.values.begin(), known.values.end(), known.values[first + k]);
    EXPECT_EQ(answer.cluster[k], same - known.values.begin() + 1);
    std::vector<E> column;
    for (std::size_t i = 0; i < 8; ++i) column.push_back(answer.v[i * answer.w.size() + k]);
    const mpq_class angle = static_cast<double>(answer.angle[k]);
    const auto in_cluster = [&](std::size_t j) { return known.values[j] == known.values[first + k]; };
    EXPECT_TRUE(known.squared_sine(column, in_cluster) <= angle * angle) << "false angle: " << answer.angle[k];
    EXPECT_LE(answer.angle[k], 4 * std::numeric_limits<RealOf<E>>::epsilon());
  }
}

std::vector<double> integers_of(Random& random, int repetition) {
  std::vector<double> values;
  for (int k = 0; k < 8; ++k) values.push_back(integer(random, -50, 50));
  if (repetition % 2) values[0] = values[1] = values[2];
  if (repetition % 5 == 0) values[3] = values[4] = 0;
  return values;
}

template <class E>
class PartTypes : public testing::Test {};
using Types = testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(PartTypes, Types);

/// Ends between integers, far away, at infinity, and the nearest numbers beside an eigenvalue.
TYPED_TEST(PartTypes, Intervals) {
  Random random(1);
  int empty = 0;
  for (int repetition = 0; repetition < cases(100); ++repetition) {
    const Known<TypeParam> known(random, integers_of(random, repetition));
    const auto end = [&]() -> double {
      switch (integer(random, 0, 4)) {
        case 0:
          return integer(random, 0, 1) ? HUGE_VAL : -HUGE_VAL;
        case 1:
          return integer(random, 0, 1) ? 1e300 : -1e300;
        case 2: {
          const double value = known.values[static_cast<std::size_t>(integer(random, 0, 7))];
          return std::nextafter(value, integer(random, 0, 1) ? HUGE_VAL : -HUGE_VAL);
        }
        default:
          return integer(random, -52, 52) + 0.5;
      }
    };
    double vl = end(), vu = end();
    if (vl > vu) std::swap(vl, vu);
    // The numbers beside zero are below the radii of zero.
    if (vl == vu || (std::fabs(vl) < 1e-300) || (std::fabs(vu) < 1e-300)) continue;
    const bool vectors = repetition % 3 != 0;
    const auto answer =
        eigen_part(known.h, interval(vl, vu), any_form(random), vectors ? ACCUBLAS_VECTORS : ACCUBLAS_VALUES);
    ASSERT_EQ(answer.status, ACCUBLAS_SUCCESS) << accublas_last_error(nullptr) << " " << vl << " " << vu;
    const auto first = std::upper_bound(known.values.begin(), known.values.end(), vl) - known.values.begin();
    const auto last = std::upper_bound(known.values.begin(), known.values.end(), vu) - known.values.begin();
    ASSERT_EQ(static_cast<std::ptrdiff_t>(answer.w.size()), last - first) << vl << " " << vu;
    empty += answer.w.empty();
    check_part(known, answer, static_cast<std::size_t>(first), vectors);
  }
  EXPECT_GT(empty, 0);
}

/// An eigenvalue on an end is not proved to lie inside or outside, and is returned.
TYPED_TEST(PartTypes, EndsOnEigenvalues) {
  Random random(2);
  for (int repetition = 0; repetition < cases(40); ++repetition) {
    const Known<TypeParam> known(random, integers_of(random, repetition));
    const double on = known.values[static_cast<std::size_t>(integer(random, 0, 7))];
    const bool lower = integer(random, 0, 1);
    const Range range = lower ? interval(on, on + 10.5) : interval(on - 10.5, on);
    const auto answer = eigen_part(known.h, range, any_form(random));
    EXPECT_EQ(answer.status, ACCUBLAS_ERROR_NOT_CERTIFIED);
    EXPECT_EQ(answer.certificate.reason, ACCUBLAS_REASON_INTERVAL);
    EXPECT_NE(std::string(accublas_last_error(nullptr)).find("interval"), std::string::npos);
    const auto first = std::lower_bound(known.values.begin(), known.values.end(), range.vl) - known.values.begin();
    const auto last = std::upper_bound(known.values.begin(), known.values.end(), range.vu) - known.values.begin();
    ASSERT_EQ(static_cast<std::ptrdiff_t>(answer.w.size()), last - first);
    check_part(known, answer, static_cast<std::size_t>(first));
  }
}

TYPED_TEST(PartTypes, Indices) {
  Random random(3);
  for (int repetition = 0; repetition < cases(40); ++repetition) {
    const Known<TypeParam> known(random, integers_of(random, repetition));
    const int il = integer(random, 1, 8), iu = repetition % 3 == 0 ? il : integer(random, il, 8);
    const auto answer = eigen_part(known.h, indices(il, iu), any_form(random));
    ASSERT_EQ(answer.status, ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
    ASSERT_EQ(static_cast<int>(answer.w.size()), iu - il + 1);
    check_part(known, answer, static_cast<std::size_t>(il - 1));
  }
}

/// The whole spectrum has the bits of syev_certified.
TYPED_TEST(PartTypes, All) {
  Random random(4);
  for (int repetition = 0; repetition < cases(20); ++repetition) {
    const Known<TypeParam> known(random, integers_of(random, repetition));
    const Form form = any_form(random);
    const auto whole = eigen(known.h, form);
    for (const Range& range : {all(), interval(-HUGE_VAL, HUGE_VAL), indices(1, 8)}) {
      const auto answer = eigen_part(known.h, range, form);
      EXPECT_EQ(answer.status, ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
      EXPECT_EQ(answer.w, whole.w);
      EXPECT_EQ(answer.radius, whole.radius);
      EXPECT_EQ(answer.angle, whole.angle);
      EXPECT_EQ(answer.cluster, whole.cluster);
      EXPECT_EQ(answer.v, whole.v);
    }
  }
}

/// Counts that are called proved are right, wherever the ends lie: on the numbers that come back, next to them, and at
/// random, for matrices of every scale. The exact counts follow from Sylvester's law of inertia.
TYPED_TEST(PartTypes, ProvedCounts) {
  using T = RealOf<TypeParam>;
  Random random(5);
  constexpr int parts = is_complex<TypeParam> ? 2 : 1;
  const int widest = sizeof(T) == 4 ? 120 : 1000;
  int proved = 0, open = 0;
  for (int repetition = 0; repetition < cases(150); ++repetition) {
    const int n = integer(random, 1, is_complex<TypeParam> ? 4 : 6), e = integer(random, -widest, widest);
    Hermitian<TypeParam> h(n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) {
        const auto entry = [&] {
          return repetition % 2 ? integer(random, -1, 1) : uniform(random);  // integers: multiple eigenvalues
        };
        h.set(i, j, std::ldexp(entry(), e), std::ldexp(entry(), e));
      }
    const auto whole = eigen(h);
    ASSERT_EQ(whole.status, ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
    const auto end = [&] {
      const auto k = static_cast<std::size_t>(integer(random, 0, n - 1));
      const double w = static_cast<double>(whole.w[k]), r = static_cast<double>(whole.radius[k]);
      double x = integer(random, 0, 1) ? w + r * integer(random, -2, 2) : std::ldexp(uniform(random), e + 1);
      for (int step = integer(random, -2, 2); step != 0; step += step < 0 ? 1 : -1)
        x = std::nextafter(x, step < 0 ? -HUGE_VAL : HUGE_VAL);
      return x;
    };
    double vl = end(), vu = end();
    if (vl > vu) std::swap(vl, vu);
    if (vl == vu) continue;
    const auto answer = eigen_part(h, interval(vl, vu), any_form(random));
    const SymmetricMatrix exact = symmetric_of(h);
    const Inertia lower = exact.around(vl, 0), upper = exact.around(vu, 0);
    const int first = (lower.below + lower.equal) / parts, last = (upper.below + upper.equal) / parts;
    const auto count = static_cast<int>(answer.w.size());
    if (answer.status == ACCUBLAS_SUCCESS) {
      EXPECT_EQ(count, last - first) << "false count in (" << vl << ", " << vu << "]";
      ++proved;
    } else {
      ASSERT_EQ(answer.certificate.reason, ACCUBLAS_REASON_INTERVAL) << accublas_last_error(nullptr);
      EXPECT_GE(count, last - first);
      ++open;
    }
    for (int k = 0; k < count && answer.status == ACCUBLAS_SUCCESS; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const double w = static_cast<double>(answer.w[at]), r = static_cast<double>(answer.radius[at]);
      const Inertia low = exact.around(w, -r), high = exact.around(w, r);
      EXPECT_LE(low.below, parts * (first + k)) << "false: w(" << k << ") = " << w << " - " << r;
      EXPECT_GE(high.below + high.equal, parts * (first + k + 1)) << "false: w(" << k << ") = " << w << " + " << r;
    }
  }
  std::printf("%d counts proved, %d not\n", proved, open);
  EXPECT_GT(proved, open);
}

/// An end of the interval between two close multiple eigenvalues is decided.
TEST(Part, BetweenClusters) {
  Random random(6);
  for (int bits = 5; bits <= 40; bits += 5) {
    const double step = std::ldexp(1, -bits);
    const Known<double> known(random, {1, 1, 1 + step, 1 + step, 1 + step, 2, 3, 4});
    const auto answer = eigen_part(known.h, interval(1 + step / 2, 2.5), any_form(random));
    ASSERT_EQ(answer.status, ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
    ASSERT_EQ(answer.w.size(), 4U);
    check_part(known, answer, 2);
  }
}

TEST(Part, SmallOrders) {
  const Hermitian<double> none(0);
  for (const Range& range : {all(), interval(-1, 1), indices(1, 0)}) {
    const auto answer = eigen_part(none, range);
    EXPECT_EQ(answer.status, ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
    EXPECT_EQ(answer.certificate.reason, ACCUBLAS_REASON_NONE);
  }
  Hermitian<std::complex<double>> one(1);
  one.set(0, 0, 3);
  EXPECT_EQ(eigen_part(one, all()).w.at(0), 3);
  EXPECT_EQ(eigen_part(one, indices(1, 1)).w.at(0), 3);
  EXPECT_EQ(eigen_part(one, interval(2, 4)).w.at(0), 3);
  EXPECT_TRUE(eigen_part(one, interval(3.5, HUGE_VAL)).w.empty());
  EXPECT_TRUE(eigen_part(one, interval(-HUGE_VAL, 2)).w.empty());
  EXPECT_EQ(eigen_part(one, interval(3, 4)).certificate.reason, ACCUBLAS_REASON_INTERVAL);
}

#if defined(__SSE2__)
/// Subnormal ends of an interval differ whatever the caller's treatment of subnormal numbers.
TEST(Part, SubnormalEnds) {
  Hermitian<double> one(1);
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040);  // FTZ and DAZ
  const auto answer = eigen_part(one, interval(-0x1p-1074, 0x1p-1074));
  _mm_setcsr(before);
  EXPECT_NE(answer.status, ACCUBLAS_ERROR_ARGUMENT) << accublas_last_error(nullptr);
  EXPECT_EQ(answer.w.size(), 1U);
}
#endif

/// A single-precision result is rounded, but its count comes from the bounds before that.
TEST(Part, SinglePrecisionEnds) {
  Hermitian<float> h(2);
  h.set(0, 0, 1);
  h.set(1, 1, 1);
  h.set(1, 0, 0x1p-30);  // 1 - 2^-30 and 1 + 2^-30, which single precision rounds to 1
  const auto answer = eigen_part(h, interval(1, 2));
  ASSERT_EQ(answer.status, ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
  ASSERT_EQ(answer.w.size(), 1U);
  EXPECT_EQ(answer.w[0], 1);
  EXPECT_GE(answer.radius[0], 0x1p-30F);
  EXPECT_EQ(answer.cluster[0], 2);
}

/// Only eigenvalues that are returned count for the status.
TEST(Part, Overflow) {
  Hermitian<double> h(2);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j <= i; ++j) h.set(i, j, 0x1.fp1023);  // 0, and a number beyond the largest
  for (const Range& range : {indices(1, 1), interval(-1e300, 1e300)}) {
    const auto answer = eigen_part(h, range);
    EXPECT_EQ(answer.status, ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
    ASSERT_EQ(answer.w.size(), 1U);
    EXPECT_LE(std::fabs(answer.w[0]), answer.radius[0]);
  }
  for (const Range& range :
       {indices(2, 2), interval(0x1p1023, HUGE_VAL), interval(std::numeric_limits<double>::max(), HUGE_VAL)}) {
    const auto answer = eigen_part(h, range);
    EXPECT_EQ(answer.status, ACCUBLAS_ERROR_NOT_CERTIFIED);
    EXPECT_EQ(answer.certificate.reason, ACCUBLAS_REASON_OVERFLOW);
    ASSERT_EQ(answer.w.size(), 1U);
    EXPECT_EQ(answer.radius[0], HUGE_VAL);
  }
}

/// Ends that scaling rounds: the matrix is large, and the ends are the smallest numbers; and the reverse.
TEST(Part, EndsFarFromTheMatrix) {
  Hermitian<double> h(2);
  h.set(0, 0, -0x1p1000);
  h.set(1, 1, 0x1p1000);
  EXPECT_EQ(eigen_part(h, interval(-0x1p-1074, 0x1p-1074)).w.size(), 0U);
  EXPECT_EQ(eigen_part(h, interval(0x1p-1074, 0x1p1001)).w.size(), 1U);
  h.set(0, 0, -0x1p-1000);
  h.set(1, 1, 0x1p-1000);
  EXPECT_EQ(eigen_part(h, interval(-0x1p1000, 0x1p1023)).w.size(), 2U);
  EXPECT_EQ(eigen_part(h, interval(0x1p-1010, 0x1p-999)).w.size(), 1U);
}

TEST(Part, InfinitiesAndNaN) {
  for (const double special : {HUGE_VAL, std::nan("")}) {
    Hermitian<double> h(3);
    h.set(2, 1, special);
    for (const auto& [range, count] : {std::pair{interval(-1, 1), 3U}, {indices(2, 3), 2U}, {all(), 3U}}) {
      const auto answer = eigen_part(h, range);
      EXPECT_EQ(answer.status, ACCUBLAS_ERROR_NOT_CERTIFIED);
      EXPECT_EQ(answer.certificate.reason, ACCUBLAS_REASON_NOT_FINITE);
      ASSERT_EQ(answer.w.size(), count);
      for (std::size_t k = 0; k < count; ++k)
        EXPECT_TRUE(std::isnan(answer.w[k]) && std::isnan(answer.v[k]) && std::isinf(answer.radius[k]));
    }
  }
}

TEST(Part, BadArguments) {
  const double a[4] = {2, 0, 0, 3};
  double w[2] = {7, 7}, r[2], v[4], angle[2];
  std::int64_t cluster[2], found = -5;
  const auto refused = [&](const Range& range, const char* name, int n = 2, std::int64_t* count = nullptr, int ldv = 2,
                           accublas_layout layout = ACCUBLAS_ROW_MAJOR) {
    EXPECT_EQ(
        accublas_dsyevx_certified(nullptr, layout, ACCUBLAS_VECTORS, range.range, ACCUBLAS_LOWER, n, a, 2, range.vl,
                                  range.vu, range.il, range.iu, count, w, r, v, ldv, angle, cluster, nullptr),
        ACCUBLAS_ERROR_ARGUMENT);
    const std::string text = accublas_last_error(nullptr);
    EXPECT_NE(text.find("argument " + std::string(name) + " "), std::string::npos) << text;
    EXPECT_EQ(w[0], 7);
    EXPECT_EQ(found, -5);
  };
  const double nan = std::nan("");
  refused({0}, "range", 2, &found);
  refused({164}, "range", 2, &found);
  refused(interval(nan, 1), "vl", 2, &found);
  refused(interval(1, nan), "vu", 2, &found);
  refused(interval(1, 1), "vu", 2, &found);
  refused(interval(2, 1), "vu", 2, &found);
  refused(interval(HUGE_VAL, HUGE_VAL), "vu", 2, &found);
  refused(indices(0, 1), "il", 2, &found);
  refused(indices(3, 3), "il", 2, &found);
  refused(indices(2, 1), "iu", 2, &found);
  refused(indices(1, 3), "iu", 2, &found);
  refused(indices(2, 0), "il", 0, &found);
  refused(indices(1, 1), "iu", 0, &found);
  refused(all(), "found");
  refused(interval(0, 5), "ldv", 2, &found, 1);
  refused(indices(1, 2), "ldv", 2, &found, 1);
  refused(indices(1, 1), "ldv", 2, &found, 1, ACCUBLAS_COL_MAJOR);
  // Without vectors their arguments may be null, and a range has no use for the other one's.
  EXPECT_EQ(accublas_dsyevx_certified(nullptr, ACCUBLAS_ROW_MAJOR, ACCUBLAS_VALUES, ACCUBLAS_INTERVAL, ACCUBLAS_LOWER,
                                      2, a, 2, 2.5, 3.5, -1, -1, &found, w, r, nullptr, 0, nullptr, nullptr, nullptr),
            ACCUBLAS_SUCCESS);
  EXPECT_EQ(found, 1);
  EXPECT_EQ(w[0], 3);
  EXPECT_EQ(w[1], 7);
  EXPECT_EQ(accublas_dsyevx_certified(nullptr, ACCUBLAS_ROW_MAJOR, ACCUBLAS_VALUES, ACCUBLAS_INDICES, ACCUBLAS_LOWER, 2,
                                      a, 2, nan, nan, 1, 1, &found, w, r, nullptr, 0, nullptr, nullptr, nullptr),
            ACCUBLAS_SUCCESS);
  EXPECT_EQ(w[0], 2);
}

}  // namespace
