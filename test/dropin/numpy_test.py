"""NumPy under the preloaded drop-in, on each BLAS that Debian's libblas.so.3 can be.

usage: numpy_test.py PYTHON LIBACCUBLAS_BLAS LIBACCUBLAS
"""
import os
import sys

import run_with_dropin as dropin

ENGINES = {"native": "native", "dp": "native", "dp:repro": dropin.RESIDUES, "cr": dropin.SMALL_CR,
           "dot2": "dot2", "fixed:60": "int8"}


def main():
    python, blas, library = sys.argv[1:]
    here = os.path.dirname(os.path.abspath(__file__))
    failures = 0
    for netlib in (None, dropin.blas_directory()):
        for mode, engine in ENGINES.items():
            env = dropin.environment(blas, mode, netlib=netlib)
            done = dropin.run([python, os.path.join(here, "numpy_checks.py"), library, mode], env, here)
            served = dropin.counts(done.stderr)
            wrong = done.returncode != 0 or "ok" not in done.stdout
            # The program's own direct calls are counted as well: interception itself is checked inside.
            wrong = wrong or any({e for (r, e) in served if r == routine} != {engine} for routine in ("dgemm", "sgemm"))
            print(f"NumPy on {netlib or 'the system BLAS'}, {mode}: {served}"
                  + (f"\nFAILED\n{done.stdout}\n{done.stderr}" if wrong else ""), flush=True)
            failures += wrong
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
