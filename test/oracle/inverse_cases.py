"""Seeded cases of LAPACK's inverses by factors; the C buffer of a case as in factorization_cases.py."""

import numpy as np

import complex as complex_types
import inverses
import modes
from cases import Case, mode_word
from complex_data import operands
from data import KINDS, drawn_kind, with_pattern
from factorization_cases import ORDERS, Buffer, small_integers
from level3_cases import LOWER, NON_UNIT, UNIT, UPPER, triangle
from placement import COL, NO, ROW, place_standard
from values import COMPLEX, COMPONENT, DTYPE, POISON, generator, pick, words

# "exact": integers with a diagonal of powers of two, whose quotients and sums are exact or ties; "small": zeros on the diagonal.
# "special ..." have one special value, and everything that it does not touch is finite.
OWN_KINDS = ["exact", "exact", "small", "special exact", "special phi1", "special phi1"]


def operand(rng, kind, n, prefix):
    special, _, kind = kind.rpartition(" ")
    a = small_integers(rng, n, n, prefix, 3) if kind in ("exact", "small") else operands(rng, kind, n, n, 1, prefix)[0]
    if kind == "exact" and n:
        np.fill_diagonal(a, [pick(rng, (1, -1, 2, 4, -0.5)) for _ in range(n)])
    if special and n:
        a[rng.randint(n), rng.randint(n)] = pick(rng, (np.inf, -np.inf, np.nan, 1e-310 if COMPONENT[prefix] == "d" else 1e-40))
    return np.ascontiguousarray(a.astype(DTYPE[prefix]))


def make(name, prefix, group, routine, work=20000):
    rng = generator(name)
    mode, layout = mode_word(rng, group, prefix), pick(rng, (ROW, COL))
    while True:
        n = pick(rng, ORDERS)
        if n**3 * (4 if prefix in COMPLEX else 1) <= 3 * work or n <= 2:
            break
    uplo = UPPER if routine == "getri" else pick(rng, (UPPER, LOWER))
    diag = pick(rng, (NON_UNIT, NON_UNIT, UNIT)) if routine == "trtri" else NON_UNIT
    kind = drawn_kind(rng, name, OWN_KINDS + OWN_KINDS + KINDS)
    with np.errstate(all="ignore"):
        a = with_pattern(name, operand(rng, kind, n, prefix))
    held = np.ones((n, n), bool) if routine == "getri" else triangle((n, n), uplo)
    if diag == UNIT:
        held &= ~np.eye(n, dtype=bool)
    pivots = [int(rng.randint(i, n)) for i in range(n)] if routine == "getri" else []
    memory = Buffer(prefix)
    buffer_a, lda, where = place_standard(a, layout, NO, rng, prefix)
    words(buffer_a)[where[~held]] = POISON[prefix]
    starts = {"A": memory.add(buffer_a)}
    starts["P"] = memory.add(memory.integers([p + 1 for p in pivots]))
    starts["I"] = memory.add(memory.integers([-1]))
    case = Case(name, prefix, routine, routine, mode, kind, 1.0, 0.0, a, a[:, :0], a)
    nothing = np.zeros(1, DTYPE[prefix])
    case.buffers = [nothing, nothing.copy(), memory.joined()]
    case.within, case.offsets, case.where = starts, [0, 0, 0], starts["A"] + where
    head = {"getri": [], "trtri": [uplo, diag]}.get(routine, [uplo])
    tail = {"getri": ["P", "I"], "lauum": []}.get(routine, ["I"])
    case.arguments = [layout, *head, n, "A", lda, *tail]
    case.factored = dict(a=a, upper=uplo == UPPER, unit=diag == UNIT, pivots=pivots, held=held)
    return case


def expected(case, fmt):
    """The bits of the buffer after the call."""
    f, prefix = case.factored, case.prefix
    wide = np.result_type(DTYPE[prefix], np.float64)
    field = complex_types.FIELD if prefix in COMPLEX else modes.REAL
    with np.errstate(all="ignore"):
        new, info = inverses.inverse(fmt, case.routine, f["a"].astype(wide), field, f["upper"], f["unit"], f["pivots"])
    bits = words(case.buffers[2]).copy()
    if not info:
        with np.errstate(all="ignore"):
            numbers = words(np.array(new[f["held"]], wide).astype(DTYPE[prefix]))
        numbers[np.isnan(numbers.view(fmt.dtype))] = fmt.nan_bits
        bits[case.where[f["held"]]] = numbers
    if case.routine != "lauum":
        raw = bits.reshape(-1).view(np.uint8)
        start = case.within["I"] * case.buffers[2].itemsize
        raw[start : start + 8] = np.array([info], np.int64).view(np.uint8)
    return bits.reshape(-1)
