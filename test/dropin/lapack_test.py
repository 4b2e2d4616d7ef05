"""netlib's LAPACK test programs for linear equations (Debian: liblapack-test) under the preloaded drop-in: the paths of LU,
Cholesky's and the QR factorization, of triangular matrices and of least squares, error exits included, in every mode that they have.

usage: lapack_test.py LIBRARY PROGRAM, for instance lapack_test.py build/c_api/blas/libaccublas_blas.so xlintstd
"""
import os
import re
import subprocess
import sys

import run_with_dropin as dropin

FOLDERS = ("/usr/lib/x86_64-linux-gnu/lapack", "/usr/lib/aarch64-linux-gnu/lapack")
ENGINES = {"native": "native", "dp": "native", "dp:repro": "sums", "cr": "sums"}

library, program = sys.argv[1:]
letter = program[-1]
folder = next((f for f in FOLDERS if os.path.exists(os.path.join(f, program))), None)
if folder is None:
    print("netlib's LAPACK test programs are not installed (Debian: liblapack-test)")
    sys.exit(dropin.SKIP)
with open(os.path.join(folder, f"{letter}test.in")) as file:
    lines = file.read().splitlines()
# One size of more than a block; `dp:repro`, whose values are `cr`'s, without it. Block sizes are netlib's own: one.
sizes = {mode: "0 1 2 3 10 30 50 " if mode == "dp:repro" else "0 1 2 3 10 50 80 " for mode in ENGINES}
blocks = {"5 ": "1 ", "1 3 3 3 20 ": "20 ", "1 0 5 9 1 ": "1 "}


def head(mode):
    replaced = {"0 1 2 3 5 10 50 ": sizes[mode], **blocks}
    found = [next((old for old in replaced if line.startswith(old)), "") for line in lines[:16]]
    assert sorted(filter(None, found)) == sorted([*replaced, "0 1 2 3 5 10 50 "]), "another form of input"
    return [replaced.get(old, "") + line[len(old):] for old, line in zip(found, lines)]


paths = [line for line in lines[16:] if re.match(rf"{letter.upper()}(GE|PO) ", line)]
assert len(paths) == 2, "another form of input"
# These types of triangular matrices are inverted; the others are LATRS's.
paths += [f"{letter.upper()}TR 10", "1 2 3 4 5 6 7 8 9 10"]
# The QR factorization and least squares run few sizes, one of more than a panel: their paths mostly call netlib's code.
few = ["QR and least squares", "3", "0 3 40", "3", "0 2 40", "1", "2", "1", "8", "2", "1", "50", "30.0", "T", "T", "T"]
paths_of_few = [line for line in lines[16:] if re.match(rf"{letter.upper()}(QR|LS) ", line)]
assert len(paths_of_few) == 2, "another form of input"
orthogonal = [{"d": "or", "s": "or"}.get(letter, "un") + routine for routine in ("gqr", "mqr")]
failed = False
for mode, engine in ENGINES.items():
    runs = [subprocess.run([os.path.join(folder, program)], input="\n".join(text) + "\n", text=True, capture_output=True,
                           env=dropin.environment(library, mode), timeout=500) for text in (head(mode) + paths, few + paths_of_few)]
    output = "".join(run.stdout for run in runs)
    passed = re.findall(r"All tests for|passed the tests of the error exits", output)
    counts = {}
    for run in runs:
        for key, count in dropin.counts(run.stderr).items():
            counts[key] = counts.get(key, 0) + count
    calls = {routine: counts.get((letter + routine, engine), 0)
             for routine in ("potrf", "potrs", "posv", "potri", "getrf", "getrs", "gesv", "getri", "trtri", "geqrf", *orthogonal, "gels")}
    wrong = any(run.returncode for run in runs) or len(passed) != 14 or re.search(r"fail|\*\*\*", output) or not all(calls.values())
    failed |= bool(wrong)
    print(f"{program} {mode}: {'FAILED' if wrong else 'passed'}, calls on {engine}: {calls}")
    if wrong:
        print(output[-6000:], runs[-1].stderr[-1000:])
sys.exit(failed)
