"""The floating-point exceptions of docs/modes.md: the definitions add to `raised` what their results signal, and the
library's flags are read around a call."""

import contextlib
import ctypes
import math
import platform

raised = set()

# Values of <fenv.h>, where they are known.
MASKS = {
    "x86_64": {"invalid": 1, "division by zero": 4, "overflow": 8},
    "aarch64": {"invalid": 1, "division by zero": 2, "overflow": 4},
}.get(platform.machine(), {})


class Made(float):
    """A NaN that was made of operands that hold none."""


MADE = Made("nan")


def is_nan_operand(x):
    return x != x and not isinstance(x, Made)


def special(value, any_nan):
    """An infinity or a NaN of terms that are not all finite; any_nan says whether an operand is NaN."""
    if value != value and not any_nan:
        raised.add("invalid")
    return float(value)


def rounded(value):
    """A rounded number, whose exact value is finite."""
    if math.isinf(value):
        raised.add("overflow")
    return value


@contextlib.contextmanager
def discarded():
    """Inside, nothing is raised."""
    before = set(raised)
    yield
    raised.clear()
    raised.update(before)


class Flags:
    """The flags that calls of a library raise."""

    def __init__(self):
        self.libm = ctypes.CDLL("libm.so.6") if MASKS else None
        self.all = sum(MASKS.values())

    def clear(self):
        if self.libm:
            self.libm.feclearexcept(self.all)

    def read(self):
        """The exceptions since clear(), or None where they cannot be read."""
        if not self.libm:
            return None
        bits = self.libm.fetestexcept(self.all)
        return {name for name, mask in MASKS.items() if bits & mask}
