"""The reference by Doxygen: OUT/c/html from accublas.h, OUT/fortran/html from the sources of the Fortran module. A public symbol
without a comment, or any other warning, is a failure. usage: build.py DOXYGEN OUT ACCUBLAS_H [FORTRAN_SOURCE ...]"""

import subprocess
import sys
from pathlib import Path

# Names that the modules of Fortran share among themselves.
INTERNAL = "c_* certificate_of fixed_string settle settle_call context_handle value_or offset"
COMMON = """PROJECT_NAME = accublas
GENERATE_LATEX = NO
HAVE_DOT = NO
QUIET = YES
WARN_IF_INCOMPLETE_DOC = NO
WARN_AS_ERROR = FAIL_ON_WARNINGS
"""


def run(doxygen, out, inputs, settings):
    """The exit status of Doxygen, which is not 0 where it warned."""
    out.mkdir(parents=True, exist_ok=True)
    quoted = " ".join(f'"{name}"' for name in inputs)
    print(out / "html/index.html", flush=True)
    text = f'{COMMON}{settings}INPUT = {quoted}\nOUTPUT_DIRECTORY = "{out}"\n'
    return subprocess.run([doxygen, "-"], input=text, text=True).returncode


def build(doxygen, out, header, modules):
    expand = f'{sys.executable} \\"{Path(__file__).resolve().parent / "header.py"}\\"'
    status = run(doxygen, out / "c", [header], f'OPTIMIZE_OUTPUT_FOR_C = YES\nFILTER_PATTERNS = "*.h={expand}"\n'
                 "EXCLUDE_SYMBOLS = ACCUBLAS_API ACCUBLAS_H\nPREDEFINED = MPFR_VERSION\n")
    if modules:
        status |= run(doxygen, out / "fortran", modules, "OPTIMIZE_FOR_FORTRAN = YES\nEXTENSION_MAPPING = f90=FortranFree\n"
                      f"EXCLUDE_SYMBOLS = {INTERNAL}\n")
    return status


if __name__ == "__main__":
    sys.exit(build(sys.argv[1], Path(sys.argv[2]), sys.argv[3], sys.argv[4:]))
