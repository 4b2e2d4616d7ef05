"""The bit-defined modes of docs/modes.md in Python integers. Slow, plain, and independent of lib/.

lines.py and dot2.py give the sum of products of a mode; `gemm`, `gemv`, `dot` and `norm` add the special values, alpha,
beta, c, the quick returns and the one rounding. Matrices are numpy arrays of binary64 (binary32 entries widened), A m x k
and B k x n, op() already applied; what complex ones add stands in complex.py.
"""

import functools
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite

import numpy as np

import exceptions
import multiword
from dot2 import dot2_dot_pair, dot2_gemm_pairs
from dyadic import INF, add_dyadic, decompose, mul_dyadic, round_dyadic, round_root
from lines import MOST_TERMS_AS_CR, Line, exact_product, fixed_product, integers_of, repro_product, slices_product

NAN = float("nan")


@dataclass(frozen=True)
class Mode:
    kind: str  # fixed, slices, repro, dot2, cr, and of the multiword modes the word: tf32, fp16, tf64
    parameter: int = 0  # of these: products
    fast: bool = False


def parse_mode(word):
    if match := re.fullmatch(r"fixed:(\d+)", word):
        return Mode("fixed", int(match[1]))
    if match := re.fullmatch(r"slices:(\d+)(:fast)?", word):
        return Mode("slices", int(match[1]), match[2] is not None)
    if word in ("dp:repro", "sp:repro"):
        return Mode("repro")
    if word in ("dot2", "cr"):
        return Mode(word)
    if match := re.fullmatch(r"(tf32|fp16|tf64)x([134])", word):
        return Mode(match[1], int(match[2]))
    raise ValueError(f'not a mode of the oracle: "{word}" (parse_mode in modes.py lists them)')


@dataclass(frozen=True)
class Field:
    """How numbers of C are made of real inner products: a component of an element is one of `rows(a)` by `columns(b)`."""

    components: int
    rows: Callable  # A as real lines
    columns: Callable  # B as real lines: the columns of the first component, then those of the next
    expand: Callable  # (factor, components of a number): for each component of the product its terms (factor, value)
    split: Callable  # a number's components
    join: Callable  # a number of its components


REAL = Field(1, lambda a: a, lambda b: b, lambda factor, value: [[(factor, value[0])]], lambda x: (float(x),),
             lambda parts: parts[0])


# --- special values and the one rounding --------------------------------------------------------------------------


def special_sum(row, column):
    """S in extended reals where a row or column holds NaN or Inf: NaN, Inf or -Inf; None if it is a real number."""
    plus = minus = False
    if any(x != x for line in (row, column) for x in line):
        return NAN
    for a, b in zip(row, column):
        if abs(a) == INF or abs(b) == INF:
            if a == 0 or b == 0:
                return exceptions.MADE
            if (a > 0) == (b > 0):
                plus = True
            else:
                minus = True
    if plus and minus:
        return exceptions.MADE
    return INF if plus else -INF if minus else None


def extended_product(a, s):
    """Product in extended reals of which one factor at least is NaN or infinite, s = a sign (or NaN, Inf)."""
    if a != a or s != s or a == 0 or s == 0:
        return NAN
    return INF if (a > 0) == (s > 0) else -INF


# All elements have alpha and beta in common, so their decompositions are cached.
factor_dyadic = functools.lru_cache(maxsize=64)(decompose)


def finish(terms, fmt):
    """RN(sum of factor times value). A value is a dyadic, a float or a special float; a factor 0 means no term."""
    total, unit = 0, 0
    special, any_nan = 0.0, False
    for factor, value in terms:
        if factor == 0:  # a NaN is not
            continue
        any_nan = any_nan or factor != factor or (isinstance(value, float) and exceptions.is_nan_operand(value))
        if isinstance(value, float):
            if not isfinite(value):
                special = special + extended_product(factor, value)
                continue
            value = decompose(value)
        m, e = value
        if not isfinite(factor):
            special = special + extended_product(factor, float((m > 0) - (m < 0)))
            continue
        by, exponent = factor_dyadic(factor)
        m *= by
        if m:
            e += exponent
            if total == 0:
                total, unit = m, e
            elif e >= unit:
                total += m << (e - unit)
            else:
                total = m + (total << (unit - e))
                unit = e
    if special != 0:  # Inf - Inf became NaN above
        return exceptions.special(special, any_nan)
    return exceptions.rounded(round_dyadic(total, unit, fmt))


def scaled(terms, fmt):
    """alpha = 0 or k = 0: the terms of beta c, no factor of them 0, whose zeros have IEEE's signs; +0 without any."""
    if terms and all([value == 0 and abs(factor) < INF for factor, value in terms]):
        return -0.0 if all(math.copysign(1, factor * value) < 0 for factor, value in terms) else 0.0
    return finish(terms, fmt)


# --- routines -----------------------------------------------------------------------------------------------------


@dataclass
class Facts:
    """Facts that the definition states besides the result: T* of dp:repro and the elements that the certificate rejects."""

    call_bits: int = 0
    rejected: int = 0
    all_accepted: bool = True  # also the elements beside a wanted triangle; false if a row or column has an Inf or a NaN
    exceptions: frozenset = None  # of the results, where they are defined
    within: list = None  # for the multiword modes: (values, tolerances by element) of each range that C must lie in


def gemm(mode, fmt, alpha, a, b, beta, c, routine="gemm", field=REAL):
    """(values of C as a list of rows, or None where BLAS leaves C alone; Facts). c may be None where it is not read."""
    m, k = a.shape
    n = b.shape[1]
    if m == 0 or n == 0 or (routine == "gemv" and k == 0):
        return None, Facts()
    if (alpha == 0 or k == 0) and beta == 1:
        return None, Facts()
    parts = range(field.components)
    # By component the terms of beta c: a factor and which component of c.
    of_c = kept_terms(field.expand(beta, parts))
    before = [[()] * n] * m if beta == 0 else [list(map(field.split, row)) for row in c.tolist()]
    if alpha == 0 or k == 0:
        return [[field.join([scaled([(factor, x[part]) for factor, part in of_c[r]], fmt) for r in parts]) for x in row]
                for row in before], Facts()
    if mode.kind in multiword.WORDS:
        return multiword_gemm(mode, fmt, alpha, a, b, beta, c)
    products, facts = inner_products(mode, fmt, field.rows(a), field.columns(b), routine)
    # By component the factors of the sums that it needs, and where these stand beyond column j.
    needed = [[(factor, n * part, products) for factor, part in terms] for terms in kept_terms(field.expand(alpha, parts))]
    return [[field.join([finish(terms_of(needed[r], i, j) + [(factor, x[part]) for factor, part in of_c[r]], fmt) for r in parts])
             for j, x in enumerate(row)] for i, row in enumerate(before)], facts


class Finite:
    """The rows (columns) of a matrix without NaN and Inf."""

    def __init__(self, rows):
        self.has = np.isfinite(rows).all(axis=1)
        self.number = np.where(self.has, np.cumsum(self.has) - 1, None).tolist()  # of a row among them
        kept = rows[self.has]
        self.lines = [Line(row, integers) for row, integers in zip(kept, integers_of(kept))]


@dataclass
class Products:
    """S by row i and column j: a dyadic, or None where exact(i, j) gives it, cr's or a special float."""

    table: list
    exact: Callable


def terms_of(needed, i, j):
    """(factor, S) of each (factor, columns beyond j, Products) that an element needs; where one of S is cr's, all are."""
    terms = [(factor, sums.table[i][j + beyond]) for factor, beyond, sums in needed]
    if any([s is None for _, s in terms]):
        return [(factor, sums.exact(i, j + beyond)) for factor, beyond, sums in needed]
    return terms


def kept_terms(expanded):
    """By component the terms whose factor is not 0."""
    return [[term for term in terms if term[0] != 0] for terms in expanded]


def inner_products(mode, fmt, a, b, routine, wanted=None, terms=None, computed=None):
    """(Products of the rows of a and the columns of b, which are real; Facts). wanted: the elements that T* of dp:repro
    is over (all); computed: how many elements the call computes (all); terms(i, j): which terms the element has (all),
    where a or b has zeros for those that it lacks."""
    facts = Facts()
    k = a.shape[1]
    rows, columns = Finite(a), Finite(b.T)
    kind = mode.kind
    if kind == "repro" and (routine != "gemm" or k <= MOST_TERMS_AS_CR):
        kind = "cr"

    def of_all(table):
        """A table of the finite lines with None for the others."""
        if rows.has.all() and columns.has.all():
            return table
        none = [None] * len(columns.number)
        return [none if i is None else [None if j is None else table[i][j] for j in columns.number] for i in rows.number]

    def exact(i, j):
        if rows.number[i] is None or columns.number[j] is None:
            row, column = (a[i], b[:, j]) if terms is None else (a[i][terms(i, j)], b[:, j][terms(i, j)])
            special = special_sum(row.tolist(), column.tolist())
            return exact_product([Line(row)], [Line(column)])[0][0] if special is None else special
        return exact_product([rows.lines[rows.number[i]]], [columns.lines[columns.number[j]]])[0][0]

    if kind == "dot2":
        with np.errstate(all="ignore"):
            single = fmt.name == "s"
            if routine == "dot":
                s, c = np.concatenate([dot2_dot_pair(a[0], column, single) for column in b.T], axis=2)
            else:
                s, c = dot2_gemm_pairs(a, b, single)

        def pair(s, c):
            return add_dyadic(decompose(s), decompose(c)) if isfinite(s) and isfinite(c) else None

        return Products([list(map(pair, *lines)) for lines in zip(s.tolist(), c.tolist())], exact), facts
    if kind == "cr":
        return Products(of_all(exact_product(rows.lines, columns.lines)), exact), facts
    if kind == "fixed":
        return Products(of_all(fixed_product(rows.lines, columns.lines, mode.parameter)), exact), facts
    if kind == "slices":
        return Products(of_all(slices_product(rows.lines, columns.lines, mode.parameter, mode.fast, k)), exact), facts
    if kind != "repro":
        raise ValueError(f'mode "{kind}" has no definition in inner_products (modes.py)')
    counted = np.ones((a.shape[0], b.shape[1]), bool) if wanted is None else wanted
    counted = counted[rows.has][:, columns.has]
    table, accepted, facts.call_bits = repro_product(rows.lines, columns.lines, k, fmt.name, counted)
    facts.rejected = sum(not t for line, of_line in zip(accepted, counted) for t, own in zip(line, of_line) if own)
    facts.all_accepted = all(map(all, accepted)) and rows.has.all() and columns.has.all()
    if computed is None:
        computed = a.shape[0] * b.shape[1]
    if 64 * facts.rejected > computed:
        facts.rejected, facts.call_bits = computed, 0
        return Products(of_all(exact_product(rows.lines, columns.lines)), exact), facts
    kept = [[s if own else None for s, own in zip(*lines)] for lines in zip(table or accepted, accepted)]
    return Products(of_all(kept), exact), facts


def multiword_gemm(mode, fmt, alpha, a, b, beta, c):
    """The sum of word products, and facts.within: that and the exact product with their tolerances."""
    rows, columns = Finite(a), Finite(b.T)
    sums = multiword.sums(mode.kind, mode.parameter, rows.lines, columns.lines, a.shape[1])
    within = []
    for table, errors in ((sums.words, sums.accumulation), (sums.exact, sums.whole)):
        values, tolerances = [], []
        for i in range(a.shape[0]):
            value_line, tolerance_line = [], []
            for j in range(b.shape[1]):
                addend = 0.0 if beta == 0 else float(c[i, j])
                if rows.has[i] and columns.has[j]:
                    s, error = (x[rows.number[i]][columns.number[j]] for x in (table, errors))
                    tolerance_line.append(multiword.tolerance(alpha, s, error, beta, addend, fmt))
                else:
                    s = special_sum(a[i].tolist(), b[:, j].tolist())
                    tolerance_line.append(0)
                value_line.append(finish([(alpha, s), (beta, addend)], fmt))
            values.append(value_line)
            tolerances.append(tolerance_line)
        within.append((values, tolerances))
    return within[0][0], Facts(within=within)


def gemv(mode, fmt, alpha, a, x, beta, y, field=REAL):
    """y = alpha a x + beta y; values as a list, or None where y is left alone."""
    y = None if y is None else y.reshape(-1, 1)
    values, facts = gemm(mode, fmt, alpha, a, x.reshape(-1, 1), beta, y, "gemv", field)
    return None if values is None else [line[0] for line in values], facts


def dot(mode, fmt, x, y, field=REAL):
    if x.size == 0:
        return 0.0, Facts()
    values, facts = gemm(mode, fmt, 1.0, x.reshape(1, -1), y.reshape(-1, 1), 0.0, None, "dot", field)
    return values[0][0], facts


def nrm2_scale(largest):
    """The exponent by which dot2's NRM2 scales entries before it squares them."""
    return -600 if largest < 2.0**-400 else 0 if largest < 2.0**480 else 600


def norm(routine, mode, fmt, x):
    """nrm2 or asum of an array of binary64 (binary32 entries widened)."""
    if x.size == 0:
        return 0.0
    if np.isnan(x).any():
        return NAN
    if np.isinf(x).any():
        return INF
    single = fmt.name == "s"
    magnitudes = np.abs(x)
    largest = float(magnitudes.max())
    if largest == 0:
        return 0.0
    if mode.kind == "dot2":
        if routine == "asum":
            with np.errstate(all="ignore"):
                s, c = dot2_dot_pair(magnitudes, np.ones(x.size), single)
            if np.isfinite(s) and np.isfinite(c):
                return exceptions.rounded(round_dyadic(*add_dyadic(decompose(float(s[0, 0])), decompose(float(c[0, 0]))), fmt))
        else:
            scale = 0 if single else nrm2_scale(largest)
            scaled_x = x * 2.0**-scale
            s, c = dot2_dot_pair(scaled_x, scaled_x, single)
            m, e = add_dyadic(decompose(float(s[0, 0])), decompose(float(c[0, 0])))
            return exceptions.rounded(round_root(m, e + 2 * scale, fmt))
    line = Line(x)
    if routine == "asum":
        return exceptions.rounded(round_dyadic(sum(map(abs, line.ints)), line.base, fmt))
    return exceptions.rounded(round_root(sum(i * i for i in line.ints), 2 * line.base, fmt))
