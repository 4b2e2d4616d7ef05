// Multiple-precision arrays beside MPFR: arrays that free themselves, numbers of every kind, and the exact product
// rounded once.
#pragma once

#include <gmp.h>
#include <mpfr.h>

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "api.hpp"

namespace mp_test {

class Real {
 public:
  explicit Real(mpfr_prec_t precision) {
    mpfr_init2(x_, precision);
    mpfr_set_zero(x_, 1);
  }
  Real(const Real& other) : Real(mpfr_get_prec(other.x_)) { mpfr_set(x_, other.x_, MPFR_RNDN); }
  Real& operator=(const Real& other) {
    mpfr_set_prec(x_, mpfr_get_prec(other.x_));
    mpfr_set(x_, other.x_, MPFR_RNDN);
    return *this;
  }
  ~Real() { mpfr_clear(x_); }
  mpfr_ptr get() { return x_; }
  mpfr_srcptr get() const { return x_; }
  std::string text() const {
    char* s = nullptr;
    mpfr_asprintf(&s, "%.40Re", x_);
    std::string result(s);
    mpfr_free_str(s);
    return result;
  }

 private:
  mpfr_t x_;
};

/// Whether two numbers are the same, the sign of zeros included; NaN equals NaN.
inline bool same(const Real& a, const Real& b) {
  if (mpfr_nan_p(a.get()) || mpfr_nan_p(b.get())) return mpfr_nan_p(a.get()) && mpfr_nan_p(b.get());
  return mpfr_equal_p(a.get(), b.get()) && mpfr_signbit(a.get()) == mpfr_signbit(b.get());
}

using Vector = std::vector<Real>;

/// Where test/gpu/on_gpu runs the suite, arrays live on the device.
inline bool on_device() {
  const char* backend = std::getenv("ACCUBLAS_BACKEND");
  return backend && std::string(backend) == "cuda";
}

class Array {
 public:
  Array(int precision, std::int64_t length) : precision_(precision) {
    EXPECT_EQ(accublas_mp_create(nullptr, precision, length, &array_), ACCUBLAS_SUCCESS)
        << accublas_last_error(nullptr);
    if (on_device()) {
      EXPECT_EQ(accublas_mp_move(nullptr, array_, ACCUBLAS_MP_DEVICE), ACCUBLAS_SUCCESS)
          << accublas_last_error(nullptr);
    }
  }
  Array(int precision, const Vector& values) : Array(precision, static_cast<std::int64_t>(values.size())) {
    for (std::size_t i = 0; i < values.size(); ++i) set(static_cast<std::int64_t>(i), values[i]);
  }
  ~Array() { EXPECT_EQ(accublas_mp_destroy(array_), ACCUBLAS_SUCCESS); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  operator accublas_mp_array*() const { return array_; }

  void set(std::int64_t i, const Real& value) const {
    EXPECT_EQ(accublas_mp_set_mpfr(nullptr, array_, i, value.get()), ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
  }
  Real get(std::int64_t i) const {
    Real value(precision_);
    EXPECT_EQ(accublas_mp_get_mpfr(nullptr, array_, i, value.get()), ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
    return value;
  }
  Vector values() const {
    Vector all;
    for (std::int64_t i = 0; i < accublas_mp_length(array_); ++i) all.push_back(get(i));
    return all;
  }
  int precision() const { return precision_; }

 private:
  accublas_mp_array* array_ = nullptr;
  int precision_;
};

/// Numbers of `bits` significant bits and exponents within +-spread, now and then a zero.
class Source {
 public:
  explicit Source(unsigned seed) : random_(seed) {
    gmp_randinit_mt(state_);
    gmp_randseed_ui(state_, seed);
  }
  ~Source() { gmp_randclear(state_); }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  Real number(int precision, int bits, long spread, double zeros = 0.02) {
    Real x(precision);
    if (std::uniform_real_distribution<>(0, 1)(random_) < zeros) {
      mpfr_set_zero(x.get(), random_() % 2 ? 1 : -1);
      return x;
    }
    Real y(bits);
    mpfr_urandomb(y.get(), state_);
    mpfr_mul_2si(y.get(), y.get(), 1, MPFR_RNDN);
    if (mpfr_zero_p(y.get())) mpfr_set_ui(y.get(), 1, MPFR_RNDN);
    mpfr_set(x.get(), y.get(), MPFR_RNDN);
    if (random_() % 2) mpfr_neg(x.get(), x.get(), MPFR_RNDN);
    if (spread > 0)
      mpfr_mul_2si(x.get(), x.get(), std::uniform_int_distribution<long>(-spread, spread)(random_), MPFR_RNDN);
    return x;
  }
  Vector vector(std::int64_t n, int precision, int bits, long spread, double zeros = 0.02) {
    Vector v;
    for (std::int64_t i = 0; i < n; ++i) v.push_back(number(precision, bits, spread, zeros));
    return v;
  }
  std::int64_t below(std::int64_t n) { return std::uniform_int_distribution<std::int64_t>(0, n - 1)(random_); }

 private:
  std::mt19937_64 random_;
  gmp_randstate_t state_;
};

/// alpha sum x_i y_i + beta c exactly, rounded once at `precision`: what the routines must return. `exact` bits hold
/// every sum.
inline Real expected(int precision, mpfr_prec_t exact, const Real& alpha, const std::vector<const Real*>& x,
                     const std::vector<const Real*>& y, const Real& beta, const Real* c) {
  Real result(precision), sum(exact), term(exact), other(exact);
  bool exactly = true;
  const auto keep = [&](int ternary) { exactly = exactly && (ternary == 0 || !mpfr_regular_p(sum.get())); };
  const bool no_product = mpfr_zero_p(alpha.get()) || x.empty();
  if (!no_product)
    for (std::size_t i = 0; i < x.size(); ++i) {
      keep(mpfr_mul(term.get(), x[i]->get(), y[i]->get(), MPFR_RNDN));
      keep(mpfr_add(sum.get(), sum.get(), term.get(), MPFR_RNDN));
    }
  if (no_product) {
    if (mpfr_zero_p(beta.get()) || !c) return result;
    mpfr_mul(result.get(), beta.get(), c->get(), MPFR_RNDN);
    return result;
  }
  if (mpfr_zero_p(sum.get())) mpfr_set_zero(sum.get(), 1);
  keep(mpfr_mul(sum.get(), sum.get(), alpha.get(), MPFR_RNDN));
  if (c && !mpfr_zero_p(beta.get())) {
    keep(mpfr_mul(other.get(), beta.get(), c->get(), MPFR_RNDN));
    keep(mpfr_add(sum.get(), sum.get(), other.get(), MPFR_RNDN));
  }
  EXPECT_TRUE(exactly) << "the oracle's precision is too small";
  mpfr_set(result.get(), sum.get(), MPFR_RNDN);
  if (mpfr_zero_p(sum.get())) mpfr_set_zero(result.get(), 1);
  return result;
}

inline Real real(int precision, double value) {
  Real x(precision);
  mpfr_set_d(x.get(), value, MPFR_RNDN);
  return x;
}

inline Real power(int precision, double factor, long exponent) {
  Real x = real(precision, factor);
  mpfr_mul_2si(x.get(), x.get(), exponent, MPFR_RNDN);
  return x;
}

/// Where element i of a vector lies, BLAS's way.
inline std::int64_t place(std::int64_t offset, std::int64_t inc, std::int64_t n, std::int64_t i) {
  return inc > 0 ? offset + i * inc : offset + (n - 1 - i) * -inc;
}

#define EXPECT_NUMBER(got, wanted) \
  EXPECT_TRUE(mp_test::same(got, wanted)) << "got " << (got).text() << ", expected " << (wanted).text()

inline void expect_equal(const Array& got, const Vector& wanted) {
  const Vector values = got.values();
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NUMBER(values[i], wanted[i]) << "element " << i;
}

}  // namespace mp_test
