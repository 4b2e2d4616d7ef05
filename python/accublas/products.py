"""Products of matrices: matmul, gemm, gemv, syrk."""

from __future__ import annotations

from typing import Any

import numpy

from . import _library
from . import _prototypes as api
from ._kinds import View
from .arrays import TRANSPOSES, Operands, broadcast, collapsed, matrices, shape_text, stack, stored, transposed, vector
from .errors import ArgumentError


def matmul(a: Any, b: Any, *, out: Any = None, mode: str | None = None) -> Any:
    """The product of two arrays, as `numpy.matmul` defines it.

    Parameters
    ----------
    a, b : array_like
        Matrices, vectors, or stacks of matrices in the last two dimensions, which broadcast.
    out : array, optional
        An array of the result's type and shape, with any strides, that is overwritten by the result and returned. It must not share memory with an operand. A call
        that fails leaves it as it was.
    mode : str, optional
        The mode of this call, such as ``"cr"``.

    Returns
    -------
    array
        The product, an array of the operands' library in the operands' memory. Two vectors give a number.

    See Also
    --------
    gemm : the product with factors, transpositions and a sum.

    Notes
    -----
    A matrix times a vector is GEMV, and two vectors are DOT, whose modes may be set apart.

    Examples
    --------
    >>> import accublas, numpy
    >>> a = numpy.array([[1e16, 1.0, -1e16]])
    >>> accublas.matmul(a, numpy.ones((3, 2)), mode="cr")
    array([[1., 1.]])
    """
    operands = Operands(a, b, mode=mode)
    a, b = operands.arrays
    if a.ndim == 0 or b.ndim == 0:
        raise ArgumentError(f"argument {'ab'[a.ndim != 0]} is a number: expected a vector or a matrix")
    if a.ndim == 1 and b.ndim == 1:
        if out is not None:
            raise ArgumentError("argument out is an array: two vectors give a number, which needs none")
        from .vectors import dot

        return dot(a, b, mode=mode)
    if b.ndim == 1 and a.ndim == 2:
        return gemv(a, b, out=out, mode=mode)
    if a.ndim == 1 and b.ndim == 2:
        return gemv(b, a, trans="T", out=out, mode=mode)
    wide_a, wide_b = (a[None, :] if a.ndim == 1 else a), (b[:, None] if b.ndim == 1 else b)
    shape = product_shape(tuple(wide_a.shape), tuple(wide_b.shape))
    visible = shape[:-2] + shape[-2:-1] * (a.ndim > 1) + shape[-1:] * (b.ndim > 1)
    target = operands.result(out, visible, a=a, b=b)
    result = operands.empty(visible) if staged(out, shape) else target
    view = operands.view(result)
    if visible != shape:  # the dimension that a vector lacks has one element
        strides = view.strides[:-1] + ((0, view.strides[-1]) if a.ndim == 1 else (view.strides[-1], 0))
        view = View(view.address, shape, strides, view.owner)
    multiply(operands, 1, wide_a, "N", wide_b, "N", 0, view)
    return delivered(operands, result, target)


def gemm(
    a: Any,
    b: Any,
    *,
    alpha: complex = 1.0,
    beta: complex = 0.0,
    c: Any = None,
    trans_a: str = "N",
    trans_b: str = "N",
    out: Any = None,
    mode: str | None = None,
) -> Any:
    """alpha op(A) op(B) + beta C, for matrices or stacks of them, with one rounding in the modes that round once.

    Parameters
    ----------
    a, b : array_like
        Matrices, or stacks of matrices in the last two dimensions, which broadcast.
    alpha, beta : number
        Factors. They are real if the operands are, and are rounded to the type of the result: a small one may become 0 in float32.
    c : array_like, optional
        The array that is added; it broadcasts to the shape of the result. It is needed if beta is not 0.
    trans_a, trans_b : {"N", "T", "C"}
        op: the matrix itself, its transpose, or its conjugate transpose.
    out : array, optional
        An array of the result's type and shape that is overwritten by the result and returned. It may be `c`, but must not share memory with `a` or `b`.
    mode : str, optional
        The mode of this call.

    Returns
    -------
    array
        The result, an array of the operands' library in the operands' memory.

    Examples
    --------
    >>> import accublas, numpy
    >>> accublas.gemm([[1.0, 2.0]], [[3.0, 4.0]], trans_b="T", alpha=2, beta=1, c=[[0.5]])
    array([[22.5]])
    """
    operands = Operands(a, b, added=c, mode=mode)
    (a, b), c = operands.arrays, operands.added
    for name, array in (("a", a), ("b", b)):
        if array.ndim < 2:
            raise ArgumentError(f"argument {name} has {array.ndim} dimensions: expected at least 2")
    op_a, op_b = operation("trans_a", trans_a), operation("trans_b", trans_b)
    shape = product_shape(op_shape(a, op_a), op_shape(b, op_b))
    result, target = prepared(operands, out, shape, beta, "c", c, a=a, b=b)
    multiply(operands, alpha, a, op_a, b, op_b, beta, operands.view(result))
    return delivered(operands, result, target)


def gemv(
    a: Any,
    x: Any,
    *,
    alpha: complex = 1.0,
    beta: complex = 0.0,
    y: Any = None,
    trans: str = "N",
    out: Any = None,
    mode: str | None = None,
) -> Any:
    """alpha op(A) x + beta y for a matrix and a vector.

    Parameters
    ----------
    a : array_like
        A matrix.
    x : array_like
        A vector with as many elements as op(A) has columns.
    alpha, beta : number
        Factors. They are real if the operands are, and are rounded to the type of the result: a small one may become 0 in float32.
    y : array_like, optional
        The vector that is added. It is needed if beta is not 0.
    trans : {"N", "T", "C"}
        op: the matrix itself, its transpose, or its conjugate transpose.
    out : array, optional
        A vector of the result's type that is overwritten by the result and returned. It may be `y`, but must not share memory with `a` or `x`.
    mode : str, optional
        The mode of this call.

    Returns
    -------
    array
        The result, a vector of the operands' library in the operands' memory.

    Examples
    --------
    >>> import accublas
    >>> accublas.gemv([[1e16, 1.0], [2.0, 3.0]], [1.0, 1.0], beta=-1, y=[1e16, 1.0], mode="cr")
    array([1., 4.])
    """
    operands = Operands(a, x, added=y, mode=mode)
    (a, x), y = operands.arrays, operands.added
    op = operation("trans", trans)
    if a.ndim != 2 or x.ndim != 1:
        raise ArgumentError(f"arguments a and x have {a.ndim} and {x.ndim} dimensions: expected 2 and 1")
    m, n = op_shape(a, op)
    if x.shape[0] != n:
        raise ArgumentError(f"argument x has {x.shape[0]} elements: expected {n}, the columns of op(a)")
    result, target = prepared(operands, out, (m,), beta, "y", y, a=a, x=x)
    if n == 0:  # BLAS leaves y as it is
        multiply(operands, alpha, a, op, x[:, None], "N", beta, column(operands.view(result)))
        return delivered(operands, result, target)
    if op == "C" and not operands.complex:
        op = "T"
    view, view_x, view_y = operands.view(a), operands.view(x), operands.view(result)
    if view_x.strides[0] == 0 and n > 1:  # BLAS has no increment of 0
        view_x = operands.view(operands.copy(x, (n,)))
    x_address, incx = vector(view_x, operands.size)
    y_address, incy = vector(view_y, operands.size)
    alpha, beta = operands.factor("alpha", alpha), operands.factor("beta", beta)
    if op == "C" and (layout := stored(view, op)):
        operands.call(f"{operands.letter}gemv", api.ROW_MAJOR, layout[0], *view.shape, alpha, view.address, layout[1], x_address, incx, beta, y_address, incy)
    else:
        view = transposed(operands.view(a.conj()) if op == "C" else view, op)
        operands.call(f"{operands.letter}gemv_strided", m, n, alpha, view.address, *view.strides, x_address, incx, beta, y_address, incy)
    return delivered(operands, result, target)


def syrk(a: Any, *, alpha: float = 1.0, trans: bool = False, hermitian: bool = False, mode: str | None = None) -> Any:
    """alpha A A^T, or alpha A^T A: a product of a matrix with its transpose that is exactly symmetric.

    Parameters
    ----------
    a : array_like
        A matrix, or a stack of matrices in the last two dimensions.
    alpha : number
        A factor. It is real if the operand is, or if `hermitian` is true.
    trans : bool
        Whether the product is A^T A.
    hermitian : bool
        Whether the transpose of a complex matrix is conjugated.
    mode : str, optional
        The mode of this call.

    Returns
    -------
    array
        The whole symmetric (Hermitian) matrix, an array of the operand's library in the operand's memory. SYRK (HERK) computes one triangle of it.

    Examples
    --------
    >>> import accublas
    >>> accublas.syrk([[1.0, 2.0], [3.0, 4.0]])
    array([[ 5., 11.],
           [11., 25.]])
    """
    operands = Operands(a, mode=mode)
    (a,) = operands.arrays
    if a.ndim < 2:
        raise ArgumentError(f"argument a has {a.ndim} dimensions: expected at least 2")
    hermitian = hermitian and operands.complex
    m, k = tuple(a.shape[-2:])[:: -1 if trans else 1]
    batch = tuple(a.shape[:-2])
    result = operands.empty((*batch, m, m))
    op = ("C" if hermitian else "T") if trans else "N"
    view, target = operands.view(a), operands.view(result)
    trans_code, lda = stored(view, op) or (api.TRANS, 0)
    if lda == 0 or (hermitian and trans_code == api.TRANS):  # neither the matrix nor its transpose is what BLAS multiplies
        view = operands.view(operands.copy(a, tuple(a.shape)))
        trans_code, lda = TRANSPOSES[op], max(1, a.shape[-1])
    name = operands.letter + ("herk" if hermitian else "syrk")
    factors = operands.factor("alpha", alpha, hermitian), operands.factor("beta", 0, hermitian)
    for address, result_address in matrices([view, target], operands.size, batch):
        operands.call(name, api.ROW_MAJOR, api.LOWER, trans_code, m, k, factors[0], address, lda, factors[1], result_address, max(1, m))
    other = operands.kind.xp.swapaxes(result, -1, -2)
    # The sum makes +0 of the imaginary part -0 of a conjugate, and changes nothing else.
    return operands.kind.xp.where(operands.kind.tri(m, result), result, other.conj() + complex(-0.0, 0.0) if hermitian else other)


def operation(name: str, word: str) -> str:
    if not isinstance(word, str):
        raise TypeError(f'argument {name} = {word!r} is of type {type(word).__name__}: expected "N", "T" or "C"')
    if word.upper() not in ("N", "T", "C"):
        raise ArgumentError(f'argument {name} = "{word}" is not a transposition: expected "N", "T" or "C"')
    return word.upper()


def op_shape(array: Any, op: str) -> tuple[int, ...]:
    shape = tuple(array.shape)
    return shape if op == "N" else (*shape[:-2], shape[-1], shape[-2])


def column(view: View) -> View:
    """A vector as a matrix with one column."""
    return View(view.address, (*view.shape, 1), (*view.strides, 1), view.owner)


def product_shape(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of the product of two stacks of matrices."""
    if a[-1] != b[-2]:
        raise ArgumentError(f"the matrices are {shape_text(a)} and {shape_text(b)}: expected as many columns of the first as rows of the second")
    try:
        return (*numpy.broadcast_shapes(a[:-2], b[:-2]), a[-2], b[-1])
    except ValueError:
        raise ArgumentError(f"the stacks of matrices are {shape_text(a)} and {shape_text(b)}: their first dimensions do not broadcast") from None


def staged(out: Any, shape: tuple[int, ...]) -> bool:
    """Whether a call computes in other memory than `out`, because a matrix of a stack may miss the target after other matrices are written."""
    return out is not None and len(shape) > 2 and _library.target.get() != 0


def prepared(operands: Operands, out: Any, shape: tuple[int, ...], beta: complex, name: str, added: Any, **read: Any) -> tuple[Any, Any]:
    """The array in which a result is computed, and the one that is returned. If beta is not 0, the first holds the array that is added."""
    if beta == 0:
        target = operands.result(out, shape, **read)
        return (operands.empty(shape) if staged(out, shape) else target), target
    if added is None:
        raise ArgumentError(f"argument {name} is missing: beta = {beta} needs it")
    try:
        fits = numpy.broadcast_shapes(tuple(added.shape), shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise ArgumentError(f"argument {name} is {shape_text(tuple(added.shape))}: expected {shape_text(shape)}")
    if out is None:
        result = operands.copy(added, shape)
        return result, result
    target = operands.result(out, shape, **read)
    return (target if target is added and not staged(out, shape) else operands.copy(added, shape)), target


def delivered(operands: Operands, result: Any, target: Any) -> Any:
    """The array that a call returns, with its result. A call that fails does not come here, and leaves `out` as it was."""
    if result is not target:
        if operands.device is not None and _library.target.get() != 0:  # the call may miss the target while it runs on the device
            _library.context().call("sync")
        operands.kind.array(target)[...] = result
    return target


def multiply(operands: Operands, alpha: complex, a: Any, op_a: str, b: Any, op_b: str, beta: complex, result: View) -> None:
    """result = alpha op(A) op(B) + beta result for stacks of matrices."""
    if not operands.complex:
        op_a, op_b = op_a.replace("C", "T"), op_b.replace("C", "T")
    factors = operands.factor("alpha", alpha), operands.factor("beta", beta)
    view_a, view_b, batch = operands.view(a), operands.view(b), stack(result)
    sizes = (*result.shape[-2:], a.shape[-1] if op_a == "N" else a.shape[-2])
    layouts: list[Any] = [stored(view_a, op_a), stored(view_b, op_b), stored(result, "N")]
    if None not in layouts and layouts[2][0] == api.NO_TRANS:
        multiply_stored(operands, factors, [view_a, view_b, result], layouts, sizes)
        return
    # The routine that takes all strides does not conjugate: this makes the only copy.
    views = [transposed(operands.view(array.conj()) if op == "C" else view, op) for array, op, view in ((a, op_a, view_a), (b, op_b, view_b))]
    views = [*(broadcast(view, batch) for view in views), result]
    for addresses in matrices(views, operands.size, batch):
        (a_address, a_strides), (b_address, b_strides), (c_address, c_strides) = zip(addresses, (view.strides[-2:] for view in views))
        operands.call(f"{operands.letter}gemm_strided", *sizes, factors[0], a_address, *a_strides, b_address, *b_strides, factors[1], c_address, *c_strides)


def multiply_stored(operands: Operands, factors: tuple, views: list[View], layouts: list, sizes: tuple[int, ...]) -> None:
    """Products of matrices that BLAS can read. The matrices along the last dimension of the stacks are one batch."""
    (trans_a, lda), (trans_b, ldb), (_, ldc) = layouts
    start = (api.ROW_MAJOR, trans_a, trans_b, *sizes, factors[0])
    batch = stack(views[2])
    if not batch:
        a, b, c = (view.address for view in views)
        operands.call(f"{operands.letter}gemm", *start, a, lda, b, ldb, factors[1], c, ldc)
        return
    views = collapsed([broadcast(view, batch) for view in views])
    *outer, count = stack(views[0])
    stride_a, stride_b, stride_c = (view.strides[-3] for view in views)
    for a, b, c in matrices(views, operands.size, tuple(outer)):
        operands.call(f"{operands.letter}gemm_strided_batched", *start, a, lda, stride_a, b, ldb, stride_b, factors[1], c, ldc, stride_c, count)
