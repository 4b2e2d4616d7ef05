"""accublas through ctypes: the C interface of c_api/accublas.h, written out again but for its structs."""

import ctypes
import sys
from ctypes import POINTER, byref, c_char_p, c_double, c_float, c_int32, c_int64, c_size_t, c_void_p
from pathlib import Path

C_API = Path(__file__).resolve().parents[2] / "c_api"
sys.path.append(str(C_API))
from structs import structure  # noqa: E402
from values import COMPLEX  # noqa: E402

HEADER = C_API / "accublas.h"

STATUS_ENGINE = 3
STATUS_ACCURACY = 6


Options = structure(HEADER, "accublas_options")
Report = structure(HEADER, "accublas_report_t")
ENGINES = {"auto": 0, "native": 1, "int8": 2, "fp64": 3, "fp16": 4, "dot2": 5, "sums": 6,
           "multiword": 7}
TYPES = {"d": c_double, "s": c_float, "z": c_double * 2, "c": c_float * 2}


def signatures():
    """Arguments after the context of the _ex form of each function; scalars by address."""
    p, i, e = c_void_p, c_int64, c_int32
    dot, norm, ger = [i, p, i, p, i, p], [i, p, i, p], [e, i, i, p, p, i, p, i, p, i]
    return {"dot": dot, "dotu": dot, "dotc": dot, "nrm2": norm, "asum": norm,
            "gemv": [e, e, i, i, p, p, i, p, i, p, p, i],
            "gemv_strided": [i, i, p, p, i, i, p, i, p, p, i],
            "gemm": [e, e, e, i, i, i, p, p, i, p, i, p, p, i],
            "gemm_strided": [i, i, i, p, p, i, i, p, i, i, p, p, i, i],
            "symm": [e, e, e, i, i, p, p, i, p, i, p, p, i], "hemm": [e, e, e, i, i, p, p, i, p, i, p, p, i],
            "syrk": [e, e, e, i, i, p, p, i, p, p, i], "herk": [e, e, e, i, i, p, p, i, p, p, i],
            "syr2k": [e, e, e, i, i, p, p, i, p, i, p, p, i], "her2k": [e, e, e, i, i, p, p, i, p, i, p, p, i],
            "trmm": [e, e, e, e, e, i, i, p, p, i, p, i], "trsm": [e, e, e, e, e, i, i, p, p, i, p, i],
            "symv": [e, e, i, p, p, i, p, i, p, p, i], "hemv": [e, e, i, p, p, i, p, i, p, p, i],
            "trmv": [e, e, e, e, i, p, i, p, i], "trsv": [e, e, e, e, i, p, i, p, i],
            "ger": ger, "geru": ger, "gerc": ger, "syr": [e, e, i, p, p, i, p, i], "her": [e, e, i, p, p, i, p, i],
            "syr2": [e, e, *ger[2:]], "her2": [e, e, *ger[2:]], "sdot": dot, "dsdot": [i, p, p, i, p, i, p],
            "potrf": [e, e, i, p, i, p], "potrs": [e, e, i, i, p, i, p, i], "posv": [e, e, i, i, p, i, p, i, p],
            "getrf": [e, i, i, p, i, p, p], "getrs": [e, e, i, i, p, i, p, p, i], "gesv": [e, i, i, p, i, p, p, i, p],
            "trtri": [e, e, e, i, p, i, p], "lauum": [e, e, i, p, i], "potri": [e, e, i, p, i, p], "getri": [e, i, p, i, p, p],
            "geqrf": [e, i, i, p, i, p], "gels": [e, e, i, i, i, p, i, p, i, p],
            "orgqr": [e, i, i, i, p, i, p], "ungqr": [e, i, i, i, p, i, p],
            "ormqr": [e, e, e, i, i, i, p, i, p, p, i], "unmqr": [e, e, e, i, i, i, p, i, p, p, i],
            "gemmt": [e, e, e, e, i, i, p, p, i, p, i, p, p, i],
            "gemm_batched": [e, e, e, i, i, i, p, p, i, p, i, p, p, i, i],
            "gemm_strided_batched": [e, e, e, i, i, i, p, p, i, i, p, i, i, p, p, i, i, i]}


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
            found.argtypes = [c_void_p] + SIGNATURES[function] + [POINTER(Options)]
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

    def call(self, function, prefix, arguments, mode, engine="auto", threads=0, workspace=-1):
        """Runs function ("gemm", "gemv_strided", ...) with the C arguments in order; alpha and beta are Python floats
        or complex numbers. Returns the status."""
        options = Options(ctypes.sizeof(Options), mode.encode(), 0, 0, 0, -1, -1, ENGINES[engine], threads, -1, -1.0,
                          workspace)
        converted = []
        for value in arguments:
            if isinstance(value, (float, complex)):
                parts = (value.real, value.imag) if prefix in COMPLEX else (value,)
                value = byref(TYPES[prefix](*parts))
            converted.append(value)
        return self._function(prefix, function)(self.context, *converted, byref(options))
