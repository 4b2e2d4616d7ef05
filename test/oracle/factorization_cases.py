"""Seeded cases of LAPACK's factorizations and the solutions by them. The C buffer of a case holds A, B, the pivots and info, one
after the other: all that a call may write, and what it must leave alone."""

import numpy as np

import complex as complex_types
import factorizations
import modes
from cases import Case, mode_word
from complex_data import joined, operands
from data import KINDS, drawn_kind, with_pattern
from matrices import NAMES
from level3_cases import LOWER, UPPER, triangle
from placement import COL, CONJ, NO, ROW, TRANS, place_standard
from values import COMPLEX, COMPONENT, DTYPE, POISON, generator, pick, words

ORDERS = (0, 1, 1, 2, 3, 4, 5, 8, 13, 16, 17, 31, 33, 40)
SIDES = (0, 1, 2, 3, 7)
# Kinds of their own: ties and zero pivots, singular matrices; of Cholesky's, definite ones and such that nearly are.
LU_KINDS = ["small", "small", "singular"] + KINDS
CHOLESKY_KINDS = ["gram", "gram", "exact", "exact", "dominant", "graded", "dominant special", "indefinite"]


def small_integers(rng, m, n, prefix, most=2):
    x = rng.randint(-most, most + 1, size=(m, n)).astype(DTYPE[COMPONENT[prefix]])
    if prefix not in COMPLEX:
        return x
    return joined(x, rng.randint(-most, most + 1, size=(m, n)).astype(x.dtype), prefix)


def lu_operand(rng, kind, m, n, prefix):
    if kind == "small":
        return small_integers(rng, m, n, prefix)
    if kind == "singular":  # of rank two
        return small_integers(rng, m, 2, prefix) @ small_integers(rng, 2, n, prefix)
    return operands(rng, kind, m, n, 1, prefix)[0]


def cholesky_operand(rng, kind, n, prefix):
    """A Hermitian matrix but for what the routine does not read."""
    kind, _, special = kind.partition(" ")
    if kind in NAMES:  # definite where the named matrix is, else with a diagonal that dominates
        x = operands(rng, kind, n, n, 1, prefix)[0]
        a = x + x.conj().T
        if kind.split(":")[0] not in ("identity", "poisson", "poisson1d", "gauss", "exp", "decay", "hilbert") or rng.randint(2):
            a = a + np.diag(np.abs(a).sum(axis=1)).astype(a.dtype)
    elif kind == "exact":
        # X^H X of integers: exact roots and quotients, and with a zero on X's diagonal a minor that is exactly zero.
        x = np.triu(small_integers(rng, n, n, prefix, 3))
        np.fill_diagonal(x, rng.randint(0 if rng.randint(3) == 0 else 1, 4, size=n))
        a = x.conj().T @ x
    else:
        g = operands(rng, "phi1" if kind != "graded" else "phi0", n, n + 2, 1, prefix)[0]
        a = g @ g.conj().T
        if kind == "dominant":
            a = a + np.diag(np.abs(a).sum(axis=1)).astype(a.dtype)
        if kind == "indefinite" and n:
            a[rng.randint(n), :] *= DTYPE[prefix](-1)
        if kind == "graded":
            scales = np.ldexp(1.0, rng.randint(-40, 41, size=n)).astype(a.real.dtype)
            a = scales[:, None] * a * scales[None, :]
    if special and n:
        i, j = rng.randint(n), rng.randint(n)
        a[i, j] = a[j, i] = pick(rng, (np.inf, -np.inf, np.nan, 0.0, 1e-310 if COMPONENT[prefix] == "d" else 1e-40))
    return np.ascontiguousarray(a.astype(DTYPE[prefix]))


class Buffer:
    """Arrays in one piece of memory."""

    def __init__(self, prefix):
        self.prefix, self.parts, self.size = prefix, [], 0

    def add(self, elements):
        """Where they begin: at a multiple of 8 bytes, as integers have to."""
        begin, unit = self.size, max(8 // elements.itemsize, 1)
        self.parts.append(np.pad(elements, (0, -elements.size % unit)))
        self.size += self.parts[-1].size
        return begin

    def integers(self, values):
        """The elements that hold these, and poison beyond."""
        raw = np.zeros(round_up(max(len(values), 1) * 8 + 8, 16), np.uint8)
        raw.view(np.uint64)[:] = POISON["d"]
        raw.view(np.int64)[: len(values)] = values
        return raw.view(DTYPE[self.prefix])

    def joined(self):
        return np.concatenate(self.parts)


def round_up(n, unit):
    return -(-n // unit) * unit


def make(name, prefix, group, routine, work=20000):
    rng = generator(name)
    mode, layout, of_complex = mode_word(rng, group, prefix), pick(rng, (ROW, COL)), prefix in COMPLEX
    is_cholesky, solves = routine in factorizations.CHOLESKY, routine not in ("potrf", "getrf")
    while True:
        n, nrhs = pick(rng, ORDERS), pick(rng, SIDES)
        m = pick(rng, ORDERS) if routine == "getrf" else n
        if m * n * min(m, n) * (4 if of_complex else 1) <= 3 * work or n <= 2:
            break
    uplo, trans = pick(rng, (UPPER, LOWER)), pick(rng, (NO, TRANS, CONJ)) if routine == "getrs" else NO
    kind = drawn_kind(rng, name, CHOLESKY_KINDS if is_cholesky else LU_KINDS)
    with np.errstate(all="ignore"):
        a = cholesky_operand(rng, kind, n, prefix) if is_cholesky else lu_operand(rng, kind, m, n, prefix)
        b = operands(rng, "phi1" if rng.randint(3) else pick(rng, KINDS), n, nrhs, 1, prefix)[0] if solves else None
    a = with_pattern(name, a, is_cholesky)
    b = with_pattern(name + ":B", b) if solves else None
    pivots = [int(rng.randint(i, n)) for i in range(n)] if routine == "getrs" else []
    memory = Buffer(prefix)
    buffer_a, lda, where_a = place_standard(a, layout, NO, rng, prefix)
    if is_cholesky:
        words(buffer_a)[where_a[~triangle(a.shape, uplo)]] = POISON[prefix]
        if of_complex and routine != "potrs":
            words(buffer_a)[where_a[np.eye(n, dtype=bool)], 1] = POISON[prefix]
    starts = {"A": memory.add(buffer_a)}
    if solves:
        buffer_b, ldb, where_b = place_standard(b, layout, NO, rng, prefix)
        starts["B"] = memory.add(buffer_b)
    given = memory.integers([p + 1 for p in pivots] if routine == "getrs" else [-1] * min(m, n))
    starts["P"] = memory.add(given)
    starts["I"] = memory.add(memory.integers([-1]))
    case = Case(name, prefix, routine, routine, mode, kind, 1.0, 0.0, a, b if solves else a[:, :0], a)
    nothing = np.zeros(1, DTYPE[prefix])
    case.buffers = [nothing, nothing.copy(), memory.joined()]
    case.within, case.offsets, case.where = starts, [0, 0, 0], starts["A"] + where_a
    head = {"getrs": [trans], "getrf": [m]}.get(routine, [uplo] if is_cholesky else [])
    case.arguments = [layout, *head, n] + ([nrhs] if solves else []) + ["A", lda] + ([] if is_cholesky else ["P"])
    case.arguments += (["B", ldb] if solves else []) + ([] if routine in ("potrs", "getrs") else ["I"])
    case.factored = dict(a=a, b=b, upper=uplo == UPPER, trans={NO: "N", TRANS: "T", CONJ: "C"}[trans], pivots=pivots,
                         where_b=starts["B"] + where_b if solves else None, triangle=triangle(a.shape, uplo) if is_cholesky else None)
    return case


def expected(case, fmt):
    """The bits of the buffer after the call."""
    f, prefix = case.factored, case.prefix
    wide = np.result_type(DTYPE[prefix], np.float64)
    field = complex_types.FIELD if prefix in COMPLEX else modes.REAL
    with np.errstate(all="ignore"):
        a = f["a"].astype(wide)
        b = None if f["b"] is None else f["b"].astype(wide)
        new_a, new_b, pivots, info = factorizations.factorization(fmt, case.routine, a, b, field, f["upper"], f["trans"], f["pivots"])
    bits = words(case.buffers[2]).copy()

    def write(where, values):
        with np.errstate(all="ignore"):
            numbers = words(np.array(values, wide).astype(DTYPE[prefix]))
        numbers[np.isnan(numbers.view(fmt.dtype))] = fmt.nan_bits
        bits[where] = numbers

    if case.routine not in ("potrs", "getrs"):
        changed = np.ones(a.shape, bool)
        if case.routine in factorizations.CHOLESKY:
            changed = f["triangle"].copy()
            if info:  # what was not reached
                i, j = np.indices(a.shape)
                changed &= np.minimum(i, j) < info - 1
        write(case.where[changed], new_a[changed])
        if len(case.a) and case.a.shape[1] and case.routine in factorizations.LU:
            raw = bits.reshape(-1).view(np.uint8)
            start = case.within["P"] * case.buffers[2].itemsize
            raw[start : start + 8 * len(pivots)] = np.array([p + 1 for p in pivots], np.int64).view(np.uint8)
        raw = bits.reshape(-1).view(np.uint8)
        start = case.within["I"] * case.buffers[2].itemsize
        raw[start : start + 8] = np.array([info], np.int64).view(np.uint8)
    if new_b is not None and not info and new_b.size:
        write(f["where_b"], new_b)
    return bits.reshape(-1)
