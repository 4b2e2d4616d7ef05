// The modes of the int8 engine written from docs/modes.md in GMP integers and MPFR; shares nothing with the library.
#pragma once

#include <gmp.h>
#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace accublas_test {

/// A signed integer of any size.
class Integer {
 public:
  Integer() { mpz_init(z_); }
  explicit Integer(long v) { mpz_init_set_si(z_, v); }
  Integer(const Integer& o) { mpz_init_set(z_, o.z_); }
  Integer& operator=(const Integer& o) {
    mpz_set(z_, o.z_);
    return *this;
  }
  ~Integer() { mpz_clear(z_); }
  void add_product(const Integer& a, const Integer& b) { mpz_addmul(z_, a.z_, b.z_); }
  mpz_t z_;
};

/// x = result * 2^exponent for a finite x.
inline long mantissa_of(double x, int& exponent) {
  const double f = std::frexp(x, &exponent);
  exponent -= 53;
  return static_cast<long>(std::ldexp(f, 53));
}

/// floor, ceil or nearest-even of x 2^shift.
enum class Direction { floor, ceil, even };
inline Integer scaled(double x, long shift, Direction direction) {
  int e;
  Integer r(mantissa_of(x, e));
  const long s = e + shift;
  if (s >= 0) {
    mpz_mul_2exp(r.z_, r.z_, static_cast<unsigned long>(s));
    return r;
  }
  const unsigned long down = static_cast<unsigned long>(-s);
  if (direction == Direction::floor) mpz_fdiv_q_2exp(r.z_, r.z_, down);
  if (direction == Direction::ceil) mpz_cdiv_q_2exp(r.z_, r.z_, down);
  if (direction == Direction::even) {
    Integer twice;  // 2 floor(v) + (1 if above), compared with 2 v
    mpz_fdiv_q_2exp(twice.z_, r.z_, down);
    Integer rest;
    mpz_mul_2exp(rest.z_, twice.z_, down);
    mpz_sub(rest.z_, r.z_, rest.z_);
    mpz_mul_2exp(rest.z_, rest.z_, 1);
    Integer one(1);
    mpz_mul_2exp(one.z_, one.z_, down);
    const int c = mpz_cmp(rest.z_, one.z_);
    if (c > 0 || (c == 0 && mpz_odd_p(twice.z_))) mpz_add_ui(twice.z_, twice.z_, 1);
    return twice;
  }
  return r;
}

/// Least E with abs(x) < 2^E for all x; 0 for zeros.
template <class T>
int exponent_of(const std::vector<T>& line) {
  double most = 0;
  for (T x : line) most = std::max(most, std::fabs(static_cast<double>(x)));
  int e = 0;
  if (most > 0) std::frexp(most, &e);
  return e;
}

/// RN(alpha s 2^exponent + beta c).
template <class T>
T rounded(const Integer& s, long exponent, T alpha, T beta, T c) {
  mpfr_t x, y;
  mpfr_inits2(20000, x, y, static_cast<mpfr_ptr>(nullptr));
  mpfr_set_z_2exp(x, s.z_, exponent, MPFR_RNDN);
  mpfr_mul_d(x, x, static_cast<double>(alpha), MPFR_RNDN);
  if (beta != 0) {
    mpfr_set_d(y, static_cast<double>(beta), MPFR_RNDN);
    mpfr_mul_d(y, y, static_cast<double>(c), MPFR_RNDN);
    mpfr_add(x, x, y, MPFR_RNDN);
  }
  T r = sizeof(T) == 8 ? static_cast<T>(mpfr_get_d(x, MPFR_RNDN)) : static_cast<T>(mpfr_get_flt(x, MPFR_RNDN));
  if (mpfr_zero_p(x)) r = 0;
  mpfr_clears(x, y, static_cast<mpfr_ptr>(nullptr));
  return r;
}

/// A line scaled to T bits.
template <class T>
struct ScaledLine {
  int exponent;
  std::vector<Integer> values;
  ScaledLine(const std::vector<T>& line, int t) : exponent(exponent_of(line)) {
    for (T x : line) values.push_back(scaled(static_cast<double>(x), t - exponent, Direction::even));
  }
};

template <class T>
T fixed_element(const ScaledLine<T>& x, const ScaledLine<T>& y, int t, T alpha, T beta, T c) {
  Integer s;
  for (std::size_t p = 0; p < x.values.size(); ++p) s.add_product(x.values[p], y.values[p]);
  return rounded(s, long{x.exponent} + y.exponent - 2 * t, alpha, beta, c);
}

/// The certificate's rung of an element: T_ij, or 0 where none suffices.
template <class T>
int certificate_rung(const std::vector<T>& x, const std::vector<T>& y) {
  const std::vector<int> rungs =
      sizeof(T) == 8 ? std::vector<int>{48, 50, 53, 56, 60, 64} : std::vector<int>{21, 24, 27, 32, 40};
  const int v = sizeof(T) == 8 ? 53 : 24;
  const long k = static_cast<long>(x.size());
  const int e = exponent_of(x), f = exponent_of(y);
  Integer sums, dot;
  for (long p = 0; p < k; ++p) {
    const double a = std::fabs(static_cast<double>(x[p])), b = std::fabs(static_cast<double>(y[p]));
    Integer la = scaled(a, 24 - e, Direction::ceil), lb = scaled(b, 24 - f, Direction::ceil);
    mpz_add(sums.z_, sums.z_, la.z_);
    mpz_add(sums.z_, sums.z_, lb.z_);
    if (k <= 1024 || p / 128 % 8 == 0) {
      Integer ba = scaled(a, 7 - e, Direction::floor), bb = scaled(b, 7 - f, Direction::floor);
      if (mpz_cmp_si(ba.z_, 127) > 0) mpz_set_si(ba.z_, 127);
      if (mpz_cmp_si(bb.z_, 127) > 0) mpz_set_si(bb.z_, 127);
      dot.add_product(ba, bb);
    }
  }
  auto lossless = [](const std::vector<T>& line, int exponent, int t) {
    for (T a : line) {
      const Integer lo = scaled(static_cast<double>(a), t - exponent, Direction::floor);
      const Integer hi = scaled(static_cast<double>(a), t - exponent, Direction::ceil);
      if (mpz_cmp(lo.z_, hi.z_) != 0) return false;
    }
    return true;
  };
  for (int t : rungs) {
    if (lossless(x, e, t) && lossless(y, f, t)) return t;
    // Times 2^40, so that every power is an integer.
    Integer left(sums), right(dot), terms(k);
    mpz_mul_2exp(left.z_, left.z_, static_cast<unsigned long>(t - 23 + 40));
    mpz_mul_2exp(terms.z_, terms.z_, 40);
    mpz_add(left.z_, left.z_, terms.z_);
    mpz_mul_si(right.z_, right.z_, k + 1);
    mpz_mul_2exp(right.z_, right.z_, static_cast<unsigned long>(2 * t - 12 - v + 40));
    if (mpz_cmp(left.z_, right.z_) <= 0) return t;
  }
  return 0;
}

/// Random entries of the kinds that break things.
enum class Data { phi0, phi1, phi4, phi10, few_bits, graded, triangular, cancelling, subnormal, tiny, huge, count };

template <class T>
std::vector<T> random_entries(Data data, long rows, long k, bool is_b, std::mt19937_64& g) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  std::vector<T> x(static_cast<std::size_t>(rows * k));
  for (long i = 0; i < rows; ++i) {
    for (long p = 0; p < k; ++p) {
      double v = uniform(g);
      switch (data) {
        case Data::phi1:
          v *= std::exp(normal(g));
          break;
        case Data::phi4:
          v *= std::exp(std::min(4 * normal(g), 60.0));
          break;
        case Data::phi10:
          v *= std::exp(std::clamp(10 * normal(g), -60.0, 60.0));
          break;
        case Data::few_bits:
          v = std::ldexp(std::rint(std::ldexp(v, 28)), -28 - static_cast<int>(g() % 3));
          break;
        case Data::graded:
          v = std::ldexp(v, static_cast<int>(is_b ? p % 60 : -(p % 60)));
          break;
        case Data::triangular:
          v = (is_b ? p <= i : p >= i) ? v : 0;
          break;
        case Data::cancelling:
          v = (p % 2 != 0 && is_b ? -1 : 1) * (1 + std::ldexp(static_cast<double>(g() % 8), -40));
          break;
        case Data::subnormal:
          v = std::ldexp(v, is_b ? -10 : sizeof(T) == 8 ? -1060 : -140);
          break;
        case Data::tiny:
          v = std::ldexp(v, (sizeof(T) == 8 ? -530 : -70) + static_cast<int>(g() % 20));
          break;
        case Data::huge:
          v = std::ldexp(v, (sizeof(T) == 8 ? 505 : 58) + static_cast<int>(g() % 10));
          break;
        default:
          break;
      }
      if (data == Data::phi4 && g() % 5 == 0) v = 0;
      if (g() % 50 == 0) v = std::ldexp(v < 0 ? -1 : 1, std::ilogb(v == 0 ? 1 : v));
      x[static_cast<std::size_t>(i * k + p)] = static_cast<T>(v);
    }
  }
  return x;
}

}  // namespace accublas_test
