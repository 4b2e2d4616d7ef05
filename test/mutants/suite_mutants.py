"""Every deliberate defect whose name begins with PREFIX must be caught: suite_mutants.py PREFIX LIBRARY PROGRAM...

The names come from the library (accublas_test_mutant_name): mp_* are those of the multiple-precision arrays, quad_* of products beyond double
precision, certified_* of certified solutions, gpu_* of the CUDA backend, and gpu_*fused* need a GPU of compute capability 9.0. The programs are test suites that are linked with
it, or Python's unittests (*.py), which get the library: without a defect all must pass, and with each a test of one must fail, or end the program.
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import time

from names import names


SKIPPED = 77  # a program of the GPU's suite without a GPU


def has_hopper():
    try:
        done = subprocess.run(["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"], capture_output=True,
                              text=True)
    except OSError:
        return False
    return done.stdout.startswith("9.0")


def run(program, library, mutant):
    """(return code, the test that failed or was running at the end)"""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ACCUBLAS_")}
    if mutant:
        environment["ACCUBLAS_TEST_MUTANT"] = mutant
    if program.endswith(".py"):
        done = subprocess.run([sys.executable, program, library, "--failfast"], env=environment, capture_output=True, text=True)
        return done.returncode, "".join(re.findall(r"^(?:FAIL|ERROR): (\S+)", done.stderr, re.MULTILINE)[:1])
    done = subprocess.run([program, "--gtest_fail_fast"], env=environment, capture_output=True, text=True)
    tests = re.findall(r"\[  FAILED  \] (\S+)", done.stdout)[:1] or re.findall(r"\[ RUN      \] (\S+)", done.stdout)[-1:]
    return done.returncode, tests[0] if tests else ""


def first_failure(programs, library, mutant):
    for program in programs:
        code, test = run(program, library, mutant)
        if code:
            return f"{mutant}: caught by {test}", test != ""
    return f"{mutant}: survives", False


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("prefix")
    parser.add_argument("library")
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--only", action="append", help="these mutants only")
    options = parser.parse_args()
    start = time.time()
    mutants = options.only or [name for name in names(options.library) if name.startswith(options.prefix)]
    if options.prefix.startswith("gpu_") and not has_hopper():
        mutants = [name for name in mutants if "fused" not in name]
    failures = []
    with concurrent.futures.ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        sound = {program: pool.submit(run, program, options.library, None) for program in options.programs}
        runs = [pool.submit(first_failure, options.programs, options.library, mutant) for mutant in mutants]
        for program, done in sound.items():
            code, test = done.result()
            if code == SKIPPED:
                return SKIPPED
            if code:
                failures.append(f"{program} without a defect: {code}, {test}")
        for done in runs:
            text, caught = done.result()
            if caught:
                print(text)
            else:
                failures.append(text)
    for text in failures:
        print("FAILED " + text)
    print(f"{len(mutants)} mutants, {len(failures)} failures, {time.time() - start:.1f} s")
    return 1 if failures or not mutants else 0


if __name__ == "__main__":
    sys.exit(main())
