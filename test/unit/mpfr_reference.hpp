// Exact references in MPFR: numbers of enough bits to hold every intermediate exactly, rounded once at the end.
#pragma once

#include <gmp.h>
#include <mpfr.h>

#include <cstdint>

namespace accublas_test {

/// A real number that the operations below never round: 40000 bits hold any sum of products here.
class Real {
 public:
  static constexpr mpfr_prec_t precision = 40000;

  Real() {
    mpfr_init2(x_, precision);
    mpfr_set_zero(x_, 1);
  }
  explicit Real(double value) : Real() { mpfr_set_d(x_, value, MPFR_RNDN); }
  /// The two's complement integer of `limbs` limbs, times 2^exponent.
  Real(const std::uint64_t* limb, int limbs, long exponent) : Real() {
    mpz_t z, wrap;
    mpz_init(z);
    mpz_init(wrap);
    mpz_import(z, limbs, -1, sizeof(std::uint64_t), 0, 0, limb);
    if (limb[limbs - 1] >> 63) {
      mpz_setbit(wrap, 64 * static_cast<unsigned long>(limbs));
      mpz_sub(z, z, wrap);
    }
    exact(mpfr_set_z_2exp(x_, z, exponent, MPFR_RNDN));
    mpz_clear(z);
    mpz_clear(wrap);
  }
  Real(const Real& other) : Real() { *this = other; }
  Real& operator=(const Real& other) {
    mpfr_set(x_, other.x_, MPFR_RNDN);
    exact_ = other.exact_;
    return *this;
  }
  ~Real() { mpfr_clear(x_); }

  friend Real operator+(const Real& a, const Real& b) {
    Real r;
    r.exact_ = a.exact_ && b.exact_;
    r.exact(mpfr_add(r.x_, a.x_, b.x_, MPFR_RNDN));
    return r;
  }
  friend Real operator-(const Real& a, const Real& b) {
    Real r;
    r.exact_ = a.exact_ && b.exact_;
    r.exact(mpfr_sub(r.x_, a.x_, b.x_, MPFR_RNDN));
    return r;
  }
  friend Real operator*(const Real& a, const Real& b) {
    Real r;
    r.exact_ = a.exact_ && b.exact_;
    r.exact(mpfr_mul(r.x_, a.x_, b.x_, MPFR_RNDN));
    return r;
  }
  Real times_power(long e) const {
    Real r;
    r.exact_ = exact_;
    r.exact(mpfr_mul_2si(r.x_, x_, e, MPFR_RNDN));
    return r;
  }
  /// The nearest integer, ties to even.
  Real nearest_integer() const {
    Real r;
    r.exact_ = exact_;
    mpfr_rint(r.x_, x_, MPFR_RNDN);
    return r;
  }
  Real magnitude() const {
    Real r;
    r.exact_ = exact_;
    mpfr_abs(r.x_, x_, MPFR_RNDN);
    return r;
  }
  /// The square root to 40000 bits. Its RN is the RN of the root, because a root that needs more bits lies farther than
  /// that from every midpoint between two doubles.
  Real root() const {
    Real r;
    r.exact_ = exact_;
    mpfr_sqrt(r.x_, x_, MPFR_RNDN);
    return r;
  }
  friend bool operator<=(const Real& a, const Real& b) { return mpfr_lessequal_p(a.x_, b.x_) != 0; }

  /// RN in the type of `out`: subnormals and overflow as IEEE has them, an exact zero is +0.
  void round(double* out) const { *out = is_zero() ? 0.0 : mpfr_get_d(x_, MPFR_RNDN); }
  void round(float* out) const { *out = is_zero() ? 0.0f : mpfr_get_flt(x_, MPFR_RNDN); }
  bool is_zero() const { return mpfr_zero_p(x_) != 0; }
  bool all_exact() const { return exact_; }

 private:
  void exact(int ternary) { exact_ = exact_ && ternary == 0; }

  mpfr_t x_;
  bool exact_ = true;
};

}  // namespace accublas_test
