#include "lib/mp/format.hpp"

#include "lib/mp/moduli.hpp"

namespace accublas::mp {

Format make_format(int precision) { return {precision, 2 * ((precision + 63) / 64), moduli_for_bits(precision)}; }

}  // namespace accublas::mp
