#include "lib/numerics/capacity.hpp"

#include <cmath>

#include "lib/base/fork_safe.hpp"
#include "lib/numerics/crt.hpp"

namespace accublas {

const Capacities& int8_capacities() {
  struct Table {
    Capacities capacities;
    Table() {
      double* const capacity = capacities.log2;
      capacity[0] = -1 - std::log2(crt_margin) - 1e-9;
      for (int l = 0; l < max_moduli; ++l)
        capacity[l + 1] = capacity[l] + std::log2(static_cast<double>(moduli_list().p[l]));
    }
  };
  static constinit Lazy<const Table> table;
  return table.get().capacities;
}

double int8_capacity(int count) { return int8_capacities().log2[count]; }

int int8_moduli_for(double log2_bound) {
  const Capacities& capacities = int8_capacities();
  const int count = capacities.moduli_for(log2_bound, max_moduli);
  return capacities.log2[count] >= log2_bound ? count : 0;
}

}  // namespace accublas
