"""Operands of cuBLAS's routines as functions of row and column, and a call with its arguments and what it is to leave."""
import ctypes
import math
import struct

from exact_memory import HostMemory
from exact_numbers import ZERO, add, cadd, cmul, conj, dyadic, exact, quotient, times

N, T, C = 0, 1, 2
LOWER, UPPER, LEFT, RIGHT, UNIT = 0, 1, 0, 1, 1
TYPE = {"S": 0, "D": 1, "C": 4, "Z": 5}  # CUDA_R_32F ...
COMPUTE = {"S": 68, "D": 70, "C": 68, "Z": 70}  # CUBLAS_COMPUTE_32F, 64F


def get(array, at, op=N):
    z = exact(array[at])
    return conj(z) if op == C else z


def matrix(array, ld, op):
    """op(A) as a function of row and column."""
    return (lambda i, j: get(array, i + j * ld)) if op == N else (lambda i, j: get(array, j + i * ld, op))


def triangle(array, ld, uplo, op=N, unit=False):
    """op of a triangular matrix: an element, None where there is no term."""
    whole = matrix(array, ld, op)
    upper = (uplo == UPPER) == (op == N)

    def at(i, j):
        if i == j:
            return (dyadic(1.0), (0, 0)) if unit else whole(i, i)
        return whole(i, j) if (i < j) == upper else None

    return at, not upper


def symmetric(array, ld, uplo, hermitian):
    def at(i, j):
        if i == j and hermitian:
            return exact((array[i + i * ld][0], 0.0))
        if (i <= j) == (uplo == UPPER) or i == j:
            return get(array, i + j * ld)
        return get(array, j + i * ld, C if hermitian else T)
    return at


def total(terms):
    value = ZERO
    for x, y in terms:
        if x is not None and y is not None:
            value = cadd(value, cmul(x, y))
    return value


def solved(case, at, forward, order, alpha, b):
    """x of at x = alpha b, unknown by unknown; None beyond the range."""
    x = [None] * order
    for i in range(order) if forward else reversed(range(order)):
        y = cmul(alpha, b[i])
        y = cadd(y, cmul(exact((-1.0, 0.0)), total((at(i, j), exact(x[j])) for j in range(order) if x[j] is not None)))
        d = at(i, i)
        if case.complex:
            y, d = cmul(y, conj(d)), add(times(d[0], d[0]), times(d[1], d[1]))
        else:
            d = d[0]
        x[i] = quotient(y[0], d, case.single), quotient(y[1], d, case.single) if case.complex else 0.0
        if not all(map(math.isfinite, x[i])):
            return None
    return x


def vector(n, inc):
    """Places of its elements."""
    return [i * inc if inc > 0 else (i - n + 1) * inc for i in range(n)]


class Call:
    """A case's arguments in cuBLAS's order, what it is to leave in `c`, and where that begins."""

    def __init__(self, case):
        self.case, self.arguments, self.c, self.expected = case, [], None, None
        self.factors_on_device = case.memory.on_device and case.rng.random() < 0.5

    def size(self, *values):
        self.arguments += [("size", v) for v in values]
        return self

    def word(self, *values):
        self.arguments += [("word", v) for v in values]
        return self

    def factor(self, z, real=False):
        data = self.case.pack([z])
        data = data[: len(data) // 2] if real and self.case.complex else data
        self.arguments.append(("factor", data))
        return self

    def array(self, numbers, ld=None, first=0):
        self.arguments.append(("array", (self.case.pack(numbers), first)))
        return self.size(ld) if ld is not None else self

    def result(self, numbers, ld=None, batch=None):
        self.c = numbers
        self.arguments.append(("result", (self.case.pack(numbers), batch)))
        return self.size(ld) if ld is not None else self

    def bytes_of(self):
        return len(self.case.pack([(0.0, 0.0)]))

    def run(self, function, handle, Int):
        host = HostMemory()
        memory = self.case.memory
        factors = memory if self.factors_on_device else host
        made, at = [handle], None
        for kind, value in self.arguments:
            if kind == "size":
                made.append(Int(value))
            elif kind == "long":
                made.append(ctypes.c_longlong(value))
            elif kind == "word":
                made.append(ctypes.c_int(value))
            elif kind == "factor":
                made.append(ctypes.c_void_p(factors.put(value)))
            elif kind == "array":
                made.append(ctypes.c_void_p(memory.put(value[0]) + value[1] * self.bytes_of()))
            elif kind == "arrays":
                data, places = value
                base = memory.put(data)
                made.append(ctypes.c_void_p(memory.put(struct.pack(f"{len(places)}Q", *(base + p * self.bytes_of() for p in places)))))
            elif kind == "number":
                at, source, length = factors.put(value), factors, len(value)
                made.append(ctypes.c_void_p(at))
            else:
                data, places = value
                at, source, length = memory.put(data), memory, len(data)
                made.append(ctypes.c_void_p(at if places is None else
                                            memory.put(struct.pack(f"{len(places)}Q", *(at + p * self.bytes_of() for p in places)))))
        status = function(*made)
        left = source.take(at, length)
        memory.clear()
        return status, left


def finish(case, call, places, value):
    """Puts value(i, j), exact, where places say."""
    call.expected = list(call.c)
    for index, at in places:
        call.expected[at] = case.round(value(*index))
    return call
