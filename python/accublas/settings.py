"""Settings of calls, and reports on them: mode, set_target, report."""

from __future__ import annotations

import contextlib
import contextvars
import ctypes
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from . import _library
from . import _prototypes as api
from .errors import ArgumentError


class mode(contextlib.ContextDecorator):
    """Sets the mode of all calls in a block. It can be a decorator of a function, too, but not of a coroutine or a generator, which runs after the decorator's block.

    The block's mode holds in its own thread and asynchronous task. It wins over the environment, and the argument `mode` of a call wins over it. A routine that
    lacks the mode keeps the environment's.

    Parameters
    ----------
    word : str or None
        A mode word, such as ``"cr"``, ``"dp:repro"`` or ``"fixed:70"``. None is the mode of the environment.

    Raises
    ------
    ModeError
        If no routine has the mode.

    Examples
    --------
    >>> import accublas
    >>> with accublas.mode("cr"):
    ...     print(accublas.dot([1e16, 1.0, -1e16], [1.0, 1.0, 1.0]))
    1.0
    """

    def __init__(self, word: str | None) -> None:
        self.word = word
        self.tokens: list[contextvars.Token[str | None]] = []  # of the blocks that have begun

    def __enter__(self) -> None:
        self.tokens.append(_library.mode_word.set(self.word))
        try:
            _library.context()
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_: Any) -> None:
        """Sets the outer mode at once: the block may be that of a signal's handler, which interrupts a call between its settings and its computation."""
        _library.mode_word.reset(self.tokens.pop())
        _library.context()

    def _recreate_cm(self) -> mode:
        """The block of one call of a decorated function, which other threads may call meanwhile."""
        return mode(self.word)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError(f"{function.__name__} is a coroutine or a generator, which runs after the decorator's block: expected a with block inside it")
        return super().__call__(function)


def set_target(bound: float) -> None:
    """Sets an accuracy target: calls that cannot promise it raise AccuracyError.

    Parameters
    ----------
    bound : float
        Each element of a result c has to be within ``bound (abs(alpha) abs(A) abs(B) + abs(beta) abs(C))`` of the exact value, up to the `bound_absolute` of
        the report. For `solve` and the factorizations the target concerns the rounding of each step, as `report` says. 0 ends the target. It holds in its own thread and
        asynchronous task. For arrays in device memory `sync` may be what raises the error.

    Examples
    --------
    >>> import accublas
    >>> accublas.set_target(1e-30)
    >>> try:
    ...     accublas.matmul([[1.0]], [[2.0]], mode="dp")
    ... except accublas.AccuracyError:
    ...     print("dp cannot promise this")
    dp cannot promise this
    >>> accublas.set_target(0)
    """
    before = _library.target.get()
    _library.target.set(float(bound))
    try:
        _library.context()
    except ArgumentError:
        _library.target.set(before)
        raise


@dataclass(frozen=True)
class Report:
    """How the last call was computed. accublas.h says more about each field in the comments of accublas_report_t."""

    routine: str
    mode: str
    backend: str
    engine: str
    device: str
    reason: str
    m: int
    n: int
    k: int
    bits: int
    parts: int
    rejected: int
    undecided: int
    workspace_bytes: int
    copied_bytes: int
    ms_total: float
    ms_convert: float
    ms_product: float
    ms_reconstruct: float
    ms_exact: float
    bound_relative: float
    bound_componentwise: float
    bound_absolute: float
    threads: int
    level: int
    batch_count: int


def report() -> Report:
    """A report on the last call of this thread: its mode, engine, backend and error bound.

    Returns
    -------
    Report
        Each element of the result is within ``bound_relative abs(exact) + bound_componentwise (abs(alpha) abs(A) abs(B) + abs(beta) abs(C)) + bound_absolute``
        of the exact value. The bounds of `solve`, `cholesky`, `lu_factor` and `lu_solve` hold for each step: an element of a factor or of the solution against the
        exact value of its formula with the computed elements before it. They do not bound the error of the solution; `solve_certified` does.

    Notes
    -----
    `solve`, `qr` and others make several calls, for instance one for each matrix of a stack. The report is that of the last one.

    Examples
    --------
    >>> import accublas
    >>> _ = accublas.matmul([[1.0, 2.0]], [[3.0], [4.0]], mode="cr")
    >>> accublas.report().mode, accublas.report().bound_relative == 2.0**-53
    ('cr', True)
    """
    found = api.accublas_report_t(ctypes.sizeof(api.accublas_report_t))
    _library.context().call("report", ctypes.byref(found))
    values: list[Any] = [getattr(found, field.name) for field in fields(Report)]
    values = [value.decode() if isinstance(value, bytes) else value for value in values]
    return Report(*values)


def sync() -> None:
    """Waits for the calls of this thread on devices, and raises the first error of one of them."""
    _library.context().call("sync")
