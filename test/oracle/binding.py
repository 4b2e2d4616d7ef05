"""accublas through ctypes. Structs come from include/accublas.h, signatures from the table of routines."""

import ctypes
import sys
from ctypes import POINTER, byref, c_char_p, c_double, c_float, c_int32, c_int64, c_size_t, c_void_p
from pathlib import Path

C_API = Path(__file__).resolve().parents[2] / "c_api"
sys.path.append(str(C_API))
from arguments import ENUM, LEADING, SIZE, VALUE  # noqa: E402
from routines import GROUPS  # noqa: E402
from structs import initial_options, structure  # noqa: E402
from values import COMPLEX  # noqa: E402

HEADER = C_API.parent / "include" / "accublas.h"

STATUS_ENGINE = 3
STATUS_ACCURACY = 6


Options = structure(HEADER, "accublas_options")
INITIAL_OPTIONS = initial_options(HEADER)
Report = structure(HEADER, "accublas_report_t")
ENGINES = {"auto": 0, "native": 1, "int8": 2, "fp64": 3, "fp16": 4, "dot2": 5, "sums": 6,
           "multiword": 7}
TYPES = {"d": c_double, "s": c_float, "z": c_double * 2, "c": c_float * 2}


def signatures():
    """Arguments after the context of the _ex form of each function; what is not passed by value is passed by address."""
    by_value = {ENUM: c_int32, SIZE: c_int64, LEADING: c_int64, VALUE: c_double}
    return {name: [by_value.get(argument.kind, c_void_p) for argument in row.signature()]
            for rows in GROUPS.values() for row in rows for name, _ in row.functions()}


SIGNATURES = signatures()


def device_count(path):
    """CUDA devices that the library can use."""
    count = c_int32()
    ctypes.CDLL(path).accublas_device_count(byref(count))
    return count.value


class Library:
    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        self.lib.accublas_last_error.restype = c_char_p
        self.lib.accublas_last_error.argtypes = [c_void_p]
        self.context = c_void_p()
        self._need(self.lib.accublas_create(byref(self.context)))
        self.lib.accublas_report.argtypes = [c_void_p, POINTER(Report)]
        self.lib.accublas_sync.argtypes = [c_void_p]

    def _function(self, prefix, function):
        if function in ("nrm2", "asum"):
            prefix = {"z": "dz", "c": "sc"}.get(prefix, prefix)
        found = getattr(self.lib, f"accublas_{prefix}{function}_ex")
        if found.argtypes is None:
            found.argtypes = [c_void_p] + SIGNATURES[prefix + function] + [POINTER(Options)]
            found.restype = c_int32
        return found

    def _need(self, status):
        if status:
            raise RuntimeError(f"accublas status {status}: {self.last_error()}")

    def last_error(self):
        return self.lib.accublas_last_error(self.context).decode()

    def set_workspace(self, buffer, size):
        self._need(self.lib.accublas_set_workspace(self.context, c_void_p(buffer), c_size_t(size)))

    def report(self):
        report = Report()
        report.struct_size = ctypes.sizeof(Report)
        self._need(self.lib.accublas_report(self.context, byref(report)))
        return report

    def sync(self):
        return self.lib.accublas_sync(self.context)

    def call(self, function, prefix, arguments, mode, flags=None, engine="auto", threads=0, workspace=-1):
        """Runs function ("gemm", "gemv_strided", ...) with the C arguments in order; alpha and beta are Python floats
        or complex numbers. Returns the status."""
        options = Options(ctypes.sizeof(Options), *INITIAL_OPTIONS)
        options.mode_name, options.engine, options.num_threads, options.workspace_bytes = mode.encode(), ENGINES[engine], threads, workspace
        converted = []
        for value in arguments:
            if isinstance(value, (float, complex)):
                parts = (value.real, value.imag) if prefix in COMPLEX else (value,)
                value = byref(TYPES[prefix](*parts))
            converted.append(value)
        call = self._function(prefix, function)
        if flags:
            flags.clear()
        return call(self.context, *converted, byref(options))
