"""The names that the drop-in serves: every routine in every spelling. As a program: the list of exported symbols."""
import re

ROUTINES = [letter + routine for letter in "ds" for routine in ("asum", "dot", "gemm", "gemv", "nrm2")] + ["cgemm", "zgemm"]
ROUTINES += [letter + routine for letter in "zc" for routine in ("dotu", "dotc", "gemv")]
ROUTINES += [letters + norm for letters in ("dz", "sc") for norm in ("nrm2", "asum")]
ROUTINES += [letter + routine for letter in "dszc" for routine in ("symm", "syrk", "syr2k", "trmm", "trsm", "gemmt")]
ROUTINES += [letter + routine for letter in "zc" for routine in ("hemm", "herk", "her2k")]
ROUTINES += [letter + routine for letter in "dszc" for routine in ("trmv", "trsv")] + ["dsdot", "sdsdot"]
ROUTINES += [letter + routine for letter in "ds" for routine in ("ger", "symv", "syr", "syr2")]
ROUTINES += [letter + routine for letter in "zc" for routine in ("geru", "gerc", "hemv", "her", "her2")]
FACTORIZATIONS = [letter + routine for letter in "dszc" for routine in ("potrf", "potrs", "posv", "potri", "getrf", "getrs", "gesv", "getri", "trtri", "lauum")]
FACTORIZATIONS += [letter + routine for letter in "dszc" for routine in ("geqrf", "gels")]
FACTORIZATIONS += [letters + routine for letters in ("dor", "sor", "zun", "cun") for routine in ("gqr", "mqr")]
ROUTINES += FACTORIZATIONS
ROUTINES.sort(key=len, reverse=True)  # gemmt before gemm
SPELLINGS = ["{}_", "cblas_{}",                      # Debian, conda, vendors
             "{}_64_", "cblas_{}_64",                # netlib's ILP64
             "{}64_", "cblas_{}64_",                 # OpenBLAS's
             "scipy_{}_", "scipy_cblas_{}",          # SciPy's wheels
             "scipy_{}_64_", "scipy_cblas_{}64_"]    # NumPy's wheels


def cblas_name(routine):
    """CBLAS returns complex numbers by address, under a name of its own."""
    return routine + "_sub" if routine[1:] in ("dotu", "dotc") else routine


SERVED = {spelling.format(cblas_name(routine) if "cblas" in spelling else routine) for spelling in SPELLINGS for routine in ROUTINES
          if not ("cblas" in spelling and routine in FACTORIZATIONS)}


def routine_of(symbol):
    """The routine that a symbol names under any prefix and suffix, known here or not; None for other symbols."""
    found = re.fullmatch(r"(?:[a-z0-9]+_)*?(" + "|".join(ROUTINES) + r")(?:_sub)?_?(?:64)?_?", symbol)
    return found and found[1]


if __name__ == "__main__":
    print("ACCUBLAS_0", *sorted(f"{name}@@ACCUBLAS_0" for name in SERVED), sep="\n")
