"""The instruction sets that this CPU has, by the words of ACCUBLAS_ISA and in the library's order (lib/base/isa.hpp)."""

import platform
from pathlib import Path

X86 = (("avx2", "avx2 fma"), ("avx512", "avx512f avx512bw avx512dq avx512vl"), ("avx512_vnni", "avx512_vnni"), ("amx", "amx_tile amx_int8"))
ARM = (("neon", "asimd"), ("dotprod", "asimddp"), ("i8mm", "i8mm"))


def isa_levels():
    arm = platform.machine() == "aarch64"
    try:
        flags = Path("/proc/cpuinfo").read_text().split("Features" if arm else "flags", 1)[1].split("\n", 1)[0].split()
    except (OSError, IndexError):
        flags = []
    found = ["baseline"]
    for name, needs in ARM if arm else X86:
        if not set(needs.split()) <= set(flags):
            break
        found.append(name)
    return found
