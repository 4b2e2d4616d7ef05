// Decides how many digits lines have, how wide these are, and which of their products share a DGEMM.
#include <algorithm>
#include <cmath>

#include "lib/cpu/fp64/fp64_levels.hpp"

namespace accublas::cpu {

DigitWidth digit_width(Index k) {
  const int log2_k = bit_length(static_cast<std::uint64_t>(k - 1));
  const int width = std::max(1, (51 - log2_k) / 2);  // so that run is at least 4
  const double run = std::floor(std::ldexp(1.0 / static_cast<double>(k), 53 - 2 * width));
  return {width, static_cast<int>(std::min(run, 64.0))};
}

double left_out(Index k, const DigitWidth& d, int last) {
  return std::ldexp(static_cast<double>(k) * (last + 3), d.width - 1);
}

int digits_for(int t, const DigitWidth& d) { return (t + 1 + d.width) / d.step(); }

int level_groups(int level, int digits, int run, Group* groups) {
  int n = 0;
  const int last = std::min(level, digits - 1);
  for (int p = std::max(0, level - digits + 1); p <= last; p += run) {
    if (groups) groups[n] = {level, p, std::min(run, last - p + 1)};
    ++n;
  }
  return n;
}

int count_groups(int first_level, int last_level, int digits, int run) {
  int n = 0;
  for (int l = first_level; l <= last_level; ++l) n += level_groups(l, digits, run, nullptr);
  return n;
}

}  // namespace accublas::cpu
