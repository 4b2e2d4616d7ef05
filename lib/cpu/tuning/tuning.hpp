// The tuned numbers of this CPU.
#pragma once

#include "lib/base/isa.hpp"
#include "lib/cpu/tuning/amx.hpp"
#include "lib/cpu/tuning/avx2.hpp"
#include "lib/cpu/tuning/avx512.hpp"
#include "lib/cpu/tuning/avx512_vnni.hpp"
#include "lib/cpu/tuning/baseline.hpp"

namespace accublas::cpu {

/// By Isa. A kernel reads the numbers of its own level from it.
inline constexpr const Tuning* tunings[] = {&baseline_tuning, &avx2_tuning, &avx512_tuning, &avx512_vnni_tuning,
                                            &amx_tuning};

inline const Tuning& tuning(Isa isa = detected_isa()) { return *tunings[static_cast<int>(isa)]; }

}  // namespace accublas::cpu
