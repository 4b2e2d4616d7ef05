"""accublas: a BLAS that states how accurate its answer is and keeps its word.

The functions take arrays of NumPy, CuPy, PyTorch and JAX. Each has an argument `mode`, which names the accuracy: ``"cr"`` is the exact result, rounded once.

>>> import accublas
>>> with accublas.mode("cr"):
...     accublas.matmul([[1e16, 1.0, -1e16]], [[1.0], [1.0], [1.0]])
array([[1.]])
"""

from . import _library, mp, quad
from .accumulators import Accumulator, column_exponents, row_exponents
from .errors import (
    AccuracyError,
    ArgumentError,
    DeviceError,
    EngineError,
    EnvironmentVariableError,
    Error,
    FormatError,
    InternalError,
    LinAlgError,
    ModeError,
    NoBlasError,
    NoDeviceError,
    NotCertifiedError,
    OutOfMemoryError,
    PointersError,
    PrecisionError,
    UnavailableError,
    UndecidedError,
    UndefinedResultError,
)
from .products import gemm, gemv, matmul, syrk
from .settings import Report, mode, report, set_target, sync
from .solvers import (
    Certificate,
    CertifiedEigenvalues,
    CertifiedSingularValues,
    CertifiedSolution,
    cholesky,
    eigh_certified,
    lu_factor,
    lu_solve,
    qr,
    solve,
    solve_certified,
    svd_certified,
)
from .vectors import dot, norm, vdot

_library.library()  # a library that cannot be loaded is an ImportError here

__all__ = [
    "AccuracyError",
    "Accumulator",
    "ArgumentError",
    "Certificate",
    "CertifiedEigenvalues",
    "CertifiedSingularValues",
    "CertifiedSolution",
    "DeviceError",
    "EngineError",
    "EnvironmentVariableError",
    "Error",
    "FormatError",
    "InternalError",
    "LinAlgError",
    "ModeError",
    "NoBlasError",
    "NoDeviceError",
    "NotCertifiedError",
    "OutOfMemoryError",
    "PointersError",
    "PrecisionError",
    "Report",
    "UnavailableError",
    "UndecidedError",
    "UndefinedResultError",
    "cholesky",
    "column_exponents",
    "dot",
    "eigh_certified",
    "gemm",
    "gemv",
    "lu_factor",
    "lu_solve",
    "matmul",
    "mode",
    "mp",
    "norm",
    "qr",
    "quad",
    "report",
    "row_exponents",
    "set_target",
    "solve",
    "solve_certified",
    "svd_certified",
    "sync",
    "syrk",
    "vdot",
]
