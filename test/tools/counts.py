"""Prints the sizes that the project keeps an eye on, so that two revisions can be compared.

usage: counts.py ROOT [BUILD]    BUILD is a build directory, whose libraries are weighed too
"""

import subprocess
import sys
from pathlib import Path

import language

LONG_FILE = 400  # lines
PRODUCT = ("lib", "cuda", "c_api", "fortran")
TESTS = ("test", "perf")
DATA = (".svg", ".csv", ".json", ".txt", ".mtx")


def total(paths):
    return sum(path.read_bytes().count(b"\n") for path in paths)


def counts(root, tracked):
    """(what is counted, number) in the order of the table."""

    def below(folder):
        return [path for path in tracked if path.is_relative_to(root / folder)]

    def chapters(folder):
        return len(list((root / folder).glob("*.md")))

    sys.path.insert(0, str(root / "c_api"))
    import generate
    import routines

    yield "rows of the table of routines", sum(map(len, routines.GROUPS.values()))
    yield "functions made from them", len(generate.names())
    yield "declarations in accublas.h", (root / "include/accublas.h").read_text().count("(accublas_context* ctx")
    yield "findings of test/tools/language.py", len(list(language.problems(root)))
    yield "README.md, lines", total([root / "README.md"])
    yield "chapters in docs/", chapters("docs")
    yield "chapters in docs/internals/", chapters("docs/internals")
    yield "docs/lab, lines", total(below("docs/lab"))
    for folder in PRODUCT:
        yield f"{folder}/, lines", total(below(folder))
    yield "product code, lines", sum(total(below(folder)) for folder in PRODUCT)
    long = [path for folder in (*PRODUCT, *TESTS) for path in below(folder) if path.suffix not in DATA and total([path]) > LONG_FILE]
    yield f"files over {LONG_FILE} lines", len(long)
    for path in long:
        yield f"    {path.relative_to(root)}", total([path])


def libraries(build):
    for path in sorted(build.rglob("libaccublas*.so.*.*.*")):
        if path.is_file() and path.suffix != ".symbols":
            yield f"{path.name}, MiB", round(path.stat().st_size / 2**20, 1)


if __name__ == "__main__":
    checkout = Path(sys.argv[1]).resolve()
    listed = subprocess.run(["git", "-C", checkout, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    files = [checkout / name for name in listed.split("\0") if name and (checkout / name).is_file()]
    for what, number in [*counts(checkout, files), *(libraries(Path(sys.argv[2])) if len(sys.argv) > 2 else [])]:
        print(f"{what:50} {number:7}")
