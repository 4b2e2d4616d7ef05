"""LAPACK's QR factorization, what is made of its reflectors, and GELS (docs/factorizations.md): panels of reflectors, every operation
on them a product, a solution or a norm of mode cr."""

import os

import numpy as np

import complex as complex_types
import exceptions
import modes
from solve import substitute

ROUTINES = ("geqrf", "orgqr", "ungqr", "ormqr", "unmqr", "gels")
CR = modes.Mode("cr")


def panel_columns():
    """The test hook's, which the library that is compared has taken too."""
    return int(os.environ.get("ACCUBLAS_TEST_PANEL", "32"))


def numbers(values, like):
    return np.array(values, like.dtype).reshape(like.shape)


class Arithmetic:
    def __init__(self, fmt, field):
        self.fmt, self.field = fmt, field

    def product(self, alpha, a, b, beta, c):
        values, _ = modes.gemm(CR, self.fmt, alpha, a, b, beta, c, field=self.field)
        return c if values is None else numbers(values, c)

    def solve(self, m, b):
        """X with M X = B; M is triangular, as a list of lists of numbers, None where there is no term."""
        parts = [[None if x is None else self.field.split(x) for x in row] for row in m]
        return substitute(self.fmt, 1.0, parts, False, b, self.field) if b.size else b

    def norm(self, x):
        if self.field.components == 2:
            return complex_types.norm("nrm2", CR, self.fmt, x)
        return modes.norm("nrm2", CR, self.fmt, x)

    def real(self, x):
        """IEEE's operations in the routine's type are those of numpy's scalars."""
        return self.fmt.dtype(x)


def reflector(on, column):
    """R's diagonal element, the rest of v and tau of a column from the diagonal on."""
    parts = on.field.split(column[0])
    if all(x == 0 for x in column[1:]) and all(part == 0 for part in parts[1:]):
        return column[0], column[1:], 0.0
    s = on.norm(column)
    precision, least, most = on.fmt.precision, on.fmt.least + on.fmt.precision - 1, on.fmt.greatest
    exponent = precision if s < 2.0**least else -2 if s >= 2.0 ** (most - 2) else 0
    scale = on.real(2.0**exponent)

    def scaled(x):
        # By parts: a product of complex numbers would make NaN of an infinity.
        return on.field.join([float(on.real(part) * scale) for part in on.field.split(x)])

    column = numbers([scaled(x) for x in column], column)
    s = on.real(on.norm(column) if exponent > 0 else on.real(s) * scale)
    real, *imaginary = (on.real(part) for part in on.field.split(column[0]))
    beta = s if real < 0 else -s
    divisor = on.field.join([float(part) for part in [real - beta, *imaginary]])
    if np.isinf(s):
        exceptions.special(float("nan"), False)
    tau = [float(on.real(1) + abs(real) / s) if np.isfinite(s) else float("nan")] + [float(-part / beta) for part in imaginary]
    v = on.solve([[divisor]], column[1:].reshape(1, -1))[0]
    diagonal = float(beta * on.real(2.0**-exponent))
    return on.field.join([diagonal, 0.0][: len(parts)]), v, on.field.join(tau)


class Panel:
    """Reflectors H_1 H_2 ... = I - V S^-1 V^H."""

    def __init__(self, on, rows, like):
        self.on, self.v, self.s = on, np.zeros((rows, 0), like.dtype), np.zeros((0, 0), like.dtype)

    def append(self, rest, tau):
        count, on = self.v.shape[1], self.on
        column = np.zeros((len(self.v), 1), self.v.dtype)
        if tau != 0:
            column[count] = 1
            column[count + 1 :, 0] = rest
        above = on.product(1.0, self.v.conj().T, column, 0.0, np.zeros((count, 1), self.v.dtype))
        below = on.solve([[tau]], np.ones((1, 1), self.v.dtype)) if tau != 0 else np.ones((1, 1), self.v.dtype)
        self.v = np.hstack([self.v, column])
        wider = np.zeros((count + 1, count + 1), self.v.dtype)
        wider[:count, :count] = self.s
        wider[:, count:] = np.vstack([above, below])
        self.s = wider

    def apply(self, c, adjoint, large):
        """Q C, or Q^H C; `large` has a truth for each column."""
        if self.v.shape[1] == 0 or c.size == 0:
            return c
        with exceptions.discarded():
            y = self.solution(c, adjoint, 1.0)
        apart = np.array([one and not all(map(np.isfinite, column)) for one, column in zip(large, y.T)])
        if not apart.any():
            y = self.solution(c, adjoint, 1.0)
            return self.on.product(-1.0, self.v, y, 1.0, c)
        result = np.empty_like(c)
        y = self.solution(c[:, ~apart], adjoint, 1.0)
        result[:, ~apart] = self.on.product(-1.0, self.v, y, 1.0, c[:, ~apart])
        y = self.solution(c[:, apart], adjoint, 2.0**-32)
        result[:, apart] = self.on.product(-(2.0**32), self.v, y, 1.0, c[:, apart])
        return result

    def solution(self, c, adjoint, factor):
        """S^-1 V^H C, or S^-H V^H C, with V^H C multiplied by the factor."""
        count, on = self.v.shape[1], self.on
        w = on.product(factor, self.v.conj().T, c, 0.0, np.zeros((count, c.shape[1]), c.dtype))
        s = self.s.conj().T if adjoint else self.s
        return on.solve([[s[i, j] if (i >= j if adjoint else i <= j) else None for j in range(count)] for i in range(count)], w)


def large_columns(on, c):
    """For each column whether it has nothing but finite numbers and one with a part near the largest number."""
    least = 2.0 ** (64 if on.fmt.precision == 24 else 960)
    parts = [[abs(part) for x in column for part in on.field.split(x)] for column in c.T]
    return [bool(np.isfinite(column).all()) and max(column, default=0) >= least for column in parts]


def geqrf(on, a):
    """(R above v's, tau)."""
    a, taus = a.copy(), []
    m, n = a.shape
    width, large = panel_columns(), large_columns(on, a)
    for first in range(0, min(m, n), width):
        end = min(first + width, m, n)
        panel = Panel(on, m - first, a)
        for j in range(first, end):
            a[first:, j : j + 1] = panel.apply(a[first:, j : j + 1], True, large[j : j + 1])
            a[j, j], a[j + 1 :, j], tau = reflector(on, a[j:, j])
            taus.append(tau)
            panel.append(a[j + 1 :, j], tau)
        a[first:, end:] = panel.apply(a[first:, end:], True, large[end:])
    return a, taus


def apply_q(on, a, taus, c, adjoint, conjugated=False, generates=False):
    """Q C or Q^H C by the panels of k reflectors; with their conjugates. No column is large where Q is generated."""
    k, width, c = len(taus), panel_columns(), c.copy()
    large = [False] * c.shape[1] if generates else large_columns(on, c)
    firsts = range(0, k, width)
    for first in firsts if adjoint else reversed(firsts):
        panel = Panel(on, len(a) - first, c)
        for j in range(first, min(first + width, k)):
            v, tau = a[j + 1 :, j], taus[j]
            panel.append(v.conj() if conjugated else v, np.conj(tau) if conjugated else tau)
        c[first:] = panel.apply(c[first:], adjoint, large)
    return c


def orgqr(on, a, taus):
    m, n = a.shape
    q = np.eye(m, n, dtype=a.dtype)
    for first in reversed(range(0, len(taus), panel_columns())):
        # Columns before a panel have zeros where it has rows.
        some = taus[first : first + panel_columns()]
        q[first:, first:] = apply_q(on, a[first:, first:], some, q[first:, first:], False, generates=True)
    return q


def ormqr(on, left, adjoint, a, taus, c):
    if left:
        return apply_q(on, a, taus, c, adjoint)
    # C Q is the transpose of Q^T C^T.
    return apply_q(on, a, taus, c.T, not adjoint, True).T


def gels(on, a, b, adjoint):
    """(A, B, info); B has as many rows as A has rows or columns."""
    m, n = a.shape
    b = b.copy()
    if min(m, n, b.shape[1]) == 0:
        return a, np.zeros_like(b), 0
    if all(x == 0 for x in a.ravel()):
        return a, np.zeros_like(b), 0
    wide = m < n
    factors, taus = geqrf(on, a.conj().T if wide else a)
    k = len(taus)
    zeros = [j + 1 for j in range(k) if factors[j, j] == 0]
    info = zeros[0] if zeros else 0
    rows = [[factors[i, j] if i <= j else None for j in range(k)] for i in range(k)]
    if wide == adjoint:  # least squares
        b = apply_q(on, factors, taus, b, True)
        if info == 0:
            b[:k] = on.solve(rows, b[:k])
    elif info == 0:
        b[:k] = on.solve([[None if x is None else np.conj(x) for x in column] for column in zip(*rows)], b[:k])
        b[k:] = 0
        b = apply_q(on, factors, taus, b, False)
    return (factors.conj().T if wide else factors), b, info
