// The tuned numbers of this CPU.
#pragma once

#include "lib/base/isa.hpp"
#include "lib/cpu/tuning/amx.hpp"
#include "lib/cpu/tuning/avx2.hpp"
#include "lib/cpu/tuning/avx512.hpp"
#include "lib/cpu/tuning/avx512_vnni.hpp"
#include "lib/cpu/tuning/baseline.hpp"
#include "lib/cpu/tuning/neon.hpp"
#include "lib/numerics/dot2_block.hpp"

namespace accublas::cpu {

/// The numbers of each Isa. A kernel reads those of its own level.
inline constexpr const Tuning* tunings[] = {&baseline_tuning, &avx2_tuning, &avx512_tuning,  &avx512_vnni_tuning,
                                            &amx_tuning,      &neon_tuning, &dotprod_tuning, &i8mm_tuning};

/// Returns whether parts of a sum that are added at a time are whole blocks of dot2, whose bits depend on the blocks.
constexpr bool keeps_blocks(const Tuning& t) {
  return t.dot2.x_chunk % dot2_block == 0 && t.dot2.slab % dot2_block == 0 && t.structured.band % dot2_block == 0;
}
static_assert(keeps_blocks(baseline_tuning) && keeps_blocks(avx2_tuning) && keeps_blocks(avx512_tuning) &&
              keeps_blocks(avx512_vnni_tuning) && keeps_blocks(amx_tuning) && keeps_blocks(neon_tuning) &&
              keeps_blocks(dotprod_tuning) && keeps_blocks(i8mm_tuning));

/// Returns the numbers of an instruction set, by default of the one that this process uses.
inline const Tuning& tuning(Isa isa = detected_isa()) { return *tunings[static_cast<int>(isa)]; }

}  // namespace accublas::cpu
