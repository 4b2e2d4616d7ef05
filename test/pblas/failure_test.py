"""If accublas fails on one rank, it writes one line and all ranks end. If a rank is killed while all ranks factor a matrix, all ranks end and
mpirun reports it.
usage: failure_test.py MPIRUN PROGRAM FACTORIZATIONS"""
import os
import re
import sys

import under_mpirun


def one_fails(mpirun, program):
    done = under_mpirun.run(mpirun, 1, [program, ":", "-n", "1", "env", "ACCUBLAS_NUM_THREADS=none", program], timeout=60)
    lines = re.findall(r"^accublas: .*$", done.stderr, re.MULTILINE)
    print("\n".join(lines), f"status {done.returncode}")
    return done.returncode != 0 and len(lines) == 1 and re.match(r"accublas: p\w+_ on rank 1: .*ACCUBLAS_NUM_THREADS", lines[0])


def one_is_killed(mpirun, program):
    done = under_mpirun.run(mpirun, 2, [program, ":", "-n", "1", "env", "ACCUBLAS_TEST_KILL=20", program], timeout=60)
    # OpenMPI names the rank, MPICH the signal.
    mpich = under_mpirun.is_mpich(mpirun)
    lines = re.findall(r"^.*(?:EXIT STRING: |process rank ).*$", done.stdout + done.stderr, re.MULTILINE)
    print("\n".join(lines), f"status {done.returncode}")
    return done.returncode != 0 and len(lines) == 1 and ("signal 9" if mpich else "rank 2") in lines[0] and "accublas:" not in done.stderr


def main():
    mpirun, program, factorizations = sys.argv[1], *map(os.path.abspath, sys.argv[2:])
    return not one_fails(mpirun, program) or not one_is_killed(mpirun, factorizations)


if __name__ == "__main__":
    sys.exit(main())
