// The certificate of dp:repro and sp:repro (docs/modes.md) decides, in integers only, whether T bits suffice for an
// element.
#pragma once

#include <cstdint>

#include "lib/base/host_device.hpp"
#include "lib/numerics/float_bits.hpp"
#include "lib/numerics/wide.hpp"

namespace accublas {

struct CertificateRungs {
  int count;
  int t[6];
  int digits;  ///< v: 53 or 24
};

template <class T>
ACCUBLAS_HD constexpr CertificateRungs certificate_rungs() {
  if constexpr (FloatFormat<T>::digits == 53) return {6, {48, 50, 53, 56, 60, 64}, 53};
  return {5, {21, 24, 27, 32, 40, 0}, 24};
}

/// ceil(abs(a) 2^(24 - E)), the term of lambda and mu; abs(a) < 2^E.
template <class T>
ACCUBLAS_HD constexpr std::int64_t certificate_ceiling(T a, int exponent) {
  const Decoded d = decode(a);
  if (d.mantissa == 0) return 0;
  const int shift = d.exponent + 24 - exponent;  // mantissa 2^shift < 2^24
  if (shift >= 0) return static_cast<std::int64_t>(d.mantissa << shift);
  if (shift <= -64) return 1;
  const std::uint64_t mask = (std::uint64_t{1} << -shift) - 1;
  return static_cast<std::int64_t>((d.mantissa >> -shift) + ((d.mantissa & mask) != 0));
}

/// min(127, floor(abs(a) 2^(7 - E))), the factor of X; abs(a) < 2^E.
template <class T>
ACCUBLAS_HD constexpr int certificate_byte(T a, int exponent) {
  const Decoded d = decode(a);
  const int shift = d.exponent + 7 - exponent;  // mantissa 2^shift < 2^7
  if (shift >= 0) return static_cast<int>(d.mantissa << shift);
  return shift <= -64 ? 0 : static_cast<int>(d.mantissa >> -shift);
}

/// X is the sum of the products p of whole blocks of 128 terms. One block in every `certificate_stride(k)` contributes.
inline constexpr int certificate_block = 128;
ACCUBLAS_HD constexpr int certificate_stride(std::int64_t k) { return k <= 1024 ? 1 : 8; }

/// Number of terms that contribute to X if one block in every `stride` contributes.
ACCUBLAS_HD constexpr std::int64_t certificate_terms(std::int64_t k, int stride) {
  const std::int64_t period = static_cast<std::int64_t>(certificate_block) * stride;
  const std::int64_t rest = k % period;
  return k / period * certificate_block +
         (rest < certificate_block || period == certificate_block ? rest : certificate_block);
}

ACCUBLAS_HD constexpr std::int64_t certificate_terms(std::int64_t k) {
  return certificate_terms(k, certificate_stride(k));
}

/// The test 2^(T-23) (lambda + mu) + k <= (k + 1) 2^(2T-12-v) X, divided by 2^(T-23) and rounded up to integers, is
/// factor X - (lambda + mu) >= least. T + 11 >= v holds for every rung.
struct CertificateTest {
  Int128 factor;
  std::int64_t least;
};

ACCUBLAS_HD constexpr CertificateTest certificate_test(int t, int digits, std::int64_t k) {
  const int s = t - 23;
  return {static_cast<Int128>(k + 1) << (t + 11 - digits), s >= 0 ? (k + (std::int64_t{1} << s) - 1) >> s : k << -s};
}

ACCUBLAS_HD constexpr bool certificate_suffices(const CertificateTest& test, std::int64_t lambda_mu, std::int64_t x) {
  return test.factor * x - lambda_mu >= test.least;
}

/// Returns how many of a call's elements the certificate may reject.
ACCUBLAS_HD constexpr std::int64_t most_rejected_of(std::int64_t elements) { return elements / 64; }
/// Returns whether all elements of a call take cr's values, because the certificate rejects too many of them.
ACCUBLAS_HD constexpr bool certificate_fails(std::int64_t rejected, std::int64_t elements) {
  return rejected > most_rejected_of(elements);
}

}  // namespace accublas
