"""LAPACK's factorizations and the solutions by them (docs/factorizations.md): every element of a factor is the exact one of the
elements before it, rounded once."""

import math

import numpy as np

from dyadic import round_root
from solve import Sum, complex_quotient, real_quotient, substitute

CHOLESKY, LU = ("potrf", "potrs", "posv"), ("getrf", "getrs", "gesv")
ROUTINES = CHOLESKY + LU


def rounded(sums, fmt):
    return [s.rounded(fmt) for s in sums]


def quotient(sums, pivot, fmt):
    return [real_quotient(sums[0], pivot[0], fmt)] if len(sums) == 1 else complex_quotient(sums, pivot, fmt)


def left(number, pairs):
    """The number less the exact sum of products."""
    sums = []
    for part in number:
        sums.append(Sum())
        sums[-1].add(1.0, part)
    for x, y in pairs:
        if len(sums) == 1:
            sums[0].add(-x[0], y[0])
        else:
            (a, b), (u, v) = x, y
            for part, factor, other in ((0, -a, u), (0, b, v), (1, -b, u), (1, -a, v)):
                sums[part].add(factor, other)
    return sums


def conjugate(x):
    return x if len(x) == 1 else (x[0], -x[1])


def cholesky(fmt, x):
    """x[j][i], j <= i, becomes X with A = X^H X: info, and what is not reached stays. The diagonal is real."""
    n = len(x)
    columns = [[None] * n for _ in range(n)]
    for j in range(n):
        pivot = Sum()
        pivot.add(1.0, x[j][j][0])
        for k in range(j):
            for part in columns[k][j]:
                pivot.add(-part, part)
        if pivot.is_special:
            if not pivot.special > 0:
                return j + 1
            root = pivot.special
        elif pivot.sign() <= 0:
            return j + 1
        else:
            root = round_root(*pivot.total, fmt)
        columns[j][j] = x[j][j] = (root,) if len(x[j][j]) == 1 else (root, 0.0)
        for i in range(j + 1, n):
            sums = left(x[j][i], [(conjugate(columns[k][j]), columns[k][i]) for k in range(j)])
            columns[j][i] = x[j][i] = tuple(quotient(sums, columns[j][j], fmt))
    return 0


def size(parts, fmt):
    """Returns the size by which the pivot is the largest; a NaN is larger than every number."""
    total = float(fmt.dtype(abs(parts[0])) + fmt.dtype(abs(parts[1]))) if len(parts) == 2 else abs(parts[0])
    return (1, 0.0) if total != total else (0, total)


def lu(fmt, a, cols):
    """a[i][j] becomes L and U: pivots, counted from 0, and info."""
    rows, pivots, info = len(a), [], 0
    for j in range(min(rows, cols)):
        for i in range(j):
            a[i][j] = tuple(rounded(left(a[i][j], [(a[i][k], a[k][j]) for k in range(i)]), fmt))
        sums = [left(a[i][j], [(a[i][k], a[k][j]) for k in range(j)]) for i in range(j, rows)]
        values = [rounded(s, fmt) for s in sums]
        best = max(range(len(values)), key=lambda i: (size(values[i], fmt), -i))
        pivots.append(j + best)
        a[j], a[j + best] = a[j + best], a[j]
        sums[0], sums[best], values[0], values[best] = sums[best], sums[0], values[best], values[0]
        a[j][j] = tuple(values[0])
        zero = all(part == 0 for part in values[0])
        info = j + 1 if zero and info == 0 else info
        for i in range(j + 1, rows):
            a[i][j] = tuple(values[i - j] if zero else quotient(sums[i - j], a[j][j], fmt))
    for j in range(rows, cols):
        for i in range(rows):
            a[i][j] = tuple(rounded(left(a[i][j], [(a[i][k], a[k][j]) for k in range(i)]), fmt))
    return pivots, info


def split(a, field):
    return [[field.split(x) for x in row] for row in a]


def joined(x, like, field):
    return np.array([[field.join(list(p)) for p in row] for row in x], like.dtype).reshape(like.shape)


def triangle_of(a, upper, unit, field, transposed=False, conjugated=False):
    """For substitute: op() of that triangle of a, as a list of lists of parts."""
    n = len(a)
    entries = [[conjugate(field.split(a[i, j])) if conjugated else field.split(a[i, j]) for j in range(n)] for i in range(n)]
    held = [[entries[i][j] if (i <= j if upper else i >= j) else None for j in range(n)] for i in range(n)]
    return [list(column) for column in zip(*held)] if transposed else held


def solve_by(fmt, systems, b, field):
    for m, unit in systems:
        b = substitute(fmt, 1.0, m, unit, b, field) if b.size else b
    return b


def exchanged(b, pivots, backwards=False):
    b = np.array(b)
    for i in reversed(range(len(pivots))) if backwards else range(len(pivots)):
        b[[i, pivots[i]]] = b[[pivots[i], i]]
    return b


def factorization(fmt, routine, a, b, field, upper=True, trans="N", pivots=None):
    """A (of Cholesky's the stored triangle alone has a meaning), B, pivots and info after a call."""
    of_complex, info = field.components == 2, 0
    if routine in ("potrf", "posv"):
        x = split(a if upper else a.T, field)
        info = cholesky(fmt, x)
        a = joined(x, a if upper else a.T, field)
        a = a if upper else a.T
    elif routine in ("getrf", "gesv"):
        parts = split(a, field)
        pivots, info = lu(fmt, parts, a.shape[1])
        a = joined(parts, a, field)
    if b is None or info:
        return a, b, pivots, info
    if routine in CHOLESKY:
        transposed = [(triangle_of(a, upper, False, field, True, of_complex), False)]
        plain = [(triangle_of(a, upper, False, field), False)]
        return a, solve_by(fmt, transposed + plain if upper else plain + transposed, b, field), pivots, info
    if trans == "N":
        systems = [(triangle_of(a, False, True, field), True), (triangle_of(a, True, False, field), False)]
        return a, solve_by(fmt, systems, exchanged(b, pivots), field), pivots, info
    conjugated = of_complex and trans == "C"
    systems = [(triangle_of(a, True, False, field, True, conjugated), False), (triangle_of(a, False, True, field, True, conjugated), True)]
    return a, exchanged(solve_by(fmt, systems, b, field), pivots, True), pivots, info
