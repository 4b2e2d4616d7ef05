"""Debian's test programs of the PBLAS and of ScaLAPACK under the preloaded drop-in: each passes what it passes without it, and accublas
computes the calls. A routine that fails without the drop-in and that accublas does not serve may fail with it.
usage: testers_test.py MPIRUN LIBRARY PROGRAM [MODE ...]     exits with 77 where Debian's package is missing"""
import os
import re
import shutil
import sys
import tempfile

import under_mpirun

PROGRAMS = "/usr/lib/{}/scalapack/{}-tests"
DATA = "/usr/share/scalapack"
# Inputs that differ from Debian's: PDLLT's iterative refinement hangs on 4 ranks, also without the drop-in.
CHANGES = {"LLT.dat": (r"^T(\s+\(T or F\) Test Cond)", r"F\1")}


def folder(mpirun):
    mpi = "mpich" if under_mpirun.is_mpich(mpirun) else "openmpi"
    return next((path for path in (PROGRAMS.format(machine, mpi) for machine in ("x86_64-linux-gnu", "aarch64-linux-gnu")) if os.path.isdir(path)), None)


def results(text):
    """{(routine): failed} of the PBLAS's summary, or {"tests": failed} of ScaLAPACK's."""
    summary = {name: int(failed) for name, failed in re.findall(r"^ +\| +(\w+) +\d+ +\d+ +(\d+) +\d+$", text, re.MULTILINE)}
    for count in re.findall(r"(\d+) tests completed and failed", text):
        summary["tests"] = summary.get("tests", 0) + int(count)
    return summary


def main():
    mpirun, library, program, *modes = sys.argv[1:]
    programs = folder(mpirun)
    if not programs:
        print("scalapack-mpi-test is not installed")
        return 77
    path = os.path.join(programs, "PBLAS" if program.endswith("tst") else "", program)
    with tempfile.TemporaryDirectory() as directory:
        for root, _, files in os.walk(DATA):
            for name in files:
                shutil.copy(os.path.join(root, name), directory)
        for name, (pattern, replacement) in CHANGES.items():
            with open(os.path.join(directory, name)) as file:
                text = file.read()
            changed = re.sub(pattern, replacement, text, flags=re.MULTILINE)
            if changed == text:
                print(f"{name} has no line that matches {pattern}")
                return 1
            with open(os.path.join(directory, name), "w") as file:
                file.write(changed)
        plain = results(under_mpirun.run(mpirun, 4, [path], directory=directory).stdout)
        wrong = not plain
        for mode in modes:
            done = under_mpirun.run(mpirun, 4, [path], library, directory, ACCUBLAS_MODE=mode, ACCUBLAS_VERBOSE="summary")
            found = results(done.stdout)
            served = sum(map(int, re.findall(r"^accublas: \w+ backend=\w+ engine=\w+ calls=(\d+)$", done.stderr, re.MULTILINE)))
            new = {name: failed for name, failed in found.items() if failed > plain.get(name, 0)}
            print(f"{program} {mode}: {len(found)} results, new failures {new}, {served} calls of accublas", flush=True)
            # dp is ScaLAPACK's own.
            if done.returncode or new or found.keys() != plain.keys() or (served == 0) != (mode == "dp"):
                print(done.stdout[-3000:], done.stderr[-2000:])
                wrong = True
    return wrong


if __name__ == "__main__":
    sys.exit(main())
