"""The command-line programs of a wheel, which lie in its folder bin."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from . import _library

FOLDER = Path(__file__).resolve().parent / "bin"


def names() -> list[str]:
    return sorted(file.name for file in FOLDER.glob("accublas-*"))


def main() -> None:
    """Runs the program that has the name of this script. A program in Python gets the Python that runs the script."""
    program = FOLDER / Path(sys.argv[0]).name
    if program.name not in names():
        sys.exit(f"{program.name} is not in this build of accublas, which has {', '.join(names())}")
    with program.open("rb") as file:
        interpreter = [sys.executable] if file.read(2) == b"#!" else []
    command = [*interpreter, str(program), *sys.argv[1:]]
    os.execve(command[0], command, {**os.environ, "LD_LIBRARY_PATH": _library.library_path()})
