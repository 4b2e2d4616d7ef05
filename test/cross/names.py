"""Prints CALL(name) for the C functions of all routines, accublas_<name>_ex each: the table of test/cross/driver.cpp."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "c_api"))
from routines import GROUPS  # noqa: E402

for rows in GROUPS.values():
    for row in rows:
        for name, _ in row.functions():
            print(f"CALL({name})")
