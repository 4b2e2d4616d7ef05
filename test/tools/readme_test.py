"""The programs that the documents show are the examples that the build compiles, word by word, as are their copies in the projects
for build tools. The README keeps to its length, and it and the guide to short sentences. The tables of engines are the library's
(lib/call/engines.hpp), and the table of variables has all that the library reads (lib/runtime/environment.cpp)."""

import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
sys.path.insert(0, str(root / "test"))
import engine_table  # noqa: E402

LONGEST_README = 140  # lines
LONGEST_SENTENCE = 30  # words
readme = (root / "README.md").read_text()
if readme.count("\n") > LONGEST_README:
    sys.exit(f"README.md has {readme.count(chr(10))} lines; {LONGEST_README} is the limit, and the rest belongs to docs/")


def sentences(text):
    """The sentences of a page's paragraphs and list items, a code span as one word."""
    text = re.sub(r"```.*?\n```", "", text, flags=re.DOTALL)
    text = re.sub(r"^(\||#|!\[).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"^ *([-*]|\d+\.) ", "\n", text, flags=re.MULTILINE)
    text = re.sub(r"(?<=\n\n)(    .*\n)+", "", text)
    text = re.sub(r"`[^`]*`", "code", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return [sentence for paragraph in re.split(r"\n\s*\n", text) for sentence in re.split(r"(?<=[.?!])\s", " ".join(paragraph.split()))]


for document in ["README.md", "docs/guide.md"]:
    for sentence in sentences((root / document).read_text()):
        if len(sentence.split()) > LONGEST_SENTENCE:
            sys.exit(f"{document}: a sentence has more than {LONGEST_SENTENCE} words: {sentence}")

SHOWN = {
    "README.md": [("python", "short.py"), ("c", "short.c"), ("fortran", "short.f90")],
    "docs/getting-started.md": [("c", "first.c"), ("fortran", "first.f90"), ("c", "first_mp.c")],
}
for document, programs in SHOWN.items():
    text = (root / document).read_text()
    for fence, name in programs:
        if f"```{fence}\n{(root / 'examples' / name).read_text()}```" not in text:
            sys.exit(f"{document} does not show examples/{name} as it is")
copies = [f"{tool}/{name}" for tool in ("make", "cmake", "meson") for name in ("first.c", "first.f90", "plain_dgemm.c")]
for copy in [*copies, "fpm/app/main.f90"]:
    original = "first.f90" if copy.startswith("fpm") else copy.partition("/")[2]
    if (root / "examples" / copy).read_bytes() != (root / "examples" / original).read_bytes():
        sys.exit(f"examples/{copy} is not examples/{original}: copy it there, the folder is to build alone")

environment = (root / "docs" / "environment.md").read_text()
shown = re.findall(r"`(ACCUBLAS_\w+)`", re.search(r"\| variable \| values \|\n\|---\|---\|\n((?:\|.*\n)*)", environment).group(1))
read = re.findall(r'{"(ACCUBLAS_\w+)",', (root / "lib/runtime/environment.cpp").read_text())
if sorted(shown) != sorted(read) or not read:
    sys.exit(f"docs/environment.md's table has the variables {sorted(shown)}, and the library reads {sorted(read)}")
engines = (root / "docs" / "internals" / "engines.md").read_text()


def cell(mode, kind):
    """Engines on both backends where they are the same, else apart."""
    cpu, cuda = (", ".join(engine_table.serving(kind, mode, backend)) for backend in engine_table.BACKENDS)
    return cpu if cpu == cuda else f"{cpu}; on GPUs {cuda or 'none'}"


def words(mode):
    """A mode as the table of engines has it, dp and sp in one row."""
    others = {"dp": "sp", "dp:repro": "sp:repro"}
    parameters = {"fixed": ["fixed:T"], "slices": ["slices:D", "slices:D:fast"]}
    return ", ".join(f"`{form}`" for form in parameters.get(mode, [mode, others[mode]] if mode in others else [mode]))


rows = ["| mode | GEMM, batched or not | DOT, GEMV | NRM2, ASUM |", "|---|---|---|---|"]
groups = {}  # the multiword modes share a row
for mode in engine_table.MODES:
    cells = tuple(cell(mode, kind) or "-" for kind in ("gemm", "vector", "norm"))
    groups.setdefault(cells if cells[0] == "multiword" else mode, (cells, []))[1].append(words(mode))
rows += ["| " + " | ".join([", ".join(modes), *cells]) + " |" for cells, modes in groups.values()]
wanted = "\n".join(["", *rows, ""])
if f"\n{wanted}\n" not in engines:
    sys.exit(f"docs/internals/engines.md does not have the table of engines by mode:\n{wanted}")

if f"| `ACCUBLAS_ENGINE` | {', '.join(engine_table.WORDS)};" not in environment:
    sys.exit(f"docs/environment.md: the values of ACCUBLAS_ENGINE are {', '.join(engine_table.WORDS)}")
ways = re.search(r"\| engine \| way \|\n\|---\|---\|\n((?:\|.*\n)*)", engines)
shown = re.findall(r"^\| `(\w+)` \|", ways.group(1), re.MULTILINE) if ways else []
if sorted(shown) != sorted(engine_table.WORDS[1:]):
    sys.exit(f"docs/internals/engines.md tells the ways of {shown}, and the engines are {list(engine_table.WORDS[1:])}")
