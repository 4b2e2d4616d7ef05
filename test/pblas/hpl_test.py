"""HPL (Debian's hpcc) under the preloaded drop-ins for the PBLAS and for BLAS: its check passes in every mode, and accublas computes its products.
usage: hpl_test.py MPIRUN PBLAS BLAS     exits with 77 where Debian's package is missing"""
import os
import re
import shutil
import sys
import tempfile

import under_mpirun

INPUT = "/usr/share/doc/hpcc/examples/_hpccinf.txt"
CHANGES = (r"^1000( +Ns)$", r"300\1"), (r"^80( +NBs)$", r"32\1"), (r"^8( +device out)", r"6\1")


def main():
    mpirun, pblas, blas = sys.argv[1:]
    hpcc = shutil.which("hpcc")
    if not hpcc or not os.path.exists(INPUT) or under_mpirun.is_mpich(mpirun):
        print("hpcc is not installed, or it is for another MPI")
        return 77
    with open(INPUT) as file:
        text = file.read()
    for pattern, replacement in CHANGES:
        changed = re.sub(pattern, replacement, text, flags=re.MULTILINE)
        if changed == text:
            print(f"{INPUT} has no line that matches {pattern}")
            return 1
        text = changed
    wrong = False
    for mode in ("dp", "cr", "dp:repro", "fixed:60"):
        with tempfile.TemporaryDirectory() as directory:
            with open(os.path.join(directory, "hpccinf.txt"), "w") as file:
                file.write(text)
            done = under_mpirun.run(mpirun, 4, [hpcc], f"{pblas}:{blas}", directory, ACCUBLAS_MODE=mode, ACCUBLAS_VERBOSE="summary", OMP_NUM_THREADS="1")
            with open(os.path.join(directory, "hpccoutf.txt")) as file:
                output = done.stdout + file.read()
        residuals = re.findall(r"Ax-b.*= +(\S+) \.+ (\w+)", output)
        calls = re.findall(r"^accublas: dgemm backend=\w+ engine=(\w+)", done.stderr, re.MULTILINE)
        print(f"HPL in {mode}: residuals {residuals}, engines {sorted(set(calls))}, status {done.returncode}", flush=True)
        passed = residuals and all(word == "PASSED" for _, word in residuals)
        wrong |= done.returncode != 0 or not passed or not calls or (set(calls) == {"native"}) != (mode == "dp")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
