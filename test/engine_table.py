"""The library's table of engines (lib/call/engines.hpp), read from its text.

serving(routine, mode, backend): engines in order, for instance serving("gemm", "dp:repro", "cpu") -> ("int8", "fp64", "sums").
"""

import re
from pathlib import Path

HEADER = Path(__file__).resolve().parents[1] / "lib/call/engines.hpp"
BACKENDS = ("cpu", "cuda")
KINDS = {"gemm": "gemm", "gemm_batched": "gemm", "gemv": "vector", "dot": "vector", "dotu": "vector", "dotc": "vector",
         "nrm2": "norm", "asum": "norm"}
KINDS |= {"trsm": "solve", "trsv": "solve"} | dict.fromkeys(("symv", "hemv", "trmv"), "level2")
KINDS |= dict.fromkeys(("ger", "geru", "gerc", "syr", "her", "syr2", "her2", "sdot", "dsdot"), "rounded")
KINDS |= dict.fromkeys(("potrf", "potrs", "posv", "getrf", "getrs", "gesv"), "factorization")
KINDS |= dict.fromkeys(("trtri", "lauum", "potri", "getri"), "composed")
KINDS |= dict.fromkeys(("geqrf", "orgqr", "ungqr", "ormqr", "unmqr", "gels"), "composed")
KINDS |= dict.fromkeys(("symm", "syrk", "syr2k", "trmm", "gemmt", "hemm", "herk", "her2k"), "level3")


def parsed(text):
    """{(mode, with ":repro" where it is dp's; kind): {backend: engines}}"""
    table = re.search(r"EngineRow table\[\] = \{(.*?)\};", text, re.DOTALL).group(1)
    rows = re.findall(r"\{ACCUBLAS_MODE_(\w+), (plain|repro), (gemm|vector|norm|level3|solve|level2|rounded|factorization|composed), \{([\w, ]*)\}, \{([\w, ]*)\}\}",
                      " ".join(table.split()))
    if len(rows) != table.count("ACCUBLAS_MODE_") or not rows:
        raise ValueError(f"{HEADER}: a row of the table of engines has another form")
    return {(mode.lower() + (":repro" if bits == "repro" else ""), kind):
            {backend: tuple(re.findall(r"\w+", engines)) for backend, engines in zip(BACKENDS, lists)}
            for mode, bits, kind, *lists in rows}


TEXT = HEADER.read_text()
TABLE = parsed(TEXT)
WORDS = tuple(re.findall(r'\{ACCUBLAS_ENGINE_\w+, "(\w+)"\}', TEXT))  # by number, "auto" first
MODES = tuple(dict.fromkeys(mode for mode, _ in TABLE))


def serving(routine, mode, backend):
    """Engines of a routine (or kind of routines), real or complex, for a mode word with its parameters; none where the backend lacks it."""
    word, *rest = mode.split(":")
    kind = KINDS.get(routine, routine)
    if kind not in {known for _, known in TABLE}:
        raise ValueError(f"{routine} is no routine of {HEADER.name}")
    return TABLE.get(({"sp": "dp"}.get(word, word) + (":repro" if "repro" in rest else ""), kind), {}).get(backend, ())
