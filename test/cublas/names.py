"""The names that the drop-in for cuBLAS serves. As a program: the list of exported symbols; with the path of a real cuBLAS, whether that
has all of them."""
import subprocess
import sys

V2 = [letter + routine for letter in "DSZC" for routine in ("gemm", "gemv", "symm", "syrk", "syr2k", "trmm", "trsm", "trmv", "trsv")]
V2 += [letter + routine for letter in "ZC" for routine in ("hemm", "herk", "her2k", "geru", "gerc", "hemv", "her", "her2", "dotu", "dotc")]
V2 += [letter + routine for letter in "DS" for routine in ("dot", "ger", "symv", "syr", "syr2")]
V2 += [letters + norm for letters in ("D", "S", "Dz", "Sc") for norm in ("nrm2", "asum")]
PLAIN = [letter + form for letter in "DSZC" for form in ("gemmBatched", "gemmStridedBatched")]
PLAIN += ["Zgemm3m", "Cgemm3m", "Cgemm3mBatched", "Cgemm3mStridedBatched", "SgemmEx", "CgemmEx", "Cgemm3mEx", "GemmEx", "GemmBatchedEx",
          "GemmStridedBatchedEx"]
SERVED = {f"cublas{name}{suffix}" for name in [r + "_v2" for r in V2] + PLAIN for suffix in ("", "_64")}
# A context goes with its handle; look-ups in a libcublas that the program opened.
EXPORTED = SERVED | {"cublasDestroy_v2", "dlsym"}

if __name__ == "__main__":
    if len(sys.argv) > 1:
        real = subprocess.run(["nm", "-D", "--defined-only", sys.argv[1]], capture_output=True, text=True, check=True).stdout
        has = {line.split()[-1].split("@")[0] for line in real.splitlines() if line}
        sys.exit(f"cuBLAS lacks {sorted(EXPORTED - has - {'dlsym'})}" if EXPORTED - has - {"dlsym"} else 0)
    print(*sorted(EXPORTED), sep="\n")
