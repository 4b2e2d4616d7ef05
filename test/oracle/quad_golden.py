"""Seeded cases of products beyond double precision for golden.py, and their checksums by the oracle and by the library."""

import ctypes
import hashlib
import sys
from ctypes import byref, c_void_p

import quad
from binding import ENGINES, INITIAL_OPTIONS, SIGNATURES, Options
from quad import ONE, ZERO, element, number, result, to_bytes, value
from quad_data import (
    COL_MAJOR, KINDS, LEFT, LOWER, NON_UNIT, NO_TRANS, ROW_MAJOR, TRANS, UPPER, Memory, cancelling, matrix, rng, scalar, stored, transposed)

ROUTINES = ("qgemm", "ddgemm", "qgemv", "ddgemv", "qdot", "dddot", "qnrm2", "qsyrk", "qtrsm")
SMALL = [f"{routine}:{kind}:golden" for routine in ROUTINES for kind in KINDS]
LARGE = [f"{routine}:{kind}:golden-large" for routine in ("qgemm", "ddgemm") for kind in ("uniform", "band", "wide", "ties", "special", "cancel")]


class Case:
    """A call, the memory of its result, and what the oracle says of it."""

    def __init__(self, name):
        self.routine, kind, size = name.split(":")
        rng.seed(f"accublas {name}")
        self.form = "w" if self.routine.startswith("dd") else "q"
        getattr(self, self.routine[1 + (self.form == "w"):])(kind, size.endswith("large"))

    def factors(self):
        return [result(rng.choice((ONE, number(-3), number(5, -2))), self.form) for _ in range(2)]

    def elements(self, a, b, c, alpha, beta):
        """Rows of alpha A B + beta C."""
        rows, columns = ([[value(x, self.form) for x in row] for row in part] for part in (a, transposed(b)))
        factors = value(alpha, self.form), value(beta, self.form)
        return [[element(factors[0], row, column, factors[1], value(old, self.form), self.form) for column, old in zip(columns, line)] for row, line in zip(rows, c)]

    def gemm(self, kind, large):
        m, n, k = (37, 41, 90) if large else (6, 5, 7)
        a, b = cancelling(m, n, k, self.form, "band") if kind == "cancel" else (matrix(m, k, self.form, kind), matrix(k, n, self.form, kind))
        c, (alpha, beta) = matrix(m, n, self.form, "band"), self.factors()
        (ma, lda), (mb, ldb), (self.memory, ldc) = stored(a, self.form, ROW_MAJOR), stored(b, self.form, ROW_MAJOR, TRANS), stored(c, self.form, ROW_MAJOR)
        self.keep = ma, mb
        self.given = (ROW_MAJOR, NO_TRANS, TRANS, m, n, k, scalar(alpha, self.form), ma.address(), lda, mb.address(), ldb, scalar(beta, self.form),
                      self.memory.address(), ldc)
        self.expected = lambda: self.elements(a, b, c, alpha, beta)

    def gemv(self, kind, _):
        a, x, y, (alpha, beta) = matrix(9, 11, self.form, kind), matrix(11, 1, self.form, kind), matrix(9, 1, self.form, "band"), self.factors()
        (ma, lda), mx, self.memory = stored(a, self.form, COL_MAJOR), Memory(x, self.form, 2, 0), Memory(y, self.form, -1, 0)
        self.keep = ma, mx
        self.given = (COL_MAJOR, NO_TRANS, 9, 11, scalar(alpha, self.form), ma.address(), lda, mx.address(), 2, scalar(beta, self.form), self.memory.address(), -1)
        self.expected = lambda: self.elements(a, x, y, alpha, beta)

    def dot(self, kind, _):
        x, y = matrix(50, 1, self.form, kind), matrix(50, 1, self.form, kind)
        mx, my, self.memory = Memory(x, self.form, 1, 0), Memory(y, self.form, -1, 0), Memory([[result(ONE, self.form)]], self.form, 1, 1)
        self.keep = mx, my
        self.given = (50, mx.address(), 1, my.address(), -1, self.memory.address())
        self.expected = lambda: self.elements(transposed(x), y, [[result(ZERO, self.form)]], result(ONE, self.form), result(ZERO, self.form))

    def nrm2(self, kind, _):
        x = matrix(50, 1, "q", kind)
        self.keep, self.memory = Memory(x, "q", 1, 0), Memory([[ONE]], "q", 1, 1)
        self.given = (50, self.keep.address(), 1, self.memory.address())
        self.expected = lambda: [[quad.norm([row[0] for row in x])]]

    def syrk(self, kind, _):
        a, c, (alpha, beta) = matrix(7, 8, "q", kind), matrix(7, 7, "q", "band"), self.factors()
        (self.keep, lda), (self.memory, ldc) = stored(a, "q", COL_MAJOR), stored(c, "q", COL_MAJOR)
        self.given = (COL_MAJOR, LOWER, NO_TRANS, 7, 8, scalar(alpha, "q"), self.keep.address(), lda, scalar(beta, "q"), self.memory.address(), ldc)

        def expected():
            whole = self.elements(a, transposed(a), c, alpha, beta)
            return [[whole[i][j] if i >= j else c[i][j] for j in range(7)] for i in range(7)]

        self.expected = expected

    def trsm(self, kind, _):
        a, b, (alpha, _) = matrix(6, 6, "q", kind), matrix(6, 4, "q", kind), self.factors()
        (self.keep, lda), (self.memory, ldb) = stored(a, "q", COL_MAJOR), stored(b, "q", COL_MAJOR)
        self.given = (COL_MAJOR, LEFT, UPPER, NO_TRANS, NON_UNIT, 6, 4, scalar(alpha, "q"), self.keep.address(), lda, self.memory.address(), ldb)
        self.expected = lambda: quad.solve(True, False, alpha, a, b)

    def digest(self, elements):
        """SHA-256 of elements, row by row, each number little endian."""
        words = [raw[at:at + size] for raw in elements for size in [16 if self.form == "q" else 8] for at in range(0, 16, size)]
        return hashlib.sha256(b"".join(word[::-1] if sys.byteorder == "big" else word for word in words)).hexdigest()

    def by_oracle(self):
        return self.digest([to_bytes(x, self.form) for row in self.expected() for x in row])

    def by_library(self, library, engine):
        """The checksum of the library's result, or a message."""
        options = Options(ctypes.sizeof(Options), *INITIAL_OPTIONS)
        options.engine = ENGINES[engine]
        function = getattr(library, f"accublas_{self.routine}_ex")
        function.argtypes = [c_void_p, *SIGNATURES[self.routine], ctypes.POINTER(Options)]
        if status := function(None, *self.given, byref(options)):
            return f"status {status}"
        return self.digest([self.memory.get(i, j) for i in range(self.memory.m) for j in range(self.memory.n)])


def by_oracle(names):
    return {name: Case(name).by_oracle() for name in names}


def wrong_in_library(path, golden):
    """The calls of which the library's checksum is another one, and the number of calls."""
    library, calls = ctypes.CDLL(path), [(name, engine) for name in SMALL + LARGE for engine in ("auto", "int8", "sums")]
    return [f"{name} by {engine}" for name, engine in calls if Case(name).by_library(library, engine) != golden[name]], len(calls)
