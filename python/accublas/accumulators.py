"""Products whose inner dimension arrives in panels, with the bits of one call."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy

from . import _library
from . import _prototypes as api
from .arrays import LETTERS, shape_text
from .errors import ArgumentError

EXPONENT_NONE = -(2**31)  # ACCUBLAS_EXPONENT_NONE of accublas.h
TYPES = {name: ord(letter) for name, letter in LETTERS.items()}


def address(array: Any) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def stored(name: str, array: Any, dtype: str) -> tuple[Any, int, int]:
    """Returns the matrix, its transposition and its leading dimension for the library. Copies the matrix unless its rows or columns are adjacent."""
    matrix = numpy.asarray(array)
    if matrix.ndim != 2:
        raise ArgumentError(f"argument {name} has {matrix.ndim} dimensions: expected 2")
    matrix = numpy.require(matrix, dtype, "A")
    size = matrix.itemsize
    for trans, view in ((api.NO_TRANS, matrix), (api.TRANS, matrix.T)):
        step, distance = view.strides
        if (view.shape[0] <= 1 or step == size) and (view.shape[1] <= 1 or (distance >= size * view.shape[0] and distance % size == 0)):
            least = max(1, view.shape[0])
            return matrix, trans, max(least, distance // size) if view.shape[1] > 1 else least
    return stored(name, numpy.ascontiguousarray(matrix), dtype)


def measure(side: int, name: str, panel: Any, exponents: Any, dtype: str) -> Any:
    matrix, trans, ld = stored(name, panel, dtype)
    lines, k = matrix.shape if side == api.LEFT else matrix.shape[::-1]
    found = numpy.full((lines, 2), EXPONENT_NONE, numpy.int32)
    if exponents is not None:
        found[:] = exponents
    _library.context().call("accumulator_measure", TYPES[dtype], side, api.COL_MAJOR, trans, lines, k, address(matrix), ld, address(found))
    return found


def row_exponents(a: Any, exponents: Any = None, dtype: str = "float64") -> Any:
    """Returns the exponents of the rows of a panel of A, raised to those of earlier panels.

    Parameters
    ----------
    a : array_like
        The panel, m x k.
    exponents : array, optional
        The exponents of earlier panels, m x 2. To combine the exponents of several parts, take their maxima.
    dtype : str
        The type of the numbers: float64, float32, complex128 or complex64.

    Returns
    -------
    array
        E and D of each row, m x 2 integers of 32 bits, exact: every entry is below 2^E in magnitude and a multiple of 2^-D.
        Both are -2^31 for a row of zeros.

    Raises
    ------
    ArgumentError
        If the panel does not have two dimensions.
    """
    return measure(api.LEFT, "a", a, exponents, dtype)


def column_exponents(b: Any, exponents: Any = None, dtype: str = "float64") -> Any:
    """Returns the exponents of the columns of a panel of B, k x n: n x 2 integers. `row_exponents` explains the arguments and the result."""
    return measure(api.RIGHT, "b", b, exponents, dtype)


class Accumulator:
    """The sums of a product A B, whose panels are added without rounding.

    Parameters
    ----------
    rows, columns : array
        The exponents of whole rows of A, m x 2, and of whole columns of B, n x 2, from `row_exponents` and `column_exponents`.
    k : int
        An upper bound of the number of terms of all panels together.
    dtype : str
        The type of the numbers: float64, float32, complex128 or complex64.
    mode : str
        ``"cr"`` or ``"fixed:T"``.
    bits : int
        Bits of an entry that ``"cr"`` keeps, 2 to 150. 0 stands for 80 (single precision: 51). Pass 0 in ``"fixed:T"``.

    Examples
    --------
    >>> import accublas, numpy
    >>> a, b = numpy.array([[1e16, 1.0, -1e16]]), numpy.ones((3, 1))
    >>> rows = columns = None
    >>> for p in range(3):
    ...     rows = accublas.row_exponents(a[:, p:p+1], rows)
    ...     columns = accublas.column_exponents(b[p:p+1], columns)
    >>> sums = accublas.Accumulator(rows, columns, 3)
    >>> for p in range(3):
    ...     sums.add(a[:, p:p+1], b[p:p+1])
    >>> sums.finish()
    array([[1.]])
    """

    def __init__(self, rows: Any, columns: Any, k: int, *, dtype: str = "float64", mode: str = "cr", bits: int = 0) -> None:
        if dtype not in TYPES:
            raise TypeError(f"argument dtype is {dtype!r}: expected one of {', '.join(TYPES)}")
        lines = [numpy.ascontiguousarray(given, numpy.int32) for given in (rows, columns)]
        for name, given in zip(("rows", "columns"), lines):
            if given.ndim != 2 or given.shape[1] != 2:
                raise ArgumentError(f"argument {name} is {shape_text(given.shape)}: expected (number of {name}, 2), the exponents E and D")
        self._begin(dtype, (len(lines[0]), len(lines[1])))
        _library.context().call("accumulator_create", TYPES[dtype], _library.encoded(mode), *self.shape, k, address(lines[0]), address(lines[1]), bits,
                                ctypes.byref(self._handle))

    def _begin(self, dtype: str, shape: tuple[int, int]) -> None:
        self.dtype, self.shape = dtype, shape
        self._handle = ctypes.c_void_p()
        self._destroy = _library.function("accumulator_destroy")

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._destroy(self._handle)

    def add(self, a: Any, b: Any) -> None:
        """Adds the product of a panel a, m x k, and a panel b, k x n, exactly. Raises `ArgumentError` if the sizes or the exponents do not fit, and then adds nothing."""
        a, trans_a, lda = stored("a", a, self.dtype)
        b, trans_b, ldb = stored("b", b, self.dtype)
        if (a.shape[0], b.shape[1]) != self.shape or a.shape[1] != b.shape[0]:
            raise ArgumentError(f"the panels a and b are {shape_text(a.shape)} and {shape_text(b.shape)}: expected m x k and k x n for the sums, m x n = {shape_text(self.shape)}")
        _library.context().call("accumulator_add", self._handle, api.COL_MAJOR, trans_a, trans_b, a.shape[1], address(a), lda, address(b), ldb)

    def finish(self, alpha: Any = 1, beta: Any = 0, c: Any = None) -> Any:
        """Returns alpha S + beta c as a new m x n array. c is m x n or absent. Each element is rounded once.

        If this raises `UndecidedError`, add all panels again and finish again with the same arguments.
        """
        result = numpy.zeros(self.shape, self.dtype)
        if c is not None:
            if numpy.shape(c) != self.shape:
                raise ArgumentError(f"argument c is {shape_text(numpy.shape(c))}: expected {shape_text(self.shape)}")
            result[:] = c
        factors = [numpy.array(factor, self.dtype) for factor in (alpha, 0 if c is None else beta)]
        _library.context().call("accumulator_finish", self._handle, api.ROW_MAJOR, *map(address, factors), address(result), max(1, self.shape[1]))
        return result

    def to_bytes(self) -> bytes:
        """Returns the accumulator as bytes, which `from_bytes` and `merge` read on any machine."""
        size = ctypes.c_size_t()
        _library.context().call("accumulator_export", self._handle, None, 0, ctypes.byref(size))
        room = ctypes.create_string_buffer(size.value)
        _library.context().call("accumulator_export", self._handle, room, size, ctypes.byref(size))
        return room.raw

    @classmethod
    def from_bytes(cls, data: bytes) -> Accumulator:
        """Makes an accumulator from the bytes of another one. Damaged bytes raise `FormatError`."""
        made = cls.__new__(cls)
        made._begin("float64", (0, 0))
        _library.context().call("accumulator_import", data, len(data), ctypes.byref(made._handle))
        report = made._report()
        made.dtype, made.shape = next(name for name, code in TYPES.items() if code == report.type), (report.m, report.n)
        return made

    def merge(self, data: bytes) -> None:
        """Adds the sums of another accumulator, given by its bytes. Raises `ArgumentError` if sizes, exponents, mode or bits differ, and `FormatError` for damaged bytes."""
        _library.context().call("accumulator_merge", self._handle, data, len(data))

    def _report(self) -> Any:
        report = api.accublas_accumulator_report_t()
        report.struct_size = ctypes.sizeof(report)
        _library.context().call("accumulator_report", self._handle, ctypes.byref(report))
        return report

    @property
    def moduli(self) -> int:
        """The number of moduli. A sum takes as many bytes in `to_bytes`."""
        return self._report().moduli

    @property
    def undecided(self) -> int:
        """The number of undecided sums of the second round; complex elements have two. 0: there is no second round."""
        return self._report().undecided
