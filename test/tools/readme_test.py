"""The programs that the README shows are the examples that the build compiles, word by word."""

import sys
from pathlib import Path

root = Path(sys.argv[1])
readme = (root / "README.md").read_text()
for fence, name in [("c", "first.c"), ("c", "first_mp.c"), ("fortran", "first.f90")]:
    if f"```{fence}\n{(root / 'examples' / name).read_text()}```" not in readme:
        sys.exit(f"README.md does not show examples/{name} as it is")
