"""Exact sums and products in fractions, rounded once, and the operands of the Python package's tests."""

import math
from fractions import Fraction

import numpy

TYPES = ["float64", "float32", "complex128", "complex64"]
PRECISION = {"float64": (53, -1074, 1024), "float32": (24, -149, 128)}  # bits, least exponent, greatest exponent
PARTS = {"complex128": "float64", "complex64": "float32"}


def rounded(value, dtype):
    """A fraction rounded to nearest even, or NaN and infinities as they are."""
    if not isinstance(value, Fraction):
        return value
    bits, least, greatest = PRECISION[dtype]
    if value == 0:
        return 0.0
    numerator, denominator = abs(value.numerator), value.denominator
    exponent = max(numerator.bit_length() - denominator.bit_length() - bits, least)
    while True:
        shifted = Fraction(numerator, denominator) / Fraction(2) ** exponent
        if shifted < 2**bits:
            break
        exponent += 1
    # The quotient's length may be one less than the difference of lengths says.
    if shifted < 2 ** (bits - 1) and exponent > least:
        exponent -= 1
        shifted *= 2
    integer = round(shifted)
    result = math.inf if integer * Fraction(2) ** exponent >= Fraction(2) ** greatest else math.ldexp(integer, exponent)
    return -result if value < 0 else result


def number(value):
    """A fraction, or the float itself if it is not finite."""
    value = float(value)
    return Fraction(value) if math.isfinite(value) else value


def times(a, b):
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a * b
    if a != a or b != b or a == 0 or b == 0:
        return math.nan
    return math.inf if (a > 0) == (b > 0) else -math.inf


def total(terms):
    """The exact sum, with IEEE's infinities and NaN."""
    special = [term for term in terms if not isinstance(term, Fraction)]
    if special:
        return math.nan if any(term != term for term in special) or (math.inf in special and -math.inf in special) else special[0]
    return sum(terms, Fraction(0))


def product(a, b, dtype):
    """The product of two matrices, each component correctly rounded."""
    real = PARTS.get(dtype, dtype)
    result = numpy.empty((a.shape[0], b.shape[1]), dtype)
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            pairs = list(zip(a[i], b[:, j]))
            if real == dtype:
                result[i, j] = rounded(total([times(number(x), number(y)) for x, y in pairs]), real)
            else:
                re = [term for x, y in pairs for term in (times(number(x.real), number(y.real)), times(number(-x.imag), number(y.imag)))]
                im = [term for x, y in pairs for term in (times(number(x.real), number(y.imag)), times(number(x.imag), number(y.real)))]
                result[i, j] = complex(rounded(total(re), real), rounded(total(im), real))
    return result


def wide(rng, shape, dtype):
    """Numbers of widely spread exponents, subnormal ones among the products, half of which cancel in sums."""
    real = PARTS.get(dtype, dtype)
    spread = 260 if real == "float64" else 30
    values = [numpy.ldexp(rng.standard_normal(shape), rng.integers(-2 * spread, spread, shape)) for _ in range(2)]
    return (values[0] + 1j * values[1] if real != dtype else values[0]).astype(dtype)


def cancelling(rng, k, dtype):
    """(row, column) of 2 k terms whose large products cancel exactly, and leave one small one."""
    x, y = wide(rng, k, dtype), wide(rng, k, dtype)
    x, y = numpy.concatenate([x, -x]), numpy.concatenate([y, y])
    x[-1] *= numpy.asarray(0.5, dtype)
    return x[None, :], y[:, None]


def same(found, wanted):
    """Whether two arrays have the same numbers; NaN equals NaN."""
    found, wanted = numpy.asarray(found), numpy.asarray(wanted)
    return found.shape == wanted.shape and found.dtype == wanted.dtype and numpy.array_equal(found, wanted, equal_nan=True)


def layouts(matrix):
    """(name, view with the matrix's elements) in many layouts."""
    rows, columns = matrix.shape
    yield "rows", numpy.ascontiguousarray(matrix)
    yield "columns", numpy.asfortranarray(matrix)
    larger = numpy.zeros((3 * rows + 2, 2 * columns + 3), matrix.dtype)
    larger[1 : 1 + rows, 2 : 2 + columns] = matrix
    yield "block", larger[1 : 1 + rows, 2 : 2 + columns]
    spread = numpy.zeros((3 * rows, 2 * columns), matrix.dtype)
    spread[::3, ::2] = matrix
    yield "strides", spread[::3, ::2]
    yield "reversed", numpy.ascontiguousarray(matrix[::-1, ::-1])[::-1, ::-1]
    yield "reversed columns", numpy.asfortranarray(matrix[:, ::-1])[:, ::-1]
    shifted = numpy.zeros(matrix.nbytes + 1, "u1")[1:].view(matrix.dtype).reshape(matrix.shape)
    shifted[...] = matrix
    yield "unaligned", shifted
    yield "swapped bytes", matrix.astype(matrix.dtype.newbyteorder())
