"""The example of docs/distributed.md: in cr and dp:repro every number of ranks prints the same checksums, and without accublas not.
usage: ranks_test.py MPIRUN LIBRARY PROGRAM"""
import os
import sys

import under_mpirun

RANKS = (1, 2, 3, 4, 6)


def checksums(mpirun, program, library, **variables):
    """{routine: the checksums of all numbers of ranks}"""
    found = {}
    for ranks in RANKS:
        done = under_mpirun.run(mpirun, ranks, [program], library, **variables)
        if done.returncode:
            sys.exit(f"{ranks} ranks: status {done.returncode}\n{done.stdout}\n{done.stderr}")
        for line in done.stdout.splitlines():
            routine, checksum = line.split(" on ")[0], line.split(": ")[1]
            found.setdefault(routine, []).append(checksum)
    return found


def main():
    mpirun, library, program = sys.argv[1], sys.argv[2], os.path.abspath(sys.argv[3])
    alone = checksums(mpirun, program, None)
    wrong = sorted(alone) != ["pdgemm", "pdgesv", "pdposv"] or any(len(set(sums)) == 1 for sums in alone.values())
    print("without accublas:", alone)
    for mode in ("cr", "dp:repro"):
        found = checksums(mpirun, program, library, ACCUBLAS_MODE=mode)
        print(f"{mode}:", found)
        wrong |= sorted(found) != sorted(alone) or any(len(sums) != len(RANKS) or len(set(sums)) != 1 for sums in found.values())
    return wrong


if __name__ == "__main__":
    sys.exit(main())
