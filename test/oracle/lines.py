"""Rows of op(A) and columns of op(B) as integers, and the real number S_ij of each mode: product(rows, columns, ...) gives
for every (i, j) a dyadic (m, e), the number m 2^e. `dot2`, which is a sequence of operations, stands in dot2.py.
"""

import functools
import operator

import numpy as np

from dyadic import decompose_all, shift_nearest


def integers_of(rows):
    """By row of a finite matrix (ints, base): x_p = ints[p] 2^base, exactly."""
    mantissas, exponents = decompose_all(rows)
    none = 1 << 20
    base = np.where(mantissas != 0, exponents, none).min(axis=1, initial=none)
    base[base == none] = 0
    shifts = np.where(mantissas != 0, exponents - base[:, np.newaxis], 0)
    return [(list(map(operator.lshift, m, s)), b) for m, s, b in zip(mantissas.tolist(), shifts.tolist(), base.tolist())]


class Line:
    """A row of op(A) or a column of op(B) without NaN and Inf: x_p = ints[p] 2^base, exactly."""

    def __init__(self, values, integers=None):
        self.ints, self.base = integers or integers_of(values[np.newaxis])[0]
        self.size = len(self.ints)
        # The least E with abs(x) < 2^E for all entries, and the exponent of the lowest bit that is set in one.
        bits = functools.reduce(operator.or_, map(abs, self.ints), 0)
        self.is_zero = bits == 0
        if not self.is_zero:
            self.bound = self.base + bits.bit_length()
            self.lowest = self.base + (bits & -bits).bit_length() - 1

    def fixed(self, bits):
        """a' = nearest(a 2^(T - E)), as (integers, exponent of their unit)."""
        if self.is_zero:
            return self.ints, 0
        shift = self.bound - bits - self.base
        return [x << -shift for x in self.ints] if shift <= 0 else shift_nearest(self.ints, shift), self.bound - bits

    def drops_bits(self, bits):
        """Whether some a 2^(T - E) is no integer."""
        return not self.is_zero and self.lowest + bits - self.bound < 0

    def slices(self, count, rho):
        """[(integers, exponent of their unit)] for p = 1 .. count, ending early at a zero remainder."""
        result = []
        rest = list(self.ints)
        for _ in range(count):
            largest = max(map(abs, rest), default=0)
            if largest == 0:
                break
            tau = self.base + (largest - 1).bit_length()
            unit = rho + tau - 53
            shift = unit - self.base
            if shift <= 0:
                part, unit = rest, self.base
                rest = [0] * self.size
            else:
                part = shift_nearest(rest, shift)
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


# In dp:repro and sp:repro all elements have cr's values if sums have at most so many terms (most_terms_as_cr).
MOST_TERMS_AS_CR = 1024
RUNGS = {"d": (48, 50, 53, 56, 60, 64), "s": (21, 24, 27, 32, 40)}
GRADE = {"d": 53, "s": 24}


def certificate(rows, columns, k, precision):
    """T_ij per element (None where no rung suffices)."""
    v = GRADE[precision]
    sampled = [p for p in range(k) if (p // 128) % 8 == 0]
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


def repro_product(rows, columns, k, precision, counted):
    """(S of fixed:T* per row and column, what the certificate accepts of them, T* or 0 of the elements that count)."""
    rungs = certificate(rows, columns, k, precision)
    accepted = [[t is not None for t in line] for line in rungs]
    call = max((t for line, own in zip(rungs, counted) for t, counts in zip(line, own) if counts and t is not None), default=0)
    return (fixed_product(rows, columns, call) if call else None), accepted, call
