#include "lib/mp/format.hpp"

#include "lib/base/integers.hpp"
#include "lib/numerics/rns_moduli.hpp"

namespace accublas::mp {

Format make_format(int precision) { return {precision, 2 * ceil_div(precision, 64), moduli_for_bits(precision)}; }

}  // namespace accublas::mp
