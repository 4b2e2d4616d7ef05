"""The multiword modes of docs/modes.md in Python integers: words, the exact sum of their products, and how far from it,
and from the exact product, a result may lie. No bits are promised: an element is judged within a tolerance.
"""

import functools
import os
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dyadic import INF, decompose
from lines import exact_product, multiply


@dataclass(frozen=True)
class Word:
    """Words of `precision` bits, multiples of 2^least below 2^greatest; the largest magnitude of a line lies in
    [2^(top - 1), 2^top) (None: lines stay as they are). An addition errs by `addition`, of factors that tensor cores take
    for 2^aligned at least (None: for what they are)."""

    precision: int
    least: int
    greatest: int
    ties_away: bool
    top: int
    addition: Fraction
    aligned: int = None

    def nearest(self, n, extra):
        """The word nearest to n 2^(least - extra)."""
        magnitude = abs(n)
        drop = max((magnitude >> extra).bit_length() - self.precision, 0) + extra
        q, half = magnitude >> drop, 1 << drop >> 1
        rest = magnitude - (q << drop)
        if rest > half or (rest == half != 0 and (self.ties_away or q % 2)):
            q += 1
        most = ((1 << self.precision) - 1) << (self.greatest - self.precision - self.least)
        word = min(q << (drop - extra), most)
        return -word if n < 0 else word


WORDS = {
    "tf32": Word(11, -136, 128, True, None, Fraction(1, 1 << 23)),
    "fp16": Word(11, -24, 16, False, 15, Fraction(1, 1 << 23), -14),
    "tf64": Word(24, -149, 128, False, 63, Fraction(1, 1 << 53)),
}


class Words:
    """The words of a line, and its magnitudes, in units of 2^unit."""

    def __init__(self, line, word):
        scale = 0 if word.top is None or line.is_zero else word.top - line.bound
        self.unit = word.least - scale
        shift = line.base - self.unit
        extra = max(-shift, 0)  # entries are in units of 2^(unit - extra)
        entries = [x << max(shift, 0) for x in line.ints]
        self.first = [word.nearest(x, extra) for x in entries]
        self.second = [word.nearest(x - (w << extra), extra) for x, w in zip(entries, self.first)]
        self.both = [w + v for w, v in zip(self.first, self.second)]
        # At least the magnitudes, by less than a unit.
        self.magnitudes = [-(-abs(x) >> extra) for x in entries]

    def factors(self, word, products):
        """By entry the sum of its words' magnitudes, as tensor cores take them for the exponents of products."""
        least = 1 << (word.aligned - word.least)
        taken = lambda w: max(abs(w), least) if w else 0
        return [taken(w) + (taken(v) if products > 1 else 0) for w, v in zip(self.first, self.second)]


def combined(left, right):
    products = multiply(*([list(map(int, x)) for x in side] for side in (left, right)))
    return np.array(products, dtype=object).reshape(len(left), len(right))


def gamma(n, unit):
    return n * unit / (1 - n * unit)


@dataclass
class Sums:
    """By element: S and the exact sum as dyadics, and how far the accumulated sum may lie from each, as fractions; None
    where it may overflow on the way."""

    words: list
    exact: list
    accumulation: list
    whole: list


def sums(kind, products, rows, columns, k):
    word = WORDS[kind]
    left, right = [Words(r, word) for r in rows], [Words(c, word) for c in columns]
    if products == 1:
        table = combined([x.first for x in left], [x.first for x in right])
    else:
        table = combined([x.both for x in left], [x.both for x in right])
        if products == 3:
            table = table - combined([x.second for x in left], [x.second for x in right])
    magnitudes = combined([x.magnitudes for x in left], [x.magnitudes for x in right])
    row_sums, column_sums = [sum(x.magnitudes) for x in left], [sum(x.magnitudes) for x in right]

    u = Fraction(1, 1 << 24) if kind == "tf64" else Fraction(1, 1 << 11) * (1 + Fraction(1, 1 << 11))
    grown = (1 + 2 * u) ** 2
    dropped = {1: u * (2 + u), 3: u**2 * (2 + u**2) + (1 + u) ** 2 * u**2, 4: u**2 * (2 + u**2)}[products]
    added = gamma(products * k, word.addition) * grown
    aligned = None
    if word.aligned is not None and os.environ.get("ACCUBLAS_BACKEND") == "cuda":
        aligned = combined([x.factors(word, products) for x in left], [x.factors(word, products) for x in right])
    result = Sums([], [], [], [])
    exact = exact_product(rows, columns)
    for i, x in enumerate(left):
        lines = [[], [], [], []]
        for j, y in enumerate(right):
            unit = power(x.unit + y.unit)
            size = int(magnitudes[i, j])
            lines[0].append((int(table[i, j]), x.unit + y.unit))
            lines[1].append(exact[i][j])
            # A subnormal word errs by half a unit; so may each word of the other line meet it.
            tiny = row_sums[i] + column_sums[j] + k
            if aligned is not None:
                accumulation = gamma(products * k, word.addition) * int(aligned[i, j]) * unit
            else:
                accumulation = added * (size + tiny) * unit
                if kind == "tf32":
                    accumulation += products * k * power(-149)
            whole = accumulation + (dropped * size + tiny) * unit
            over = kind == "tf32" and (size * grown + 2 * tiny) * products * unit >= power(127)
            lines[2].append(None if over else accumulation)
            lines[3].append(None if over else whole)
        for table_of, line in zip((result.words, result.exact, result.accumulation, result.whole), lines):
            table_of.append(line)
    return result


@functools.lru_cache(maxsize=4096)
def power(e):
    return Fraction(1 << e) if e >= 0 else Fraction(1, 1 << -e)


def fraction(dyadic):
    return dyadic[0] * power(dyadic[1])


# All elements have alpha and beta in common, so their fractions are cached.
factor_fraction = functools.lru_cache(maxsize=64)(lambda x: fraction(decompose(x)))


def tolerance(alpha, s, error, beta, c, fmt):
    """How far RN(alpha (S + error) + beta c) may lie from RN(alpha S + beta c); None: anywhere, where S overflows or its
    sign decides. 0 where the sum is not finite for other reasons."""
    if error is None or alpha != alpha or abs(alpha) == INF:
        return None
    if beta != 0 and not (abs(beta) < INF and abs(c) < INF):
        return Fraction(0)
    scaled = abs(factor_fraction(alpha)) * error
    value = factor_fraction(alpha) * fraction(s)
    if beta != 0:
        value += factor_fraction(beta) * fraction(decompose(c))
    return scaled + power(-fmt.precision) * (2 * abs(value) + scaled) + power(fmt.least)


@dataclass
class Within:
    """The permitted contents of C's buffer: for each of `ranges`, (bits of the whole buffer, tolerances by position). A
    position without a tolerance is no element of C and must have these bits; a NaN of C may have any sign and payload."""

    ranges: list
    fmt: object

    def wrong(self, bits):
        """(the first range that is left, positions) or None."""
        for expected, tolerances in self.ranges:
            positions = [int(p) for p in np.nonzero(bits != expected)[0]
                         if int(p) not in tolerances
                         or not self._near(bits[p : p + 1], expected[p : p + 1], tolerances[int(p)])]
            if positions:
                return expected, np.array(positions)
        return None

    def _near(self, got, want, most):
        if most is None:
            return True
        got, want = (float(x.view(self.fmt.dtype)[0]) for x in (got, want))
        if got != got or want != want:
            return got != got and want != want
        if most == 0:
            return got == want

        def value(x):  # an overflow lies beyond the largest number at least
            return fraction(decompose(x)) if abs(x) != INF else (power(self.fmt.greatest) if x > 0 else -power(self.fmt.greatest))

        return abs(value(got) - value(want)) <= most
