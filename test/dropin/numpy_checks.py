"""Runs inside a Python whose BLAS is covered by the preloaded drop-in: NumPy's products against direct calls of accublas.

usage: numpy_checks.py LIBACCUBLAS MODE
"""
import ctypes
import os
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np

C_API = Path(__file__).resolve().parents[2] / "c_api"
sys.path.append(str(C_API))
from structs import structure  # noqa: E402

LIBRARY = ctypes.CDLL(sys.argv[1])
MODE = sys.argv[2]
Counter = structure(C_API.parent / "include" / "accublas.h", "accublas_counter_t")
COL_MAJOR, NO_TRANS = 102, 111


def calls():
    """Calls by routine."""
    rows, count = (Counter * 64)(), ctypes.c_size_t()
    assert LIBRARY.accublas_counters(rows, 64, ctypes.byref(count)) == 0
    sums = {}
    for row in rows[:count.value]:
        sums[row.routine.decode()] = sums.get(row.routine.decode(), 0) + row.calls
    return sums


def direct(a, b):
    """a @ b by the C interface, on column-major copies and the context's mode."""
    letter, real = ("d", ctypes.c_double) if a.dtype == np.float64 else ("s", ctypes.c_float)
    a, b = np.asfortranarray(a), np.asfortranarray(b)
    c = np.full((a.shape[0], b.shape[1]), np.nan, a.dtype, order="F")
    one, zero, size = real(1), real(0), ctypes.c_int64
    pointer = lambda x: x.ctypes.data_as(ctypes.c_void_p)
    status = getattr(LIBRARY, f"accublas_{letter}gemm")(
        None, COL_MAJOR, NO_TRANS, NO_TRANS, size(a.shape[0]), size(b.shape[1]), size(a.shape[1]), ctypes.byref(one),
        pointer(a), size(max(1, a.shape[0])), pointer(b), size(max(1, a.shape[1])), ctypes.byref(zero), pointer(c),
        size(max(1, a.shape[0])))
    assert status == 0, status
    return c


def exact(row, column, dtype):
    """The correctly rounded inner product (Python's division of integers rounds correctly, to double)."""
    total = sum(Fraction(float(x)) * Fraction(float(y)) for x, y in zip(row, column))
    value = total.numerator / total.denominator
    if dtype == np.float32:  # avoid rounding twice: sampled data keep clear of single's halfway cases, or it would differ
        return np.float32(value)
    return value


def exact_complex(row, column, dtype):
    """Both components of the inner product, each correctly rounded."""
    re = exact(np.concatenate([row.real, -row.imag]), np.concatenate([column.real, column.imag]), dtype)
    im = exact(np.concatenate([row.real, row.imag]), np.concatenate([column.imag, column.real]), dtype)
    return complex(re, im)


def complex_vectors(rng, n, dtype):
    """Two of them."""
    return [(wide(rng, n, dtype) + 1j * wide(rng, n, dtype)).astype(np.result_type(dtype, np.complex64)) for _ in range(2)]


def check_complex(rng):
    for dtype, letter in ((np.float64, "z"), (np.float32, "c")):
        x, y = complex_vectors(rng, 80, dtype)
        matrix = np.stack([x, y, x + y])
        for routine, product, rows in (("dotu", lambda: np.dot(x, y), [x]), ("dotc", lambda: np.vdot(x, y), [np.conj(x)]),
                                       ("dotu", lambda: np.dot(x[::-2], y[1::2]), [x[::-2]]),
                                       ("gemv", lambda: matrix @ y, matrix)):
            before = calls().get(letter + routine, 0)
            result = np.atleast_1d(product())
            if calls().get(letter + routine, 0) != before + 1:
                raise SystemExit(f"{letter}{routine} was not intercepted: {calls()}")
            column = y[1::2] if rows[0].size == 40 else y
            wanted = np.array([exact_complex(row, column, dtype) for row in rows])
            if not (np.array_equal(result, wanted) if MODE == "cr" else np.allclose(result, wanted, rtol=1e-3)):
                raise SystemExit(f"{letter}{routine}: {result}, not {wanted}")


def check_exceptions(rng, dtype):
    """NumPy's errors for products, which it learns from the flags (matmul asks for them in every version)."""
    inf, most = np.inf, np.finfo(dtype).max
    with np.errstate(all="raise"):
        a = wide(rng, (40, 30), dtype)
        for b in (a.T, a[0], np.asfortranarray(a.T)):
            a @ b
        for kind, rows, column in (("invalid", [1, 1], [-inf, inf]), ("invalid", [0, 1], [inf, 1]), ("overflow", [most, most], [1, 1])):
            x, y = np.array(rows, dtype), np.array(column, dtype)
            for product in (lambda: x @ y, lambda: np.stack([x, x, x]) @ y, lambda: np.stack([x, x]) @ np.stack([y, y, y], axis=1)):
                try:
                    product()
                except FloatingPointError as error:
                    assert kind in str(error), error
                else:
                    raise SystemExit(f"no error for {rows} @ {column}: {kind}")
        np.array([inf, np.nan], dtype) @ np.array([0, 1], dtype)


def wide(rng, shape, dtype):
    return ((rng.random(shape) - 0.5) * np.exp(4 * rng.standard_normal(shape))).astype(dtype)


def expect(name, got, want):
    same = got.shape == want.shape and np.array_equal(
        np.ascontiguousarray(got).view(np.uint8), np.ascontiguousarray(want).view(np.uint8))
    if not same and MODE in ("native", "dp"):  # another orientation may sum in another order
        same = got.shape == want.shape and np.allclose(got, want, rtol=1e-3 if got.dtype == np.float32 else 1e-9)
    if not same:
        raise SystemExit(f"{name}: NumPy's product is not the one of accublas:\n{got}\n{want}")


def is_accublas(file):
    """Whether a library of the process is accublas's or depends on it, wherever it lies and whatever its name: its handle leads to
    the library's functions."""
    return hasattr(ctypes.CDLL(file, mode=os.RTLD_NOLOAD | os.RTLD_LAZY), "accublas_version")


def print_libraries():
    """The BLAS libraries in the process, accublas's own aside, a line each."""
    with open("/proc/self/maps") as maps:
        files = {line.split(maxsplit=5)[5].strip() for line in maps if "/" in line}
    print(*sorted(file for file in files if "blas" in file.rpartition("/")[2] and not is_accublas(file)), sep="\n")


def main():
    rng = np.random.default_rng(7)
    for dtype, letter in ((np.float64, "d"), (np.float32, "s")):
        big = wide(rng, (90, 80), dtype)
        other = wide(rng, (80, 70), dtype)
        layouts = {
            "C C": (big, other),
            "F C": (np.asfortranarray(big), other),
            "C F": (big, np.asfortranarray(other)),
            "F F": (np.asfortranarray(big), np.asfortranarray(other)),
            "rows": (big[10:57], other),
            "columns": (big[:, 3:41], other[20:58]),
            "block": (big[5:50, 7:29], other[11:33, 2:19]),
            "transposed block": (big[7:29, 5:50].T, other[11:33, 2:19]),
            "both transposed": (big[:70].T, wide(rng, (65, 70), dtype).T),
            "every second row": (big[::2], other),
        }
        for name, (a, b) in layouts.items():
            before = calls().get(letter + "gemm", 0)
            c = a @ b
            if calls().get(letter + "gemm", 0) != before + 1:
                raise SystemExit(f"{name} {letter}: A @ B was not intercepted: {calls()}")
            expect(f"{name} {letter}", c, direct(a, b))
            if MODE == "cr":
                for i, j in ((0, 0), (3, 5), (c.shape[0] - 1, c.shape[1] - 1)):
                    assert c[i, j] == exact(a[i], b[:, j], dtype), (name, i, j)
        for name, (a, x) in {"C": (big, other[:, 0].copy()), "F": (np.asfortranarray(big), other[:, 1].copy()),
                             "strided x": (big, other[:, 2])}.items():
            before = calls().get(letter + "gemv", 0)
            y = a @ x
            if calls().get(letter + "gemv", 0) != before + 1:
                raise SystemExit(f"matrix-vector {name} {letter} was not intercepted: {calls()}")
            if MODE == "cr":
                assert all(y[i] == exact(a[i], x, dtype) for i in (0, 17, 89)), name
        for name, (x, y) in {"plain": (big[3].copy(), other[:, 0].copy()), "strided": (big[:80, 4], other[:, 5]),
                             "backwards": (big[4][::-1], other[:, 0].copy())}.items():
            before = calls().get(letter + "dot", 0)
            d = np.dot(x, y)
            if calls().get(letter + "dot", 0) != before + 1:
                raise SystemExit(f"dot {name} {letter} was not intercepted: {calls()}")
            if MODE == "cr":
                assert d == exact(x, y, dtype), name
        # A @ A.T is dsyrk.
        before = calls().get(letter + "gemm", 0)
        square = big[:40, :40] + 50 * np.eye(40, dtype=dtype)
        symmetric = square @ square.T
        assert calls().get(letter + "gemm", 0) == before
        assert np.allclose(symmetric, direct(square, square.T.copy()), rtol=1e-3)
        if MODE not in ("native", "dp"):
            check_exceptions(rng, dtype)
    check_complex(rng)
    solution = np.linalg.solve(np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([3.0, 5.0]))
    assert np.allclose(solution, [0.8, 1.4])
    print("ok")
    print_libraries()


if __name__ == "__main__":
    main()
