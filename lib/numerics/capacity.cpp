#include "lib/numerics/capacity.hpp"

#include <cmath>

#include "lib/base/fork_safe.hpp"
#include "lib/numerics/crt.hpp"

namespace accublas {

const Capacities& int8_capacities(ResidueKind of) {
  struct Table {
    Capacities real, complex;
    Table() {
      real.log2[0] = complex.log2[0] = -1 - std::log2(crt_margin) - 1e-9;
      const auto behind = [](double before, int p) { return before + std::log2(static_cast<double>(p)); };
      for (int l = 0; l < max_moduli; ++l) {
        real.log2[l + 1] = behind(real.log2[l], moduli_list().p[l]);
        complex.log2[l + 1] =
            l < complex_moduli ? behind(complex.log2[l], complex_moduli_list().of[l].p) : complex.log2[l];
      }
    }
  };
  static constinit Lazy<const Table> table;
  return of == ResidueKind::real ? table.get().real : table.get().complex;
}

double int8_capacity(int count, ResidueKind of) { return int8_capacities(of).log2[count]; }

int int8_moduli_for(double log2_bound, ResidueKind of) {
  const Capacities& capacities = int8_capacities(of);
  const int count = capacities.moduli_for(log2_bound, most_moduli(of));
  return capacities.log2[count] >= log2_bound ? count : 0;
}

}  // namespace accublas
