"""Committed checksums: SHA-256 of the result's bits (C row by row, little endian) of seeded cases, by the oracle.

golden.py write [ROUTINE]  computes all of them, or a routine's, and writes golden.json (a few minutes)
golden.py oracle           the oracle still gives the small ones
golden.py library LIBRARY  the library gives all of them, on every engine
"""

import hashlib
import json
import sys
import time
from pathlib import Path

import binding
import cases
import check
import expected
import quad_golden
import worker
from lines import MOST_TERMS_AS_CR
from values import COMPLEX

FILE = Path(__file__).with_name("golden.json")

MODES = {"fixed": ("fixed:53", "fixed:70"), "slices": ("slices:3", "slices:4:fast"), "repro": (None,), "dot2": (None,),
         "cr": (None,)}


def table():
    """(name, large, options of the maker)."""
    rows = []
    for routine in ("dgemm", "sgemm", "dgemv", "sgemv", "ddot", "sdot", "zgemm", "cgemm", "zgemv", "cgemv", "zdotu",
                    "cdotu", "zdotc", "cdotc"):
        for group, modes in MODES.items():
            for index in range(12):
                rows.append((f"{routine}:{group}:{index}:golden", False, {"work": 4000}))
            for number, mode in enumerate(modes):
                for kind in ("phi1", "phi4", "halfway", "cancel", "special"):
                    options = {"kind": kind, "mode": mode}
                    if routine[1:] == "gemm":
                        shape = {"phi1": (257, 131, 400), "phi4": (130, 66, 300), "cancel": (100, 60, 1200)}
                        options["shape"] = shape.get(kind, (190, 70, 129))
                        if group == "dot2":
                            options["shape"] = (140, 90, 260)
                        if routine[0] in COMPLEX:
                            options["shape"] = (70, 40, 129) if kind != "cancel" else (20, 10, 600)
                        if group == "repro" and kind not in ("halfway", "cancel"):  # more terms than those with cr's values
                            m, n, k = options["shape"]
                            options["shape"] = m // 2, n // 2, k + MOST_TERMS_AS_CR // cases.terms_of(1, routine[0])
                    elif routine[1:] == "gemv":
                        options["shape"] = (700, 1100) if kind != "cancel" else (60, 9000)
                        if routine[0] in COMPLEX:
                            options["shape"] = (150, 200) if kind != "cancel" else (12, 2000)
                    else:
                        options["shape"] = 30001 if routine[0] in COMPLEX else 150001
                    rows.append((f"{routine}:{group}:{number}:golden-large-{kind}", True, options))
    for routine in ("dnrm2", "snrm2", "dasum", "sasum", "znrm2", "cnrm2", "zasum", "casum"):
        for group in ("repro", "dot2", "cr"):
            for index in range(12):
                rows.append((f"{routine}:{group}:{index}:golden", False, {"work": 4000}))
            for kind in ("phi1", "phi10", "edges", "roots", "special"):
                rows.append((f"{routine}:{group}:0:golden-large-{kind}", True, {"kind": kind, "shape": 30001 if routine[0] in COMPLEX else 150001}))
    return rows


def make(name, options):
    routine, group = name.split(":")[:2]
    return cases.MAKERS[routine[1:]](name, routine[0], group, **options)


def digest(case, bits):
    elements = bits.reshape(case.buffers[2].size, -1)[case.where]
    return hashlib.sha256(elements.astype(bits.dtype.newbyteorder("<")).tobytes()).hexdigest()


def write(routine=None):
    rows = json.loads(FILE.read_text()) if routine else {}
    for name, large, options in table():
        if routine not in (None, name.split(":")[0]):
            continue
        case = make(name, options)
        start = time.time()
        bits, _ = expected.expected_bits(case)
        rows[name] = digest(case, bits)
        if time.time() - start > 3:
            print(f"{name}: {time.time() - start:.1f} s", flush=True)
    rows |= quad_golden.by_oracle(name for name in quad_golden.SMALL + quad_golden.LARGE if routine in (None, name.split(":")[0]))
    FILE.write_text(json.dumps(rows, indent=0) + "\n")
    print(f"{len(rows)} checksums")
    return 0


def check_oracle():
    golden = json.loads(FILE.read_text())
    wrong = []
    count = 0
    for name, large, options in table():
        if large:
            continue
        case = make(name, options)
        count += 1
        if digest(case, expected.expected_bits(case)[0]) != golden[name]:
            wrong.append(case.describe())
    wrong += [name for name, checksum in quad_golden.by_oracle(quad_golden.SMALL).items() if checksum != golden[name]]
    count += len(quad_golden.SMALL)
    print(*wrong, f"{count} checksums of the oracle, {len(wrong)} wrong", sep="\n")
    return bool(wrong)


def check_library(path):
    golden = json.loads(FILE.read_text())
    library = binding.Library(path)
    wrong = []
    count = 0
    for index, (name, _, options) in enumerate(table()):
        case = make(name, options)
        for configuration in check.configurations(case, index):
            status, bits, _ = worker.run(library, case, configuration)
            count += 1
            if status:
                wrong.append(f"{case.describe()} {configuration}: status {status}: {library.last_error()}")
            elif digest(case, bits) != golden[name]:
                wrong.append(f"{case.describe()} {configuration}: wrong bits")
    of_quad, calls = quad_golden.wrong_in_library(path, golden)
    wrong += of_quad
    count += calls
    print(*wrong[:20], f"{count} calls, {len(wrong)} wrong checksums", sep="\n")
    return bool(wrong)


if __name__ == "__main__":
    if sys.argv[1:2] == ["write"] and len(sys.argv) <= 3:
        sys.exit(write(*sys.argv[2:]))
    if sys.argv[1:] == ["oracle"]:
        sys.exit(check_oracle())
    if sys.argv[1:2] == ["library"] and len(sys.argv) == 3:
        sys.exit(check_library(sys.argv[2]))
    sys.exit(__doc__)
