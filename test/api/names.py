"""The list of the symbols that the library exports: the functions of the table of routines, and those of abi.txt."""
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "c_api"))
import generate  # noqa: E402

others = (Path(__file__).parent / "abi.txt").read_text().split()
print(*sorted([*others, *(f"{name}@@ACCUBLAS_0" for name in generate.names())]), sep="\n")
