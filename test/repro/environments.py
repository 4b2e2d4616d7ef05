"""The driver's checksums are the same in every environment: environments.py DRIVER, and on the GPU: environments.py DRIVER cuda.

The library reads its environment once, so every combination is a process.
"""

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from isa_levels import isa_levels  # noqa: E402


def run(driver, size, environment):
    done = subprocess.run([driver, size], env={**os.environ, **environment}, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{driver} {size} {environment}: exit {done.returncode}: {done.stderr.strip()}")
    sys.stderr.write(done.stderr)
    return done.stdout.splitlines()


def compare(want, got, what):
    wrong = [f"{a}  |  {b}" for a, b in zip(want, got) if a != b]
    if wrong or len(want) != len(got):
        print(f"{what}: {len(wrong)} of {len(want)} differ, first: {wrong[0] if wrong else 'length'}")
        return 1
    print(f"{what}: {len(want)} equal")
    return 0


def compare_backends(driver):
    failures = 0
    for size in ("small", "large"):
        cpu = run(driver, size, {"ACCUBLAS_BACKEND": "cpu"})
        for variant in ({}, {"ACCUBLAS_WORKSPACE_MIB": "8"}):
            gpu = run(driver, size, {"ACCUBLAS_BACKEND": "cuda", **variant})
            failures += compare(cpu, gpu, f"{size}, cpu and cuda {variant or ''}")
    return 1 if failures else 0


def main(driver, *backend):
    if backend == ("cuda",):
        return compare_backends(driver)
    found = isa_levels()
    failures = 0
    small = run(driver, "small", {"ACCUBLAS_NUM_THREADS": "1"})
    variants = [{"ACCUBLAS_ISA": level} for level in found]
    variants += [{"ACCUBLAS_NUM_THREADS": "3", "ACCUBLAS_WORKSPACE_MIB": "1"}, {"OPENBLAS_NUM_THREADS": "1"}]
    for variant in variants:
        failures += compare(small, run(driver, "small", variant), f"small {variant}")
    large = run(driver, "large", {})
    for level in found[-3:-1]:
        failures += compare(large, run(driver, "large", {"ACCUBLAS_ISA": level}), f"large {level}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
