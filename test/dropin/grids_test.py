"""PDGEMM under the preloaded drop-in on process grids (docs/guide.md): with one panel of terms every grid returns the same bits
in the modes that promise bits element by element, and all of it is accublas's.
usage: grids_test.py LIBACCUBLAS_BLAS MPIRUN PROGRAM"""
import os
import sys

import run_with_dropin as dropin

ENGINES = {"cr": dropin.SMALL_CR, "dot2": "dot2"}
GRIDS = ((1, 1), (1, 2), (2, 2), (4, 1))
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}  # containers


def main():
    library, mpirun, program = (os.path.abspath(name) for name in sys.argv[1:])
    failed = False
    for mode, engine in ENGINES.items():
        sums = set()
        for rows, cols in GRIDS:
            # The drop-in for the ranks alone, not for mpirun.
            env = dropin.environment(library, mode, extra=ROOT)
            preload = env.pop("LD_PRELOAD")  # found by LD_LIBRARY_PATH, which mpirun hands on
            done = dropin.run([mpirun, "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", "-n", str(rows * cols),
                               "-x", "LD_PRELOAD=" + preload, program, str(rows), str(cols), "32"], env, "/")
            found = [line.split(": ")[1] for line in done.stdout.splitlines() if line.startswith("pdgemm")]
            served = {e for (r, e) in dropin.counts(done.stderr) if r == "dgemm"}
            print(f"{mode} on {rows} x {cols}: {found} by {served}", flush=True)
            if done.returncode or len(found) != 1 or served != {engine}:
                print(f"FAILED\n{done.stdout}\n{done.stderr}")
                failed = True
            sums.update(found)
        if len(sums) != 1:
            print(f"FAILED: {mode} has other bits on other grids")
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
