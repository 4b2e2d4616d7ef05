"""The programs that the README shows are the examples that the build compiles, word by word, as are their copies in the projects
for build tools; its tables of engines are the library's (lib/call/engines.hpp), and its table of variables has all that the
library reads (lib/environment.cpp)."""

import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
sys.path.insert(0, str(root / "test"))
import engine_table  # noqa: E402

readme = (root / "README.md").read_text()
for fence, name in [("c", "first.c"), ("c", "first_mp.c"), ("fortran", "first.f90")]:
    if f"```{fence}\n{(root / 'examples' / name).read_text()}```" not in readme:
        sys.exit(f"README.md does not show examples/{name} as it is")
copies = [f"{tool}/{name}" for tool in ("make", "cmake", "meson") for name in ("first.c", "first.f90", "plain_dgemm.c")]
for copy in [*copies, "fpm/app/main.f90"]:
    original = "first.f90" if copy.startswith("fpm") else copy.partition("/")[2]
    if (root / "examples" / copy).read_bytes() != (root / "examples" / original).read_bytes():
        sys.exit(f"examples/{copy} is not examples/{original}: copy it there, the folder is to build alone")

shown = re.findall(r"`(ACCUBLAS_\w+)`", re.search(r"\| variable \| values \|\n\|---\|---\|\n((?:\|.*\n)*)", readme).group(1))
read = re.findall(r'{"(ACCUBLAS_\w+)",', (root / "lib/environment.cpp").read_text())
if sorted(shown) != sorted(read) or not read:
    sys.exit(f"README.md's table has the variables {sorted(shown)}, and the library reads {sorted(read)}")


def cell(mode, kind):
    """Engines on both backends where they are the same, else apart."""
    cpu, cuda = (", ".join(engine_table.serving(kind, mode, backend)) for backend in engine_table.BACKENDS)
    return cpu if cpu == cuda else f"{cpu}; on GPUs {cuda or 'none'}"


def words(mode):
    """A mode as the README's table of modes has it, dp and sp in one row."""
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
if f"\n{wanted}\n" not in readme:
    sys.exit(f"README.md does not have the table of engines by mode:\n{wanted}")

if f"| `ACCUBLAS_ENGINE` | {', '.join(engine_table.WORDS)};" not in readme:
    sys.exit(f"README.md: the values of ACCUBLAS_ENGINE are {', '.join(engine_table.WORDS)}")
ways = re.search(r"\| engine \| way \|\n\|---\|---\|\n((?:\|.*\n)*)", readme)
shown = re.findall(r"^\| `(\w+)` \|", ways.group(1), re.MULTILINE) if ways else []
if sorted(shown) != sorted(engine_table.WORDS[1:]):
    sys.exit(f"README.md tells the ways of {shown}, and the engines are {list(engine_table.WORDS[1:])}")
