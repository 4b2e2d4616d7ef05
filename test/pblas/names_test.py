"""The names that libaccublas_pblas exports are ScaLAPACK's: one that is not would never be called.
usage: names_test.py LIBRARY SCALAPACK_PROGRAM     the program is linked with ScaLAPACK"""
import re
import subprocess
import sys


def names(library):
    return {line.split()[-1].split("@")[0] for line in subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout.splitlines()}


def main():
    library, program = sys.argv[1:]
    loaded = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    scalapack = re.search(r"libscalapack\S* => (\S+)", loaded)[1]
    own = {name for name in names(library) if name.startswith("p")}
    print(f"{len(own)} names; not ScaLAPACK's: {sorted(own - names(scalapack))}")
    return own - names(scalapack) != set() or len(own) != 62


if __name__ == "__main__":
    sys.exit(main())
