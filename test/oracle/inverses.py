"""LAPACK's inverses by factors (docs/factorizations.md, "TRTRI" and after): every element is the exact one of those before it,
rounded once."""

import numpy as np

from factorizations import conjugate, exchanged, joined, left, quotient, rounded, split

ROUTINES = ("trtri", "lauum", "potri", "getri")


def negative(x):
    return tuple(-part for part in x)


def invert(fmt, a, upper, unit):
    """a[i][j] in the triangle becomes X with A X = 1, column by column; with a unit diagonal that of `a` has no meaning."""
    n = len(a)
    zero = (0.0,) * len(a[0][0]) if n else ()
    one = (1.0,) + zero[1:]
    x = [[None] * n for _ in range(n)]
    for j in range(n):
        x[j][j] = one if unit else tuple(quotient(left(one, []), a[j][j], fmt))
        known = [j]
        for i in range(j - 1, -1, -1) if upper else range(j + 1, n):
            sums = left(zero, [(a[i][k], x[k][j]) for k in known])
            x[i][j] = tuple(rounded(sums, fmt) if unit else quotient(sums, a[i][i], fmt))
            known.append(i)
    for i in range(n):
        for j in range(n):
            if x[i][j] is not None and not (unit and i == j):
                a[i][j] = x[i][j]


def square(fmt, a, upper):
    """The triangle of U U^H, or of L^H L; its diagonal is real."""
    n = len(a)
    zero = (0.0,) * len(a[0][0]) if n else ()
    x = {}
    for i in range(n):
        for j in range(i, n) if upper else range(i + 1):
            if upper:
                pairs = [(negative(a[i][k]), conjugate(a[j][k])) for k in range(j, n)]
            else:
                pairs = [(negative(conjugate(a[k][i])), a[k][j]) for k in range(i, n)]
            sums = left(zero, pairs)
            x[i, j] = tuple(rounded(sums[:1], fmt)) + zero[1:] if i == j else tuple(rounded(sums, fmt))
    for (i, j), value in x.items():
        a[i][j] = value


def solve_by_l(fmt, a):
    """X with X L = V: V the upper triangle of a, L with a unit diagonal the lower."""
    n = len(a)
    zero = (0.0,) * len(a[0][0]) if n else ()
    lower = [[a[i][j] for j in range(n)] for i in range(n)]
    for j in reversed(range(n)):
        for i in range(n):
            v = a[i][j] if i <= j else zero
            a[i][j] = tuple(rounded(left(v, [(a[i][k], lower[k][j]) for k in range(j + 1, n)]), fmt))


def inverse(fmt, routine, a, field, upper, unit, pivots):
    """A after a call, and info; where that is not 0, A is as it was."""
    x = split(a, field)
    if routine != "lauum" and not unit:
        for j in range(len(x)):
            if all(part == 0 for part in x[j][j]):
                return a, j + 1
    if routine != "lauum":
        invert(fmt, x, upper or routine == "getri", unit)
    if routine in ("lauum", "potri"):
        square(fmt, x, upper)
    if routine == "getri":
        solve_by_l(fmt, x)
    a = joined(x, a, field)
    return (exchanged(a.T, pivots, True).T if routine == "getri" else a), 0
