"""The bit-defined modes of docs/modes.md in Python integers. Slow, plain, and independent of lib/.

lines.py and dot2.py give the sum of products of a mode; `gemm`, `gemv`, `dot` and `norm` add the special values, alpha,
beta, c, the quick returns and the one rounding. Matrices are numpy arrays of binary64 (binary32 entries widened), A m x k
and B k x n, op() already applied.
"""

import re
from dataclasses import dataclass

import numpy as np

import multiword
from dot2 import dot2_dot_pair, dot2_gemm_pairs
from dyadic import INF, add_dyadic, decompose, mul_dyadic, round_dyadic, round_root
from lines import Line, exact_product, fixed_product, repro_product, slices_product

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
    raise ValueError(word)


# --- special values and the one rounding --------------------------------------------------------------------------


def special_sum(row, column):
    """S in extended reals where a row or column holds NaN or Inf: NaN, Inf or -Inf; None if it is a real number."""
    plus = minus = False
    for a, b in zip(row, column):
        if a != a or b != b:
            return NAN
        if abs(a) == INF or abs(b) == INF:
            if a == 0 or b == 0:
                return NAN
            if (a > 0) == (b > 0):
                plus = True
            else:
                minus = True
    if plus and minus:
        return NAN
    return INF if plus else -INF if minus else None


def extended_product(a, s):
    """Product in extended reals of which one factor at least is NaN or infinite, s = a sign (or NaN, Inf)."""
    if a != a or s != s or a == 0 or s == 0:
        return NAN
    return INF if (a > 0) == (s > 0) else -INF


def finish(alpha, s, beta, c, fmt):
    """RN(alpha S + beta c). S is a dyadic or a special float; beta = 0 means that c is no term."""
    terms = []
    special = 0.0
    pairs = [(alpha, s)]
    if beta != 0:  # a NaN too
        pairs.append((beta, c))
    for factor, value in pairs:
        finite = factor == factor and abs(factor) != INF
        if isinstance(value, float):
            if value == value and abs(value) != INF:
                value = decompose(value)
            else:
                special = special + extended_product(factor, value)
                continue
        if not finite:
            special = special + extended_product(factor, float((value[0] > 0) - (value[0] < 0)))
            continue
        terms.append(mul_dyadic(decompose(factor), value))
    if special != 0:  # Inf - Inf became NaN above
        return special
    total = (0, 0)
    for term in terms:
        total = add_dyadic(total, term)
    return round_dyadic(*total, fmt)


def scaled(beta, c, fmt):
    """alpha = 0 or k = 0: the IEEE product beta c, +0 where beta = 0."""
    if beta == 0:
        return 0.0
    if beta != beta or c != c or abs(beta) == INF or abs(c) == INF:
        return beta * c
    m, e = mul_dyadic(decompose(beta), decompose(c))
    if m == 0:
        return beta * c  # a signed zero
    return round_dyadic(m, e, fmt)


# --- routines -----------------------------------------------------------------------------------------------------


@dataclass
class Facts:
    """What the definition says beside the result: T* of dp:repro and the elements that the certificate rejects."""

    call_bits: int = 0
    rejected: int = 0
    within: list = None  # of the multiword modes: (values, tolerances by element) of each range that C must lie in


def gemm(mode, fmt, alpha, a, b, beta, c, routine="gemm"):
    """(values of C as a list of rows, or None where BLAS leaves C alone; Facts). c may be None where it is not read."""
    facts = Facts()
    m, k = a.shape
    n = b.shape[1]
    if m == 0 or n == 0 or (routine == "gemv" and k == 0):
        return None, facts
    if alpha == 0 or k == 0:
        if beta == 1:
            return None, facts
        return [[scaled(beta, 0.0 if beta == 0 else float(c[i, j]), fmt) for j in range(n)] for i in range(m)], facts

    rows_ok = np.isfinite(a).all(axis=1)
    columns_ok = np.isfinite(b).all(axis=0)
    rows = [Line(a[i]) for i in range(m) if rows_ok[i]]
    columns = [Line(b[:, j]) for j in range(n) if columns_ok[j]]
    row_of = np.cumsum(rows_ok) - 1
    column_of = np.cumsum(columns_ok) - 1

    kind = mode.kind
    if kind == "repro" and routine != "gemm":
        kind = "cr"
    pairs = None
    if kind == "dot2":
        with np.errstate(all="ignore"):
            single = fmt.name == "s"
            if routine == "dot":
                pairs = dot2_dot_pair(a[0], b[:, 0], single)
            else:
                pairs = dot2_gemm_pairs(a, b, single)
        broken = ~(np.isfinite(pairs[0]) & np.isfinite(pairs[1]))
        needed_rows = [i for i in range(m) if rows_ok[i] and broken[i].any()]
        sums = {}
        for i in needed_rows:
            for j in range(n):
                if broken[i, j] and columns_ok[j]:
                    sums[i, j] = exact_product([rows[row_of[i]]], [columns[column_of[j]]])[0][0]
    elif kind == "cr":
        table = exact_product(rows, columns)
    elif kind == "fixed":
        table = fixed_product(rows, columns, mode.parameter)
    elif kind in multiword.WORDS:
        return multiword_gemm(mode, fmt, alpha, a, b, beta, c, rows, columns)
    elif kind == "slices":
        table = slices_product(rows, columns, mode.parameter, mode.fast, k)
    else:
        table, facts.call_bits, facts.rejected = repro_product(rows, columns, k, fmt.name)

    result = []
    for i in range(m):
        line = []
        for j in range(n):
            if not (rows_ok[i] and columns_ok[j]):
                s = special_sum(a[i].tolist(), b[:, j].tolist())
            elif pairs is None:
                s = table[row_of[i]][column_of[j]]
            elif broken[i, j]:
                s = sums[i, j]
            else:
                s = add_dyadic(decompose(float(pairs[0][i, j])), decompose(float(pairs[1][i, j])))
            line.append(finish(alpha, s, beta, 0.0 if beta == 0 else float(c[i, j]), fmt))
        result.append(line)
    return result, facts


def multiword_gemm(mode, fmt, alpha, a, b, beta, c, rows, columns):
    """The sum of word products, and facts.within: that and the exact product with their tolerances. `rows` and `columns`
    are those without NaN and Inf."""
    k = a.shape[1]
    sums = multiword.sums(mode.kind, mode.parameter, rows, columns, k)
    row_of = np.cumsum(np.isfinite(a).all(axis=1)) - 1
    column_of = np.cumsum(np.isfinite(b).all(axis=0)) - 1
    within = []
    for table, errors in ((sums.words, sums.accumulation), (sums.exact, sums.whole)):
        values, tolerances = [], []
        for i in range(a.shape[0]):
            value_line, tolerance_line = [], []
            for j in range(b.shape[1]):
                addend = 0.0 if beta == 0 else float(c[i, j])
                if np.isfinite(a[i]).all() and np.isfinite(b[:, j]).all():
                    s, error = table[row_of[i]][column_of[j]], errors[row_of[i]][column_of[j]]
                    tolerance_line.append(multiword.tolerance(alpha, s, error, beta, addend, fmt))
                else:
                    s = special_sum(a[i].tolist(), b[:, j].tolist())
                    tolerance_line.append(0)
                value_line.append(finish(alpha, s, beta, addend, fmt))
            values.append(value_line)
            tolerances.append(tolerance_line)
        within.append((values, tolerances))
    return within[0][0], Facts(within=within)


def gemv(mode, fmt, alpha, a, x, beta, y):
    """y = alpha a x + beta y; values as a list, or None where y is left alone."""
    values, facts = gemm(mode, fmt, alpha, a, x.reshape(-1, 1), beta, None if y is None else y.reshape(-1, 1), "gemv")
    return None if values is None else [line[0] for line in values], facts


def dot(mode, fmt, x, y):
    if x.size == 0:
        return 0.0, Facts()
    values, facts = gemm(mode, fmt, 1.0, x.reshape(1, -1), y.reshape(-1, 1), 0.0, None, "dot")
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
                return round_dyadic(*add_dyadic(decompose(float(s[0, 0])), decompose(float(c[0, 0]))), fmt)
        else:
            scale = 0 if single else nrm2_scale(largest)
            scaled_x = x * 2.0**-scale
            s, c = dot2_dot_pair(scaled_x, scaled_x, single)
            m, e = add_dyadic(decompose(float(s[0, 0])), decompose(float(c[0, 0])))
            return round_root(m, e + 2 * scale, fmt)
    line = Line(x)
    if routine == "asum":
        return round_dyadic(sum(map(abs, line.ints)), line.base, fmt)
    return round_root(sum(i * i for i in line.ints), 2 * line.base, fmt)
