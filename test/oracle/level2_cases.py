"""Seeded cases of level 2 beside GEMV, and of the DOTs of single precision summed in double: operands of complex_data.py
with the structure that a routine has, and poison where nothing may be read."""

import numpy as np

import level3
from cases import Case, finish_case, mode_and_kind
from complex_data import c_values, operands, scalar
from level3_cases import IN_PLACE, LOWER, SIZES, UNIT, UPPER, finished, place_square, poison, real_scalar, triangle
from placement import COL, NO, ROW, conjugate, filled, place_standard, vector_buffer
from values import COMPLEX, generator, pick

PRODUCTS = ("symv", "hemv", "trmv")
UPDATES = ("ger", "geru", "gerc", "syr", "her", "syr2", "her2")  # cr in every mode that defines bits
MIXED = ("sdot", "dsdot")  # after the letters of their results: DSDOT, SDSDOT
ROUTINES = PRODUCTS + UPDATES + ("trsv",) + MIXED
ORDERS = SIZES + (65, 130)


def make(name, prefix, group, routine):
    rng = generator(name)
    mode, kind = mode_and_kind(rng, name, group, prefix)
    if routine in MIXED:
        return mixed(name, prefix, routine, mode, kind, rng)
    layout, uplo = pick(rng, (ROW, COL)), pick(rng, (UPPER, LOWER))
    return (update if routine in UPDATES else product)(name, prefix, routine, mode, kind, layout, uplo, rng)


def product(name, prefix, routine, mode, kind, layout, uplo, rng):
    """SYMV, HEMV, TRMV and TRSV."""
    n = pick(rng, ORDERS)
    a, x = operands(rng, kind, n, n, 1, prefix)
    in_place = routine in IN_PLACE
    alpha, beta = (1.0, 0.0) if in_place else (scalar(rng, prefix), scalar(rng, prefix))
    buffer_a, lda, a, trans, diag, terms = place_square(a, layout, uplo, routine, prefix, rng)
    y = x if in_place else c_values(rng, n, 1, prefix, kind)
    case = Case(name, prefix, routine, routine, mode, kind, alpha, beta, a, x, y)
    case.description = level3.Description(np.ones((n, 1), bool), terms, unit=diag == UNIT)
    buffer_x, incx, _ = vector_buffer(x[:, 0], rng, prefix)
    buffer_y, incy, positions = vector_buffer(y[:, 0], rng, prefix, output=True)
    case.where, case.offsets = positions.reshape(-1, 1), [0, 0, 0]
    if in_place:
        case.arguments = [layout, uplo, trans, diag, n, "A", lda, "C", incy]
    else:
        case.arguments = [layout, uplo, n, alpha, "A", lda, "B", incx, beta, "C", incy]
    finish_case(case, rng, [buffer_a, buffer_x, buffer_y], beta == 0 and not in_place)
    return case


def update(name, prefix, routine, mode, kind, layout, uplo, rng):
    """C, the routine's A, plus products of one term or two."""
    m, n = pick(rng, ORDERS), pick(rng, ORDERS)
    general = routine in ("ger", "geru", "gerc")
    if not general:
        m = n
    of_conjugates = routine in ("gerc", "her", "her2")
    turn = (lambda v: conjugate(v.T, prefix)) if of_conjugates else (lambda v: np.array(v.T, order="C"))
    alpha = real_scalar(rng, prefix) if routine == "her" else scalar(rng, prefix)
    if prefix in COMPLEX and routine != "her" and rng.randint(3) == 0:
        alpha = complex(alpha.real, 0.0)
    x, row = operands(rng, kind, m, 1, n, prefix)
    c = c_values(rng, m, n, prefix, kind)
    if kind == "halfway" and routine != "her":
        alpha = near_middles(alpha, x, row, c, rng, prefix)
    y = turn(row)
    a, b = x, row
    if routine in ("syr", "her"):
        b = turn(x)
    elif not general:
        a, b = np.concatenate([x, y], axis=1), np.concatenate([turn(y), turn(x)], axis=0)
    case = Case(name, prefix, routine, routine, mode, kind, alpha, 1.0, a, b, c)
    wanted = np.ones((m, n), bool) if general else triangle((m, n), uplo)
    case.description = level3.Description(wanted, hermitian=routine in ("her", "her2"), conjugate_half=routine == "her2")
    buffer_x, incx, _ = vector_buffer(x[:, 0], rng, prefix)
    buffer_y, incy, _ = vector_buffer(y[:, 0], rng, prefix)
    buffer_c, ldc, positions = place_standard(c, layout, NO, rng, prefix)
    head = [layout, m, n] if general else [layout, uplo, n]
    second = [] if routine in ("syr", "her") else ["B", incy]
    case.arguments = head + [alpha, "A", incx] + second + ["C", ldc]
    if case.description.hermitian and alpha != 0:  # not where it stays as it is
        poison(buffer_c, positions, np.eye(n, dtype=bool), prefix, 1)
    return finished(case, rng, [buffer_x, buffer_y, buffer_c], positions)


def near_middles(alpha, x, row, c, rng, prefix):
    """alpha x y within the square of the roundoff of half the last place of c, in place; alpha."""
    step = float(np.finfo(c.real.dtype).eps)
    part = lambda array, values: np.copyto(array, np.array(values).reshape(array.shape).astype(array.real.dtype))
    part(x, [1.0 - 2 * rng.randint(2) for _ in range(x.size)])
    part(row, [(0.5 - rng.randint(2)) * step * (1 - step) for _ in range(row.size)])
    part(c, [1 + rng.randint(4) * step for _ in range(c.size)])
    return type(alpha)(1 + step)


def mixed(name, prefix, routine, mode, kind, rng):
    """DSDOT, and SDSDOT with its addend as alpha."""
    n = pick(rng, (0, 1, 2, 7, 31, 33, 129, 479, 480, 481, 961, 2049))
    x, y = operands(rng, kind, 1, n, 1, "s")
    with_addend = routine == "dsdot"
    sb = scalar(rng, "s") if with_addend else 0.0
    case = Case(name, prefix, routine, routine, mode, kind, sb, 0.0, x, y, filled(1, prefix).reshape(1, 1))
    buffer_x, incx, _ = vector_buffer(x[0], rng, "s")
    buffer_y, incy, _ = vector_buffer(y[:, 0], rng, "s")
    case.where, case.offsets = np.zeros((1, 1), np.int64), [0, 0, 0]
    case.arguments = [n] + ([sb] if with_addend else []) + ["A", incx, "B", incy, "C"]
    finish_case(case, rng, [buffer_x, buffer_y, filled(1, prefix)], True)
    return case
