"""The exceptions of accublas, one class for each status of accublas.h that is a failure."""

from __future__ import annotations

import numpy

from . import _prototypes as api


class Error(RuntimeError):
    """A call failed. The message is the library's.

    Attributes
    ----------
    status : int
        The status of the call, as `accublas.h` numbers it. None if the Python package refused the call itself.
    """

    status: int | None = None


class ArgumentError(Error, ValueError):
    """An argument is wrong, and nothing was written. The message names it."""


class ModeError(Error, ValueError):
    """A word is not the name of a mode, or the routine lacks this mode."""


class EngineError(Error, ValueError):
    """The engine is unknown, or cannot compute the mode."""


class UnavailableError(Error):
    """This build or this device lacks what the call needs."""


class OutOfMemoryError(Error, MemoryError):
    """There is not enough memory. The results are as they were."""


class AccuracyError(Error):
    """The call cannot promise the accuracy target. The results are as they were."""


class PointersError(Error, ValueError):
    """Some operands are in host memory and some in device memory."""


class NoDeviceError(Error):
    """The call needs a GPU, and there is none."""


class DeviceError(Error):
    """The device or its runtime failed before a result was written."""


class UndefinedResultError(Error):
    """The call failed after it had begun to write the result."""


class EnvironmentVariableError(Error):
    """An environment variable of accublas has an invalid value or an unknown name."""


class NoBlasError(Error):
    """The call needs a real BLAS or LAPACK, and none could be loaded."""


class InternalError(Error):
    """There is a defect in accublas."""


class PrecisionError(Error, ValueError):
    """Multiple-precision operands have different precisions."""


class FormatError(Error, ValueError):
    """A string is not a number, or bytes are not an accumulator."""


class NotCertifiedError(Error):
    """No bound is proved. `solve_certified`, `eigh_certified` and `svd_certified` do not raise it: their radii are infinite."""


class UndecidedError(Error):
    """An accumulator has undecided elements: add all panels again, then finish again."""


class LinAlgError(Error, numpy.linalg.LinAlgError):
    """A matrix is singular, or is not positive definite.

    Attributes
    ----------
    info : int
        LAPACK's number: the row or column, counted from 1, in which the factorization stopped.
    """

    info: int = 0


CLASSES = {
    api.ERROR_ARGUMENT: ArgumentError,
    api.ERROR_MODE: ModeError,
    api.ERROR_ENGINE: EngineError,
    api.ERROR_UNAVAILABLE: UnavailableError,
    api.ERROR_MEMORY: OutOfMemoryError,
    api.ERROR_ACCURACY: AccuracyError,
    api.ERROR_POINTERS: PointersError,
    api.ERROR_NO_DEVICE: NoDeviceError,
    api.ERROR_DEVICE: DeviceError,
    api.ERROR_C_UNDEFINED: UndefinedResultError,
    api.ERROR_ENVIRONMENT: EnvironmentVariableError,
    api.ERROR_NO_BLAS: NoBlasError,
    api.ERROR_INTERNAL: InternalError,
    api.ERROR_PRECISION: PrecisionError,
    api.ERROR_FORMAT: FormatError,
    api.ERROR_NOT_CERTIFIED: NotCertifiedError,
    api.ERROR_UNDECIDED: UndecidedError,
}


def error(status: int, message: str) -> Error:
    """Returns the exception of a failed call."""
    made = CLASSES.get(status, Error)(message)
    made.status = status
    return made


def singular(info: int, message: str) -> LinAlgError:
    """Returns the exception of a factorization that stopped."""
    made = LinAlgError(message)
    made.info = info
    return made
