"""Arrays of IEEE binary128 (113 bits), and their products and solutions. Every element of a product is the exact result, rounded once."""

from __future__ import annotations

import ctypes
import decimal
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy

from . import _library
from . import _prototypes as api
from ._kinds import NUMPY, only_dlpack
from .arrays import shape_text
from .errors import ArgumentError, NotCertifiedError
from .mp import EXPONENT_INFINITY, EXPONENT_NAN, EXPONENT_ZERO, dyadic
from .products import operation
from .solvers import Certificate, CertifiedSolution, System

# A number of 16 bytes in the machine's order: bit 63 of `high` is the sign, its next 15 bits are the exponent, and 112 bits of the mantissa follow.
dtype = numpy.dtype([("low", "u8"), ("high", "u8")] if sys.byteorder == "little" else [("high", "u8"), ("low", "u8")])
DIGITS, BIAS, LEAST_EXPONENT, INFINITY = 113, 16383, -16494, 0x7FFF << 112
NAN = 0xFFFF << 111
BYTES = 16


def array(values: Any) -> numpy.ndarray:
    """Makes an array of binary128, with each number rounded once.

    Parameters
    ----------
    values : array_like
        Real numbers of Python (also fractions and decimals), NumPy, mpmath or gmpy2, or strings such as ``"1e-30"``, in any shape; or an array of `dtype`, which is
        returned as it is.

    Returns
    -------
    numpy.ndarray
        The numbers, with the type `accublas.quad.dtype`. NumPy's indices, views and copies work on it, and its arithmetic does not.

    Examples
    --------
    >>> from accublas import quad
    >>> quad.to_strings(quad.array(["0.1", 2**70 + 1]), 22).tolist()
    ['0.1000000000000000000000', '1180591620717411303425']
    """
    if isinstance(values, numpy.ndarray) and values.dtype == dtype:
        return values
    if type(values).__module__.startswith("mpmath") and hasattr(values, "tolist"):  # a matrix
        values = values.tolist()
    elif hasattr(values, "__array__") or only_dlpack(values):
        values = NUMPY.array(values)
    if isinstance(values, numpy.ndarray) and values.dtype.kind == "f" and numpy.can_cast(values.dtype, "f8"):
        return of_doubles(values.astype("f8"))
    given = numpy.asarray(values, object)  # which keeps each number as it is
    bits = [nearest(value) for value in given.ravel().tolist()]
    made = numpy.empty(len(bits), dtype)
    made["low"] = numpy.array([number & (2**64 - 1) for number in bits], "u8")
    made["high"] = numpy.array([number >> 64 for number in bits], "u8")
    return made.reshape(given.shape)


def of_doubles(x: numpy.ndarray) -> numpy.ndarray:
    """The numbers of float64, exactly."""
    fraction, exponent = numpy.frexp(x)  # of which no fraction is subnormal
    bits = numpy.abs(fraction).view("u8") & numpy.uint64(2**52 - 1)
    field = (exponent.astype("i8") + (BIAS - 1)).astype("u8")
    special = ~numpy.isfinite(x)
    field = numpy.where(special, numpy.uint64(0x7FFF), numpy.where(x == 0, numpy.uint64(0), field))
    bits = numpy.where(numpy.isnan(x), numpy.uint64(2**51), numpy.where(special | (x == 0), numpy.uint64(0), bits))
    made = numpy.empty(x.shape, dtype)
    made["low"] = bits << numpy.uint64(60)
    sign = numpy.where(numpy.signbit(x) & ~numpy.isnan(x), numpy.uint64(2**63), numpy.uint64(0))
    made["high"] = sign | field << numpy.uint64(48) | bits >> numpy.uint64(4)
    return made


def nearest(value: Any) -> int:
    """The bits of the number of binary128 that is closest to a number, ties to even."""
    if isinstance(value, numpy.void) and value.dtype == dtype:
        return int(value["high"]) << 64 | int(value["low"])
    if isinstance(value, (bytes, str, decimal.Decimal)):
        value = of_text(value)
    part = dyadic(value, DIGITS)
    assert part is not None
    negative, integer, exponent = part
    sign = negative << 127
    if exponent == EXPONENT_NAN:
        return NAN
    if exponent == EXPONENT_INFINITY:
        return sign | INFINITY
    if exponent == EXPONENT_ZERO or integer == 0:
        return sign
    last = max(exponent + integer.bit_length() - DIGITS, LEAST_EXPONENT)
    drop = last - exponent
    if drop <= 0:
        kept = integer << -drop
    else:
        kept, rest, half = integer >> drop, integer & ((1 << drop) - 1), 1 << (drop - 1)
        kept += rest > half or (rest == half and kept & 1)
    # The addition carries the hidden bit into the exponent, and also a carry out of the mantissa.
    return sign | min(((last - LEAST_EXPONENT) << 112) + kept, INFINITY)


def of_text(value: Any) -> Any:
    """The exact value of a decimal number. One beyond every number of binary128 becomes a smaller one that rounds as it does."""
    text = value.decode() if isinstance(value, bytes) else value
    try:
        number = decimal.Decimal(text)
    except decimal.InvalidOperation:
        raise ArgumentError(f"not a number: {value!r}") from None
    if not number.is_finite() or number == 0:
        return float(number)
    if abs(number.adjusted()) > 6000:
        return (-1) ** number.is_signed() * (Fraction(2) ** (20000 if number.adjusted() > 0 else -20000))
    return Fraction(number)


def objects(x: Any, make: Callable[[int, int], Any], special: Callable[[float], Any]) -> numpy.ndarray:
    """An array of Python's objects, made from an integer with a sign and an exponent, or from a zero, an infinity or a NaN."""
    x = array(x)
    made = numpy.empty(x.size, object)
    for i, (high, low) in enumerate(zip(x["high"].ravel().tolist(), x["low"].ravel().tolist())):
        bits = (high << 64 | low) & (2**127 - 1)
        field, fraction, sign = bits >> 112, bits & (2**112 - 1), -1.0 if high >> 63 else 1.0
        if bits >= INFINITY:
            made[i] = special(float("nan") if fraction else sign * float("inf"))
        elif bits == 0:
            made[i] = special(sign * 0.0)
        else:
            made[i] = make(int(sign) * (fraction | (field > 0) << 112), max(field, 1) - 1 + LEAST_EXPONENT)
    return made.reshape(x.shape)


def to_fractions(x: Any) -> numpy.ndarray:
    """The numbers as fractions, exactly. Infinities and NaN become float."""
    return objects(x, lambda integer, exponent: Fraction(integer) * Fraction(2) ** exponent, lambda value: value if value else Fraction(0))


def to_mpmath(x: Any) -> numpy.ndarray:
    """The numbers as mpmath.mpf, exactly. mpmath has no negative zero."""
    import mpmath

    return objects(x, lambda integer, exponent: mpmath.mp.make_mpf(mpmath.libmp.from_man_exp(integer, exponent)), mpmath.mpf)


def to_strings(x: Any, digits: int = 36) -> numpy.ndarray:
    """The numbers as strings of so many significant decimal digits. 36 digits give the same number when they are read again."""
    exact = decimal.Context(prec=20000, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)
    short = decimal.Context(prec=digits, rounding=decimal.ROUND_HALF_EVEN, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)

    def make(integer: int, exponent: int) -> str:
        if exponent >= 0:
            number = decimal.Decimal(integer << exponent)
        else:  # 2^-e is 5^e 10^-e
            number = decimal.Decimal(integer * 5**-exponent).scaleb(exponent, exact)
        rounded = short.plus(number)
        # A number with fewer digits gets zeros.
        missing = digits - len(rounded.as_tuple().digits)
        return str(rounded.quantize(decimal.Decimal((0, (1,), rounded.as_tuple().exponent - missing)), context=short) if missing else rounded)

    return objects(x, make, str)


def to_float64(x: Any) -> numpy.ndarray:
    """The numbers rounded to float64, once."""
    x = numpy.ascontiguousarray(array(x))
    made = numpy.empty(x.shape)
    one, factors = number(1), (ctypes.c_double * 2)(1.0, 0.0)
    if x.size:
        call("gemm_mixed", api.ROW_MAJOR, api.NO_TRANS, api.NO_TRANS, x.size, 1, 1, factors, x.ctypes.data, api.BINARY128, 1, one.ctypes.data, api.BINARY128, 1,
             ctypes.byref(factors, 8), made.ctypes.data, api.BINARY64, 1)  # fmt: skip
    return numpy.copysign(made, numpy.where(x["high"] >> numpy.uint64(63), -1.0, 1.0))  # the product of a zero is +0


def gemm(a: Any, b: Any, *, alpha: Any = 1, beta: Any = 0, c: Any = None, trans_a: str = "N", trans_b: str = "N") -> numpy.ndarray:
    """alpha op(A) op(B) + beta C, each element rounded once.

    Parameters
    ----------
    a, b : array_like
        Matrices, of `dtype` or of what `array` takes.
    alpha, beta : number
        Factors, rounded to binary128.
    c : array_like, optional
        The matrix that is added. It is needed if beta is not 0.
    trans_a, trans_b : {"N", "T", "C"}
        op: the matrix itself or its transpose.

    Returns
    -------
    numpy.ndarray
        The result, a new array of `dtype`.

    Examples
    --------
    >>> from accublas import quad
    >>> quad.to_strings(quad.gemm([["1e30", 1, "-1e30"]], [[1], ["1e-30"], [1]]), 9).tolist()
    [['1.00000000E-30']]
    """
    a, b = op_of("a", a, operation("trans_a", trans_a)), op_of("b", b, operation("trans_b", trans_b))
    if a.shape[1] != b.shape[0]:
        raise ArgumentError(f"the matrices are {shape_text(a.shape)} and {shape_text(b.shape)}: expected as many columns of the first as rows of the second")
    result, factors = started((a.shape[0], b.shape[1]), alpha, beta, "c", c)
    call("qgemm_strided", *result.shape, a.shape[1], factors[0].ctypes.data, *view(a), *view(b), factors[1].ctypes.data, *view(result))
    return result


def gemv(a: Any, x: Any, *, alpha: Any = 1, beta: Any = 0, y: Any = None, trans: str = "N") -> numpy.ndarray:
    """alpha op(A) x + beta y, each element rounded once. The arguments are those of `gemm`, with vectors x and y."""
    a, x = op_of("a", a, operation("trans", trans)), vector("x", x)
    if x.size != a.shape[1]:
        raise ArgumentError(f"argument x has {x.size} elements: expected {a.shape[1]}, the columns of op(a)")
    return gemm(a, x[:, None], alpha=alpha, beta=beta, c=None if y is None else vector("y", y)[:, None])[:, 0]


def matmul(a: Any, b: Any) -> numpy.ndarray:
    """The product of matrices and vectors, each element rounded once. Two vectors give a number, an array without dimensions."""
    a, b = array(a), array(b)
    for name, operand in (("a", a), ("b", b)):
        if operand.ndim not in (1, 2):
            raise ArgumentError(f"argument {name} has {operand.ndim} dimensions: expected 1 or 2")
    if a.ndim == 1 and b.ndim == 1:
        return dot(a, b)
    if b.ndim == 1:
        return gemv(a, b)
    return gemv(b, a, trans="T") if a.ndim == 1 else gemm(a, b)


def dot(x: Any, y: Any) -> numpy.ndarray:
    """The inner product of two vectors, rounded once: an array without dimensions."""
    x, y = vector("x", x), vector("y", y)
    if x.size != y.size:
        raise ArgumentError(f"the vectors have {x.size} and {y.size} elements: expected the same")
    result = numpy.empty((), dtype)
    call("qdot", x.size, x.ctypes.data, 1, y.ctypes.data, 1, result.ctypes.data)
    return result


def norm(x: Any) -> numpy.ndarray:
    """The Euclidean norm of a vector, or that of the elements of a matrix, rounded once: an array without dimensions."""
    x, result = numpy.ascontiguousarray(array(x)), numpy.empty((), dtype)
    call("qnrm2", x.size, x.ctypes.data, 1, result.ctypes.data)
    return result


def solve_certified(a: Any, b: Any, *, assume_a: str = "gen") -> CertifiedSolution:
    """Solves A X = B with a proved bound of every error: ``abs(x - exact) <= radii``, all in binary128.

    Parameters
    ----------
    a : array_like
        A square matrix.
    b : array_like
        One right-hand side (a vector), or a matrix whose columns are right-hand sides.
    assume_a : {"gen", "pos"}
        "pos" reads the lower triangle of a symmetric A and also tries to prove that A is positive definite.

    Returns
    -------
    x, radii : numpy.ndarray
        X and the bounds, with the shape of b. A radius is infinite if nothing is proved.
    certificate : Certificate
        How the solution was certified, and the reason of an infinite radius.

    Examples
    --------
    >>> from accublas import quad
    >>> x, radii, certificate = quad.solve_certified([[3, 0], [0, 4]], [1, 1])
    >>> quad.to_strings(x, 34).tolist(), certificate.reason
    (['0.3333333333333333333333333333333333', '0.2500000000000000000000000000000000'], 'none')
    """
    a, b = array(a), array(b)
    if a.ndim > 2 or b.ndim > 2:
        raise ArgumentError("arguments a and b are stacks of matrices: expected one system")
    system = System(a, b, assume_a)
    matrix, right = numpy.ascontiguousarray(a), numpy.ascontiguousarray(system.b)
    x, radii = numpy.empty(system.shape, dtype), numpy.empty(system.shape, dtype)
    found = api.accublas_certificate_t(ctypes.sizeof(api.accublas_certificate_t))
    triangle, name = ((api.LOWER,), "qposv") if assume_a == "pos" else ((), "qgesv")
    columns = [number for operand in (right, x, radii) for number in (operand.ctypes.data, max(1, system.nrhs))]
    try:
        call(name, api.ROW_MAJOR, *triangle, system.n, system.nrhs, matrix.ctypes.data, max(1, system.n), *columns, ctypes.byref(found))
    except NotCertifiedError:
        pass  # the radii say it
    return CertifiedSolution(system.solution(x), system.solution(radii), Certificate.of(found))


def call(name: str, *arguments: Any) -> None:
    """Calls a routine without options."""
    _library.context().call(f"{name}_ex", *arguments, None)


def number(value: Any) -> numpy.ndarray:
    """A factor as an array without dimensions."""
    found = array(value)
    if found.ndim:
        raise ArgumentError(f"a factor is an array of {shape_text(found.shape)}: expected a number")
    return numpy.array(found)


def op_of(name: str, given: Any, op: str) -> numpy.ndarray:
    matrix = array(given)
    if matrix.ndim != 2:
        raise ArgumentError(f"argument {name} has {matrix.ndim} dimensions: expected 2")
    if any(stride % BYTES for stride in matrix.strides):  # numbers among others
        matrix = matrix.copy()
    return matrix if op == "N" else matrix.T


def vector(name: str, given: Any) -> numpy.ndarray:
    found = array(given)
    if found.ndim != 1:
        raise ArgumentError(f"argument {name} has {found.ndim} dimensions: expected 1")
    return numpy.ascontiguousarray(found)


def view(matrix: numpy.ndarray) -> tuple[int, int, int]:
    """The address of a matrix, and its strides in numbers, 1 along a dimension of one element."""
    strides = [stride // BYTES if count > 1 else 1 for stride, count in zip(matrix.strides, matrix.shape)]
    return matrix.ctypes.data, strides[0], strides[1]


def started(shape: tuple[int, int], alpha: Any, beta: Any, name: str, added: Any) -> tuple[numpy.ndarray, tuple[numpy.ndarray, numpy.ndarray]]:
    """A result that holds the matrix that is added, if there is one, and the factors."""
    factors = number(alpha), number(beta)
    if added is None:
        if to_fractions(factors[1])[()] != 0:
            raise ArgumentError(f"argument {name} is missing: beta = {beta} needs it")
        return numpy.zeros(shape, dtype), factors
    added = array(added)
    if added.shape != shape:
        raise ArgumentError(f"argument {name} is {shape_text(added.shape)}: expected {shape_text(shape)}")
    return numpy.array(added, order="C", copy=True), factors
