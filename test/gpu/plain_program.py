"""A program that knows nothing of accublas is served by the GPU: plain_program.py LIBRARY PROGRAM (examples/plain_dgemm)."""

import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "dropin"))
import run_with_dropin as dropin  # noqa: E402


def main(library, program):
    failures = 0
    for mode, exact in (("cr", True), ("dp:repro", False), ("native", False)):
        environment = {**os.environ, **dropin.preload(library), "ACCUBLAS_MODE": mode, "ACCUBLAS_VERBOSE": "1",
                       "ACCUBLAS_BACKEND": "cuda"}
        done = subprocess.run([program], env=environment, capture_output=True, text=True, timeout=300)
        served = re.search(rf"^accublas: dgemm m=300 n=300 k=300 mode={mode} backend=cuda\S*", done.stderr, re.MULTILINE)
        right = done.stdout.strip() == "C(1,1) = 1" or not exact
        print(f"{mode}: exit {done.returncode}, {done.stdout.strip()}; {done.stderr.strip()}")
        failures += done.returncode != 0 or not served or not right
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
