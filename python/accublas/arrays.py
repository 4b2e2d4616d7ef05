"""Operands of a call: arrays of one type of numbers in one memory, and their layout as the library takes it."""

from __future__ import annotations

import ctypes
import functools
import itertools
import types
from collections.abc import Iterator
from typing import Any

import numpy

from . import _library
from . import _prototypes as api
from ._kinds import View, kind_of
from .errors import ArgumentError, InternalError

LETTERS = {"float64": "d", "float32": "s", "complex128": "z", "complex64": "c"}
REAL = {"float64": "float64", "float32": "float32", "complex128": "float64", "complex64": "float32"}
NAMES = {numpy.dtype(name): name for name in LETTERS}
SIZES = {"float64": 8, "float32": 4, "complex128": 16, "complex64": 8, "int64": 8}
SHARED_WORK = 10000  # what NumPy may try until it takes two arrays to share memory
TRANSPOSES = {"N": api.NO_TRANS, "T": api.TRANS, "C": api.CONJ_TRANS}


def common_type(dtypes: list[numpy.dtype]) -> str:
    """The type of the numbers of a call, by NumPy's promotion. Integers become float64, and half precision float32."""
    if (name := NAMES.get(dtypes[0])) and all(dtype == dtypes[0] for dtype in dtypes):
        return name
    found = numpy.result_type(*dtypes)
    if found.kind in "biu":
        found = numpy.dtype("float64")
    elif found == numpy.float16:
        found = numpy.dtype("float32")
    if found.name not in LETTERS:
        raise TypeError(f"elements of type {found.name} are not supported: expected float64, float32, complex128 or complex64")
    return found.name


def shape_text(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape)) or "a number"


class Operands:
    """The operands of a call. `arrays` holds them with one type of numbers, and `added` the one that a call may lack, or None. The mode is
    checked here, because an empty stack makes no call."""

    def __init__(self, *given: Any, mode: str | None, added: Any = None) -> None:
        present = given if added is None else (*given, added)
        self.kind = kind_of(present)
        arrays = [self.kind.array(operand) for operand in present]
        self.dtype = self.kind.held(common_type([self.kind.dtype(array) for array in arrays]))
        arrays = [self.converted(array) for array in arrays]
        self.arrays: list[Any] = arrays[: len(given)]
        self.added = None if added is None else arrays[-1]
        self.letter = LETTERS[self.dtype]
        self.size = SIZES[self.dtype]
        self.complex = self.letter in "zc"
        self.like = self.arrays[0]
        self.device = self.kind.device(self.like)
        self.options = _library.options(mode)
        self.stream = 0 if self.device is None else self.kind.stream(self.device)

    def converted(self, array: Any) -> Any:
        found = self.kind.converted(array, self.dtype)
        if self.kind.dtype(found) != self.dtype:  # the call would read other bytes than the array's
            raise InternalError(f"an operand was converted to {self.kind.dtype(found)}: expected {self.dtype}")
        return found

    def view(self, array: Any) -> View:
        return self.kind.view(array)

    def empty(self, shape: tuple[int, ...], dtype: str | None = None) -> Any:
        return self.kind.empty(shape, dtype or self.dtype, self.like)

    def copy(self, array: Any, shape: tuple[int, ...]) -> Any:
        return self.kind.copy(array, shape, self.dtype)

    def result(self, out: Any, shape: tuple[int, ...], **read: Any) -> Any:
        """`out` if it can hold the result, or a new array if it is None. The operands `read`, by name, must not share memory with it."""
        if out is None:
            return self.empty(shape)
        if not self.kind.writable:
            raise ArgumentError("argument out cannot be written: expected None for arrays of JAX")
        if not isinstance(out, type(self.like)):
            raise TypeError(f"argument out is of type {type(out).__name__}: expected {type(self.like).__name__}, the type of the operands")
        if tuple(out.shape) != shape or self.kind.dtype(out) != self.dtype:
            raise ArgumentError(f"argument out is {shape_text(tuple(out.shape))} of type {self.kind.dtype(out)}: expected {shape_text(shape)} of type {self.dtype}")
        if isinstance(out, numpy.ndarray) and (not out.flags.writeable or self.kind.converted(out, self.dtype) is not out):
            raise ArgumentError("argument out is read-only or not aligned: expected an array that can be written")
        view = self.view(out)
        if overlaps(view):
            raise ArgumentError("elements of argument out share memory: expected an array whose elements have memory of their own")
        for name, array in read.items():
            if share_memory(view, self.view(array), self.size):
                raise ArgumentError(f"argument out shares memory with argument {name}: a result needs memory of its own, copy one of them")
        return out

    def factor(self, name: str, value: complex, real: bool = False) -> Any:
        """The address of alpha or beta."""
        value = complex(value)
        if value.imag and (real or not self.complex):
            raise ArgumentError(f"argument {name} = {value} is complex: expected a real number")
        number = ctypes.c_double if self.letter in "dz" else ctypes.c_float
        return ctypes.byref((number * 2)(value.real, value.imag) if self.complex and not real else number(value.real))

    def call(self, name: str, *arguments: Any, pointer_mode: int = api.POINTER_HOST) -> None:
        """Calls a routine by its whole name, with the arguments between the context and the options."""
        context = _library.context()
        if self.device is not None:
            context.use_stream(self.device, self.stream)
        if pointer_mode != api.POINTER_HOST:
            context.call("set_pointer_mode", pointer_mode)
        try:
            context.call(f"{name}_ex", *arguments, self.options)
        finally:
            if pointer_mode != api.POINTER_HOST:
                context.call("set_pointer_mode", api.POINTER_HOST)
        if self.device is not None and self.kind.synchronous:
            context.call("sync")


def memory(view: View, size: int) -> numpy.ndarray:
    """An array of NumPy with the addresses of a view, in host or device memory. Nobody reads its elements."""
    strides = tuple(size * stride for stride in view.strides)
    interface = {"version": 3, "typestr": f"|V{size}", "shape": view.shape, "strides": strides, "data": (view.address, False)}
    return numpy.asarray(types.SimpleNamespace(__array_interface__=interface))


def bounds(view: View, size: int) -> tuple[int, int]:
    """The first address of a view, and the one after its last."""
    start, end = view.address, view.address + size
    for stride, count in zip(view.strides, view.shape):
        if stride < 0:
            start += size * stride * (count - 1)
        else:
            end += size * stride * (count - 1)
    return start, end


def share_memory(a: View, b: View, size: int) -> bool:
    """Whether two views have elements in common. It is true also if that is too much work to find out."""
    (start_a, end_a), (start_b, end_b) = bounds(a, size), bounds(b, size)
    return start_a < end_b and start_b < end_a and numpy.may_share_memory(memory(a, size), memory(b, size), max_work=SHARED_WORK)


def overlaps(view: View) -> bool:
    """Whether two elements of a view have one address."""
    extent, dimensions = 1, sorted((abs(stride), count) for stride, count in zip(view.strides, view.shape))
    for stride, count in dimensions:
        if stride < extent and count > 1:
            offsets = functools.reduce(numpy.add.outer, [stride * numpy.arange(count) for stride, count in dimensions])
            return numpy.unique(offsets).size < offsets.size
        extent += stride * (count - 1)
    return False


def stack(view: View) -> tuple[int, ...]:
    """The shape of the dimensions before the last two."""
    return view.shape[:-2]


def broadcast(view: View, batch: tuple[int, ...]) -> View:
    """The view with the batch's dimensions. Along a dimension that the view lacks, or in which it has one matrix, all matrices are the same."""
    own = stack(view)
    strides = (0,) * (len(batch) - len(own)) + tuple(0 if size == 1 else stride for size, stride in zip(own, view.strides))
    return View(view.address, batch + view.shape[-2:], strides + view.strides[-2:], view.owner)


def matrices(views: list[View], size: int, batch: tuple[int, ...]) -> Iterator[list[int]]:
    """The addresses of the matrices with one index, for every index of a batch. All views have numbers of one size."""
    for index in itertools.product(*map(range, batch)):
        yield [view.address + size * sum(i * stride for i, stride in zip(index, view.strides)) for view in views]


def collapsed(views: list[View]) -> list[View]:
    """The views with as few dimensions in front of their matrices as their strides allow, at least one."""
    shape, strides = list(stack(views[0])), [list(view.strides[:-2]) for view in views]
    i = len(shape) - 2
    while i >= 0:
        if shape[i] == 1 or shape[i + 1] == 1 or all(s[i] == s[i + 1] * shape[i + 1] for s in strides):
            keep = i if shape[i + 1] == 1 and shape[i] != 1 else i + 1
            for s in strides:
                s[i : i + 2] = [s[keep]]
            shape[i : i + 2] = [shape[i] * shape[i + 1]]
        i -= 1
    return [View(view.address, (*(shape or [1]), *view.shape[-2:]), (*(s or [0]), *view.strides[-2:]), view.owner) for view, s in zip(views, strides)]


def transposed(view: View, op: str) -> View:
    """The view of op(A) without the conjugation."""
    if op == "N":
        return view
    return View(view.address, (*stack(view), view.shape[-1], view.shape[-2]), (*view.strides[:-2], view.strides[-1], view.strides[-2]), view.owner)


def leading(rows: int, columns: int, row_stride: int, column_stride: int) -> int | None:
    """The leading dimension of a row-major matrix, or None if the strides do not allow one. Only strides between elements count."""
    if rows == 0 or columns == 0:
        return max(1, columns)
    found = row_stride if rows > 1 else max(1, columns)
    return found if (columns <= 1 or column_stride == 1) and found >= max(1, columns) else None


def stored(view: View, op: str) -> tuple[int, int] | None:
    """(transposition, leading dimension) with which a row-major routine reads op(A), or None if the strides do not allow it."""
    rows, columns = view.shape[-2:]
    row_stride, column_stride = view.strides[-2:]
    if (found := leading(rows, columns, row_stride, column_stride)) is not None:
        return TRANSPOSES[op], found
    if op != "C" and (found := leading(columns, rows, column_stride, row_stride)) is not None:
        return (api.TRANS if op == "N" else api.NO_TRANS), found
    return None


def vector(view: View, size: int) -> tuple[int, int]:
    """(address, increment) of a vector for BLAS, which begins at the lowest address if the increment is negative."""
    (n,), (stride,) = view.shape, view.strides
    if n <= 1:
        return view.address, 1
    return (view.address + size * (n - 1) * stride if stride < 0 else view.address), stride
