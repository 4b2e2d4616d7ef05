"""Sums over vectors: dot, vdot, norm."""

from __future__ import annotations

from typing import Any

from . import _prototypes as api
from .arrays import REAL, Operands, vector
from .errors import ArgumentError

NORMS = {"d": "dnrm2", "s": "snrm2", "z": "dznrm2", "c": "scnrm2"}


def dot(x: Any, y: Any, *, mode: str | None = None) -> Any:
    """The inner product of two vectors, the sum of x_i y_i. Complex numbers are not conjugated.

    Parameters
    ----------
    x, y : array_like
        Vectors of one length.
    mode : str, optional
        The mode of this call, such as ``"cr"``.

    Returns
    -------
    number
        The inner product. Vectors in device memory give an array without dimensions there.

    Examples
    --------
    >>> import accublas
    >>> float(accublas.dot([1e16, 1.0, 1.0, -1e16], [1.0, 1.0, 1.0, 1.0], mode="cr"))
    2.0
    """
    operands = Operands(x, y, mode=mode)
    x, y = operands.arrays
    return inner_product(operands, x, y, "dotu" if operands.complex else "dot")


def vdot(x: Any, y: Any, *, mode: str | None = None) -> Any:
    """The inner product of two arrays, the sum of conj(x_i) y_i over all their elements.

    Parameters
    ----------
    x, y : array_like
        Arrays with the same number of elements, which are taken in the order of rows.
    mode : str, optional
        The mode of this call.

    Returns
    -------
    number
        The inner product. Arrays in device memory give an array without dimensions there.

    Examples
    --------
    >>> import accublas
    >>> complex(accublas.vdot([1 + 2j, 3.0], [1 + 2j, 1.0]))
    (8+0j)
    """
    operands = Operands(x, y, mode=mode)
    x, y = (array.reshape(-1) for array in operands.arrays)
    return inner_product(operands, x, y, "dotc" if operands.complex else "dot")


def norm(x: Any, *, mode: str | None = None) -> Any:
    """The Euclidean norm of a vector, or of all elements of a matrix (Frobenius' norm).

    Parameters
    ----------
    x : array_like
        An array of any number of dimensions.
    mode : str, optional
        The mode of this call. Norms have no mode ``fixed:T`` and no mode ``slices:D``.

    Returns
    -------
    number
        The norm, a real number. An array in device memory gives an array without dimensions there.

    Examples
    --------
    >>> import accublas
    >>> bool(accublas.norm([3 * 2.0**600, 4 * 2.0**600], mode="cr") == 5 * 2.0**600)
    True
    """
    operands = Operands(x, mode=mode)
    view = operands.view(operands.arrays[0].reshape(-1))
    return reduction(operands, NORMS[operands.letter], view.shape[0], [view], REAL[operands.dtype])


def inner_product(operands: Operands, x: Any, y: Any, routine: str) -> Any:
    if x.ndim != 1 or y.ndim != 1:
        raise ArgumentError(f"arguments x and y have {x.ndim} and {y.ndim} dimensions: expected 1; matmul multiplies matrices")
    if x.shape != y.shape:
        raise ArgumentError(f"arguments x and y have {x.shape[0]} and {y.shape[0]} elements: expected as many of each")
    return reduction(operands, operands.letter + routine, x.shape[0], [operands.view(x), operands.view(y)], operands.dtype)


def reduction(operands: Operands, routine: str, n: int, views: list, dtype: str) -> Any:
    """Calls a routine whose result is one number in the memory of the operands."""
    result = operands.empty((), dtype)
    vectors = [number for view in views for number in vector(view, operands.size)]
    pointer_mode = api.POINTER_HOST if operands.device is None else api.POINTER_DEVICE
    operands.call(routine, n, *vectors, operands.view(result).address, pointer_mode=pointer_mode)
    return operands.kind.scalar(result)
