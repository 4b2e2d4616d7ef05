"""Predicts the rates of kernels with llvm-mca: those of Arm on Neoverse V2, and their twins with AVX-512 on Sapphire Rapids.

usage: predict.py [WORD]

Kernels whose name has WORD in it (default: all) are compiled to assembly, and the innermost loop with most of the kernel's multiplications is simulated. In the simulation an
address that a store increments waits for the stored value; the rate by issue has no such waits. Needs llvm-mca (19 or later), g++ and aarch64-linux-gnu-g++; exit status 77
without them.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FLAGS = ["-O3", "-std=c++20", "-ffp-contract=off", "-fPIC", "-fvisibility=hidden", f"-I{ROOT}", f"-I{ROOT}/include", "-S", "-o", "-"]
NAMESPACES = {2: "avx512", 3: "avx512_vnni", 5: "neon", 6: "dotprod", 7: "i8mm"}
ARM = {5: [], 6: ["-march=armv8.2-a+dotprod"], 7: ["-march=armv8.2-a+dotprod+i8mm"]}
AVX512 = ["-mavx2", "-mfma", "-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl"]
X86 = {2: AVX512, 3: AVX512 + ["-mavx512vnni"]}
# Name, source (with the last word of a row in place of braces), and for Arm and x86: the level, the counted instruction, how many products one of them makes, an
# instruction that the loop must have too, a word.
KERNELS = [
    ("INT8 product, USMMLA; VNNI", "lib/cpu/kernels/int8_product_{}.cpp", (7, "usmmla", 32, "", "neon"), (3, "vpdpbusd", 64, "", "vnni")),
    ("INT8 product, SDOT", "lib/cpu/kernels/int8_product_{}.cpp", (6, "sdot", 16, "", "neon"), None),
    ("conversion to residues", "lib/cpu/kernels/int8_convert.cpp", (5, "mls", 8, "", ""), (2, "vpmullw", 32, "", "")),
    ("reconstruction", "lib/cpu/kernels/int8_reconstruct.cpp", (5, "smlal2?", 4, "", ""), (3, "vpdpwssd", 32, "", "")),
    ("dot2 GEMM, double", "lib/cpu/kernels/dot2_gemm.cpp", (5, "fmul", 2, "", ""), (2, "vmulpd", 8, "", "")),
    ("dot2 DOT, double", "lib/cpu/kernels/dot2_dot.cpp", (5, "fmul", 2, "prfm", ""), (2, "vmulpd", 8, "prefetch\\w+", "")),
    ("dot2 GEMV, double", "lib/cpu/kernels/dot2_gemv.cpp", (5, "fmul", 2, "", ""), (2, "vmulpd", 8, "", "")),
    ("cr GEMM, double", "lib/cpu/kernels/cr_gemm.cpp", (5, "fmla", 1, "fsub", ""), (2, "vfm(add|sub)\\d+pd", 4, "vsubpd", "")),
    ("cr DOT and GEMV, double", "lib/cpu/kernels/cr_vector.cpp", (5, "fmla", 1, "fsub", ""), (2, "vfm(add|sub)\\d+pd", 4, "vsubpd", "")),
    ("multiple precision, product", "lib/mp/kernels/mp_product.cpp", (5, "um[lu][al]l2?", 2, "", ""), (2, "vpmuludq", 8, "", "")),
]


def loops(text):
    """The innermost loops: the lines from a label to a jump back to it, labels in between included."""
    lines, labels, last = [], {}, -1
    for line in text.splitlines():
        code = line.split("//")[0].rstrip()
        found = re.match(r"(\.?\w+):", code)
        if found:
            labels[found.group(1)] = len(lines)
            lines.append(found.group(0))
        elif code.strip() and not code.strip().startswith((".", "#")):
            lines.append(code)
            jump = re.match(r"\s*(?:b\.?\w*|cbn?z|tbn?z|j\w+)\s.*?(\.?\w+)$", code)
            target = jump and labels.get(jump.group(1), labels.get(jump.group(1).removesuffix("b")))
            if target is not None:
                if target > last:
                    yield lines[target:]
                last = max(last, target)


def simulate(mca, compiler, level, multiplication, also, source, arguments, target):
    text = subprocess.run([compiler, *FLAGS, *arguments, f"-DACCUBLAS_ISA_LEVEL={level}", f"-DACCUBLAS_ISA_NAMESPACE=isa_{NAMESPACES[level]}", "-DACCUBLAS_KERNEL_LEVELS=1",
                           "-DACCUBLAS_ARM_LEVELS=0", str(ROOT / source)], capture_output=True, text=True, check=True).stdout
    multiplies, needs = re.compile(rf"\s*{multiplication}\s"), re.compile(rf"\s*{also}")
    chosen = (body for body in loops(text) if any(needs.match(line) for line in body))
    loop = max(chosen, key=lambda body: sum(bool(multiplies.match(line)) for line in body), default=[])
    count = sum(bool(multiplies.match(line)) for line in loop)
    if count == 0:
        return None
    with tempfile.NamedTemporaryFile("w", suffix=".s") as file:
        file.write("\n".join(loop) + "\n")
        file.flush()
        done = subprocess.run([mca, *target, "-iterations=200", file.name], capture_output=True, text=True)
    if done.returncode:
        return None
    cycles = int(re.search(r"Total Cycles:\s+(\d+)", done.stdout).group(1)) / 200
    issue = float(re.search(r"Block RThroughput:\s+([\d.]+)", done.stdout).group(1))
    return count, sum(not line.endswith(":") for line in loop), cycles, issue


def main(word=""):
    mca = next((tool for tool in ("llvm-mca-20", "llvm-mca-19", "llvm-mca") if shutil.which(tool)), None)
    if not mca or not shutil.which("aarch64-linux-gnu-g++"):
        print("needs llvm-mca and aarch64-linux-gnu-g++")
        return 77
    print("kernel: products a cycle on Neoverse V2, and by the issue of instructions alone (instructions a loop, counted ones a cycle); on Sapphire Rapids")
    for name, source, arm, x86 in KERNELS:
        if word not in name:
            continue
        texts = []
        for row, compiler, arguments, target in (
                (arm, "aarch64-linux-gnu-g++", ARM, ["-mtriple=aarch64", "-mcpu=neoverse-v2"]), (x86, "g++", X86, ["-mtriple=x86_64", "-mcpu=sapphirerapids"])):
            if row is None:
                continue
            level, multiplication, products, also, which = row
            found = simulate(mca, compiler, level, multiplication, also, source.format(which), arguments[level], target)
            if found is None:
                texts.append("no loop")
                continue
            count, instructions, cycles, issue = found
            texts.append(f"{count * products / cycles:.2f}, by issue {count * products / issue:.2f} ({instructions}, {count / cycles:.2f})")
        print(f"{name}: {'; '.join(texts)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
