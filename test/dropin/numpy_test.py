"""NumPy, and SciPy where it is there, under the preloaded drop-in, on each BLAS that Debian's libblas.so.3 can be.

usage: numpy_test.py PYTHON LIBACCUBLAS_BLAS LIBACCUBLAS
"""
import os
import subprocess
import sys

import run_with_dropin as dropin

HERE = os.path.dirname(os.path.abspath(__file__))
ENGINES = {"native": "native", "dp": "native", "dp:repro": dropin.SMALL_CR, "cr": dropin.SMALL_CR,
           "dot2": "dot2", "fixed:60": dropin.SMALL_FIXED}


def failures(name, script, mode, python, blas, library, **environment):
    """One run of a script of checks in a mode: how many failed, and what it printed."""
    env = dropin.environment(blas, mode, **environment)
    done = dropin.run([python, "-W", "error", os.path.join(HERE, script), library, mode], env, HERE)
    served = dropin.counts(done.stderr)
    wrong = done.returncode != 0 or not done.stdout.startswith("ok\n")
    # The program's own direct calls are counted as well: interception itself is checked inside.
    wrong = wrong or any({e for (r, e) in served if r == routine} != {ENGINES[mode]} for routine in ("dgemm", "sgemm"))
    print(f"{script} on {name}, {mode}: {served}" + (f"\nFAILED\n{done.stdout}\n{done.stderr}" if wrong else ""), flush=True)
    return int(wrong), done.stdout


def main():
    python, blas, library = sys.argv[1:]
    failed = 0
    for netlib in (None, dropin.blas_directory()):
        for mode in ENGINES:
            failed += failures(netlib or "the system BLAS", "numpy_checks.py", mode, python, blas, library, netlib=netlib)[0]
    if subprocess.run([python, "-c", "import scipy.linalg"], capture_output=True).returncode == 0:
        for mode in ("native", "cr"):
            failed += failures("the system BLAS", "scipy_checks.py", mode, python, blas, library)[0]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
