"""Seeded cases of the products of level 3 beside GEMM: operands of complex_data.py with the structure that a routine has,
and poison where nothing may be read."""

import numpy as np

import level3
from cases import Case, finish_case, longer, mode_and_kind, terms_of
from complex_data import c_values, operands, scalar
from data import with_pattern
from lines import MOST_TERMS_AS_CR
from placement import COL, CONJ, NO, ROW, TRANS, conjugate, place_standard
from values import COMPLEX, COMPONENT, POISON, generator, pick, words

IN_PLACE = ("trmm", "trsm", "trmv", "trsv")  # B, or x, is overwritten
UPPER, LOWER, NON_UNIT, UNIT, LEFT, RIGHT = 121, 122, 131, 132, 141, 142
SIZES = (0, 1, 1, 2, 3, 5, 8, 17, 31, 33, 40)
ORDERS = (1, 2, 5, 16, 31, 32, 33, 65, 70)
INNER = (0, 1, 2, 7, 33, 64, 129)


def triangle(shape, uplo):
    """Which elements of a matrix lie in the triangle, the diagonal included."""
    i, j = np.indices(shape)
    return i <= j if uplo == UPPER else i >= j


def mirrored(x, uplo, hermitian, prefix):
    """The whole symmetric or Hermitian matrix of its triangle, bit by bit."""
    other = conjugate(x.T, prefix) if hermitian else np.array(x.T, order="C")
    whole = np.array(x, order="C")
    words(whole)[~triangle(x.shape, uplo)] = words(other)[~triangle(x.shape, uplo)]
    if hermitian:
        words(whole)[np.eye(len(x), dtype=bool), 1] = 0
    return whole


def poison(buffer, positions, mask, prefix, components=slice(None)):
    words(buffer)[positions[mask], components] = POISON[prefix]


def real_scalar(rng, prefix):
    return scalar(rng, COMPONENT[prefix])


def order(rng, other, work):
    """An order, and the other size."""
    while True:
        n, m = pick(rng, ORDERS), pick(rng, other)
        if n * n * m <= work or n <= 2:
            return n, m


def make(name, prefix, group, routine, work=60000):
    rng = generator(name)
    mode, kind = mode_and_kind(rng, name, group, prefix)
    if prefix in COMPLEX:
        work //= 4
    if group == "repro" and rng.randint(3) == 0:
        kind = pick(rng, ("complex_share", "over_complex_share") if prefix in COMPLEX else ("share", "over_share"))
    layout, uplo = pick(rng, (ROW, COL)), pick(rng, (UPPER, LOWER))
    hermitian = routine in level3.HERMITIAN_ROUTINES
    plain = rng.randint(3) == 0
    real_factors = routine == "herk", routine in ("herk", "her2k")
    alpha, beta = (1.0, 0.0) if plain else (real_scalar(rng, prefix) if real else scalar(rng, prefix) for real in real_factors)
    if routine in ("symm", "hemm", *IN_PLACE):
        # The oracle needs a second for an order at which dp:repro has a certificate, so two cases have it.
        if group == "repro" and routine in ("symm", "hemm", "trmm") and name.split(":")[2:] in (["2"], ["3"]):
            sizes = MOST_TERMS_AS_CR // terms_of(1, prefix) + rng.randint(1, 9), pick(rng, (1, 2, 3))
        else:
            sizes = order(rng, SIZES, work)
        return sided(name, prefix, routine, mode, kind, layout, uplo, alpha, beta, rng, sizes)
    n, k = order(rng, INNER, work)
    products = 2 if routine in ("syr2k", "her2k") else 1
    n, _, k = longer(rng, group, (n, n, min(k, 80) if products == 2 else k), prefix, products)
    a, b = operands(rng, kind, n, k, n, prefix)
    wanted = triangle((n, n), uplo)
    c = c_values(rng, n, n, prefix, kind)
    head, trans = [layout, uplo], None
    if routine == "gemmt":
        ta, tb = pick(rng, (NO, TRANS, CONJ)), pick(rng, (NO, TRANS, CONJ))
        buffer_a, lda, _ = place_standard(a, layout, ta, rng, prefix)
        buffer_b, ldb, _ = place_standard(b, layout, tb, rng, prefix)
        head, leading = head + [ta, tb], [alpha, "A", lda, "B", ldb]
    else:
        transposed = CONJ if hermitian else TRANS
        trans = pick(rng, (NO, transposed) if prefix in COMPLEX else (NO, TRANS, CONJ))
        transpose = (lambda x: conjugate(x.T, prefix)) if hermitian else (lambda x: np.array(x.T, order="C"))
        # op(A) is n x k; the right operand is its (conjugate) transpose.
        second = transpose(b)
        op_trans = NO if trans == NO else transposed
        buffer_a, lda, _ = place_standard(a, layout, op_trans, rng, prefix)
        buffer_b, ldb, _ = place_standard(second, layout, op_trans, rng, prefix)
        head = head + [trans]
        if routine in ("syrk", "herk"):
            b, leading = transpose(a), [alpha, "A", lda]
        else:
            a, b = np.concatenate([a, second], axis=1), np.concatenate([b, transpose(a)], axis=0)
            leading = [alpha, "A", lda, "B", ldb]
    buffer_c, ldc, positions = place_standard(c, layout, NO, rng, prefix)
    case = Case(name, prefix, routine, routine, mode, kind, alpha, beta, a, b, c)
    case.description = level3.Description(wanted, hermitian=hermitian, conjugate_half=routine == "her2k")
    case.arguments = head + [n, k] + leading + [beta, "C", ldc]
    return finished(case, rng, [buffer_a, buffer_b, buffer_c], positions)


def place_square(square, layout, uplo, routine, prefix, rng):
    """A symmetric, Hermitian or triangular operand in memory, with poison where it is not read: (buffer, leading dimension, the
    whole matrix that it describes, transposition, diagonal, which entries are terms or None)."""
    trans, diag, terms = NO, NON_UNIT, None
    if routine in IN_PLACE:
        trans, diag = pick(rng, (NO, TRANS, CONJ)), pick(rng, (NON_UNIT, UNIT))
        # uplo is of what is stored, op() turns it.
        terms = triangle(square.shape, uplo if trans == NO else LOWER + UPPER - uplo)
        unread = ~terms | (np.eye(len(square), dtype=bool) if diag == UNIT else False)
        buffer, ld, places = place_standard(square, layout, trans, rng, prefix)
        square = np.array(square, order="C")
        square[~terms] = 0
        if diag == UNIT:
            np.fill_diagonal(square, 1)
    else:
        unread = ~triangle(square.shape, uplo)
        buffer, ld, places = place_standard(square, layout, NO, rng, prefix)
        hermitian = routine in ("hemm", "hemv")
        square = mirrored(square, uplo, hermitian, prefix)
        if hermitian:
            poison(buffer, places, np.eye(len(square), dtype=bool), prefix, 1)
    poison(buffer, places, unread, prefix)
    return buffer, ld, square, trans, diag, terms


def sided(name, prefix, routine, mode, kind, layout, uplo, alpha, beta, rng, sizes):
    """SYMM, HEMM, TRMM and TRSM: a square operand on one side."""
    square_order, other = sizes
    left = bool(rng.randint(2))
    m, n = (square_order, other) if left else (other, square_order)
    a, b = operands(rng, kind, m, square_order, n, prefix)
    if routine == "trsm":
        a, b = with_pattern(name, a), with_pattern(name + ":B", b)
    square = a if left else b
    buffer_a, lda, square, trans, diag, terms = place_square(square, layout, uplo, routine, prefix, rng)
    a, b = (square, b) if left else (a, square)
    rest = b if left else a
    c = rest if routine in IN_PLACE else c_values(rng, m, n, prefix, kind)
    case = Case(name, prefix, routine, routine, mode, kind, alpha, 0.0 if routine in IN_PLACE else beta, a, b, c)
    case.description = level3.Description(np.ones((m, n), bool), *((terms, None) if left else (None, terms)), unit=diag == UNIT)
    buffer_b, ldb, _ = place_standard(rest, layout, NO, rng, prefix)
    buffer_c, ldc, positions = place_standard(c, layout, NO, rng, prefix)
    if routine in IN_PLACE:
        case.arguments = [layout, LEFT if left else RIGHT, uplo, trans, diag, m, n, alpha, "A", lda, "C", ldc]
    else:
        case.arguments = [layout, LEFT if left else RIGHT, uplo, m, n, alpha, "A", lda, "B", ldb, beta, "C", ldc]
    return finished(case, rng, [buffer_a, buffer_b, buffer_c], positions)


def finished(case, rng, buffers, positions):
    """The unwanted triangle of C is poison, and a Hermitian diagonal's imaginary parts."""
    d, prefix = case.description, case.prefix
    poison(buffers[2], positions, ~d.wanted, prefix)
    if d.hermitian and case.beta != 1:
        poison(buffers[2], positions, np.eye(*d.wanted.shape, dtype=bool), prefix, 1)
    case.where, case.offsets = positions[d.wanted], [0, 0, 0]
    finish_case(case, rng, buffers, case.beta == 0 and case.routine not in IN_PLACE)
    return case
