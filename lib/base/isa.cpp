#include "lib/base/isa.hpp"

#include <algorithm>
#include <cstdlib>

#include "lib/base/fork_safe.hpp"
#include "lib/base/words.hpp"

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace accublas::cpu {

namespace {

constexpr Isa all[] = {Isa::baseline, Isa::avx2, Isa::avx512,  Isa::avx512_vnni,
                       Isa::amx,      Isa::neon, Isa::dotprod, Isa::i8mm};

/// The highest level that this build has kernels for, and whether a level is one of its architecture's.
constexpr Isa built = ACCUBLAS_ARM_LEVELS > 0 ? all[4 + ACCUBLAS_ARM_LEVELS] : all[ACCUBLAS_KERNEL_LEVELS - 1];
constexpr bool is_here(Isa isa) { return isa == Isa::baseline || (isa >= Isa::neon) == (built >= Isa::neon); }

#if defined(__x86_64__) && defined(__linux__)

/// AMX needs the CPU, the operating system's state component and this process's permission to use the tiles (the kernel
/// grants it once per process and to every later thread).
bool amx_permitted() {
  unsigned a, b, c, d;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
  constexpr unsigned tile = 1u << 24, int8 = 1u << 25;
  if ((d & tile) == 0 || (d & int8) == 0) return false;
  constexpr int request_permission = 0x1023, tile_data = 18;
  return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

Isa cpu_isa() {
  __builtin_cpu_init();
  if (!(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))) return Isa::baseline;
  if (!(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")))
    return Isa::avx2;
  if (!__builtin_cpu_supports("avx512vnni")) return Isa::avx512;
  return amx_permitted() ? Isa::amx : Isa::avx512_vnni;
}

#elif defined(__aarch64__) && defined(__linux__)

Isa cpu_isa() {
  constexpr unsigned long dot_products = 1ul << 20, matrix_products = 1ul << 13;  // ASIMDDP, I8MM
  if (!(getauxval(AT_HWCAP) & dot_products)) return Isa::neon;
  return getauxval(AT_HWCAP2) & matrix_products ? Isa::i8mm : Isa::dotprod;
}

#else

Isa cpu_isa() { return Isa::baseline; }

#endif

Isa detect() {
  const Isa isa = std::min(cpu_isa(), built);
  // lib/runtime/settings.hpp reports a text that names no level as an error of the environment.
  const char* text = std::getenv("ACCUBLAS_ISA");
  const Isa cap = isa_of(text ? text : "").value_or(isa);
  return is_here(cap) ? std::min(isa, cap) : isa;
}

}  // namespace

Isa detected_isa() {
  static constinit Lazy<const Isa> isa;
  return isa.get([] { return std::make_unique<const Isa>(detect()); });
}

const char* isa_name(Isa isa) {
  switch (isa) {
    case Isa::baseline:
      return "baseline";
    case Isa::avx2:
      return "avx2";
    case Isa::avx512:
      return "avx512";
    case Isa::avx512_vnni:
      return "avx512_vnni";
    case Isa::amx:
      return "amx";
    case Isa::neon:
      return "neon";
    case Isa::dotprod:
      return "dotprod";
    case Isa::i8mm:
      return "i8mm";
  }
  return "";
}

std::optional<Isa> isa_of(std::string_view name) {
  for (Isa isa : all)
    if (is_word(name, isa_name(isa))) return isa;
  return std::nullopt;
}

std::string isa_names() {
  std::string names;
  for (Isa isa : all) names += (names.empty() ? "" : ", ") + std::string(isa_name(isa));
  return names;
}

}  // namespace accublas::cpu
