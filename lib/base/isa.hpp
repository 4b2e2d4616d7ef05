// Instruction sets that kernels are built for. Bits never depend on the choice.
#pragma once

namespace accublas::cpu {

enum class Isa {
  baseline,     ///< x86-64, or any other architecture
  avx2,         ///< AVX2 and FMA
  avx512,       ///< AVX-512 F, BW, DQ, VL
  avx512_vnni,  ///< and VNNI
  amx           ///< and AMX INT8
};

/// What this CPU and operating system offer, capped by the environment variable ACCUBLAS_ISA (a name below; for tests).
Isa detected_isa();
const char* isa_name(Isa isa);

}  // namespace accublas::cpu
