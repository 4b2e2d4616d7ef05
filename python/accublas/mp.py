"""Arrays of numbers of 64 to 8192 bits, and their products, correctly rounded."""

from __future__ import annotations

import ctypes
import decimal
import numbers
import operator
import sys
from collections.abc import Callable
from typing import Any

import numpy

from . import _library
from . import _prototypes as api
from ._kinds import NUMPY, only_dlpack
from .errors import ArgumentError, error

EXPONENT_ZERO, EXPONENT_INFINITY, EXPONENT_NAN = -(2**63), -(2**63) + 1, -(2**63) + 2  # ACCUBLAS_MP_EXPONENT_ of accublas.h
SPECIAL = {EXPONENT_ZERO: 0.0, EXPONENT_INFINITY: float("inf"), EXPONENT_NAN: float("nan")}
TRANSPOSES = {"N": api.NO_TRANS, "T": api.TRANS, "C": api.CONJ_TRANS}
TRIANGLES = {"L": api.LOWER, "U": api.UPPER}


class Array:
    """A number, a vector or a matrix of numbers of one precision. `array` makes one of other numbers.

    Attributes
    ----------
    shape : tuple of int
        The shape. A matrix lies in memory column after column.
    precision : int
        The bits of each number.
    """

    def __init__(self, shape: tuple[int, ...], precision: int) -> None:
        if len(shape) > 2:
            raise ArgumentError(f"argument shape has {len(shape)} dimensions: expected at most 2")
        self.shape, self.precision = tuple(map(operator.index, shape)), operator.index(precision)
        if not 64 <= self.precision <= 8192:
            raise ArgumentError(f"argument precision = {precision} is out of range: expected 64 to 8192 bits")
        self.size = int(numpy.prod(self.shape, dtype=numpy.int64))
        self.handle = ctypes.c_void_p()
        self._destroy = _library.function("mp_destroy")
        _library.context().call("mp_create", self.precision, self.size, ctypes.byref(self.handle))

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            self._destroy(self.handle)

    @property
    def block(self) -> tuple[int, int, int, int]:
        """Offset, leading dimension, rows and columns of the whole array."""
        rows = self.shape[0] if self.shape else 1
        return 0, max(1, rows), rows, self.shape[1] if len(self.shape) == 2 else 1

    def move(self, place: str) -> None:
        """Moves the array to host memory ("host") or to the memory of the GPU ("device")."""
        places = {"host": api.MP_HOST, "device": api.MP_DEVICE}
        if place not in places:
            raise ArgumentError(f'argument place = "{place}" is unknown: expected "host" or "device"')
        _library.context().call("mp_move", self.handle, places[place])

    def to_numpy(self) -> numpy.ndarray:
        """The numbers rounded to float64."""
        values = numpy.empty(self.shape, order="F")
        _library.context().call("mp_get_double", self.handle, *self.block, values.ctypes.data, self.block[1])
        return values

    def parts(self) -> list[tuple[int, int, int]]:
        """(sign, integer, exponent) of each number, column after column: the number is (-1)^sign integer 2^exponent. Zeros, infinities and NaN have the integer
        0 and a code as exponent."""
        limbs = -(-self.precision // 64)
        words, exponents, signs = numpy.zeros((self.size, limbs), "<u8"), numpy.zeros(self.size, "i8"), numpy.zeros(self.size, "i4")
        _library.context().call("mp_get_limbs", self.handle, *self.block, words.ctypes.data, limbs, exponents.ctypes.data, signs.ctypes.data)
        return [(sign, 0 if exponent in SPECIAL else int.from_bytes(word.tobytes(), "little"), exponent)
                for word, exponent, sign in zip(words, exponents.tolist(), signs.tolist())]  # fmt: skip

    def _objects(self, make: Callable[[int, int], Any], special: Callable[[float], Any]) -> numpy.ndarray:
        """An array of Python's objects, made from an integer with a sign and an exponent, or from a zero, an infinity or a NaN."""
        made = numpy.empty(self.size, object)
        for i, (sign, integer, exponent) in enumerate(self.parts()):
            made[i] = special(-SPECIAL[exponent] if sign else SPECIAL[exponent]) if exponent in SPECIAL else make(-integer if sign else integer, exponent)
        return made.reshape(self.shape, order="F")

    def to_mpmath(self) -> numpy.ndarray:
        """The numbers as mpmath.mpf, exactly. mpmath has no negative zero."""
        import mpmath

        return self._objects(lambda integer, exponent: mpmath.mp.make_mpf(mpmath.libmp.from_man_exp(integer, exponent)), mpmath.mpf)

    def to_gmpy2(self) -> numpy.ndarray:
        """The numbers as gmpy2.mpfr of the array's precision, exactly."""
        import gmpy2

        def make(integer: int, exponent: int) -> Any:
            shift = gmpy2.mul_2exp if exponent >= 0 else gmpy2.div_2exp
            return shift(gmpy2.mpfr(integer), abs(exponent))

        with gmpy2.context(precision=self.precision):
            return self._objects(make, gmpy2.mpfr)

    def to_strings(self, digits: int = 0, base: int = 10) -> numpy.ndarray:
        """The numbers as strings. 0 digits are as many as give the same number when they are read again."""
        made = numpy.empty(self.size, object)
        needed = ctypes.c_size_t()
        for i in range(self.size):
            context = _library.context()
            context.call("mp_get_string", self.handle, i, base, digits, None, 0, ctypes.byref(needed))
            text = ctypes.create_string_buffer(needed.value)
            context.call("mp_get_string", self.handle, i, base, digits, text, needed, None)
            made[i] = text.value.decode()
        return made.reshape(self.shape, order="F")

    def __copy__(self) -> Array:
        """A copy in the memory of the array."""
        made = like(self, self.shape)
        _, ld, m, n = self.block
        _library.context().call("mp_copy", m, n, self.handle, 0, ld, made.handle, 0, ld)
        return made

    def __deepcopy__(self, _: Any) -> Array:
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle reads the array into host memory."""
        return of_parts, (self.shape, self.precision, self.parts())

    def __float__(self) -> float:
        if self.shape:
            raise TypeError(f"an array of shape {self.shape} is not a number")
        return float(self.to_numpy())

    def __matmul__(self, other: Array) -> Array:
        return matmul(self, other) if isinstance(other, Array) else NotImplemented

    def __str__(self) -> str:
        return str(self.to_strings(20))

    def __repr__(self) -> str:
        return f"<accublas.mp.Array of shape {self.shape} and {self.precision} bits>"


def dyadic(value: Any, precision: int) -> tuple[int, int, int] | None:
    """(sign, integer, exponent) of a number, or None if it is to be read as a string. Where the number is a quotient that no such integer has, the integer has more
    than `precision` + 2 bits of it, and the last one is 1: it rounds as the quotient does."""
    if isinstance(value, (bytes, str, decimal.Decimal)):
        return None
    if hasattr(value, "as_mantissa_exp"):  # gmpy2's, which has made the number
        gmpy2: Any = sys.modules["gmpy2"]
        sign = int(gmpy2.is_signed(value))
        if not gmpy2.is_finite(value):
            return sign, 0, EXPONENT_NAN if gmpy2.is_nan(value) else EXPONENT_INFINITY
        integer, exponent = value.as_mantissa_exp()
    elif hasattr(value, "_mpf_"):  # mpmath's; gmpy2 has it, too
        if callable(value):  # a constant, such as pi
            value = value(prec=precision)
        mpmath: Any = sys.modules["mpmath"]
        if mpmath.isnan(value) or mpmath.isinf(value):
            return int(value < 0), 0, EXPONENT_NAN if mpmath.isnan(value) else EXPONENT_INFINITY
        sign, integer, exponent, _ = value._mpf_
    elif isinstance(value, (float, numpy.floating)):
        sign = int(numpy.signbit(value))
        if not numpy.isfinite(value):
            return sign, 0, EXPONENT_NAN if numpy.isnan(value) else EXPONENT_INFINITY
        integer, exponent = quotient(*value.as_integer_ratio(), precision)
    elif isinstance(value, (numbers.Rational, numpy.bool_)) or type(value).__name__ == "mpz":
        sign = int(value < 0)
        integer, exponent = quotient(int(getattr(value, "numerator", value)), int(getattr(value, "denominator", 1)), precision)
    else:
        raise TypeError(f"{value!r} is of type {type(value).__name__}: expected a real number of Python, NumPy, mpmath or gmpy2, or a string")
    return int(sign), abs(int(integer)), int(exponent) if integer else EXPONENT_ZERO


def quotient(numerator: int, denominator: int, precision: int) -> tuple[int, int]:
    """(integer, exponent) of a quotient, as `dyadic` has it."""
    if denominator & (denominator - 1) == 0:
        return numerator, 1 - denominator.bit_length()
    shift = precision + 3 + denominator.bit_length() - abs(numerator).bit_length()
    whole, rest = divmod(abs(numerator) << max(shift, 0), denominator << max(-shift, 0))
    return (whole | 1 if rest else whole), -shift


def array(values: Any, precision: int) -> Array:
    """Makes an array of numbers of `precision` bits, each rounded once.

    Parameters
    ----------
    values : Array or array_like
        Real numbers of Python (also fractions and decimals), NumPy, mpmath or gmpy2, or strings such as ``"1e-30"``: one, a vector or a matrix.
    precision : int
        The bits of each number, from 64 to 8192.

    Returns
    -------
    Array
        The numbers, in host memory.

    Examples
    --------
    >>> from accublas import mp
    >>> x = mp.array(["0.1", 2**70 + 1], 128)
    >>> x.to_strings(5).tolist()
    ['1.0000e-1', '1.1806e+21']
    """
    if isinstance(values, Array):
        made = Array(values.shape, precision)
        _, ld, m, n = made.block
        _library.context().call("mp_convert", m, n, values.handle, 0, ld, made.handle, 0, ld)
        return made
    if type(values).__module__.startswith("mpmath") and hasattr(values, "tolist"):  # a matrix
        values = values.tolist()
    elif hasattr(values, "__array__") or only_dlpack(values):
        values = NUMPY.array(values)
    if isinstance(values, numpy.ndarray) and values.dtype.kind == "f" and numpy.can_cast(values.dtype, "f8"):
        doubles = numpy.asfortranarray(values, "f8")
        made = Array(values.shape, precision)
        _library.context().call("mp_set_double", made.handle, *made.block, doubles.ctypes.data, made.block[1])
        return made
    given = numpy.asarray(values, object)  # which keeps each number as it is
    column = given.ravel(order="F").tolist()
    elements = [dyadic(value, precision) for value in column]
    made = of_parts(given.shape, precision, [element or (0, 0, EXPONENT_ZERO) for element in elements])
    context = _library.context()
    for i, element in enumerate(elements):
        if element is None:
            text = column[i] if isinstance(column[i], bytes) else str(column[i]).encode()
            if b"\0" in text:
                raise error(api.ERROR_FORMAT, f"not a number: {column[i]!r}")
            context.call("mp_set_string", made.handle, i, text, 0)
    return made


def of_parts(shape: tuple[int, ...], precision: int, parts: list[tuple[int, int, int]]) -> Array:
    """The array of numbers that `Array.parts` describes, each rounded once."""
    made = Array(shape, precision)
    limbs = max((-(-integer.bit_length() // 64) for _, integer, _ in parts), default=1) or 1
    words = b"".join(integer.to_bytes(8 * limbs, "little") for _, integer, _ in parts)
    exponents, signs = numpy.array([exponent for *_, exponent in parts], "i8"), numpy.array([sign for sign, *_ in parts], "i4")
    _library.context().call("mp_set_limbs", made.handle, *made.block, words, limbs, exponents.ctypes.data, signs.ctypes.data)
    return made


def gemm(a: Array, b: Array, *, alpha: Any = None, beta: Any = None, c: Array | None = None, trans_a: str = "N", trans_b: str = "N") -> Array:
    """alpha op(A) op(B) + beta C for matrices, each element rounded once.

    Parameters
    ----------
    a, b : Array
        Matrices of one precision.
    alpha, beta : number, optional
        Factors, anything that `array` takes. Without alpha the factor is 1, and without beta C is not read.
    c : Array, optional
        The matrix that is added. It is needed with beta.
    trans_a, trans_b : {"N", "T"}
        op: the matrix itself or its transpose.

    Returns
    -------
    Array
        The result.

    Examples
    --------
    >>> from accublas import mp
    >>> mp.gemm(mp.array([[2.0**80, 1.0]], 128), mp.array([[1.0], [2.0**-40]], 128)).to_strings(16).tolist()
    [['1.208925819614629e+24']]
    """
    needs(a=a, b=b, c=c)
    (m, k), (rows, n) = op_shape(a, "a", trans_a), op_shape(b, "b", trans_b)
    if k != rows:
        raise ArgumentError(f"arguments a and b are {m} x {k} and {rows} x {n}: expected as many columns of the first as rows of the second")
    result = started((m, n), a, beta, "c", c)
    factors = factor("alpha", alpha, a), factor("beta", beta, a)
    _library.context().call("mp_gemm", TRANSPOSES[trans_a], TRANSPOSES[trans_b], m, n, k, *address(factors[0]), a.handle, 0, a.block[1], b.handle, 0, b.block[1],
                            *address(factors[1]), result.handle, 0, max(1, m))  # fmt: skip
    return result


def syrk(a: Array, *, alpha: Any = None, beta: Any = None, c: Array | None = None, uplo: str = "L", trans: str = "N") -> Array:
    """One triangle of alpha A A' + beta C, each element rounded once, with the bits of `gemm` and about half of its work.

    Parameters
    ----------
    a : Array
        A matrix, n x k (with "T" k x n).
    alpha, beta : number, optional
        Factors, anything that `array` takes. Without alpha the factor is 1, and without beta C is not read.
    c : Array, optional
        The matrix that is added. It is needed with beta.
    uplo : {"L", "U"}
        The triangle that is computed.
    trans : {"N", "T"}
        "N" for A A', "T" for A' A.

    Returns
    -------
    Array
        The triangle of the result. The other triangle is that of C, or zero without beta.

    Examples
    --------
    >>> from accublas import mp
    >>> mp.syrk(mp.array([[1.0], [3.0]], 128)).to_numpy().tolist()
    [[1.0, 0.0], [3.0, 9.0]]
    """
    needs(a=a, c=c)
    n, k = op_shape(a, "a", trans)
    if uplo not in TRIANGLES:
        raise ArgumentError(f'"{uplo}" is not a triangle: expected "L" or "U"')
    result = started((n, n), a, beta, "c", c)
    factors = factor("alpha", alpha, a), factor("beta", beta, a)
    _library.context().call("mp_syrk", TRIANGLES[uplo], TRANSPOSES[trans], n, k, *address(factors[0]), a.handle, 0, a.block[1], *address(factors[1]),
                            result.handle, 0, max(1, n))  # fmt: skip
    return result


def gemv(a: Array, x: Array, *, alpha: Any = None, beta: Any = None, y: Array | None = None, trans: str = "N") -> Array:
    """alpha op(A) x + beta y for a matrix and a vector, each element rounded once.

    Parameters
    ----------
    a : Array
        A matrix.
    x : Array
        A vector of A's precision.
    alpha, beta : number, optional
        Factors, anything that `array` takes. Without alpha the factor is 1, and without beta y is not read.
    y : Array, optional
        The vector that is added. It is needed with beta.
    trans : {"N", "T"}
        op: the matrix itself or its transpose.

    Returns
    -------
    Array
        The result, a vector.
    """
    needs(a=a, x=x, y=y)
    m, n = op_shape(a, "a", trans)
    if x.shape != (n,):
        raise ArgumentError(f"argument x has the shape {x.shape}: expected ({n},), the columns of op(a)")
    result = started((m,), a, beta, "y", y)
    factors = factor("alpha", alpha, a), factor("beta", beta, a)
    _library.context().call("mp_gemv", TRANSPOSES[trans], *a.shape, *address(factors[0]), a.handle, 0, a.block[1], x.handle, 0, 1, *address(factors[1]),
                            result.handle, 0, 1)  # fmt: skip
    return result


def dot(x: Array, y: Array) -> Array:
    """The inner product of two vectors, rounded once.

    Parameters
    ----------
    x, y : Array
        Vectors of one length and one precision.

    Returns
    -------
    Array
        One number, an array without dimensions.

    Examples
    --------
    >>> from accublas import mp
    >>> float(mp.dot(mp.array([2.0**100, 1.0, -(2.0**100)], 64), mp.array([1.0, 1.0, 1.0], 64)))
    1.0
    """
    needs(x=x, y=y)
    if len(x.shape) != 1 or x.shape != y.shape:
        raise ArgumentError(f"arguments x and y have the shapes {x.shape} and {y.shape}: expected vectors of one length")
    result = like(x, ())
    _library.context().call("mp_dot", x.size, x.handle, 0, 1, y.handle, 0, 1, result.handle, 0)
    return result


def matmul(a: Array, b: Array) -> Array:
    """The product of matrices and vectors, as ``a @ b`` has it.

    Parameters
    ----------
    a, b : Array
        Matrices or vectors of one precision.

    Returns
    -------
    Array
        The product.
    """
    needs(a=a, b=b)
    dimensions = len(a.shape), len(b.shape)
    if dimensions == (1, 1):
        return dot(a, b)
    if dimensions == (2, 1):
        return gemv(a, b)
    if dimensions == (1, 2):
        return gemv(b, a, trans="T")
    return gemm(a, b)


def needs(**operands: Any) -> None:
    """Refuses operands that are not multiple-precision arrays; c and y may be None."""
    for name, operand in operands.items():
        if not isinstance(operand, Array) and not (operand is None and name in ("c", "y")):
            raise TypeError(f"argument {name} is of type {type(operand).__name__}: expected an array that mp.array makes")


def op_shape(a: Array, name: str, op: str) -> tuple[int, int]:
    if len(a.shape) != 2:
        raise ArgumentError(f"argument {name} has {len(a.shape)} dimensions: expected 2")
    if op not in TRANSPOSES:
        raise ArgumentError(f'"{op}" is not a transposition: expected "N" or "T"')
    return a.shape if op == "N" else a.shape[::-1]


def like(a: Array, shape: tuple[int, ...]) -> Array:
    """An array of zeros with the precision of another array, in its memory."""
    made = Array(shape, a.precision)
    if _library.function("mp_get_place")(a.handle) == api.MP_DEVICE:
        made.move("device")
    return made


def started(shape: tuple[int, ...], a: Array, beta: Any, name: str, added: Array | None) -> Array:
    """The array of a result, which holds the array that is added."""
    result = like(a, shape)
    if beta is not None:
        if added is None:
            raise ArgumentError(f"argument {name} is missing: beta needs it")
        if added.shape != shape:
            raise ArgumentError(f"argument {name} has the shape {added.shape}: expected {shape}")
        _, ld, m, n = result.block
        _library.context().call("mp_copy", m, n, added.handle, 0, ld, result.handle, 0, ld)
    return result


def factor(name: str, value: Any, a: Array) -> Array | None:
    """alpha or beta in the memory of an operand, None if it is not given."""
    if value is None:
        return None
    made = array(value, a.precision)
    if made.shape:
        raise ArgumentError(f"argument {name} has the shape {made.shape}: expected one number")
    if _library.function("mp_get_place")(a.handle) == api.MP_DEVICE:
        made.move("device")
    return made


def address(value: Array | None) -> tuple[Any, int]:
    return (value.handle if value else None), 0
