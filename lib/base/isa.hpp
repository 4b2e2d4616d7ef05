// Instruction sets that kernels are built for. Bits never depend on the choice.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace accublas::cpu {

enum class Isa {
  baseline,     ///< x86-64, or any other architecture
  avx2,         ///< AVX2 and FMA
  avx512,       ///< AVX-512 F, BW, DQ, VL
  avx512_vnni,  ///< and VNNI
  amx,          ///< and AMX INT8
  neon,         ///< AArch64 (little endian)
  dotprod,      ///< and SDOT
  i8mm          ///< and USMMLA
};

/// Returns the best instruction set of this CPU and operating system, capped by the environment variable ACCUBLAS_ISA
/// (a name below; those of another architecture cap nothing).
Isa detected_isa();
const char* isa_name(Isa isa);
std::optional<Isa> isa_of(std::string_view name);  ///< empty if the text is not a name
std::string isa_names();                           ///< all of them, separated by commas

}  // namespace accublas::cpu
