#include "lib/mp/byte_basis.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "lib/base/error.hpp"
#include "lib/base/fork_safe.hpp"
#include "lib/base/integers.hpp"
#include "lib/cpu/kernels/int8_kernels.hpp"
#include "lib/numerics/limbs.hpp"
#include "lib/numerics/moduli.hpp"
#include "lib/numerics/rns_moduli.hpp"

namespace accublas::mp {

namespace {

constexpr int above_digits = 1 << 2 * cpu::mp_digit_bits;  ///< moduli of two digits are below
constexpr int int8_moduli = accublas::max_moduli;

/// Returns all moduli in order: those of engine int8, then the primes from 2^14 down to 2^8.
std::vector<std::int32_t> all_moduli() {
  constexpr ModuliList list = moduli_list();
  std::vector<std::int32_t> all(list.p, list.p + int8_moduli);
  std::vector<bool> composite(above_digits);
  for (int p = 2; p * p < above_digits; ++p)
    for (int multiple = p * p; multiple < above_digits; multiple += p) composite[multiple] = true;
  for (int p = above_digits - 1; p > 256; --p)
    if (!composite[p]) all.push_back(p);
  return all;
}

/// Returns how many of the moduli have a product above 2^(bits + 1) (1 + 2^-16). Logarithms have errors below 2^-30.
int count_for_bits(const std::vector<std::int32_t>& all, int bits) {
  double log2 = 0;
  for (std::size_t count = 0; count < all.size();) {
    log2 += std::log2(static_cast<double>(all[count++]));
    if (log2 >= bits + 1 + 0x1p-15) return static_cast<int>(count);
  }
  throw Error(ACCUBLAS_ERROR_INTERNAL, "the moduli of 8 and 14 bits hold fewer bits than a product has");
}

/// Returns p / M modulo p = all[k], where M is the product of the first `count` moduli.
int cofactor_of(const std::vector<std::int32_t>& all, int count, int k) {
  const int p = all[k];
  std::int64_t product = 1;
  for (int i = 0; i < count; ++i)
    if (i != k) product = product * all[i] % p;
  return inverse_residue(static_cast<int>(product), p);
}

std::unique_ptr<const ByteBasis> make_basis(const std::vector<std::int32_t>& all, int count, int columns) {
  auto b = std::make_unique<ByteBasis>();
  b->count = count;
  b->small = std::min(count, int8_moduli);
  b->columns = columns;
  b->modulus.resize(count);
  // Groups take moduli in order while the digits stay below 2^31.
  std::vector<std::uint32_t> product_of;
  for (int k = 0; k < count; ++k) {
    b->modulus[k] = {all[k], 1.0 / all[k], cofactor_of(all, count, k), 1};
    const std::uint64_t members = b->group.empty() ? 0 : static_cast<std::uint64_t>(b->group.back().count) + 1;
    if (members == 0 || members * product_of.back() * static_cast<std::uint64_t>(all[k]) >= std::uint64_t{1} << 31) {
      b->group.push_back({k, 1});
      product_of.push_back(static_cast<std::uint32_t>(all[k]));
      continue;
    }
    ++b->group.back().count;
    product_of.back() *= static_cast<std::uint32_t>(all[k]);
  }
  for (int g = 0; g < b->groups(); ++g)
    for (int k = b->group[g].first; k < b->group[g].first + b->group[g].count; ++k)
      b->modulus[k].of_group = static_cast<std::int32_t>(product_of[g]) / all[k];

  const int limbs = std::max(14 * count, 31 * columns) / 64 + 2;
  std::vector<std::uint64_t> product(limbs), quotient(limbs);
  product[0] = 1;
  for (std::uint32_t m : product_of) limbs_multiply_by(product.data(), limbs, m);
  b->column.resize(static_cast<std::size_t>(columns) * b->digits());
  const auto set_column = [&](int g, const std::vector<std::uint64_t>& value) {
    for (int l = 0; l < columns; ++l)
      b->column[static_cast<std::size_t>(l) * b->digits() + g] =
          static_cast<std::uint32_t>(limbs_window(value.data(), limbs, 31 * l)) & 0x7FFFFFFFu;
  };
  for (int g = 0; g < b->groups(); ++g) {
    limbs_divide(quotient.data(), product.data(), limbs, product_of[g]);
    set_column(g, quotient);
  }
  limbs_negate(product.data(), limbs);
  set_column(b->groups(), product);
  return b;
}

std::unique_ptr<const ByteWeights> make_weights(const ByteBasis& basis, int bytes) {
  auto w = std::make_unique<ByteWeights>();
  w->weight.resize(static_cast<std::size_t>(basis.weight_rows(basis.count) + cpu::int8_panel) * bytes);
  w->offset.resize(basis.count);
  for (int k = 0; k < basis.count; ++k) {
    const int p = basis.modulus[k].p;
    std::uint8_t* const row = &w->weight[static_cast<std::size_t>(basis.weight_rows(k)) * bytes];
    int power = 1 % p, sum = 0;
    for (int l = 0; l < bytes; ++l, power = power * 256 % p) {
      row[l] = static_cast<std::uint8_t>(k < basis.small ? power : power % cpu::mp_digit_radix);
      if (k >= basis.small) row[bytes + l] = static_cast<std::uint8_t>(power >> cpu::mp_digit_bits);
      sum = (sum + power) % p;
    }
    w->offset[k] = 128 * sum % p;
  }
  return w;
}

/// The tables that the process keeps once they have been requested. The lock mp_basis protects them.
struct KnownBytes {
  std::vector<std::int32_t> all = all_moduli();
  std::map<std::pair<int, int>, std::unique_ptr<const ByteBasis>> basis;
  std::map<std::pair<int, int>, std::unique_ptr<const ByteWeights>> weights;
};
KnownBytes& known_bytes() {
  static constinit Lazy<KnownBytes> instance;
  return instance.get();
}

}  // namespace

std::int64_t most_byte_terms() { return cpu::int8_most_terms; }

const ByteBasis& byte_basis(int bits) {
  KnownBytes& all = known_bytes();
  const int columns = moduli_for_bits(bits);
  const ForkSafeLock lock(ForkSafe::mp_basis);
  const int count = count_for_bits(all.all, bits);
  std::unique_ptr<const ByteBasis>& entry = all.basis[{count, columns}];
  if (!entry) entry = make_basis(all.all, count, columns);
  return *entry;
}

const ByteWeights& byte_weights(const ByteBasis& basis, int bytes) {
  KnownBytes& all = known_bytes();
  const ForkSafeLock lock(ForkSafe::mp_basis);
  std::unique_ptr<const ByteWeights>& entry = all.weights[{basis.count, bytes}];
  if (!entry) entry = make_weights(basis, bytes);
  return *entry;
}

}  // namespace accublas::mp
