"""The bit-defined modes of docs/modes.md in Python integers. Slow, plain, and independent of lib/.

`product(...)` is op(A) op(B) for all modes but dot2: for every (i, j) the real number S_ij of the mode as a dyadic (m, e).
`gemm`, `gemv` and `dot` add the special values, alpha, beta, c, the quick returns and the one rounding.
Matrices are numpy arrays of binary64 (binary32 entries widened), A m x k and B k x n, op() already applied.
"""

import re
from dataclasses import dataclass

import numpy as np

from dyadic import (BINARY64, INF, add_dyadic, decompose, decompose_all, fma64, mul_dyadic, round_dyadic, round_root,
                    shift_nearest)

NAN = float("nan")


@dataclass(frozen=True)
class Mode:
    kind: str  # fixed, slices, repro, dot2, cr
    parameter: int = 0
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
    raise ValueError(word)


# --- vectors as integers ------------------------------------------------------------------------------------------


class Line:
    """A row of op(A) or a column of op(B) without NaN and Inf: x_p = ints[p] 2^base, exactly."""

    def __init__(self, values):
        mantissas, exponents = decompose_all(values)
        self.size = len(mantissas)
        used = [e for m, e in zip(mantissas, exponents) if m]
        self.base = min(used, default=0)
        base = self.base
        self.ints = [m << (e - base) if m else 0 for m, e in zip(mantissas, exponents)]
        self.is_zero = not used
        if used:
            # The least E with abs(x) < 2^E for all entries, and the exponent of the lowest bit that is set.
            self.bound = base + max(abs(x) for x in self.ints).bit_length()
            self.lowest = base + min((x & -x).bit_length() - 1 for x in self.ints if x)

    def fixed(self, bits):
        """a' = nearest(a 2^(T - E)), as (integers, exponent of their unit)."""
        if self.is_zero:
            return self.ints, 0
        shift = self.base + bits - self.bound
        return [shift_nearest(x, shift) for x in self.ints], self.bound - bits

    def drops_bits(self, bits):
        """Whether some a 2^(T - E) is no integer."""
        return not self.is_zero and self.lowest + bits - self.bound < 0

    def slices(self, count, rho):
        """[(integers, exponent of their unit)] for p = 1 .. count, ending early at a zero remainder."""
        result = []
        rest = list(self.ints)
        for _ in range(count):
            largest = max((abs(x) for x in rest), default=0)
            if largest == 0:
                break
            tau = self.base + (largest - 1).bit_length()
            unit = rho + tau - 53
            shift = unit - self.base
            if shift <= 0:
                part, unit = rest, self.base
                rest = [0] * self.size
            else:
                part = [shift_nearest(x, -shift) for x in rest]
                rest = [x - (y << shift) for x, y in zip(rest, part)]
            result.append((part, unit))
        return result

    def ceil_sum(self):
        """lambda: sum of ceil(abs(a) 2^(24 - E))."""
        if self.is_zero:
            return 0
        shift = self.base + 24 - self.bound
        if shift >= 0:
            return sum(abs(x) << shift for x in self.ints)
        return sum(-(-abs(x) >> -shift) for x in self.ints)

    def seven_bits(self):
        """min(127, floor(abs(a) 2^(7 - E)))."""
        if self.is_zero:
            return self.ints
        shift = self.base + 7 - self.bound
        return [min(127, abs(x) << shift if shift >= 0 else abs(x) >> -shift) for x in self.ints]


def multiply(rows, columns):
    """Exact integer products: result[i][j] = sum_p rows[i][p] columns[j][p]."""
    if not rows or not columns:
        return [[] for _ in rows]
    k = len(rows[0])
    if len(rows) < 6 or len(columns) < 4 or k == 0:
        return [[sum(map(int.__mul__, row, column)) for column in columns] for row in rows]
    # All columns at once: entry (p, j) sits in byte field j of one long integer per p.
    width_a = max(max(map(abs, row)) for row in rows).bit_length()
    width_b = max(max(map(abs, column)) for column in columns).bit_length()
    field = (width_a + width_b + k.bit_length() + 2 + 7) // 8
    n = len(columns)
    bias = 1 << (8 * field - 1)
    biases = int.from_bytes(bias.to_bytes(field, "little") * n, "little")
    packed = []
    for p in range(k):
        data = b"".join([(column[p] + bias).to_bytes(field, "little") for column in columns])
        packed.append(int.from_bytes(data, "little") - biases)
    result = []
    for row in rows:
        total = sum(map(int.__mul__, row, packed)) + biases
        data = total.to_bytes(field * n + 1, "little")
        result.append([int.from_bytes(data[j * field : (j + 1) * field], "little") - bias for j in range(n)])
    return result


# --- the real number S of each mode -------------------------------------------------------------------------------


def _with_units(products, row_units, column_units):
    return [[(products[i][j], row_units[i] + column_units[j]) for j in range(len(column_units))]
            for i in range(len(row_units))]


def exact_product(rows, columns):
    products = multiply([r.ints for r in rows], [c.ints for c in columns])
    return _with_units(products, [r.base for r in rows], [c.base for c in columns])


def fixed_product(rows, columns, bits):
    left = [r.fixed(bits) for r in rows]
    right = [c.fixed(bits) for c in columns]
    products = multiply([x for x, _ in left], [x for x, _ in right])
    return _with_units(products, [u for _, u in left], [u for _, u in right])


def slices_rho(k):
    """The least r with 4^r >= 2^53 k."""
    r = 0
    while 4**r < 2**53 * k:
        r += 1
    return r


def slices_product(rows, columns, count, fast, k):
    rho = slices_rho(k)
    left = [r.slices(count, rho) for r in rows]
    right = [c.slices(count, rho) for c in columns]

    def merged(parts, base, size, limit):
        """Sum of the first `limit` slices as integers in units of the base."""
        total = [0] * size
        for part, unit in parts[:limit]:
            shift = unit - base
            total = [t + (x << shift) for t, x in zip(total, part)]
        return total

    m, n = len(rows), len(columns)
    units = [r.base for r in rows], [c.base for c in columns]
    if not fast:
        products = multiply([merged(p, r.base, k, count) for p, r in zip(left, rows)],
                            [merged(q, c.base, k, count) for q, c in zip(right, columns)])
        return _with_units(products, *units)
    sums = [[0] * n for _ in range(m)]
    for p in range(1, count + 1):
        if not any(len(parts) >= p for parts in left):
            break
        single = []
        for parts, r in zip(left, rows):
            if len(parts) >= p:
                ints, unit = parts[p - 1]
                single.append([x << (unit - r.base) for x in ints])
            else:
                single.append([0] * k)
        products = multiply(single, [merged(q, c.base, k, count + 1 - p) for q, c in zip(right, columns)])
        for i in range(m):
            for j in range(n):
                sums[i][j] += products[i][j]
    return _with_units(sums, *units)


RUNGS = {"d": (48, 50, 53, 56, 60, 64), "s": (21, 24, 27, 32, 40)}
GRADE = {"d": 53, "s": 24}


def certificate(rows, columns, k, precision):
    """T_ij per element (None where no rung suffices)."""
    v = GRADE[precision]
    sampled = [p for p in range(k) if k <= 1024 or (p // 128) % 8 == 0]
    left = [r.seven_bits() for r in rows]
    right = [c.seven_bits() for c in columns]
    x = multiply([[a[p] for p in sampled] for a in left], [[b[p] for p in sampled] for b in right])
    row_sums = [r.ceil_sum() for r in rows]
    column_sums = [c.ceil_sum() for c in columns]
    result = []
    for i, row in enumerate(rows):
        line = []
        for j, column in enumerate(columns):
            accepted = None
            for t in RUNGS[precision]:
                if not row.drops_bits(t) and not column.drops_bits(t):
                    accepted = t
                    break
                # 2^(T-23) (lambda + mu) + k <= (k + 1) 2^(2T-12-v) X, both sides times 2^60.
                left_side = ((row_sums[i] + column_sums[j]) << (t - 23 + 60)) + (k << 60)
                if left_side <= ((k + 1) * x[i][j]) << (2 * t - 12 - v + 60):
                    accepted = t
                    break
            line.append(accepted)
        result.append(line)
    return result


def repro_product(rows, columns, k, precision):
    """(S per element, T* or 0, number of elements that the certificate rejects)."""
    rungs = certificate(rows, columns, k, precision)
    accepted = [t for line in rungs for t in line if t is not None]
    exact = exact_product(rows, columns)
    rejected = sum(t is None for line in rungs for t in line)
    if not accepted:
        return exact, 0, rejected
    call = max(accepted)
    fixed = fixed_product(rows, columns, call)
    mixed = [[fixed[i][j] if rungs[i][j] is not None else exact[i][j] for j in range(len(columns))]
             for i in range(len(rows))]
    return mixed, call, rejected


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


# --- dot2 ---------------------------------------------------------------------------------------------------------


def two_sum(a, b):
    """s = a + b and the exact a + b - s, a binary64 number whenever s is finite. The sequence of six operations can
    overflow where abs(b) is the largest finite number; there the error is formed exactly."""
    s = a + b
    t = s - a
    e = (a - (s - t)) + (b - t)
    wrong = np.isfinite(s) & ~np.isfinite(e)
    if np.any(wrong):
        s, e = np.array(s), np.array(e)
        a, b = np.broadcast_to(a, s.shape), np.broadcast_to(b, s.shape)
        for index in zip(*np.nonzero(wrong)):
            m, x = add_dyadic(add_dyadic(decompose(float(a[index])), decompose(float(b[index]))),
                              decompose(-float(s[index])))
            e[index] = round_dyadic(m, x, BINARY64)
    return s, e


def product_error(x, y, p):
    """fma(x, y, -p) for p = x y, elementwise: Dekker's product where it is exact, integers elsewhere."""
    ax, ay, ap = np.abs(x), np.abs(y), np.abs(p)
    safe = (ax < 2.0**970) & (ay < 2.0**970) & ((ap > 2.0**-960) | (ax == 0) | (ay == 0)) & (ap < 2.0**1000)
    xs = x * 134217729.0
    xh = xs - (xs - x)
    xl = x - xh
    ys = y * 134217729.0
    yh = ys - (ys - y)
    yl = y - yh
    e = xl * yl - (((p - xh * yh) - xl * yh) - xh * yl)
    if not np.all(safe):
        x, y, p = np.broadcast_arrays(x, y, p)
        e = np.array(e)
        for index in zip(*np.nonzero(~safe)):
            e[index] = fma64(float(x[index]), float(y[index]), -float(p[index]))
    return e


def dot2_step(pair, x, y, single):
    s, c = pair
    p = x * y
    if single:
        return s + p, c
    e = product_error(x, y, p)
    s, q = two_sum(s, p)
    return s, c + (q + e)


def dot2_combine(one, two, single):
    (s1, c1), (s2, c2) = one, two
    if single:
        return s1 + s2, c1
    s, q = two_sum(s1, s2)
    return s, (c1 + c2) + q


def dot2_gemm_pairs(a, b, single):
    """GEMM and GEMV: one chain per output in blocks of 128 along p, combined left to right."""
    shape = (a.shape[0], b.shape[1])
    k = a.shape[1]
    total = None
    for start in range(0, k, 128):
        block = np.zeros(shape), np.zeros(shape)
        for p in range(start, min(start + 128, k)):
            block = dot2_step(block, a[:, p : p + 1], b[p : p + 1, :], single)
        total = block if total is None else dot2_combine(total, block, single)
    return total


def dot2_dot_pair(x, y, single):
    """DOT: 32 lanes in blocks of 1024 elements, a binary tree over the blocks, then over the lanes."""
    n = x.size
    blocks = -(-n // 1024)
    s = np.zeros((blocks, 32))
    c = np.zeros((blocks, 32))
    # Lanes without an element are left alone, so the last block is done step by step on its own elements.
    for block in range(blocks):
        xb, yb = x[1024 * block : 1024 * (block + 1)], y[1024 * block : 1024 * (block + 1)]
        for t in range(0, xb.size, 32):
            xs, ys = xb[t : t + 32], yb[t : t + 32]
            lanes = slice(0, xs.size)
            s[block, lanes], c[block, lanes] = dot2_step((s[block, lanes], c[block, lanes]), xs, ys, single)

    def tree(first, count):
        if count == 1:
            return s[first], c[first]
        left = 1
        while 2 * left < count:
            left *= 2
        return dot2_combine(tree(first, left), tree(first + left, count - left), single)

    sums, errors = tree(0, blocks)
    width = 16
    while width:
        sums, errors = dot2_combine((sums[:width], errors[:width]), (sums[width : 2 * width], errors[width : 2 * width]),
                                    single)
        width //= 2
    return sums.reshape(1, 1), errors.reshape(1, 1)


# --- routines -----------------------------------------------------------------------------------------------------


@dataclass
class Facts:
    """What the definition says beside the result: T* of dp:repro and the elements that the certificate rejects."""

    call_bits: int = 0
    rejected: int = 0


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
