#include "lib/numerics/capacity.hpp"

#include <cmath>

#include "lib/base/fork_safe.hpp"
#include "lib/numerics/crt.hpp"

namespace accublas {

double int8_capacity(int count) {
  struct Table {
    double capacity[max_moduli + 1];
    Table() {
      capacity[0] = -1 - std::log2(crt_margin) - 1e-9;
      for (int l = 0; l < max_moduli; ++l)
        capacity[l + 1] = capacity[l] + std::log2(static_cast<double>(moduli_list().p[l]));
    }
  };
  static constinit Lazy<const Table> table;
  return table.get().capacity[count];
}

int int8_moduli_for(double log2_bound) {
  for (int count = 1; count <= max_moduli; ++count)
    if (int8_capacity(count) >= log2_bound) return count;
  return 0;
}

double int8_log2_norm(double norm, int t, std::int64_t k) {
  return std::log2(std::ldexp(norm, t) + 0.5 * std::sqrt(static_cast<double>(k))) + 1e-9;
}

}  // namespace accublas
