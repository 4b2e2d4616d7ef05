"""Linear systems, eigenvalues, singular values and factorizations: solve, solve_certified, eigh_certified, svd_certified, cholesky, lu_factor, lu_solve,
qr. Stacks of matrices are solved one after the other."""

from __future__ import annotations

import ctypes
import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy

from . import _prototypes as api
from .arrays import REAL, Operands, matrices, shape_text
from .errors import ArgumentError, NotCertifiedError, singular


def solve(a: Any, b: Any, *, assume_a: str = "gen", mode: str | None = None) -> Any:
    """Solves A X = B.

    Parameters
    ----------
    a : array_like
        A square matrix, or a stack of them in the last two dimensions.
    b : array_like
        One right-hand side (a vector), or a matrix whose columns are right-hand sides, or a stack of such matrices. Stacks broadcast.
    assume_a : {"gen", "pos"}
        What A is. "gen": any matrix; LU with partial pivoting solves the system. "pos": Hermitian positive definite; Cholesky's factorization reads its
        lower triangle.
    mode : str, optional
        The mode of this call.

    Returns
    -------
    array
        X, with the shape of b (of the broadcast stack), an array of the operands' library in the operands' memory.

    Raises
    ------
    LinAlgError
        If A is singular, or is not positive definite.

    See Also
    --------
    solve_certified : the solution with proved error bounds.

    Examples
    --------
    >>> import accublas
    >>> accublas.solve([[2.0, 0.0], [0.0, 4.0]], [1.0, 1.0])
    array([0.5 , 0.25])
    """
    operands = Operands(a, b, mode=mode)
    system = System(*operands.arrays, assume_a)
    factor, x = operands.copy(operands.arrays[0], (*system.batch, system.n, system.n)), operands.copy(system.b, system.shape)
    info = ctypes.c_int64()
    for a_address, x_address in matrices([operands.view(factor), operands.view(x)], operands.size, system.batch):
        if assume_a == "pos":
            operands.call(f"{operands.letter}posv", api.ROW_MAJOR, api.LOWER, system.n, system.nrhs, a_address, max(1, system.n), x_address,
                          max(1, system.nrhs), ctypes.byref(info))  # fmt: skip
        else:
            pivots = operands.empty((system.n,), "int64")
            operands.call(f"{operands.letter}gesv", api.ROW_MAJOR, system.n, system.nrhs, a_address, max(1, system.n), operands.view(pivots).address, x_address,
                          max(1, system.nrhs), ctypes.byref(info))  # fmt: skip
        if info.value:
            what = f"the leading minor of order {info.value} is not positive" if assume_a == "pos" else f"pivot {info.value} is zero"
            raise singular(info.value, f"argument a cannot be factored: {what}")
    return system.solution(x)


REASONS = {
    api.REASON_NONE: "none",
    api.REASON_NOT_FINITE: "not finite",
    api.REASON_SINGULAR: "singular",
    api.REASON_ILL_CONDITIONED: "ill-conditioned",
    api.REASON_OVERFLOW: "overflow",
    api.REASON_NOT_ORTHOGONAL: "not orthogonal",
    api.REASON_INTERVAL: "interval",
}


@dataclass(frozen=True)
class Certificate:
    """How a solution, or eigenvalues, were certified.

    Attributes
    ----------
    reason : str
        "none" if all is proved, and then every radius is finite. Else why not: "not finite", "singular", "ill-conditioned", "overflow", "not
        orthogonal", or "interval": an eigenvalue is not proved to lie inside or outside of ``subset_by_value`` of `eigh_certified`.
    positive_definite : bool
        Whether A is proved to be positive definite (with ``assume_a="pos"``, and by `eigh_certified`).
    parts : int
        How many numbers held an element of the approximate inverse, or of the eigenvectors: 1 or 2, of `accublas.quad` 1, 2 or 4.
    iterations : int
        Steps of refinement.
    condition : float
        An estimate of the condition number of the scaled matrix; of eigenvectors, a bound of norm(A) / gap.
    contraction : float
        A proved bound of a norm of I - R A, for the approximate inverse R. Below 1 it proves A nonsingular. Of eigenvectors X, of I - X^H X.
    residual : float
        Of eigenvalues, a proved bound of the distance of every one from its approximation in the proof; else 0.
    gap : float
        Of eigenvalues, a proved lower bound of the distance between different clusters; else 0.
    """

    reason: str
    positive_definite: bool
    parts: int
    iterations: int
    condition: float
    contraction: float
    residual: float
    gap: float

    @classmethod
    def of(cls, found: Any) -> Certificate:
        return cls(REASONS[found.reason], bool(found.positive_definite), found.parts, found.iterations, found.condition, found.contraction, found.residual,
                   found.gap)  # fmt: skip


class CertifiedSolution(NamedTuple):
    """A solution, proved bounds of its errors, and how they were proved."""

    x: Any
    radii: Any
    certificate: Certificate


def solve_certified(a: Any, b: Any, *, assume_a: str = "gen", mode: str | None = None) -> CertifiedSolution:
    """Solves A X = B with a proved bound of every error: ``abs(x - exact) <= radii``.

    Parameters
    ----------
    a : array_like
        A square matrix.
    b : array_like
        One right-hand side (a vector), or a matrix whose columns are right-hand sides.
    assume_a : {"gen", "pos"}
        "pos" reads the lower triangle of a Hermitian A and also tries to prove that A is positive definite.
    mode : str, optional
        The mode of the factorization. The proof does not depend on it.

    Returns
    -------
    x : array
        X, with the shape of b.
    radii : array
        The bounds, with the shape and the type of x. For complex numbers the real parts bound the errors of real parts, and the imaginary parts those of
        imaginary parts. A radius is infinite if nothing is proved.
    certificate : Certificate
        How the solution was certified, and the reason of an infinite radius.

    Examples
    --------
    >>> import accublas, numpy
    >>> n = numpy.arange(8)
    >>> hilbert = 1 / (n[:, None] + n + 1.0)
    >>> x, radii, certificate = accublas.solve_certified(hilbert, numpy.ones(8))
    >>> bool((radii <= 2.0**-52 * abs(x)).all()), certificate.reason
    (True, 'none')
    """
    operands = Operands(a, b, mode=mode)
    system = System(*operands.arrays, assume_a)
    if system.batch:
        raise ArgumentError("arguments a and b are stacks of matrices: expected one system")
    n, nrhs = system.n, system.nrhs
    matrix, right = operands.copy(operands.arrays[0], (n, n)), operands.copy(system.b, system.shape)
    x, radii = operands.empty(system.shape), operands.empty(system.shape)
    found = api.accublas_certificate_t(ctypes.sizeof(api.accublas_certificate_t))
    triangle, name = ((api.LOWER,), "posv") if assume_a == "pos" else ((), "gesv")
    addresses = [operands.view(array).address for array in (right, x, radii)]
    columns = [number for address in addresses for number in (address, max(1, nrhs))]
    try:
        operands.call(f"{operands.letter}{name}_certified", api.ROW_MAJOR, *triangle, n, nrhs, operands.view(matrix).address, max(1, n), *columns,
                      ctypes.byref(found))  # fmt: skip
    except NotCertifiedError:
        pass  # the radii say it
    return CertifiedSolution(system.solution(x), system.solution(radii), Certificate.of(found))


class CertifiedEigenvalues(NamedTuple):
    """Eigenvalues, proved bounds of their errors, eigenvectors, proved bounds of their angles, clusters, and how all was proved."""

    w: Any
    radii: Any
    v: Any
    angles: Any
    clusters: Any
    certificate: Certificate


def eigh_certified(a: Any, b: Any = None, *, upper: bool = False, subset_by_index: Any = None, subset_by_value: Any = None,
                   mode: str | None = None) -> CertifiedEigenvalues:  # fmt: skip
    """The eigenvalues and eigenvectors of a Hermitian matrix with proved bounds: ``abs(w - exact) <= radii``.

    Parameters
    ----------
    a : array_like
        A Hermitian matrix, of which only the lower triangle is read (with `upper` only the upper one).
    b : array_like, optional
        A Hermitian positive definite matrix, read as `a` is. The eigenvalues are then those of A x = w B x, the columns of v have about x^H B x = 1, and
        angles are measured in that inner product. ``certificate.positive_definite`` says that B is proved to be positive definite.
    upper : bool
        Which triangle is read.
    subset_by_index : (int, int), optional
        The indices of the first and the last eigenvalue that are returned, counted from 0 for the smallest one, as in SciPy. Not with b and not with
        subset_by_value.
    subset_by_value : (float, float), optional
        The ends of a half-open interval: the eigenvalues w with ends[0] < w <= ends[1] are returned, as in SciPy, and their number is proved.
        If it cannot be proved, the reason in the certificate is "interval", and those that may lie in the interval are returned. Not with b and not
        with subset_by_index.
    mode : str, optional
        The mode of the refinement's products. The proof does not depend on it.

    Returns
    -------
    w, radii : array
        The eigenvalues in ascending order and the bounds of their errors. A radius is infinite if nothing is proved.
    v, angles : array
        The eigenvectors, a column for each, and bounds of the angles, in radians, to the exact eigenvectors of their clusters.
    clusters : array of int64
        For each eigenvalue the index, among all eigenvalues of the matrix, of the first one of its cluster. Eigenvalues of different clusters are
        proved to differ.
    certificate : Certificate
        How the eigenvalues were certified, and the reason of an infinite radius.

    Examples
    --------
    >>> import accublas
    >>> w, radii, v, angles, clusters, certificate = accublas.eigh_certified([[2.0, 1.0], [1.0, 2.0]])
    >>> bool((abs(w - [1, 3]) <= radii).all()), bool((radii < 1e-15).all()), clusters.tolist()
    (True, True, [0, 1])
    >>> accublas.eigh_certified([[2.0, 1.0], [1.0, 2.0]], subset_by_value=(2, 4)).w
    array([3.])
    """
    operands = Operands(a, mode=mode) if b is None else Operands(a, b, mode=mode)
    n = order(operands.arrays[0])
    if operands.arrays[0].ndim > 2:
        raise ArgumentError("argument a is a stack of matrices: expected one matrix")
    if any(tuple(array.shape) != (n, n) for array in operands.arrays):
        raise ArgumentError(f"argument b is {shape_text(tuple(operands.arrays[1].shape))}: expected {shape_text((n, n))}, the shape of argument a")
    matrices_read = [operands.copy(array, (n, n)) for array in operands.arrays]
    part = Part(n, subset_by_index, subset_by_value)
    if part.given and b is not None:
        raise ArgumentError("argument b is given with subset_by_index or subset_by_value: expected one of them")
    v = operands.empty((n, part.most))
    w, radii, angles = (operands.empty((part.most,), REAL[operands.dtype]) for _ in range(3))
    clusters = operands.empty((part.most,), "int64")
    found = api.accublas_certificate_t(ctypes.sizeof(api.accublas_certificate_t))
    count = ctypes.c_int64(part.most)
    read = [number for array in matrices_read for number in (operands.view(array).address, max(1, n))]
    address = [operands.view(array).address for array in (w, radii, v, angles, clusters)]
    name = ("he" if operands.complex else "sy") + ("gv" if b is not None else "evx" if part.given else "ev")
    which, limits = ([part.range], [*part.limits, ctypes.byref(count)]) if part.given else ([], [])
    try:
        operands.call(f"{operands.letter}{name}_certified", api.ROW_MAJOR, api.VECTORS, *which, api.UPPER if upper else api.LOWER, n, *read, *limits,
                      *address[:3], max(1, part.most), *address[3:], ctypes.byref(found))  # fmt: skip
    except NotCertifiedError:
        pass  # the certificate says it
    k = count.value
    return CertifiedEigenvalues(w[:k], radii[:k], v[:, :k], angles[:k], clusters[:k] - 1, Certificate.of(found))


class Part:
    """The eigenvalues that `eigh_certified` returns: at most `most`. `limits` are vl, vu, il and iu of the C interface."""

    def __init__(self, n: int, by_index: Any, by_value: Any) -> None:
        self.given = by_index is not None or by_value is not None
        self.range, self.limits, self.most = api.ALL, (0.0, 0.0, 1, n), n
        if by_index is not None and by_value is not None:
            raise ArgumentError("arguments subset_by_index and subset_by_value are both given: expected one of them")
        if by_index is not None:
            first, last = by_index
            if not 0 <= first <= last < n:
                raise ArgumentError(f"argument subset_by_index = ({first}, {last}): expected indices from 0 to {n - 1}, the smaller one first")
            self.range, self.limits, self.most = api.INDICES, (0.0, 0.0, first + 1, last + 1), last - first + 1
        if by_value is not None:
            low, high = map(float, by_value)
            if not low < high:
                raise ArgumentError(f"argument subset_by_value = ({low}, {high}): expected two numbers, the smaller one first")
            self.range, self.limits = api.INTERVAL, (low, high, 1, n)


class CertifiedSingularValues(NamedTuple):
    """Singular vectors and values, proved bounds of the errors and angles, clusters, and how all was proved."""

    u: Any
    s: Any
    vh: Any
    radii: Any
    angles: Any
    clusters: Any
    certificate: Certificate


def svd_certified(a: Any, *, mode: str | None = None) -> CertifiedSingularValues:
    """The singular values and vectors of a matrix with proved bounds: ``abs(s - exact) <= radii``.

    Parameters
    ----------
    a : array_like
        A matrix, m x n.
    mode : str, optional
        The mode of the refinement's products. The proof does not depend on it.

    Returns
    -------
    u, s, vh : array
        The k = min(m, n) singular values in descending order, the left singular vectors as columns of u, and the conjugates of the right ones as rows of vh:
        A is about ``(u * s) @ vh``.
    radii, angles : array
        Bounds of the errors of s, and of the angles, in radians, of both vectors to the exact vectors of their clusters. A radius is infinite if nothing is
        proved.
    clusters : array of int64
        For each singular value the index of the first one of its cluster: singular values of different clusters are proved to differ.
    certificate : Certificate
        How the singular values were certified, and the reason of an infinite radius.

    Examples
    --------
    >>> import accublas
    >>> u, s, vh, radii, angles, clusters, certificate = accublas.svd_certified([[3.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    >>> bool((abs(s - [3, 1]) <= radii).all()), bool((radii < 1e-15).all()), clusters.tolist()
    (True, True, [0, 1])
    """
    operands = Operands(a, mode=mode)
    shape = tuple(operands.arrays[0].shape)
    if len(shape) != 2:
        raise ArgumentError(f"argument a is {shape_text(shape)}: expected one matrix")
    m, n = shape
    k = min(m, n)
    matrix, u, vh = operands.copy(operands.arrays[0], shape), operands.empty((m, k)), operands.empty((k, n))
    s, radii, angles = (operands.empty((k,), REAL[operands.dtype]) for _ in range(3))
    clusters = operands.empty((k,), "int64")
    found = api.accublas_certificate_t(ctypes.sizeof(api.accublas_certificate_t))
    address = [operands.view(array).address for array in (matrix, s, radii, u, vh, angles, clusters)]
    try:
        operands.call(f"{operands.letter}gesvd_certified", api.ROW_MAJOR, api.VECTORS, m, n, address[0], max(1, n), *address[1:4], max(1, k), address[4],
                      max(1, n), *address[5:], ctypes.byref(found))  # fmt: skip
    except NotCertifiedError:
        pass  # the radii say it
    return CertifiedSingularValues(u, s, vh, radii, angles, clusters - 1, Certificate.of(found))


def cholesky(a: Any, *, upper: bool = False, mode: str | None = None) -> Any:
    """Cholesky's factor of a Hermitian positive definite matrix: A = L L^H, or A = U^H U.

    Parameters
    ----------
    a : array_like
        A square matrix, or a stack of them. Only the lower triangle is read (with `upper` only the upper one).
    upper : bool
        Whether U is returned instead of L.
    mode : str, optional
        The mode of this call.

    Returns
    -------
    array
        The factor, with zeros in the other triangle.

    Raises
    ------
    LinAlgError
        If a matrix is not positive definite.

    Examples
    --------
    >>> import accublas
    >>> accublas.cholesky([[4.0, 2.0], [2.0, 5.0]])
    array([[2., 0.],
           [1., 2.]])
    """
    operands = Operands(a, mode=mode)
    n = order(operands.arrays[0])
    factor = operands.copy(operands.arrays[0], tuple(operands.arrays[0].shape))
    info = ctypes.c_int64()
    for (address,) in matrices([operands.view(factor)], operands.size, tuple(factor.shape[:-2])):
        operands.call(f"{operands.letter}potrf", api.ROW_MAJOR, api.UPPER if upper else api.LOWER, n, address, max(1, n), ctypes.byref(info))
        if info.value:
            raise singular(info.value, f"argument a cannot be factored: the leading minor of order {info.value} is not positive")
    return (operands.kind.xp.triu if upper else operands.kind.xp.tril)(factor)


def lu_factor(a: Any, *, mode: str | None = None) -> tuple[Any, Any]:
    """The LU factorization P A = L U with partial pivoting.

    Parameters
    ----------
    a : array_like
        A matrix, m x n, or a stack of them.
    mode : str, optional
        The mode of this call.

    Returns
    -------
    lu : array
        U in the upper triangle, and L without its unit diagonal below.
    piv : array of int64
        Row i changed places with row piv[i], in this order and counted from 0, as in SciPy.

    Warns
    -----
    RuntimeWarning
        If a pivot is zero: U is then singular.

    Examples
    --------
    >>> import accublas
    >>> lu, piv = accublas.lu_factor([[1.0, 2.0], [4.0, 4.0]])
    >>> lu
    array([[4.  , 4.  ],
           [0.25, 1.  ]])
    >>> piv
    array([1, 1])
    """
    operands = Operands(a, mode=mode)
    (a,) = operands.arrays
    if a.ndim < 2:
        raise ArgumentError(f"argument a has {a.ndim} dimensions: expected at least 2")
    *batch, m, n = a.shape
    lu, pivots = operands.copy(a, tuple(a.shape)), operands.empty((*batch, min(m, n)), "int64")
    info = ctypes.c_int64()
    addresses = zip(matrices([operands.view(lu)], operands.size, tuple(batch)), rows(operands, pivots, 8))
    for (address,), pivot_address in addresses:
        operands.call(f"{operands.letter}getrf", api.ROW_MAJOR, m, n, address, max(1, n), pivot_address, ctypes.byref(info))
        if info.value:
            warnings.warn(f"pivot {info.value} of the LU factorization is zero", RuntimeWarning, stacklevel=2)
    return lu, pivots - 1


def lu_solve(lu_and_piv: tuple[Any, Any], b: Any, *, trans: str = "N", mode: str | None = None) -> Any:
    """Solves op(A) X = B with the factorization of one matrix by `lu_factor`.

    Parameters
    ----------
    lu_and_piv : tuple
        The result of `lu_factor` for a square matrix.
    b : array_like
        One right-hand side (a vector), or a matrix whose columns are right-hand sides.
    trans : {"N", "T", "C"}
        op: the matrix itself, its transpose, or its conjugate transpose.
    mode : str, optional
        The mode of this call.

    Returns
    -------
    array
        X, with the shape of b.

    Examples
    --------
    >>> import accublas
    >>> accublas.lu_solve(accublas.lu_factor([[1.0, 2.0], [4.0, 4.0]]), [3.0, 8.0])
    array([1., 1.])
    """
    from .products import operation

    lu, piv = lu_and_piv
    operands = Operands(lu, b, mode=mode)
    system = System(*operands.arrays, "gen")
    if system.batch:
        raise ArgumentError("arguments lu_and_piv and b are stacks of matrices: expected one system")
    factor, x = operands.copy(operands.arrays[0], (system.n, system.n)), operands.copy(system.b, system.shape)
    given = operands.kind.array(piv)
    if operands.kind.dtype(given).kind not in "iu":
        raise TypeError(f"the pivots are of type {operands.kind.dtype(given)}: expected integers")
    if tuple(given.shape) != (system.n,):
        raise ArgumentError(f"the pivots are {shape_text(tuple(given.shape))}: expected {system.n}, the order of the matrix")
    if system.n and not 0 <= int(given.min()) <= int(given.max()) < system.n:
        raise ArgumentError(f"the pivots are {int(given.min())} to {int(given.max())}: expected row numbers from 0 to {system.n - 1}")
    pivots = operands.kind.copy(given + 1, (system.n,), "int64")
    trans_code = {"N": api.NO_TRANS, "T": api.TRANS, "C": api.CONJ_TRANS}[operation("trans", trans)]
    operands.call(f"{operands.letter}getrs", api.ROW_MAJOR, trans_code, system.n, system.nrhs, operands.view(factor).address, max(1, system.n),
                  operands.view(pivots).address, operands.view(x).address, max(1, system.nrhs))  # fmt: skip
    return system.solution(x)


def qr(a: Any, *, full: bool = False, mode: str | None = None) -> tuple[Any, Any]:
    """The QR factorization A = Q R, where the columns of Q are orthonormal and R is upper triangular.

    Parameters
    ----------
    a : array_like
        A matrix, m x n, or a stack of them.
    full : bool
        Whether Q has all m columns, instead of min(m, n).
    mode : str, optional
        The mode of this call.

    Returns
    -------
    q, r : array
        Q and R.

    Examples
    --------
    >>> import accublas
    >>> q, r = accublas.qr([[3.0], [4.0]], mode="cr")
    >>> r
    array([[-5.]])
    """
    operands = Operands(a, mode=mode)
    (a,) = operands.arrays
    if a.ndim < 2:
        raise ArgumentError(f"argument a has {a.ndim} dimensions: expected at least 2")
    *batch, m, n = a.shape
    k = min(m, n)
    columns = m if full else k
    factored, tau = operands.copy(a, tuple(a.shape)), operands.empty((*batch, k))
    for (address,), tau_address in zip(matrices([operands.view(factored)], operands.size, tuple(batch)), rows(operands, tau, operands.size)):
        operands.call(f"{operands.letter}geqrf", api.ROW_MAJOR, m, n, address, max(1, n), tau_address)
    xp = operands.kind.xp
    r = xp.triu(factored)[..., :columns, :]
    # Q begins with the reflectors. The columns behind them are not read.
    reflectors = factored[..., :columns] if columns <= n else xp.concatenate([factored, operands.empty((*batch, m, columns - n))], -1)
    q = operands.copy(reflectors, (*batch, m, columns))
    name = operands.letter + ("ungqr" if operands.complex else "orgqr")
    for (address,), tau_address in zip(matrices([operands.view(q)], operands.size, tuple(batch)), rows(operands, tau, operands.size)):
        operands.call(name, api.ROW_MAJOR, m, columns, k, address, max(1, columns), tau_address)
    return q, r


def rows(operands: Operands, array: Any, size: int) -> list[int]:
    """The addresses of the last dimension of an array, for every index of the others."""
    view = operands.view(array)
    step = size * array.shape[-1]
    count = int(numpy.prod(array.shape[:-1]))
    return [view.address + i * step for i in range(count)]


def order(a: Any) -> int:
    """The order of square matrices."""
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ArgumentError(f"argument a is {shape_text(tuple(a.shape))}: expected a square matrix")
    return a.shape[-1]


class System:
    """The shapes of A X = B for a stack of systems. `shape` is that of X as matrices."""

    def __init__(self, a: Any, b: Any, assume_a: str) -> None:
        if assume_a not in ("gen", "pos"):
            raise ArgumentError(f'argument assume_a = "{assume_a}" is unknown: expected "gen" or "pos"')
        self.n = order(a)
        self.vector = b.ndim == 1
        if b.ndim == 0 or b.shape[-1 if self.vector else -2] != self.n:
            raise ArgumentError(f"argument b is {shape_text(tuple(b.shape))}: expected {self.n} rows, the order of a")
        self.b = b[:, None] if self.vector else b
        self.nrhs = self.b.shape[-1]
        try:
            self.batch = numpy.broadcast_shapes(tuple(a.shape[:-2]), tuple(self.b.shape[:-2]))
        except ValueError:
            raise ArgumentError(f"arguments a and b are {shape_text(tuple(a.shape))} and {shape_text(tuple(b.shape))}: their first dimensions do not broadcast") from None
        self.shape = (*self.batch, self.n, self.nrhs)

    def solution(self, x: Any) -> Any:
        """X in the shape of B."""
        return x[..., 0] if self.vector else x
