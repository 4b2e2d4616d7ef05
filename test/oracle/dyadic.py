"""Exact arithmetic of the oracle: floats as integers times powers of two, rounded once.

A finite float is (m, e) = m 2^e with a Python integer m. Nothing here uses floating-point rounding: the only conversions
are exact ones (float to integers, bits to float).
"""

import math
import struct

import numpy as np


class Format:
    """A binary interchange format: precision p (with the hidden bit) and the exponent of its smallest subnormal."""

    def __init__(self, name, precision, least, greatest, dtype, bits_dtype, code, bits_code, nan_bits):
        self.name = name
        self.precision = precision
        self.least = least  # smallest subnormal is 2^least
        self.greatest = greatest  # finite values are below 2^greatest
        self.dtype = dtype
        self.bits_dtype = bits_dtype
        self.code = code
        self.bits_code = bits_code
        self.nan = struct.unpack(code, struct.pack(bits_code, nan_bits))[0]
        self.nan_bits = nan_bits

    def bits(self, x):
        """Bit pattern of a float; every NaN is the canonical one (only the class NaN reaches this point)."""
        if x != x:
            return self.nan_bits
        return struct.unpack(self.bits_code, struct.pack(self.code, x))[0]


BINARY64 = Format("d", 53, -1074, 1024, np.float64, np.uint64, "<d", "<Q", 0x7FF8000000000000)
BINARY32 = Format("s", 24, -149, 128, np.float32, np.uint32, "<f", "<I", 0x7FC00000)


def shift_nearest(values, shift):
    """Returns for each x the integer nearest to x 2^-shift, shift > 0, ties to even."""
    below_half = (1 << (shift - 1)) - 1
    return [(x + below_half + (x >> shift & 1)) >> shift for x in values]


def round_dyadic(m, e, fmt):
    """RN(m 2^e) in the format, as a Python float. A nonzero value keeps its sign through underflow; zero is +0."""
    if m == 0:
        return 0.0
    a = abs(m)
    n = a.bit_length()
    quantum = max(n + e - fmt.precision, fmt.least)
    drop = quantum - e
    if drop > 0:  # as shift_nearest() does
        a, e = (a + (1 << (drop - 1)) - 1 + (a >> drop & 1)) >> drop, quantum
    if a.bit_length() + e > fmt.greatest:
        return float("-inf") if m < 0 else float("inf")
    # a 2^e is representable: ldexp is exact here, and so is the conversion of a.
    x = math.ldexp(a, e)
    return -x if m < 0 else x


def round_root(m, e, fmt):
    """RN(sqrt(m 2^e)) for m >= 0."""
    if m == 0:
        return 0.0
    # An integer with an even exponent whose root has some 130 bits; its last bit then says whether anything is left.
    shift = max(0, 260 - m.bit_length())
    shift += (e - shift) % 2
    m, e = m << shift, e - shift
    root = math.isqrt(m)
    return round_dyadic(2 * root + (root * root != m), e // 2 - 1, fmt)


def decompose(x):
    """Finite float to (m, e) with x = m 2^e, exactly: m has 53 bits, or is 0."""
    fraction, e = math.frexp(x)
    return int(fraction * 9007199254740992.0), e - 53


def decompose_all(values):
    """Arrays of m and e of a finite array."""
    bits = np.ascontiguousarray(values, dtype=np.float64).view(np.uint64)
    exponent = ((bits >> np.uint64(52)) & np.uint64(0x7FF)).astype(np.int64)
    mantissa = (bits & np.uint64((1 << 52) - 1)).astype(np.int64)
    normal = exponent != 0
    mantissa = np.where(normal, mantissa + (1 << 52), mantissa)
    mantissa = np.where(bits >> np.uint64(63) != 0, -mantissa, mantissa)
    return mantissa, np.where(normal, exponent - 1075, -1074)


def add_dyadic(a, b):
    """Sum of two dyadics (m, e)."""
    (ma, ea), (mb, eb) = a, b
    if ma == 0:
        return b
    if mb == 0:
        return a
    if ea >= eb:
        return (ma << (ea - eb)) + mb, eb
    return ma + (mb << (eb - ea)), ea


def mul_dyadic(a, b):
    return a[0] * b[0], a[1] + b[1]


def fma64(x, y, z):
    """IEEE fusedMultiplyAdd in binary64, round to nearest even, for finite or special operands."""
    if x != x or y != y or z != z or abs(x) == INF or abs(y) == INF or abs(z) == INF:
        if abs(x) == INF or abs(y) == INF or x != x or y != y:
            p = x * y
        else:
            p = 0.0  # the exact product is finite
        return p + z
    product = mul_dyadic(decompose(x), decompose(y))
    m, e = add_dyadic(product, decompose(z))
    if m == 0:
        # Sum of zeros keeps a common sign; an exact cancellation is +0.
        if product[0] == 0:
            return x * y + z
        return 0.0
    return round_dyadic(m, e, BINARY64)


INF = float("inf")
