"""The library's table of modes for Python: which words' bits are defined, read from lib/call/mode.hpp.

mode_table.py HEADER writes it to standard output as a Python module.
"""

import re
import sys
from pathlib import Path

ROW = r'\{ACCUBLAS_MODE_\w+, "(\w+)", \d+, \d+, "[\w:]*", Families::\w+, (?:(?:true|false), ){3}(true|false)\}'


def rows(header):
    """{word up to the first colon: whether the bits are defined whatever follows}"""
    table = re.search(r"ModeRow mode_table\[\] = \{(.*?)\n\};", Path(header).read_text(), re.DOTALL).group(1)
    found = re.findall(ROW, " ".join(table.split()))
    if len(found) != table.count("ACCUBLAS_MODE_") or not found:
        raise ValueError(f"{header}: a row of the table of modes has another form")
    return {word: bits == "true" for word, bits in found}


def module(header):
    return f'''"""The table of modes, made from the library's."""

BITS = {rows(header)!r}


def bit_defined(mode):
    """Whether the bits of the answer are defined, for a mode word with its parameters; no word that is not in the table."""
    word, *rest = mode.split(":")
    return BITS.get(word, False) or word in BITS and "repro" in rest'''


if __name__ == "__main__":
    print(module(sys.argv[1]))
