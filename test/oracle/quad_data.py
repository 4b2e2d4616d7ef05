"""Operands of quad_test.py: kinds of numbers, and matrices in memory. With ACCUBLAS_TEST_MEMORY=managed they lie in managed memory, which
accublas takes for device memory."""

import ctypes
import os
import random
import weakref
from ctypes import c_void_p

import device
import quad
from quad import FORMATS, INF, MINUS_INF, NAN, ZERO, number, rounded, to_bytes

COL_MAJOR, ROW_MAJOR = 102, 101
NO_TRANS, TRANS, CONJ_TRANS = 111, 112, 113
UPPER, LOWER, NON_UNIT, UNIT, LEFT, RIGHT = 121, 122, 131, 132, 141, 142
TYPES = {"b": 1, "q": 2, "w": 3}
SCALE = float(os.environ.get("ACCUBLAS_TEST_SCALE", 1))
MANAGED = device.Device() if os.environ.get("ACCUBLAS_TEST_MEMORY") == "managed" else None
rng = random.Random(44)


def times(count):
    return range(max(1, round(count * SCALE)))


# ---- Numbers ----


def at(form, exponent, bits=None):
    """A number of a format near 2^exponent with at most so many significant bits. The low part of a pair is anywhere below the high one, or is
    a number that overlaps it."""
    digits, least, above, _ = FORMATS[form]
    bits = min(bits or digits, digits)
    m = rng.getrandbits(bits) | 1 << (bits - 1)
    x = rounded(number(m * rng.choice((1, -1)), min(exponent, above - 1) - bits), "b" if form == "w" else form)
    if form != "w":
        return x
    gap = rng.choice((53, 54, 55, 60, 100, 400, 1, 0, -3))
    return (x, rng.choice((ZERO, at("b", min(exponent - gap, above - 2), bits), at("b", exponent - 53, bits))))


def spread(low, high, bits=None):
    return lambda form: at(form, rng.randint(low, high), bits)


def whole_range(form):
    _, least, above, _ = FORMATS[form]
    return at(form, rng.randint(least, above - 1))


def half_range(form):
    _, least, above, _ = FORMATS[form]
    return at(form, rng.randint(least // 2, above // 2 - 6))


def tiny(form):
    _, least, _, _ = FORMATS[form]
    return at(form, rng.randint(least // 2 - 130, least // 2 + 10))


def subnormal(form):
    _, least, _, _ = FORMATS[form]
    return at(form, rng.randint(least, least + 120)) if rng.random() < 0.5 else at(form, rng.randint(0, 60))


def integers(form):
    x = number(rng.randint(-9, 9))
    return (x, ZERO) if form == "w" else x


def zeros(form):
    x = rng.choice((ZERO, (0, 0, True), number(rng.randint(-3, 3)), number(3, -7)))
    return (x, rng.choice((ZERO, number(1, -80)))) if form == "w" else x


def special(form):
    x = rng.choice((NAN, INF, MINUS_INF)) if rng.random() < 0.03 else rng.choice((ZERO, number(1), number(-1, 3)))
    return (x, rng.choice((ZERO, ZERO, INF if x != ZERO else ZERO))) if form == "w" else x


def ties(form):
    """Sums with few bits far apart, which lie on and next to midpoints."""
    x = number(rng.choice((-1, 1)), rng.choice((0, 0, 0, -53, -54, -106, -107, -108, -112, -113, -114, -227, -228)))
    return (x, ZERO) if form == "w" else x


def vanishing(form):
    """Pairs that are zero, with parts of any size, among small numbers."""
    if form != "w" or rng.random() < 0.7:
        return at(form, rng.randint(-210, -200))
    x = at("b", rng.choice((rng.randint(-1074, 1023), 1023)))
    return (x, (-x[0], x[1], not x[2]))


KINDS = {"uniform": spread(-8, 0), "band": spread(-60, 60), "wide": spread(-300, 300), "whole": whole_range, "half": half_range, "tiny": tiny,
         "subnormal": subnormal, "integers": integers, "zeros": zeros, "special": special, "ties": ties, "few bits": spread(-6, 0, 20),
         "vanishing": vanishing}


def matrix(rows, columns, form, kind):
    return [[KINDS[kind](form) for _ in range(columns)] for _ in range(rows)]


def cancelling(m, n, k, form, kind):
    """op(A) and op(B) whose sums nearly vanish: the second half of the terms is the first one negated, with some last bits changed."""
    half = (k + 1) // 2
    negate = lambda x: x if not quad.finite(x) else (-x[0], x[1], not x[2])  # noqa: E731
    a, b = matrix(m, half, form, kind), matrix(half, n, form, kind)
    a = [row + row for row in a]
    minus = [[tuple(map(negate, x)) if form == "w" else negate(x) for x in row] for row in b]
    for _ in range(max(1, half * n // 20)):
        minus[rng.randrange(half)][rng.randrange(n)] = KINDS[kind](form)
    return [row[:k] for row in a], (b + minus)[:k]


# ---- Memory ----


class Memory:
    """A matrix in memory, with a leading dimension and a layout, or strides. With `host` it is in host memory in any case."""

    def __init__(self, rows, form, row_stride, column_stride, host=False):
        self.form, self.rs, self.cs = form, row_stride, column_stride
        self.m, self.n, self.size = len(rows), len(rows[0]) if rows else 0, FORMATS[form][3]
        last = (self.m - 1) * abs(self.rs) + (self.n - 1) * abs(self.cs)
        storage = ctypes.c_char * (max(last + 1, 1) * self.size + 8)
        if MANAGED and not host:
            address = MANAGED.managed(ctypes.sizeof(storage))
            self.buffer = storage.from_address(address)
            weakref.finalize(self.buffer, MANAGED.free, address)
        else:
            self.buffer = storage()
        self.offset = 8 * rng.randint(0, 1)  # numbers need no alignment of 16 bytes
        self.base = sum(-(count - 1) * step for count, step in ((self.m, self.rs), (self.n, self.cs)) if step < 0 and count > 0)
        for i, row in enumerate(rows):
            for j, x in enumerate(row):
                self.put(i, j, x)

    def place(self, i, j):
        return self.offset + (self.base + i * self.rs + j * self.cs) * self.size

    def put(self, i, j, x):
        place = self.place(i, j)
        self.buffer[place:place + self.size] = to_bytes(x, self.form)

    def get(self, i, j):
        place = self.place(i, j)
        return self.buffer[place:place + self.size]

    def address(self, from_base=False):
        return c_void_p(ctypes.addressof(self.buffer) + self.offset + (self.base * self.size if from_base else 0))


def transposed(rows):
    return [list(column) for column in zip(*rows)]


def stored(rows, form, layout, trans=NO_TRANS, extra=None):
    """op(X) = rows as the caller stores X; and its leading dimension."""
    rows = rows if trans == NO_TRANS else transposed(rows)
    m, n = len(rows), len(rows[0])
    ld = max(1, m if layout == COL_MAJOR else n) + (rng.randint(0, 3) if extra is None else extra)
    return Memory(rows, form, *((1, ld) if layout == COL_MAJOR else (ld, 1))), ld


def scalar(x, form):
    return ctypes.create_string_buffer(to_bytes(x, form), FORMATS[form][3])
