"""The rules of CONTRIBUTING.md, "How we write", that a program can check: comments that cannot be read alone, and words that are ours alone.

usage: language.py ROOT [PATH ...]    lists what breaks them, in all files or in those below the paths
"""

import re
import sys
from pathlib import Path

from sources import Source, language

# A comment that opens so leans on the one before it, or has no subject.
OPENINGS = re.compile(r"(Likewise|The same(?! \w+ (?:as|that))|That of|Those of|Of|As|What|To be|Nothing but)\b(?! (?:follows|long as)\b)")
WORDS = re.compile(r"\b(likewise|mend(?:s|ed|ing)?|settled?|settles|whoever|at hand|bulk tensor cop(?:y|ies)|dealt out|deals? out|"
                   r"of (?:its|their|our) own right|is no (?:number|host memory|device memory))\b", re.I)
SELF = {Path("test/tools/language.py"), Path("test/tools/language_test.py")}
NOT_OURS = {"LICENSE"}


def blocks(source):
    """(first line, text) of each comment: consecutive lines, up to an empty one."""
    first, lines, before = 0, [], 0
    for number, line in source.comments:
        text = line.strip().lstrip("!>< ")
        if lines and (number != before + 1 or not text):
            yield first, " ".join(lines)
            lines = []
        if text:
            if not lines:
                first = number
            lines.append(text)
        before = number
    if lines:
        yield first, " ".join(lines)


def problems(root, below=()):
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root)
        hidden = any(part.startswith((".", "build", "obj-")) or part == "__pycache__" for part in relative.parts)
        if hidden or not path.is_file() or path.is_symlink() or relative in SELF or relative.name in NOT_OURS or language(relative) in (None, "data"):
            continue
        if below and not any(relative.is_relative_to(folder) for folder in below):
            continue
        source = Source(root, relative)
        for number, text in blocks(source):
            if relative.suffix != ".md" and (opening := OPENINGS.match(text)):
                yield f"{relative}:{number}: a comment opens with \"{opening.group()}\""
        for number, line in source.comments:
            for word in WORDS.findall(line):
                yield f"{relative}:{number}: the word \"{word}\""


if __name__ == "__main__":
    found = list(problems(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]]))
    print("\n".join(found))
    sys.exit(bool(found))
