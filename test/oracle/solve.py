"""TRSM (docs/modes.md): unknowns in the order of substitution, each the exact quotient of the exact alpha b - sum m x over
the unknowns before it, rounded once; of complex numbers both parts of it. In dot2 the sum is the pair of GEMV's chain."""

import functools
import math

import numpy as np

import exceptions
from dot2 import dot2_gemm_pairs
from dyadic import INF, add_dyadic, decompose, mul_dyadic, round_dyadic

NAN = float("nan")

# Many sums have elements in common, so their decompositions are cached.
element_dyadic = functools.lru_cache(maxsize=4096)(decompose)


class Sum:
    """Exact sum of products; infinite and NaN terms are summed by IEEE's rules, apart."""

    def __init__(self):
        self.total, self.special, self.is_special = (0, 0), 0.0, False
        self.any_nan = False  # among the factors

    def add(self, x, y):
        if math.isfinite(x) and math.isfinite(y):
            (m, e), (n, f) = element_dyadic(x), element_dyadic(y)
            self.total = add_dyadic(self.total, (m * n, e + f))
        else:
            self.special, self.is_special = self.special + x * y, True
            self.any_nan = self.any_nan or x != x or y != y

    def sign(self):
        return (self.total[0] > 0) - (self.total[0] < 0)

    def value(self):
        """The special value, or the sign of the sum."""
        return self.special if self.is_special else float(self.sign())

    def rounded(self, fmt):
        if self.is_special:
            return exceptions.special(self.special, self.any_nan)
        return exceptions.rounded(round_dyadic(*self.total, fmt))


def ieee_over(y, d):
    """y / d for a sum y, where IEEE's quotient is infinite or NaN."""
    x = y.value()
    if x != x or d != d or (x == 0 and d == 0) or (abs(x) == INF and abs(d) == INF):
        return exceptions.special(NAN, y.any_nan or d != d)
    if d == 0 and not y.is_special:
        exceptions.raised.add("division by zero")
    return math.copysign(INF, math.copysign(1, x) * math.copysign(1, d))


def round_quotient(y, d, fmt):
    """RN(y / d) of dyadic numbers, d not zero; zero is +0."""
    (m, e), (n, f) = y, d
    if m == 0:
        return 0.0
    negative = (m < 0) != (n < 0)
    m, n = abs(m), abs(n)
    shift = max(0, fmt.precision + 70 + n.bit_length() - m.bit_length())
    q, rest = divmod(m << shift, n)
    q = 2 * q + (rest != 0)
    return exceptions.rounded(round_dyadic(-q if negative else q, e - f - shift - 1, fmt))


def real_quotient(y, d, fmt):
    if y.is_special or d != d or d == 0:
        return ieee_over(y, d)
    if abs(d) == INF:
        return math.copysign(0.0, y.sign() * d) if y.sign() else 0.0
    return round_quotient(y.total, decompose(d), fmt)


def complex_quotient(parts, d, fmt):
    re, im = d
    if re != re or im != im:
        return [NAN, NAN]
    if abs(re) == INF or abs(im) == INF:
        nan = any(p.is_special for p in parts)
        return [exceptions.special(NAN, any(p.any_nan for p in parts))] * 2 if nan else [0.0, 0.0]
    if re == 0 and im == 0:
        return [ieee_over(p, re) for p in parts]
    size = add_dyadic(mul_dyadic(decompose(re), decompose(re)), mul_dyadic(decompose(im), decompose(im)))
    result = []
    for own, other, factor in ((parts[0], parts[1], im), (parts[1], parts[0], -im)):
        total, special, is_special, any_nan = (0, 0), 0.0, False, False
        for part, weight in ((own, re), (other, factor)):
            if weight == 0:
                continue
            if part.is_special:
                special, is_special, any_nan = special + part.special * weight, True, any_nan or part.any_nan
            else:
                total = add_dyadic(total, mul_dyadic(part.total, decompose(weight)))
        result.append(exceptions.special(special, any_nan) if is_special else round_quotient(total, size, fmt))
    return result


def chains(fmt, line, known):
    """dot2's pairs (s, c) of each part of sum m x for a right-hand side: the terms of a product of complex numbers are
    those with the unknown's real part, then those with its imaginary part."""
    x = np.array([[part] for value in known for part in value])
    if len(line[0]) == 1:
        rows = [[m for m, in line]]
    else:
        rows = [[t for re, im in line for t in (re, -im)], [t for re, im in line for t in (im, re)]]
    with np.errstate(all="ignore"):
        s, c = dot2_gemm_pairs(np.array(rows), x, fmt.name == "s")
    return list(zip(s[:, 0], c[:, 0]))


def substitute(fmt, alpha, m, unit, b, field, dot2=False):
    """X with M X = alpha B: M triangular of order n as a list of lists of parts, or None where there is no term."""
    order, count = len(m), field.components
    forward = order == 1 or m[1][0] is not None
    places = range(order) if forward else range(order - 1, -1, -1)
    x = np.zeros(b.shape, b.dtype)
    for side in range(b.shape[1]):
        known = []
        for i in places:
            above = [Sum() for _ in range(count)]
            for part, products in enumerate(field.expand(alpha, field.split(b[i, side]))):
                for factor, number in products:
                    if factor != 0:
                        above[part].add(factor, number)
            pairs = chains(fmt, [m[i][j] for j, _ in known], [v for _, v in known]) if dot2 and known else [None] * count
            kept = [pair is not None and math.isfinite(pair[0]) and math.isfinite(pair[1]) for pair in pairs]
            for part, pair in enumerate(pairs):
                for number in pair if kept[part] else ():
                    above[part].add(-1.0, float(number))
            for j, value in known:
                if count == 1:
                    if not kept[0]:
                        above[0].add(-m[i][j][0], value[0])
                else:
                    (re, im), (u, v) = m[i][j], value
                    for part, first, second in ((0, (-re, u), (im, v)), (1, (-im, u), (-re, v))):
                        if not kept[part]:
                            above[part].add(*first)
                            above[part].add(*second)
            if unit:
                parts = [s.rounded(fmt) for s in above]
            elif count == 1:
                parts = [real_quotient(above[0], m[i][i][0], fmt)]
            else:
                parts = complex_quotient(above, m[i][i], fmt)
            x[i, side] = field.join(parts)
            known.append((i, [float(p) for p in parts]))
    return x


def solve(mode, fmt, case, a, b, c, field):
    """Values of the elements of C, row by row, or None where C is left alone."""
    left = case.description.a_terms is not None
    terms, m, sides = (case.description.a_terms, a, c) if left else (case.description.b_terms.T, b.T, c.T)
    if c.size == 0:
        return None
    if case.alpha == 0:
        return [0.0] * c.size
    order = len(m)
    entries = [[tuple(float(p) for p in field.split(m[i, j])) if terms[i, j] else None for j in range(order)]
               for i in range(order)]
    x = substitute(fmt, case.alpha, entries, case.description.unit, sides, field, mode.kind == "dot2")
    return list((x if left else x.T).ravel())
