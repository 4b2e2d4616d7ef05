#include "lib/numerics/rns_moduli.hpp"

#include <atomic>
#include <cmath>
#include <numeric>

#include "lib/base/error.hpp"
#include "lib/base/fork_safe.hpp"

namespace accublas::mp {

namespace {

RnsModulus make_modulus(std::uint32_t m) {
  RnsModulus modulus{};
  modulus.m = m;
  modulus.r32 = static_cast<std::uint32_t>((std::uint64_t{1} << 32) % m);
  modulus.r64 = static_cast<std::uint32_t>(static_cast<std::uint64_t>(modulus.r32) * modulus.r32 % m);
  // Newton's iteration doubles the correct bits of 1 / m mod 2^32: 3, 6, 12, 24, 48.
  std::uint32_t inverse = m;
  for (int i = 0; i < 4; ++i) inverse *= 2 - m * inverse;
  modulus.montgomery = 0 - inverse;
  modulus.barrett = ~std::uint64_t{0} / m;
  return modulus;
}

/// Miller and Rabin's test for odd m > 61.
bool probable_prime(const RnsModulus& modulus, std::uint32_t base) {
  const std::uint32_t even = modulus.m - 1;
  const int twos = __builtin_ctz(even);
  std::uint32_t x = rns_power(base, even >> twos, modulus);
  if (x == 1 || x == even) return true;
  for (int i = 1; i < twos; ++i) {
    x = rns_mul(x, x, modulus);
    if (x == even) return true;
  }
  return false;
}

bool is_prime(const RnsModulus& modulus) {
  if (std::gcd(modulus.m, 3u * 5 * 7 * 11 * 13 * 17 * 19 * 23) != 1) return false;  // quickly, for most
  return probable_prime(modulus, 2) && probable_prime(modulus, 7) && probable_prime(modulus, 61);
}

/// Returns the largest prime up to the odd number `candidate`.
std::uint32_t prime_from(std::uint32_t candidate) {
  while (!is_prime(make_modulus(candidate))) candidate -= 2;
  return candidate;
}

/// Tables that grow in place under a lock.
struct Tables {
  std::atomic<int> ready{0};  ///< moduli that are in the tables
  RnsModulus modulus[max_moduli];
  RnsPowers power[max_moduli];
  double bits[max_moduli + 1] = {};  ///< log2 of the product of the first ones, error below 2^-29

  void grow(int wanted) {
    if (wanted <= ready.load(std::memory_order_acquire)) return;
    const ForkSafeLock lock(ForkSafe::mp_moduli);
    int count = ready.load(std::memory_order_relaxed);
    while (count < wanted) {
      const RnsModulus next = make_modulus(prime_from(count == 0 ? 0x7FFFFFFFu : modulus[count - 1].m - 2));
      modulus[count] = next;
      std::uint32_t w = 1;
      for (int s = 0; s < shifts; ++s) {
        power[count].factor[s] = make_factor(w, next);
        w = rns_add(w, w, next);
      }
      bits[count + 1] = bits[count] + std::log2(static_cast<double>(next.m));
      ready.store(++count, std::memory_order_release);
    }
  }
};

Tables& tables(int count) {
  static constinit Lazy<Tables> instance;  // pool threads may use it until the process ends
  if (count > max_moduli) throw Error(ACCUBLAS_ERROR_INTERNAL, "more moduli than the table holds");
  Tables& all = instance.get();
  all.grow(count);
  return all;
}

}  // namespace

RnsFactor make_factor(std::uint32_t w, const RnsModulus& modulus) {
  return {w, static_cast<std::uint32_t>((static_cast<std::uint64_t>(w) << 32) / modulus.m)};
}

std::uint32_t rns_power(std::uint32_t base, std::uint64_t exponent, const RnsModulus& modulus) {
  std::uint32_t result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result = rns_mul(result, base, modulus);
    base = rns_mul(base, base, modulus);
  }
  return result;
}

std::uint32_t rns_inverse(std::uint32_t a, const RnsModulus& modulus) { return rns_power(a, modulus.m - 2, modulus); }

const RnsModulus* moduli(int count) { return tables(count).modulus; }

const RnsPowers* powers(int count) { return tables(count).power; }

int moduli_for_bits(int bits) {
  const auto log2_of_product = [](int count) { return tables(count).bits[count]; };
  int count = bits / 31 + 1;
  while (log2_of_product(count) < bits + 1 + 0x1p-15) ++count;
  return count;
}

}  // namespace accublas::mp
