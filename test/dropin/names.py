"""The names that the drop-in serves: every routine in every spelling. As a program: the list of exported symbols."""
import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "c_api"))
import generate  # noqa: E402
from routines import GROUPS  # noqa: E402

NAMES = [(symbol, called) for rows in GROUPS.values() for row in rows for name, _ in row.functions() for symbol, called, _, _ in generate.symbols(row, name)]
ISAMAX = {f"{spelling['prefix']}isamax{spelling['f77']}" for spelling in generate.spellings()}  # which no mode changes
SERVED = {symbol for symbol, _ in NAMES} | ISAMAX
ROUTINES = sorted({called for _, called in NAMES}, key=len, reverse=True)  # gemmt before gemm


def routine_of(symbol):
    """The routine that a symbol names under any prefix and suffix, known here or not; None for other symbols."""
    found = re.fullmatch(r"(?:[a-z0-9]+_)*?(" + "|".join(ROUTINES) + r")(?:_sub)?_?(?:64)?_?", symbol)
    return found and found[1]


if __name__ == "__main__":
    print("ACCUBLAS_0", *sorted(f"{name}@@ACCUBLAS_0" for name in SERVED), sep="\n")
