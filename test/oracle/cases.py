"""Seeded cases: every one is determined by its name ("dgemm:cr:17"), on any platform.

data.py defines the contents of its operands, and placement.py their positions in memory.
"""

import functools
from dataclasses import dataclass, field

import numpy as np

from complex_data import c_values, norm_of_numbers, operands, scalar
from data import drawn_kind
from lines import MOST_TERMS_AS_CR
from norm_data import NORM_KINDS
from placement import COL, CONJ, NO, ROW, TRANS, filled, general_strides, place_standard, vector_buffer
from values import COMPLEX, COMPONENT, DTYPE, POISON, generator, pick, words


@dataclass
class Case:
    """A call: logical operands for the oracle, buffers and arguments for the library."""

    name: str
    prefix: str  # d, s, z, c
    routine: str  # dot, dotu, dotc, gemv, gemm, gemm_batched, nrm2, asum
    function: str  # the C function, for instance gemm_strided
    mode: str
    kind: str
    alpha: float  # or complex
    beta: float
    a: np.ndarray  # m x k, in the routine's type; of batches: matrices x m x k, and so on
    b: np.ndarray  # k x n (n = 1 for gemv, dot)
    c: np.ndarray  # m x n as before the call
    buffers: list = field(default_factory=list)  # A, B, C (flat; DOT: x, y, result; norms: x, nothing, result)
    offsets: list = field(default_factory=list)  # in elements: the pointer that is passed
    where: np.ndarray = None  # flat positions of C's elements in its buffer, m x n
    arguments: list = field(default_factory=list)  # "A", "B", "C" stand for the pointers
    null_operands: bool = False  # A and B are passed as NULL
    strides: list = None  # of batches, in elements: from one matrix to the next
    description: object = None  # of level 3: level3.Description
    within: dict = field(default_factory=dict)  # other pointers into C's buffer, by name: where they point, in elements
    factored: dict = None  # of factorizations: see factorization_cases.py

    def describe(self):
        m, k = self.a.shape[-2:]
        return (f"{self.name} ({self.prefix}{self.function} {self.mode} m={m} n={self.b.shape[-1]} k={k} "
                f"data={self.kind} alpha={self.alpha!r} beta={self.beta!r} args={self.arguments})")


def mode_word(rng, group, prefix):
    if group == "fixed":
        if rng.randint(2):
            return f"fixed:{pick(rng, (2, 3, 23, 24, 25, 48, 53, 54, 60, 70, 76, 80, 106, 150))}"
        return f"fixed:{rng.randint(2, 151)}"
    if group == "slices":
        d = pick(rng, (1, 2, 3, 4, 5, 8, 13, 50))
        return f"slices:{d}" + pick(rng, ("", ":fast"))
    if group == "repro":
        return "dp:repro" if COMPONENT[prefix] == "d" else "sp:repro"
    if group == "multiword":
        return pick(rng, {"s": ("tf32x1", "tf32x3", "tf32x4", "fp16x1", "fp16x3"), "d": ("tf64x1", "tf64x3", "tf64x4")}[prefix])
    return group


def mode_and_kind(rng, name, group, prefix):
    """The mode word and the kind of data: what a case of level 2 or 3 draws first."""
    return mode_word(rng, group, prefix), drawn_kind(rng, name)


SIZES = (0, 1, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33)
EDGE = (32, 33, 63, 64, 65, 127, 128, 129)
INNER = (0, 1, 2, 3, 7, 8, 33, 64, 65, 127, 128, 129, 200)
LONG = (1023, 1024, 1025, 1300, 2047, 2049, 3000)


def shape_gemm(rng, work):
    """m, n, k with m n k about at most `work`."""
    for _ in range(100):
        style = rng.randint(10)
        if style < 5:
            m, n, k = pick(rng, SIZES), pick(rng, SIZES), pick(rng, INNER)
        elif style < 7:
            m, n, k = pick(rng, EDGE), pick(rng, SIZES), pick(rng, INNER)
        elif style < 9:
            m, n, k = pick(rng, (1, 2, 3, 5, 8)), pick(rng, (1, 2, 3, 5)), pick(rng, LONG)
        else:
            m, n, k = pick(rng, SIZES), pick(rng, EDGE), pick(rng, INNER)
        if m * n * k <= work and m * k <= work and k * n <= work:
            return m, n, k
    return 3, 3, 3


def terms_of(k, prefix):
    """How many terms a sum over k entries has."""
    return 2 * k if prefix in COMPLEX else k


def longer(rng, group, shape, prefix, products=1):
    """A shape m, n, k for a group of modes; a sum is that of so many products. In dp:repro sums of up to MOST_TERMS_AS_CR
    terms are cr's, so most cases get so many more, and fewer rows and columns."""
    m, n, k = shape
    terms = products * terms_of(1, prefix)
    if group != "repro" or k == 0 or terms * k > MOST_TERMS_AS_CR or rng.randint(4) == 0:
        return shape
    most = pick(rng, (3, 5, 9, 9, 17))
    return min(m, most), min(n, most), k + MOST_TERMS_AS_CR // terms


def shape_structured(rng, prefix, group):
    """Orders at which bands, blocks and decay show, and sums over several blocks of terms."""
    share = terms_of(1, prefix)
    if group == "repro":
        return (*rng.randint(8, 25, size=2), rng.randint(900 // share, 1600 // share))
    if rng.randint(3):
        return tuple(rng.randint(20, 1 + 80 // share, size=3))
    return (*rng.randint(20, 33, size=2), rng.randint(150, 700 // share))


def make_gemm(name, prefix, mode_group, shape=None, kind=None, mode=None, plain=False, work=60000):
    rng = generator(name)
    structured = name.endswith(":matrices") and mode_group != "multiword"
    if shape:
        m, n, k = shape
    elif structured:
        m, n, k = shape_structured(rng, prefix, mode_group)
    else:
        m, n, k = longer(rng, mode_group, shape_gemm(rng, work), prefix)
    kind = kind or drawn_kind(rng, name)
    mode = mode or mode_word(rng, mode_group, prefix)
    a, b = operands(rng, kind, m, k, n, prefix)
    alpha, beta = (1.0, 0.0) if plain or rng.randint(3) == 0 else (scalar(rng, prefix), scalar(rng, prefix))
    c = c_values(rng, m, n, prefix, kind)
    case = Case(name, prefix, "gemm", "gemm", mode, kind, alpha, beta, a, b, c)
    unread = beta == 0
    if plain or rng.randint(4):
        layout = COL if plain else pick(rng, (ROW, COL))
        ta, tb = (NO, NO) if plain else (pick(rng, (NO, TRANS, CONJ)), pick(rng, (NO, TRANS, CONJ)))
        buffer_a, lda, _ = place_standard(a, layout, ta, rng, prefix)
        buffer_b, ldb, _ = place_standard(b, layout, tb, rng, prefix)
        buffer_c, ldc, case.where = place_standard(c, layout, NO, rng, prefix)
        case.offsets = [0, 0, 0]
        case.arguments = [layout, ta, tb, m, n, k, alpha, "A", lda, "B", ldb, beta, "C", ldc]
    else:
        case.function = "gemm_strided"
        case.a, buffer_a, offset_a, (rsa, csa), _ = general_strides(a, rng, prefix)
        case.b, buffer_b, offset_b, (rsb, csb), _ = general_strides(b, rng, prefix)
        _, buffer_c, offset_c, (rsc, csc), case.where = general_strides(c, rng, prefix, output=True)
        case.offsets = [offset_a, offset_b, offset_c]
        case.arguments = [m, n, k, alpha, "A", rsa, csa, "B", rsb, csb, beta, "C", rsc, csc]
    finish_case(case, rng, [buffer_a, buffer_b, buffer_c], unread)
    return case


def make_gemv(name, prefix, mode_group, shape=None, kind=None, mode=None, work=60000):
    rng = generator(name)
    if shape:
        m, k = shape
    else:
        sizes = SIZES + EDGE + LONG
        while True:
            m, k = pick(rng, sizes), pick(rng, sizes)
            if m * k <= work:
                break
    kind = kind or drawn_kind(rng, name)
    mode = mode or mode_word(rng, mode_group, prefix)
    a, x = operands(rng, kind, m, k, 1, prefix)
    alpha, beta = scalar(rng, prefix), scalar(rng, prefix)
    y = c_values(rng, m, 1, prefix, kind)
    case = Case(name, prefix, "gemv", "gemv", mode, kind, alpha, beta, a, x, y)
    if rng.randint(4):
        layout, trans = pick(rng, (ROW, COL)), pick(rng, (NO, TRANS, CONJ))
        buffer_a, lda, _ = place_standard(a, layout, trans, rng, prefix)
        rows, columns = (k, m) if trans != NO else (m, k)
        head, offset_a, strides = [layout, trans, rows, columns], 0, [lda]
    else:
        case.function = "gemv_strided"
        case.a, buffer_a, offset_a, (rsa, csa), _ = general_strides(a, rng, prefix)
        head, strides = [m, k], [rsa, csa]
    buffer_x, incx, _ = vector_buffer(x[:, 0], rng, prefix)
    buffer_y, incy, positions = vector_buffer(y[:, 0], rng, prefix, output=True)
    case.where = positions.reshape(-1, 1)
    case.offsets = [offset_a, 0, 0]
    case.arguments = head + [alpha, "A"] + strides + ["B", incx, beta, "C", incy]
    finish_case(case, rng, [buffer_a, buffer_x, buffer_y], beta == 0)
    return case


def make_dot(name, prefix, mode_group, shape=None, kind=None, mode=None, work=30000, routine="dot"):
    rng = generator(name)
    if shape is not None:
        n = shape
    else:
        n = pick(rng, (0, 1, 2, 7, 31, 32, 33, 127, 128, 129, 500, 1023, 1024, 1025, 1056, 2048, 2049, 3072, 3073, 4096,
                       5000, 5121, 7168, 7200, 10000, 20000))
        n = min(n, work)
    kind = kind or drawn_kind(rng, name)
    mode = mode or mode_word(rng, mode_group, prefix)
    x, y = operands(rng, kind, 1, n, 1, prefix)
    case = Case(name, prefix, routine, routine, mode, kind, 1.0, 0.0, x, y, np.zeros((1, 1), DTYPE[prefix]))
    buffer_x, incx, _ = vector_buffer(x[0], rng, prefix)
    buffer_y, incy, _ = vector_buffer(y[:, 0], rng, prefix)
    case.where = np.zeros((1, 1), np.int64)
    case.offsets = [0, 0, 0]
    case.arguments = [n, "A", incx, "B", incy, "C"]
    finish_case(case, rng, [buffer_x, buffer_y, filled(1, prefix)], True)
    return case


def make_norm(routine):
    def make(name, prefix, mode_group, shape=None, kind=None, mode=None, work=30000):
        rng = generator(name)
        if shape is not None:
            n = shape
        else:
            n = min(pick(rng, (0, 1, 2, 3, 4, 5, 7, 31, 32, 33, 129, 500, 1023, 1024, 1025, 2049, 3073, 5121, 7200, 20000)), work)
        kind = kind or pick(rng, NORM_KINDS)
        mode = mode or mode_word(rng, mode_group, prefix)
        x = norm_of_numbers(rng, kind, n, prefix)
        real = COMPONENT[prefix]
        case = Case(name, prefix, routine, routine, mode, kind, 1.0, 0.0, x.reshape(1, n), np.zeros((n, 1), DTYPE[prefix]),
                    np.zeros((1, 1), DTYPE[real]))
        buffer_x, incx, _ = vector_buffer(x, rng, prefix)
        case.where = np.zeros((1, 1), np.int64)
        case.offsets = [0, 0, 0]
        case.arguments = [n, "A", incx, "C"]
        finish_case(case, rng, [buffer_x, filled(1, prefix), filled(1, real)], True)
        return case

    return make


def finish_case(case, rng, buffers, c_unread):
    """Poisons what must not be read, and sometimes passes NULL for it."""
    case.buffers = buffers
    prefix = case.prefix
    if c_unread:
        words(buffers[2])[case.where] = POISON[prefix]
    m, k = case.a.shape
    if case.routine in ("gemm", "gemv") and (case.alpha == 0 or k == 0) and rng.randint(2):
        if rng.randint(2):
            case.null_operands = True
        else:
            for buffer in buffers[:2]:
                words(buffer)[:] = POISON[prefix]


MAKERS = {"gemm": make_gemm, "gemv": make_gemv, "dot": make_dot, "dotu": functools.partial(make_dot, routine="dotu"),
          "dotc": functools.partial(make_dot, routine="dotc"), "nrm2": make_norm("nrm2"), "asum": make_norm("asum")}


def from_name(name):
    """"dgemm:cr:17": the 17th random case of the group; anything after a fourth field is part of the seed only."""
    routine, group, _ = name.split(":")[:3]
    return MAKERS[routine[1:]](name, routine[0], group)
