#include "perf/mp/inputs.hpp"

#include <random>

namespace mp_bench {

Numbers random_numbers(const Input& input, std::int64_t count, std::uint64_t seed) {
  Numbers out;
  out.count = count;
  out.size = (input.bits + 63) / 64;
  out.limbs.resize(static_cast<std::size_t>(count * out.size));
  out.exponents.resize(static_cast<std::size_t>(count));
  out.signs.resize(static_cast<std::size_t>(count));
  std::mt19937_64 random(seed);
  const int zeros = input.bits - input.width;
  for (std::int64_t t = 0; t < count; ++t) {
    std::uint64_t* limb = out.limbs.data() + t * out.size;
    for (std::int64_t l = 0; l < out.size; ++l) {
      limb[l] = random();
      const std::int64_t below = zeros - 64 * l;  // zero bits from this limb's lowest on
      if (below >= 64)
        limb[l] = 0;
      else if (below > 0)
        limb[l] &= ~std::uint64_t{0} << below;
    }
    const int top = (input.bits - 1) % 64;
    limb[out.size - 1] = (limb[out.size - 1] & (~std::uint64_t{0} >> (63 - top))) | std::uint64_t{1} << top;
    const std::uint64_t rest = random();
    out.signs[static_cast<std::size_t>(t)] = static_cast<std::int32_t>(rest & 1);
    out.exponents[static_cast<std::size_t>(t)] =
        static_cast<std::int64_t>((rest >> 1) % static_cast<unsigned>(input.spread + 1)) - input.bits;
  }
  return out;
}

}  // namespace mp_bench
