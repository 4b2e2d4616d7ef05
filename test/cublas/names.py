"""The names that the drop-in for cuBLAS serves.

usage: names.py                       prints the exported symbols
       names.py CUBLAS CUBLASLT       fails unless the libraries at these paths together have all of them
"""
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "c_api"))
import generate  # noqa: E402
from routines import GROUPS  # noqa: E402

SERVED = {name + end for rows in GROUPS.values() for row in rows for name, _, _ in generate.cublas_names(row) for end in ("", "_64")}
# A context is destroyed with its handle, and dlsym finds the drop-in for names in a libcublas that the program opened.
OF_LT = {"cublasLtMatmul", "cublasLtDestroy"}
EXPORTED = SERVED | OF_LT | {"cublasDestroy_v2", "dlsym"}

if __name__ == "__main__":
    if len(sys.argv) > 1:
        real = subprocess.run(["nm", "-D", "--defined-only", *sys.argv[1:]], capture_output=True, text=True, check=True).stdout
        has = {line.split()[-1].split("@")[0] for line in real.splitlines() if line}
        sys.exit(f"cuBLAS lacks {sorted(EXPORTED - has - {'dlsym'})}" if EXPORTED - has - {"dlsym"} else 0)
    print(*sorted(EXPORTED), sep="\n")
