"""Batches of GEMM and GEMM3M under every name of the drop-in, compared with the oracle bit by bit in the modes that define bits.

usage: batches_test.py LIBACCUBLAS_BLAS LIBACCUBLAS
"""
import ctypes
import itertools
import sys
import unittest
from pathlib import Path

import numpy as np

TEST = Path(__file__).resolve().parents[1]
sys.path += [str(TEST / "oracle"), str(TEST.parent / "c_api")]
import batches  # noqa: E402
import cases  # noqa: E402
import expected  # noqa: E402
import generate  # noqa: E402
import worker  # noqa: E402
from binding import TYPES  # noqa: E402
from placement import COL, CONJ, NO, ROW, TRANS  # noqa: E402
from values import COMPLEX, DTYPE, words  # noqa: E402

DROP_IN, LIBRARY = (ctypes.CDLL(path) for path in sys.argv[1:3])
MODES = {"d": "dp:repro", "z": "dp:repro", "s": "sp:repro", "c": "sp:repro"}
LETTERS = {NO: b"N", TRANS: b"t", CONJ: b"C"}
WORK = 2500  # terms of a case


def modes(prefix):
    return "cr", "dot2", "fixed:37", "slices:3", "slices:2:fast", MODES[prefix]


def set_mode(word):
    if LIBRARY.accublas_set_mode_name(None, word.encode()) != 0:
        raise ValueError(word)


def number(prefix, value):
    parts = (value.real, value.imag) if prefix in COMPLEX else (value,)
    return TYPES[prefix](*parts)


def array(c_type, values):
    return (c_type * max(len(values), 1))(*values)


class Operands:
    """A case's operands, and the pointers to its matrices."""

    def __init__(self, case):
        self.case = case
        self.buffers = [case.buffers[0], case.buffers[1], case.buffers[2].copy()]
        self.first = [buffer.ctypes.data + offset * buffer.itemsize for buffer, offset in zip(self.buffers, case.offsets)]

    def pointers(self, operand):
        step = self.case.strides[operand] * self.buffers[operand].itemsize
        return [self.first[operand] + i * step for i in range(self.case.a.shape[0])]

    def mismatch(self):
        return worker.compare(self.case, words(self.buffers[2]).reshape(-1), expected.expected_bits(self.case)[0])


class Names:
    """The drop-in's names in one spelling."""

    def __init__(self, spelling):
        self.spelling = spelling
        self.integer = ctypes.c_int32 if spelling["Int"].endswith("32_t") else ctypes.c_int64

    def f77(self, routine, *arguments):
        """Everything that is not a pointer or an array already is passed by address."""
        function = getattr(DROP_IN, f"{self.spelling['prefix']}{routine}{self.spelling['f77']}")
        function.restype = None
        passed = [self.integer(x) if isinstance(x, int) else x for x in arguments]
        function(*(x if isinstance(x, (ctypes.Array, ctypes.c_void_p, bytes)) else ctypes.byref(x) for x in passed))

    def cblas(self, routine, layout, *arguments):
        """Complex factors, which are arrays, are passed by address."""
        function = getattr(DROP_IN, f"{self.spelling['prefix']}cblas_{routine}{self.spelling['cblas']}")
        function.restype = None
        function(ctypes.c_int(layout), *(self.integer(x) if isinstance(x, int) else x for x in arguments))


SPELLINGS = list(map(Names, generate.spellings()))


class Batches(unittest.TestCase):
    def expect_same(self, operands, name):
        self.assertIsNone(operands.mismatch(), f"{name}: {operands.case.describe()}")

    def made(self, prefix, mode, function):
        """Cases of one function without end."""
        for i in itertools.count():
            case = batches.make(f"{prefix}gemm_batched:{mode}:{i}", prefix, mode, WORK)
            if case.function == function:
                yield case

    def test_strided(self):
        spellings = itertools.cycle(SPELLINGS)
        for prefix in "dszc":
            for mode in modes(prefix):
                set_mode(mode)
                for case in itertools.islice(self.made(prefix, mode, "gemm_strided_batched"), 6):
                    layout, ta, tb, *sizes = case.arguments
                    name = f"{prefix}gemm_batch_strided"
                    for spelling in itertools.islice(spellings, 2):
                        o = Operands(case)
                        pointers = dict(zip("ABC", map(ctypes.c_void_p, o.first)))
                        rest = [pointers[x] if isinstance(x, str) else number(prefix, x) if isinstance(x, (float, complex)) else int(x)
                                for x in sizes]
                        spelling.cblas(name, layout, ctypes.c_int(ta), ctypes.c_int(tb), *rest)
                        self.expect_same(o, name)
                        if layout == COL:
                            f77 = Operands(case)
                            rest = [ctypes.c_void_p(f77.first["ABC".index(x)]) if isinstance(x, str) else y for x, y in zip(sizes, rest)]
                            spelling.f77(name, LETTERS[ta], LETTERS[tb], *rest)
                            self.expect_same(f77, name)

    def call_groups(self, spelling, prefix, layout, all_operands, cblas):
        """One call for the batches as groups, between them a group without matrices and one whose matrices have no elements."""
        integer, c_type = spelling.integer, TYPES[prefix]
        groups = [(o.case.arguments, o.case.a.shape[0], [o.pointers(i) for i in range(3)]) for o in all_operands]
        good = groups[0][0]
        groups.insert(1, (good, 0, [[]] * 3))
        groups.insert(2, (good[:3] + [0] + good[4:], 2, [[None] * 2] * 3))
        arguments, counts, pointers = zip(*groups)
        columns = [[one[i] for one in arguments] for i in range(14)]
        _, ta, tb, m, n, k, alpha, _, lda, _, ldb, beta, _, ldc = columns
        integers = lambda values: array(integer, list(map(int, values)))  # noqa: E731
        if cblas:
            transposes = [array(ctypes.c_int, ta), array(ctypes.c_int, tb)]
        else:
            transposes = [b"".join(LETTERS[t] for t in trans) for trans in (ta, tb)]
        factors = [array(c_type, [number(prefix, x) for x in values]) for values in (alpha, beta)]
        a, b, c = (array(ctypes.c_void_p, sum((one[i] for one in pointers), [])) for i in range(3))
        passed = [*transposes, integers(m), integers(n), integers(k), factors[0], a, integers(lda), b, integers(ldb), factors[1], c,
                  integers(ldc), len(groups), integers(counts)]
        if cblas:
            spelling.cblas(f"{prefix}gemm_batch", layout, *passed)
        else:
            spelling.f77(f"{prefix}gemm_batch", *passed)

    def test_groups(self):
        spellings = itertools.cycle(SPELLINGS)
        for prefix in "dszc":
            for mode in modes(prefix):
                set_mode(mode)
                for layout, cblas in ((COL, True), (ROW, True), (COL, False)):
                    chosen = (case for case in self.made(prefix, mode, "gemm_batched") if case.arguments[0] == layout)
                    all_operands = [Operands(case) for case in itertools.islice(chosen, 3)]
                    self.call_groups(next(spellings), prefix, layout, all_operands, cblas)
                    for o in all_operands:
                        self.expect_same(o, f"{prefix}gemm_batch")

    def test_no_groups(self):
        nothing = ctypes.c_void_p()
        for spelling in SPELLINGS:
            for prefix in "dszc":
                spelling.cblas(f"{prefix}gemm_batch", COL, *[nothing] * 13, 0, nothing)
                spelling.cblas(f"{prefix}gemm_batch", ROW, *[nothing] * 13, 0, nothing)
                spelling.f77(f"{prefix}gemm_batch", *[nothing] * 13, 0, nothing)

    def test_nothing_to_compute(self):
        """A product without terms scales C, and neither an empty matrix nor an empty batch has a C."""
        for prefix, mode in itertools.product("dszc", ("cr", "native")):
            set_mode(mode)
            one, c = number(prefix, 1.0), np.full(8, 3, DTYPE[prefix])
            half, nothing, at_c = number(prefix, 0.5), ctypes.c_void_p(), ctypes.c_void_p(c.ctypes.data)
            for m, count in ((2, 0), (0, 2)):
                SPELLINGS[0].f77(f"{prefix}gemm_batch_strided", b"N", b"N", m, 2, 2, one, nothing, 2, 4, nothing, 2, 4, half, nothing, 2, 4, count)
            SPELLINGS[0].f77(f"{prefix}gemm_batch_strided", b"N", b"N", 2, 2, 0, one, nothing, 2, 0, nothing, 1, 0, half, at_c, 2, 4, 2)
            self.assertEqual(c.tolist(), [1.5] * 8)

    def test_gemm3m(self):
        spellings = itertools.cycle(SPELLINGS)
        for prefix in COMPLEX:
            for mode in modes(prefix):
                set_mode(mode)
                for i in range(12):
                    case = cases.make_gemm(f"{prefix}gemm:{mode}:3m{i}", prefix, mode, mode=mode, work=WORK)
                    if case.function != "gemm" or case.null_operands:
                        continue
                    layout, ta, tb, *sizes = case.arguments
                    for cblas in [True] + [False] * (layout == COL):
                        o = Operands(case)
                        pointers = dict(zip("ABC", map(ctypes.c_void_p, o.first)))
                        rest = [pointers[x] if isinstance(x, str) else number(prefix, x) if isinstance(x, (float, complex)) else int(x)
                                for x in sizes]
                        if cblas:
                            next(spellings).cblas(f"{prefix}gemm3m", layout, ctypes.c_int(ta), ctypes.c_int(tb), *rest)
                        else:
                            next(spellings).f77(f"{prefix}gemm3m", LETTERS[ta], LETTERS[tb], *rest)
                        self.expect_same(o, f"{prefix}gemm3m")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
