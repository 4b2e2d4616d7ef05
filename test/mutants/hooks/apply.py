#!/usr/bin/env python3
"""The changes of defects.diff, for the library with hooks (meson.build):

    apply.py defects.diff changed           prints the files that they change
    apply.py defects.diff including         prints the other sources that include one of these, directly or not
    apply.py defects.diff names FILE        writes the defects, as hooks.hpp includes them
    apply.py defects.diff copy FILE COPY    writes a changed copy of a file
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def read(path):
    """(names, changes): the defects, and {file: [(the entry's first line, lines of the change)]}."""
    names, changes, title, file, change = [], {}, "", "", []
    for line in [*path.read_text().splitlines(), ""]:
        if line.startswith("--- "):
            file, change = line[4:], []
        elif line.startswith((" ", "+", "-")):
            if not change:
                changes.setdefault(file, []).append((title, change))
            change.append(line)
        else:
            change = []
            if line:
                title = line
            if named := re.match(r"(\w+): ", line):
                names.append(named[1])
    return names, changes


def apply(file, text, changes):
    lines = text.splitlines()
    edits = []
    for title, change in changes:
        before = [line[1:] for line in change if line[0] != "+"]
        places = [at for at in range(len(lines)) if lines[at : at + len(before)] == before]
        if len(places) != 1:
            sys.exit(f"defects.diff: {title}\n{file} must have these lines exactly once, and has them {len(places)} times:\n" + "\n".join(before))
        at = places[0]
        for line in change:
            if line[0] == "+":
                edits.append((at, 0, line[1:]))
            else:
                if line[0] == "-":
                    edits.append((at, 1, None))
                at += 1
    removed = [at for at, remove, _ in edits if remove]
    if len(set(removed)) < len(removed):
        sys.exit(f"defects.diff: two changes of {file} remove one line")
    result = []
    for at in range(len(lines) + 1):
        result += [line for place, remove, line in edits if place == at and not remove]
        if at < len(lines) and at not in removed:
            result.append(lines[at])
    return '#include "test/mutants/hooks/hooks.hpp"\n' + "\n".join(result) + "\n"


def including(changed):
    includes = {}
    for folder in ("lib", "cuda", "c_api"):
        for path in (ROOT / folder).rglob("*.?pp"):
            includes[path.relative_to(ROOT).as_posix()] = INCLUDE.findall(path.read_text())
    reached, size = set(changed), 0
    while size < len(reached):
        size = len(reached)
        reached |= {file for file, included in includes.items() if not reached.isdisjoint(included)}
    # libaccublas_pblas has no hooks.
    if api := [file for file in reached if file.startswith("c_api/") and not file.startswith("c_api/pblas/")]:
        sys.exit(f"defects.diff changes a header that {api[0]} includes, which is compiled once: change a source of lib/")
    return sorted(file for file in reached - set(changed) if file.endswith(".cpp") and not file.startswith("c_api/"))


def main():
    names, changes = read(Path(sys.argv[1]))
    command, arguments = sys.argv[2], sys.argv[3:]
    if command == "changed":
        print("\n".join(changes))
    elif command == "including":
        print("\n".join(including(changes)))
    elif command == "names":
        Path(arguments[0]).write_text("".join(f"ACCUBLAS_MUTANT({name})\n" for name in names))
    else:
        file = Path(arguments[0]).resolve()
        name = file.relative_to(ROOT).as_posix()
        Path(arguments[1]).write_text(apply(name, file.read_text(), changes[name]))


if __name__ == "__main__":
    main()
