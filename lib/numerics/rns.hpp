// Arithmetic modulo the primes just below 2^31 of the multiple-precision arrays, for host and device. It uses
// precomputed constants and no division. Residues are 0 <= r < m.
#pragma once

#include <cstdint>

#include "lib/base/host_device.hpp"
#include "lib/numerics/wide.hpp"

namespace accublas {

/// m is a prime, 2^31 - 2^14 < m < 2^31, so that r32 = 2^32 mod m < 2^15 and r64 = 2^64 mod m < m.
struct RnsModulus {
  std::uint32_t m;
  std::uint32_t r32;         ///< 2^32 mod m
  std::uint32_t r64;         ///< 2^64 mod m
  std::uint32_t montgomery;  ///< -1 / m mod 2^32
  std::uint64_t barrett;     ///< floor((2^64 - 1) / m)
};

/// Returns the high half of the 128-bit product.
ACCUBLAS_HD inline std::uint64_t mul_high(std::uint64_t a, std::uint64_t b) {
#ifdef __CUDA_ARCH__
  return __umul64hi(a, b);
#else
  return static_cast<std::uint64_t>(static_cast<Uint128>(a) * b >> 64);
#endif
}

/// v mod m. The quotient's estimate floor(v barrett / 2^64) is floor(v / m) or one less: barrett > 2^64 / m - 1, so it
/// loses less than v / 2^64 + 1 < 2 in all.
ACCUBLAS_HD inline std::uint32_t rns_reduce(std::uint64_t v, const RnsModulus& modulus) {
  const std::uint32_t r = static_cast<std::uint32_t>(v - mul_high(v, modulus.barrett) * modulus.m);
  return r >= modulus.m ? r - modulus.m : r;
}

/// (c0 + c1 2^32 + c2 2^64) mod m: c1 r32 < 2^50 and c2 r64 < 2^63, so that their sum with c0 fits.
ACCUBLAS_HD inline std::uint32_t rns_reduce96(std::uint32_t c0, std::uint32_t c1, std::uint32_t c2,
                                              const RnsModulus& modulus) {
  return rns_reduce(static_cast<std::uint64_t>(c1) * modulus.r32 + static_cast<std::uint64_t>(c2) * modulus.r64 + c0,
                    modulus);
}

ACCUBLAS_HD inline std::uint32_t rns_add(std::uint32_t a, std::uint32_t b, const RnsModulus& modulus) {
  const std::uint32_t s = a + b;  // below 2^32
  return s >= modulus.m ? s - modulus.m : s;
}

ACCUBLAS_HD inline std::uint32_t rns_negate(std::uint32_t a, const RnsModulus& modulus) {
  return a == 0 ? 0 : modulus.m - a;
}

ACCUBLAS_HD inline std::uint32_t rns_mul(std::uint32_t a, std::uint32_t b, const RnsModulus& modulus) {
  return rns_reduce(static_cast<std::uint64_t>(a) * b, modulus);
}

/// A constant factor w < m with its quotient floor(w 2^32 / m) (Shoup): a product takes three 32-bit multiplications.
struct RnsFactor {
  std::uint32_t w, quotient;
};

/// a w mod m for any a < 2^32: floor(a quotient / 2^32) is floor(a w / m) or one less.
ACCUBLAS_HD inline std::uint32_t rns_mul(std::uint32_t a, RnsFactor factor, const RnsModulus& modulus) {
  const std::uint32_t q = static_cast<std::uint32_t>(static_cast<std::uint64_t>(a) * factor.quotient >> 32);
  const std::uint32_t r = a * factor.w - q * modulus.m;  // below 2 m < 2^32
  return r >= modulus.m ? r - modulus.m : r;
}

}  // namespace accublas
