"""Runs programs under the preloaded drop-in and reads what its counters say.

The summary that ACCUBLAS_VERBOSE=summary prints on standard error at exit proves that calls were intercepted, and which
engine served them.
"""
import os
import re
import subprocess


def cpu_flags():
    """Returns the features of the CPU, in Linux's words."""
    try:
        with open("/proc/cpuinfo") as file:
            return set(next((line for line in file if line.startswith("flags")), "").split())
    except OSError:
        return set()


SKIP = 77
RESIDUES = "int8" if {"avx512f", "avx512bw", "avx512dq", "avx512vl"} <= cpu_flags() else "fp64"  # GEMM cr, dp:repro
SMALL_CR = "sums" if {"avx2", "fma"} <= cpu_flags() else RESIDUES  # cr of small matrices
SMALL_FIXED = "sums" if SMALL_CR == "sums" else "int8"  # fixed:T of small matrices
BLAS_DIRECTORIES = ("/usr/lib/x86_64-linux-gnu/blas", "/usr/lib/aarch64-linux-gnu/blas")


def blas_directory():
    """Where Debian's libblas-test and netlib's libblas.so.3 lie; None where they are not installed."""
    return next((d for d in BLAS_DIRECTORIES if os.path.isdir(d)), None)


def preload(library, folders=None):
    """The variables that preload a library by its name, and find it, before what is in `folders` (by default those that are searched
    now): LD_PRELOAD separates paths by spaces."""
    folder, name = os.path.split(library)
    searched = folders or os.environ.get("LD_LIBRARY_PATH")
    return {"LD_PRELOAD": name, "LD_LIBRARY_PATH": ":".join(filter(None, [folder, searched]))}


def environment(library, mode, engine="auto", netlib=None, extra=None):
    env = {k: v for k, v in os.environ.items() if not k.startswith("ACCUBLAS_")}
    if netlib:
        env["LD_LIBRARY_PATH"] = netlib
    if library:
        env.update(preload(library, netlib))
    env["LD_PRELOAD"] = " ".join(filter(None, [os.environ.get("DROPIN_SANITIZER"), library and env["LD_PRELOAD"]]))
    env["ASAN_OPTIONS"] = "detect_leaks=0:detect_stack_use_after_return=0:verify_asan_link_order=0"
    env.update(ACCUBLAS_MODE=mode, ACCUBLAS_ENGINE=engine, ACCUBLAS_VERBOSE="summary", OPENBLAS_NUM_THREADS="1")
    env.update(extra or {})
    return env


def on_library_path(*folders):
    """Returns `extra` for `environment` without a library, if the drop-in is the libblas.so.3 in one of these folders."""
    return {"LD_LIBRARY_PATH": ":".join(map(str, folders))}


def counts(stderr):
    """{(routine, engine): calls} from the summary."""
    pattern = r"^accublas: (\w+) backend=cpu engine=(\w+) calls=(\d+)$"
    return {(r, e): int(n) for r, e, n in re.findall(pattern, stderr, re.MULTILINE)}


def run(command, env, directory, stdin=None):
    with open(stdin or os.devnull) as source:
        return subprocess.run(command, env=env, cwd=directory, stdin=source, capture_output=True, text=True, timeout=300)
