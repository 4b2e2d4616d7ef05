"""The routines of accublas-compare: what a call of each is given, and the product of real matrices that its result is judged by."""

import ctypes

import numpy as np

from accublas_calls import Reference, UsageError, address, address_of_scalar, leading_dimension, size

UPLO = {"upper": 121, "lower": 122}
NON_UNIT, UNIT, LEFT = 131, 132, 141
COL_MAJOR, NO_TRANS = 102, 111

OF_ONE = ("syrk", "herk")  # a matrix times its own transpose
SYMMETRIC = ("symm", "hemm")
TRIANGULAR = ("trmm", "trsm")
LEVEL3 = (*OF_ONE, *SYMMETRIC, *TRIANGULAR)
ROUTINES = ("gemm", "gemv", "dot", *LEVEL3)


def rows_of_components(a):
    """A as a real matrix whose product with columns_of_components(B) is that of A and B: Re above Im."""
    if not np.iscomplexobj(a):
        return a
    return np.asfortranarray(np.block([[a.real, -a.imag], [a.imag, a.real]]))


def columns_of_components(b):
    return np.asfortranarray(np.concatenate([b.real, b.imag])) if np.iscomplexobj(b) else b


class Call:
    """One routine on a user's operands, with alpha = 1 and beta = 0: C = A B, of A the triangle that the routine reads; for OF_ONE
    b is None. left and right are real, of Re and Im where the matrices are complex: the result, judged by its components, is left
    right, or of trsm the X with left X = right."""

    def __init__(self, op, a, b, uplo="lower", unit=False):
        self.op, self.a, self.b, self.uplo, self.unit = op, a, b, uplo, unit
        whole = self._whole()
        other = b if b is not None else whole.conj().T if op == "herk" else whole.T
        self.left, self.right = rows_of_components(whole), columns_of_components(np.asfortranarray(other))
        self.shape = whole.shape[0], other.shape[1]
        self.terms = whole.shape[1]

    @property
    def complex(self):
        return np.iscomplexobj(self.a)

    def _whole(self):
        """A with what the routine takes for the triangle that it does not read."""
        if self.op not in SYMMETRIC + TRIANGULAR:
            return self.a
        triangle, below = (np.tril, -1) if self.uplo == "lower" else (np.triu, 1)
        if self.op in TRIANGULAR:
            whole = triangle(self.a)
            if self.unit:
                np.fill_diagonal(whole, 1)
        else:
            other = triangle(self.a, below).T
            whole = triangle(self.a) + (other.conj() if self.op == "hemm" else other)
            if self.op == "hemm":
                np.fill_diagonal(whole, whole.diagonal().real)
        return np.asfortranarray(whole)

    def start(self):
        """Returns the array that the call overwrites."""
        return self.b.copy(order="F") if self.op in TRIANGULAR else np.full(self.shape, np.nan, dtype=self.a.dtype, order="F")

    def run(self, library, c):
        """Runs the call, which writes into c, an array from start()."""
        if self.op not in LEVEL3:
            return library.run(self.op, self.a, self.b, 0.0, c)
        a, (m, n), uplo = self.a, self.shape, UPLO[self.uplo]
        real = self.op == "herk"
        one, zero = address_of_scalar(1, a.dtype, real), address_of_scalar(0, a.dtype, real)
        matrix = lambda x: (address(x), leading_dimension(x))
        if self.op in OF_ONE:
            arguments = [uplo, NO_TRANS, size(n), size(self.terms), one, *matrix(a), zero, *matrix(c)]
        elif self.op in SYMMETRIC:
            arguments = [LEFT, uplo, size(m), size(n), one, *matrix(a), *matrix(self.b), zero, *matrix(c)]
        else:
            arguments = [LEFT, uplo, NO_TRANS, UNIT if self.unit else NON_UNIT, size(m), size(n), one, *matrix(a), *matrix(c)]
        library.call(self.op, a.dtype, COL_MAJOR, *arguments)

    def components(self, c):
        """A result as left right has it: Re above Im, a triangle with its mirror image."""
        if self.op in OF_ONE:
            triangle, below = (np.tril, -1) if self.uplo == "lower" else (np.triu, 1)
            other = triangle(c, below).T
            outside = ~triangle(np.ones(c.shape, dtype=bool))
            c = np.where(outside, other.conj() if self.op == "herk" else other, c)
        return columns_of_components(np.asfortranarray(c))

    def reference(self, library):
        if self.op == "trsm":
            return Solution(library, self)
        op = "gemm" if self.op in LEVEL3 else "gemv" if self.complex and self.op == "dot" else self.op
        return Reference(library, op, self.left, self.right)


class Solution(Reference):
    """The exact X of trsm, as a sum of arrays: cr's unknowns, and corrections of what they leave of B, each of which is an exact
    residual, rounded once. Errors are X - C, to some units of their own last places, and residuals over abs(A) abs(C)."""

    SETTLED = 2.0**-20  # a correction that much below the last place of the unknowns ends the sum
    ROUNDS = 60

    def __init__(self, library, call):
        self.library, self.op, self.call, self.a, self.right = library, "gemm", call, call.left, call.right
        self.parts, limits = [self._solve(self.right)], np.finfo(self.right.dtype)
        for _ in range(self.ROUNDS):
            if not np.isfinite(self.parts[-1]).all():
                raise UsageError("the triangle of A is singular, or the solution leaves the range of numbers: no error can be judged")
            part = -self._solve(self._residual(self.parts))
            self.parts.append(part)
            self.value = -self._less(np.zeros_like(part))
            if ((np.abs(part) <= self.SETTLED * limits.eps * np.abs(self.value)) | (np.abs(part) < limits.tiny)).all():
                break
        else:
            raise UsageError("the triangle of A is so ill-conditioned that its exact solution is not found")
        self.b, self.scale = self.value, self._magnitudes(self.value)

    def _solve(self, right):
        """cr's solution, of and in components."""
        half = right.shape[0] // 2
        b = right[:half] + 1j * right[half:] if self.call.complex else right
        call = Call("trsm", self.call.a, np.asfortranarray(b, dtype=self.call.a.dtype), self.call.uplo, self.call.unit)
        self.library.set_mode("gemm", "cr")
        x = call.start()
        call.run(self.library, x)
        return call.components(x)

    def _residual(self, parts):
        """A (the sum of the parts) - B, exact but for one rounding."""
        self.library.set_mode("gemm", "cr")
        result = self.right.copy(order="F")
        self.library.run("gemm", np.asfortranarray(np.tile(self.a, len(parts))), np.asfortranarray(np.concatenate(parts)), -1.0, result)
        return result

    def _magnitudes(self, x):
        """abs(A) abs(x)."""
        self.library.set_mode("gemm", "cr")
        result = np.zeros_like(x, order="F")
        self.library.run("gemm", np.abs(self.a), np.abs(x), 0.0, result)
        return result

    def _less(self, c):
        """c - X: what is near is subtracted first, without rounding."""
        with np.errstate(all="ignore"):
            result = c - self.parts[0]
            for part in self.parts[1:]:
                result = result - part
        return np.asfortranarray(result)

    def errors(self, c, rng):
        residual, scale = (self._residual([c]), self._magnitudes(c)) if np.isfinite(c).all() else (c, self.scale)
        relative, _ = self.errors_of(c, self._less(c), self.scale)
        _, scaled = self.errors_of(c, residual, scale)
        return relative.max(), float(np.median(relative)), scaled.max()
