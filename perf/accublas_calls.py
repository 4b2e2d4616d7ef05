"""Code that accublas-compare and the laboratory share: the library's calls on NumPy arrays, random inputs, and the exact
result that errors are measured against."""

import ctypes
import os
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np

from accublas_structs import accublas_report_t

COL_MAJOR, NO_TRANS = 102, 111
SPOT_CHECKS = 5
PREFIX = {np.dtype(np.float64): "d", np.dtype(np.float32): "s", np.dtype(np.complex128): "z", np.dtype(np.complex64): "c"}
DTYPE = {prefix: dtype.type for dtype, prefix in PREFIX.items()}
CALLS = ["create", "device_count", "last_error", "report", "set_backend", "set_engine_name", "set_family_mode_name",
         "set_num_threads", "set_report_level"]
BACKENDS = {"cpu": 1, "cuda": 2}


class UsageError(Exception):
    """The user's input cannot be used; the message is one line."""


def one_line(text):
    """Any text, file names that are no text included, in a form that can be printed on one line."""
    return " ".join(str(text).encode(errors="backslashreplace").decode().split())


def require_address_space(rows, columns, dtype):
    """MemoryError for an array that NumPy would refuse by another name."""
    if rows * columns * np.dtype(dtype).itemsize > sys.maxsize:
        raise MemoryError(f"a matrix of {rows} x {columns}")


def find_library(here):
    """ACCUBLAS_LIBRARY, else beside the folder `here` of a program in a build tree or an installation, else the system's."""
    places = [here.parent / "c_api", *sorted(here.parent.glob("lib*")), *sorted(here.parent.glob("lib*/*-linux-gnu"))]
    found = [str(p / "libaccublas.so.0") for p in places if (p / "libaccublas.so.0").exists()]
    name = os.environ.get("ACCUBLAS_LIBRARY") or (found + ["libaccublas.so.0"])[0]
    try:
        library = ctypes.CDLL(name)
    except (OSError, UnicodeDecodeError) as error:  # the latter from ctypes, of a name that is no text
        raise UsageError(f"cannot load {name}: {error}; ACCUBLAS_LIBRARY may name the library") from None
    if not all(hasattr(library, f"accublas_{call}") for call in CALLS):
        raise UsageError(f"{name} is no accublas of this version; ACCUBLAS_LIBRARY may name the library")
    return library


size = ctypes.c_int64


def address(array):
    return ctypes.c_void_p(array.ctypes.data)


def leading_dimension(array):
    return size(max(1, array.shape[0]))


def address_of_scalar(value, dtype, real=False):
    """A factor of the type of a routine's numbers, or of their components."""
    kind = ctypes.c_double if np.finfo(dtype).bits == 64 else ctypes.c_float
    return ctypes.byref(kind(value) if real or np.dtype(dtype).kind != "c" else (kind * 2)(value, 0))


class Library:
    """The few calls of accublas that a comparison needs, for column-major arrays; `here` is the folder of the program
    (find_library)."""

    def __init__(self, precision, threads, here):
        self.lib = find_library(here)
        self.lib.accublas_last_error.restype = ctypes.c_char_p
        self.single = precision in "sc"
        self.context = ctypes.c_void_p()
        self.check(self.lib.accublas_create(ctypes.byref(self.context)))
        self.check(self.lib.accublas_set_report_level(self.context, 1))
        self.check(self.lib.accublas_set_num_threads(self.context, ctypes.c_int32(threads)))

    def check(self, status):
        if status:
            raise UsageError(self.lib.accublas_last_error(self.context).decode(errors="backslashreplace"))

    def set_mode(self, op, word):
        """By family, so that a word which the routine lacks is an error."""
        family = {"dot": 2, "gemv": 3}.get(op, int(self.single))
        self.check(self.lib.accublas_set_family_mode_name(self.context, ctypes.c_int32(family), os.fsencode(word)))

    def set_engine(self, name):
        self.check(self.lib.accublas_set_engine_name(self.context, os.fsencode(name)))

    def set_backend(self, name):
        self.check(self.lib.accublas_set_backend(self.context, ctypes.c_int32(BACKENDS[name])))

    def has_device(self):
        count = ctypes.c_int32()
        self.check(self.lib.accublas_device_count(ctypes.byref(count)))
        return count.value > 0

    def call(self, op, dtype, *arguments):
        self.check(getattr(self.lib, f"accublas_{PREFIX[np.dtype(dtype)]}{op}")(self.context, *arguments))

    def run(self, op, a, b, beta, c):
        """c = a b + beta c in place; shapes m x k, k x n, m x n, column-major (dot, gemv: n = 1)."""
        m, k = a.shape
        n = b.shape[1]
        one, scale = address_of_scalar(1, c.dtype), address_of_scalar(beta, c.dtype)
        if op == "gemm":
            self.call(op, c.dtype, COL_MAJOR, NO_TRANS, NO_TRANS, size(m), size(n), size(k), one, address(a), leading_dimension(a),
                      address(b), leading_dimension(b), scale, address(c), leading_dimension(c))
        elif op == "gemv":
            self.call(op, c.dtype, COL_MAJOR, NO_TRANS, size(m), size(k), one, address(a), leading_dimension(a), address(b), size(1),
                      scale, address(c), size(1))
        else:
            dot = "dotu" if c.dtype.kind == "c" else "dot"
            self.call(dot, c.dtype, size(k), address(a), size(1), address(b), size(1), address(c))

    def report(self):
        report = accublas_report_t(struct_size=ctypes.sizeof(accublas_report_t))
        self.check(self.lib.accublas_report(self.context, ctypes.byref(report)))
        return report


def random_matrix(rng, shape, phi, dtype):
    """The seeds' input: (rand - 0.5) exp(phi randn), complex numbers of two such."""
    if np.dtype(dtype).kind == "c":
        real, imaginary = (random_matrix(rng, shape, phi, np.finfo(dtype).dtype) for _ in range(2))
        return np.asfortranarray(real + 1j * imaginary, dtype=dtype)
    with np.errstate(over="ignore"):
        values = (rng.random(shape) - 0.5) * np.exp(phi * rng.standard_normal(shape))
        return np.asfortranarray(values, dtype=dtype)


class Reference:
    """The exact result: cr's values, and for any C the difference exact - C, rounded once."""

    def __init__(self, library, op, a, b):
        self.library, self.op, self.a, self.b = library, op, a, b
        self.value = np.zeros((a.shape[0], b.shape[1]), dtype=a.dtype, order="F")
        library.set_mode(op, "cr")
        library.run(op, a, b, 0.0, self.value)
        absolute = np.zeros_like(self.value, order="F")
        library.run(op, np.abs(a), np.abs(b), 0.0, absolute)
        self.scale = absolute

    def difference(self, c):
        """exact - c as correctly rounded entries (dot has no beta: it runs as a GEMM of one element)."""
        op = "gemm" if self.op == "dot" else self.op
        self.library.set_mode(op, "cr")
        result = c.copy(order="F")
        self.library.run(op, self.a, self.b, -1.0, result)
        return result

    def spot_check(self, c, difference, rng):
        """Entries of `difference` against rational arithmetic; a mismatch is a defect of accublas."""
        finite = np.isfinite(self.a).all() and np.isfinite(self.b).all()
        for _ in range(SPOT_CHECKS if finite else 0):
            i, j = rng.integers(c.shape[0]), rng.integers(c.shape[1])
            if not np.isfinite(c[i, j]):
                continue
            exact = sum(Fraction(float(x)) * Fraction(float(y)) for x, y in zip(self.a[i], self.b[:, j]) if x and y)
            wanted = exact - Fraction(float(c[i, j]))
            if c.dtype == np.float64 and abs(wanted) < Fraction(2) ** 1023 and float(wanted) != difference[i, j]:
                raise RuntimeError(f"the correctly rounded difference at ({i}, {j}) is {difference[i, j]!r}, "
                                   f"not {float(wanted)!r}: please report this")

    def errors(self, c, rng):
        """Largest and median relative error, largest error over u (abs(A) abs(B))."""
        difference = self.difference(c)
        self.spot_check(c, difference, rng)
        relative, scaled = self.errors_of(c, difference, self.scale)
        return relative.max(), float(np.median(relative)), scaled.max()

    def errors_of(self, c, difference, scale):
        """Returns the errors of every entry."""
        u = 2.0 ** (-53 if c.dtype == np.float64 else -24)
        with np.errstate(all="ignore"):
            absolute = np.abs(difference.astype(np.float64))
            relative = np.where(absolute == 0, 0.0, absolute / np.abs(self.value.astype(np.float64)))
            scaled = np.where(absolute == 0, 0.0, absolute / (u * scale.astype(np.float64)))
        same_special = ~np.isfinite(self.value) & ((c == self.value) | (np.isnan(c) & np.isnan(self.value)))
        relative[same_special] = scaled[same_special] = 0.0
        return (np.where(np.isnan(errors), np.inf, errors) for errors in (relative, scaled))
