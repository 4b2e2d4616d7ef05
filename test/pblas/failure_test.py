"""If accublas fails on one rank, all ranks end, after one line of accublas.
usage: failure_test.py MPIRUN PROGRAM"""
import os
import re
import sys

import under_mpirun


def main():
    mpirun, program = sys.argv[1], os.path.abspath(sys.argv[2])
    done = under_mpirun.run(mpirun, 1, [program, ":", "-n", "1", "env", "ACCUBLAS_NUM_THREADS=none", program], timeout=60)
    lines = re.findall(r"^accublas: .*$", done.stderr, re.MULTILINE)
    print("\n".join(lines), f"status {done.returncode}")
    return done.returncode == 0 or len(lines) != 1 or not re.match(r"accublas: p\w+_ on rank 1: .*ACCUBLAS_NUM_THREADS", lines[0])


if __name__ == "__main__":
    sys.exit(main())
