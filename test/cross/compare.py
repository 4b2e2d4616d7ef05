"""Builds the library for another architecture, runs it under qemu-user, and compares every result with this machine's build, bit by bit.

usage: compare.py ARCHITECTURE BUILD DRIVER [--share N] [--jobs N]

ARCHITECTURE is a file of packaging/cross: arm64, ppc64el, riscv64 or s390x. BUILD is the folder of the cross build, which is set up if it is missing. DRIVER is this
machine's cross_driver. The calls are those of test/oracle/golden.json (also compared with its checksums), cases of the oracle for every family of routines, and lists.cpp's: repro,
accumulators, multiple precision. They run once for each of VARIANTS. With --share N one case in N of each kind is taken. The last line counts the calls and the
results that differ. Exit status 77 if the cross compiler, qemu or NumPy is missing.
"""

import argparse
import configparser
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "oracle"))
OPTIONS = {"cuda": "disabled", "docs": "disabled", "fortran": "disabled", "mpfr": "disabled", "mpi": "disabled", "perf": "disabled", "proofs": "disabled",
           "tests": "disabled", "debug": "false", "unity": "on", "unity_size": "17"}
# The kernels that a run must use, and its emulated CPU and ACCUBLAS_ISA (None: what the library finds). cortex-a72 has neither dotprod nor i8mm, neoverse-n1 has no i8mm.
VARIANTS = {"arm64": [("baseline", "max", "baseline"), ("neon", "cortex-a72", None), ("dotprod", "neoverse-n1", None), ("i8mm", "max", None)]}
ORACLE = ["dgemm", "sgemm", "zgemm", "cgemm", "dgemm_batched", "cgemm_batched", "dsymm", "ssyrk", "zher2k", "ctrmm", "dgemmt", "dtrsm", "ctrsm", "dsymv", "chemv", "ztrmv",
          "dtrsv", "dger", "cgeru", "dsyr2", "sdsdot", "dpotrf", "zpotrs", "dgetrf", "zgesv", "dpotri", "zgetri", "dgeqrf", "zgels"]
WITHOUT_BLAS = ("int8", "sums", "dot2")  # engines that do not call the real BLAS, which the emulated machine lacks


def variants(architecture):
    return VARIANTS.get(architecture, [("baseline", None, None)])


def tools(cross_file):
    parser = configparser.ConfigParser()
    parser.read(cross_file)
    values = {name: json.loads(value.replace("'", '"')) for name, value in parser["binaries"].items()}
    return values["cpp"], values["exe_wrapper"]


def build(cross_file, folder, jobs):
    """The cross build's driver."""
    command = ["meson", "setup", str(folder), str(ROOT), "--cross-file", str(cross_file), *(f"-D{k}={v}" for k, v in OPTIONS.items())]
    environment = {k: v for k, v in os.environ.items() if k not in ("CC", "CXX", "FC", "CFLAGS", "CXXFLAGS", "LDFLAGS", "DESTDIR")}
    steps = [["ninja", "-C", str(folder), f"-j{jobs}", "test/cross/cross_driver"]]
    if not (folder / "build.ninja").exists():
        steps.insert(0, command)
    for step in steps:
        # Meson cleans up the build in the current folder, so that must not be the host's.
        done = subprocess.run(step, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, cwd=ROOT)
        if done.returncode:
            sys.exit(f"{' '.join(step)}: status {done.returncode}\n{done.stdout[-6000:]}")
    return folder / "test" / "cross" / "cross_driver"


def cases(share):
    """(case, golden checksum or None, ways to call it)."""
    import check
    import golden
    import multiword
    import sharp

    checksums = json.loads(golden.FILE.read_text())
    chosen = []
    small = [row for row in golden.table() if not row[1] and ":slices:" not in row[0]]
    large = [row for row in golden.table() if row[1] and "-phi1" in row[0] and ":slices:" not in row[0] and "gemm:" not in row[0]]
    for name, _, options in small[::share] + large[:: 4 * share]:
        chosen.append((golden.make(name, options), checksums[name]))
    for routine in ORACLE:
        for group in ("cr", "repro", "dot2", "fixed"):
            for index in range(0, 6, share):
                case = check.case_of(f"{routine}:{group}:{index}")
                if check.engine_table.serving(case.routine, case.mode, "cpu"):
                    chosen.append((case, None))
    products_of_blas = ("slices", *multiword.WORDS)
    sharp_cases = [case for _, case in sharp.sharp_cases() if not case.mode.split(":")[0].startswith(products_of_blas)]
    chosen += [(case, None) for case in sharp_cases[::share]]
    for index, (case, checksum) in enumerate(chosen):
        ways = [way for way in check.configurations(case, index) if way["engine"] in ("auto", *WITHOUT_BLAS)]
        yield case, checksum, ways


def encode(case, ways):
    """The bytes of a case as driver.cpp reads them."""
    import binding
    import numpy as np
    from values import COMPLEX, DTYPE

    number = lambda x: int(x).to_bytes(8, "little", signed=True)
    text = lambda x: number(len(x)) + x.encode()
    prefix = case.prefix
    if case.function in ("nrm2", "asum"):
        prefix = {"z": "dz", "c": "sc"}.get(prefix, prefix)
    data = [text(prefix + case.function)]
    for buffer in case.buffers:
        flat = np.ascontiguousarray(buffer)
        data += [number(flat.real.itemsize), number(flat.nbytes), flat.tobytes()]
    size = case.buffers[2].itemsize
    where = {name: (index, offset * size) for index, (name, offset) in enumerate(zip("ABC", case.offsets))}
    where |= {name: (2, start * size) for name, start in case.within.items()}
    data.append(number(len(case.arguments)))
    for argument in case.arguments:
        if isinstance(argument, str) and case.function == "gemm_batched":
            buffer, offset = where[argument]
            if case.null_operands and argument != "C":
                data.append(number(3))
                continue
            stride, count = case.strides["ABC".index(argument)] * size, case.arguments[-1]
            data += [number(4), number(buffer), number(offset), number(stride), number(count)]
        elif isinstance(argument, str) and not (case.null_operands and argument in "AB"):
            data += [number(1), *map(number, where[argument])]
        elif isinstance(argument, (float, complex)):
            scalar = np.array([argument] if case.prefix in COMPLEX else [np.real(argument)], DTYPE[case.prefix])
            data += [number(2), number(scalar.real.itemsize), scalar.tobytes().ljust(16, b"\0")]
        elif argument is None or isinstance(argument, str):
            data.append(number(3))
        else:
            data += [number(0), number(argument)]
    data.append(number(len(ways)))
    for way in ways:
        data += [text(case.mode), number(binding.ENGINES[way["engine"]]), number(way.get("threads", 0)), number(way.get("workspace", -1))]
    return b"".join(data)


def run(command, jobs, environment):
    """(answers in order, lines of the lists)."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("LD_", "ACCUBLAS_"))} | environment
    done = subprocess.run(command, input=jobs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    lists = subprocess.run([*command, "lists"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    for one in done, lists:
        if one.returncode:
            print(f"{' '.join(map(str, command))}: status {one.returncode}: {one.stderr[-2000:]}", flush=True)
    answers, at = [], 0
    while at + 16 <= len(done.stdout):
        status, size = (int.from_bytes(done.stdout[at + 8 * i : at + 8 * i + 8], "little", signed=True) for i in range(2))
        answers.append((status, done.stdout[at + 16 : at + 16 + size]))
        at += 16 + size
    return answers, lists.stdout.splitlines()


def checksum_of(case, answer):
    import golden
    import numpy as np
    from values import words

    return golden.digest(case, words(np.frombuffer(answer, case.buffers[2].dtype)).reshape(-1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("architecture")
    parser.add_argument("build", type=Path)
    parser.add_argument("driver")
    parser.add_argument("--share", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    cross_file = ROOT / "packaging" / "cross" / f"{options.architecture}.ini"
    compiler, emulator = tools(cross_file)
    missing = [tool for tool in (compiler, emulator[0], "meson", "ninja") if not shutil.which(tool)]
    try:
        import numpy  # noqa: F401
    except ImportError:
        missing.append("numpy")
    if missing:
        print("missing:", *missing)
        return 77

    start = time.time()
    driver = build(cross_file, options.build.resolve(), options.jobs)
    print(f"built in {time.time() - start:.0f} s", flush=True)
    start = time.time()
    calls = list(cases(options.share))
    jobs = b"".join(encode(case, ways) for case, _, ways in calls)
    flat = [(case, checksum, way) for case, checksum, ways in calls for way in ways]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        own = pool.submit(run, [options.driver], jobs, {})
        others = []
        for level, cpu, isa in variants(options.architecture):
            command = [*emulator, *(["-cpu", cpu] if cpu else []), str(driver)]
            others.append((level, pool.submit(run, command, jobs, {"ACCUBLAS_ISA": isa} if isa else {})))
        want, want_lists = own.result()
        failed = [f"{case.describe()} {way}: status {status}" for (case, _, way), (status, _) in zip(flat, want) if status]
        if failed or len(want) != len(flat) or len(want_lists) < 100:
            print(*failed[:5], sep="\n")
            sys.exit(f"this machine's build answered {len(want)} of {len(flat)} calls, {len(failed)} with an error, and {len(want_lists)} lines of lists")
        total = differing = 0
        for level, other in others:
            got, got_lists = other.result()
            wrong = []
            for index, (case, checksum, way) in enumerate(flat):
                answer = got[index] if index < len(got) else None
                if answer != want[index]:
                    wrong.append(f"{case.describe()} {way}: " + (f"status {answer[0]}" if answer and answer[0] else "other bits" if answer else "no answer"))
                elif checksum and checksum_of(case, answer[1]) != checksum:
                    wrong.append(f"{case.describe()} {way}: not golden.json's checksum")
            if got_lists[:1] != [f"cpu:{level}"]:
                wrong.append(f"kernels {got_lists[:1]} instead of {level}")
            for index, line in enumerate(want_lists[1:], 1):
                if index >= len(got_lists) or got_lists[index] != line:
                    wrong.append(f"{line} here, there {got_lists[index] if index < len(got_lists) else 'nothing'}")
            print(*wrong[:8], sep="\n", end="\n" if wrong else "")
            count = len(flat) + len(want_lists) - 1
            print(f"{options.architecture} {level}: {count} results, {len(wrong)} differ, {time.time() - start:.0f} s", flush=True)
            total += count
            differing += len(wrong)
    print(f"{options.architecture}: {total} calls, {differing} differing results")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
