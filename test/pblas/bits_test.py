"""usage: bits_test.py MPIRUN RANKS PROGRAM [ARGUMENT ...] [VARIABLE=VALUE ...]
Runs a test program under mpirun and repeats what it prints. A status of 77 means that the test was skipped."""
import os
import sys

import under_mpirun


def main():
    mpirun, ranks, program, *rest = sys.argv[1:]
    program = os.path.abspath(program)
    variables = dict(word.split("=", 1) for word in rest if "=" in word)
    done = under_mpirun.run(mpirun, int(ranks), [program, *(word for word in rest if "=" not in word)], timeout=None, **variables)
    print(done.stdout, done.stderr, sep="", end="")
    return done.returncode if done.returncode == 77 else done.returncode != 0


if __name__ == "__main__":
    sys.exit(main())
