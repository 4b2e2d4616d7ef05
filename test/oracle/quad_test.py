"""Calls beyond double precision against quad.py, bit by bit: quad_test.py LIBRARY. With ACCUBLAS_TEST_MEMORY=managed a GPU computes."""

import ctypes
import platform
import re
import struct
import sys
import unittest
from ctypes import byref, c_void_p

import quad
from binding import ENGINES, INITIAL_OPTIONS, SIGNATURES, Options, Report
from quad import INF, NAN, ONE, ZERO, element, from_bytes, number, result, to_bytes, value
from quad_data import (
    COL_MAJOR, CONJ_TRANS, KINDS, LEFT, LOWER, MANAGED, NON_UNIT, NO_TRANS, RIGHT, ROW_MAJOR, TRANS, TYPES, UNIT, UPPER, Memory, at, cancelling, matrix, rng,
    scalar, stored, times, transposed)


class Quad(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lib = ctypes.CDLL(LIBRARY)
        cls.lib.accublas_last_error.restype = ctypes.c_char_p
        cls.context = c_void_p()
        assert cls.lib.accublas_create(byref(cls.context)) == 0

    def call(self, name, *arguments, status=0, **options):
        function = getattr(self.lib, f"accublas_{name}_ex")
        function.argtypes = [c_void_p, *SIGNATURES[name], ctypes.POINTER(Options)]
        given = Options(ctypes.sizeof(Options), *INITIAL_OPTIONS)
        for key, setting in options.items():
            setattr(given, key, setting)
        found = function(self.context, *arguments, byref(given))
        self.assertEqual(found, status, self.lib.accublas_last_error(self.context))

    def report(self):
        report = Report()
        report.struct_size = ctypes.sizeof(Report)
        self.assertEqual(self.lib.accublas_report(self.context, byref(report)), 0)
        return report

    def require_gpu(self):
        """The last call was computed where its operands were."""
        if MANAGED:
            self.assertEqual(self.report().backend, b"cuda")

    def compare(self, memory, expected, what):
        form = memory.form
        for i, row in enumerate(expected):
            for j, x in enumerate(row):
                if x is not None and memory.get(i, j) != to_bytes(x, form):
                    self.fail(f"{what}: element ({i}, {j}) is {memory.get(i, j).hex()} = {from_bytes(memory.get(i, j), form)}, not "
                              f"{to_bytes(x, form).hex()} = {x}")

    def product(self, forms, kind, m, n, k, engine="auto", cancel=False, wanted=None, mixed=False, **options):
        """One GEMM with random layout, transpositions, alpha and beta."""
        fa, fb, fc = forms
        a, b = cancelling(m, n, k, fa, kind) if cancel and fa == fb else (matrix(m, k, fa, kind), matrix(k, n, fb, kind))
        c = matrix(m, n, fc, kind if kind not in ("whole", "half") else "band")
        layout, transa, transb = rng.choice((COL_MAJOR, ROW_MAJOR)), rng.choice((NO_TRANS, TRANS, CONJ_TRANS)), rng.choice((NO_TRANS, TRANS))
        factors = [ONE, ONE, ONE, number(-1), number(1, 5), ZERO, number(-3, -1), at("b", 3)]
        alpha, beta = [result(rng.choice(factors), fc) for _ in range(2)]
        beta = beta if rng.random() < 0.5 else result(ZERO, fc)
        ma, lda = stored(a, fa, layout, transa)
        mb, ldb = stored(b, fb, layout, transb)
        mc, ldc = stored(c, fc, layout)
        values = [[value(x, form) for x in row] for rows, form in ((a, fa), (transposed(b), fb)) for row in rows]
        rows, columns = values[:m], values[m:]
        va, vb = value(alpha, fc), value(beta, fc)
        expected = c  # left alone
        if va[0] != 0 or quad.add(vb, number(-1))[0] != 0:
            expected = [[element(va, rows[i], columns[j], vb, value(c[i][j], fc), fc) for j in range(n)] for i in range(m)]
        given = (layout, transa, transb, m, n, k, scalar(alpha, fc), ma.address(), lda, mb.address(), ldb, scalar(beta, fc), mc.address(), ldc)
        if mixed:
            given = (*given[:8], TYPES[fa], lda, mb.address(), TYPES[fb], ldb, scalar(beta, fc), mc.address(), TYPES[fc], ldc)
        self.call("gemm_mixed" if mixed else {"q": "qgemm", "w": "ddgemm"}[fc], *given, engine=ENGINES[engine], **options)
        if va[0] != 0:
            self.require_gpu()
        self.compare(mc, expected, f"{forms} {kind} {m}x{n}x{k} {engine} cancel={cancel} alpha={alpha} beta={beta} {layout} {transa} {transb}")

    def test_gemm(self):
        for form in "qw":
            for kind in KINDS:
                for engine in ("sums", "int8", "auto"):
                    for _ in times(2):
                        m, n, k = rng.randint(1, 14), rng.randint(1, 14), rng.randint(1, 24)
                        self.product((form,) * 3, kind, m, n, k, engine, cancel=rng.random() < 0.4)

    def test_gemm_larger(self):
        for form in "qw":
            for kind in ("uniform", "band", "few bits", "wide", "ties", "special"):
                self.product((form,) * 3, kind, rng.randint(33, 70), rng.randint(33, 70), rng.randint(60, 140), "int8", cancel=kind == "band")
        self.product(("q",) * 3, "uniform", 130, 270, 40, "auto")

    def test_deep(self):
        """More terms than one chunk of INT32 sums holds."""
        self.product(("q",) * 3, "few bits", 1, 2, 66000, "int8")

    def test_small_workspace(self):
        for _ in times(2):
            self.product(("q",) * 3, "uniform", 40, 50, 300, "int8", workspace_bytes=1 << (24 if MANAGED else 18))

    def test_mixed(self):
        for forms in ("bbq", "bqq", "qbq", "bbw", "bww", "wbq", "qqw", "wqq", "qqb", "wwb", "bbb"):
            for kind in ("uniform", "band", "ties", "special", "zeros", "subnormal"):
                self.product(tuple(forms), kind, rng.randint(1, 9), rng.randint(1, 9), rng.randint(1, 20), rng.choice(("int8", "sums")), mixed=True)

    def test_engines_are_used(self):
        self.product(("q",) * 3, "uniform", 40, 40, 40, "auto")
        self.assertNotEqual(self.report().engine, b"")
        a, lda = stored(matrix(40, 40, "q", "uniform"), "q", COL_MAJOR)
        c, ldc = stored(matrix(40, 40, "q", "uniform"), "q", COL_MAJOR)
        one, zero = scalar(ONE, "q"), scalar(ZERO, "q")
        given = (COL_MAJOR, NO_TRANS, NO_TRANS, 40, 40, 40, one, a.address(), lda, a.address(), lda, zero, c.address(), ldc)
        for engine in ("int8", "sums"):
            self.call("qgemm", *given, engine=ENGINES[engine])
            report = self.report()
            self.assertEqual((report.routine, report.mode, report.engine), (b"qgemm", b"cr", engine.encode()))
            self.assertEqual((report.bound_relative, report.bound_absolute), (2.0**-113, 2.0**-1074))
        self.call("qgemm", *given, engine=ENGINES["fp64"], status=3)
        self.call("qgemm", *given, mode=1, status=2)

    def test_strided(self):
        for form in "qw":
            for _ in times(12):
                m, n, k = (rng.randint(1, 9) for _ in range(3))
                a, b, c = matrix(m, k, form, "band"), matrix(k, n, form, "band"), matrix(m, n, form, "band")
                memory = [Memory(x, form, *rng.choice(((1, len(x) + 2), (-1, len(x) + 2), (len(x[0]) * 2, 2), (-len(x[0]), -1)))) for x in (a, b, c)]
                alpha, beta = result(number(-3), form), result(number(5, -2), form)
                strides = [stride for x in memory for stride in (x.rs, x.cs)]
                ma, mb, mc = memory
                self.call({"q": "qgemm_strided", "w": "ddgemm_strided"}[form], m, n, k, scalar(alpha, form), ma.address(True), *strides[:2],
                          mb.address(True), *strides[2:4], scalar(beta, form), mc.address(True), *strides[4:])
                self.compare(mc, self.expected(a, b, c, form, alpha, beta), f"strided {form} {strides}")

    def expected(self, a, b, c, form, alpha, beta):
        columns = transposed(b)
        return [[element(value(alpha, form), [value(x, form) for x in row], [value(x, form) for x in column], value(beta, form),
                         value(c[i][j], form), form) for j, column in enumerate(columns)] for i, row in enumerate(a)]

    def test_batched(self):
        for form in "qw":
            m, n, k, count = 5, 4, 7, 3
            a, b, c = [[matrix(*sizes, form, "band") for _ in range(count)] for sizes in ((m, k), (k, n), (m, n))]
            # One tall matrix holds a batch: row-major matrices one below the other.
            memory = [Memory([row for x in batch for row in x], form, len(batch[0][0]), 1) for batch in (a, b, c)]
            alpha, beta = result(number(1), form), result(number(-1), form)
            ma, mb, mc = memory
            self.call({"q": "qgemm_strided_batched", "w": "ddgemm_strided_batched"}[form], ROW_MAJOR, NO_TRANS, NO_TRANS, m, n, k,
                      scalar(alpha, form), ma.address(), k, m * k, mb.address(), n, k * n, scalar(beta, form), mc.address(), n, m * n, count)
            self.compare(mc, [row for i in range(count) for row in self.expected(a[i], b[i], c[i], form, alpha, beta)], f"batched {form}")

    def test_batches_that_overlap(self):
        """The second A, B or the last one is the first C; nothing is written."""
        size, count = 4, 3
        one, zero, numbers = scalar(ONE, "q"), scalar(ZERO, "q"), matrix(10 * size, size, "q", "band")
        for a, b, c in ((0, 20, 4), (20, 0, 4), (0, 20, 8), (0, 20, 32)):
            memory = Memory(numbers, "q", size, 1)
            before = bytes(memory.buffer)
            where = [c_void_p(memory.address().value + at * size * 16) for at in (a, b, c)]
            self.call("qgemm_strided_batched", ROW_MAJOR, NO_TRANS, NO_TRANS, size, size, size, one, where[0], size, size * size, where[1], size,
                      size * size, zero, where[2], size, -size * size if c == 32 else size * size, count, status=1)
            self.assertEqual(bytes(memory.buffer), before)

    def test_split(self):
        for kind in ("band", "uniform", "special"):
            m, n, k = 9, 8, 13
            parts = [[[[x[i] for x in row] for row in rows] for i in range(2)] for rows in (matrix(m, k, "w", kind), matrix(k, n, "w", kind), matrix(m, n, "w", kind))]
            whole = [[[(h, l) for h, l in zip(*rows)] for rows in zip(*both)] for both in parts]
            memory = [Memory(rows, "b", 1, len(rows) + 1) for both in parts for rows in both]
            alpha, beta = (number(1), number(1, -70)), (number(-1), ZERO)
            addresses = [x.address() for x in memory]
            self.call("ddgemm_split", COL_MAJOR, NO_TRANS, NO_TRANS, m, n, k, scalar(alpha, "w"), *addresses[:2], m + 1, *addresses[2:4], k + 1,
                      scalar(beta, "w"), *addresses[4:], m + 1)
            expected = self.expected(*whole, "w", alpha, beta)
            for i in range(2):
                self.compare(memory[4 + i], [[x[i] for x in row] for row in expected], f"split {kind}, part {i}")

    def test_gemv(self):
        for form in "qw":
            for kind in KINDS:
                m, n, trans, layout = rng.randint(1, 12), rng.randint(1, 12), rng.choice((NO_TRANS, TRANS)), rng.choice((COL_MAJOR, ROW_MAJOR))
                outputs, terms = (m, n) if trans == NO_TRANS else (n, m)
                a, x, y = matrix(outputs, terms, form, kind), matrix(terms, 1, form, kind), matrix(outputs, 1, form, kind)
                ma, lda = stored(a, form, layout, trans)
                incx, incy = rng.choice((1, 2, -1, -3)), rng.choice((1, 2, -1))
                mx, my = Memory(x, form, incx, 0), Memory(y, form, incy, 0)
                alpha, beta = result(rng.choice((ONE, number(-1, 3))), form), result(rng.choice((ZERO, ONE, number(3, -2))), form)
                self.call({"q": "qgemv", "w": "ddgemv"}[form], layout, trans, m, n, scalar(alpha, form), ma.address(), lda, mx.address(), incx,
                          scalar(beta, form), my.address(), incy)
                self.require_gpu()
                expected = self.expected(a, x, y, form, alpha, beta)
                self.compare(my, expected, f"gemv {form} {kind} {m}x{n} {trans} {incx} {incy}")
                my = Memory(y, form, incy, 0)
                op = ma if trans == NO_TRANS else Memory(a, form, ma.cs, ma.rs)
                op = Memory(a, form, 2 * op.rs, 2 * op.cs)
                self.call({"q": "qgemv_strided", "w": "ddgemv_strided"}[form], outputs, terms, scalar(alpha, form), op.address(True), op.rs, op.cs,
                          mx.address(), incx, scalar(beta, form), my.address(), incy)
                self.compare(my, expected, f"gemv_strided {form} {kind}")

    def test_dot_and_norm(self):
        for kind in KINDS:
            for form in "qw":
                for n in (0, 1, 2, 7, 60):
                    x, y = matrix(n, 1, form, kind), matrix(n, 1, form, kind)
                    incx, incy = rng.choice((1, 2, -1, -3)), rng.choice((1, 2, -1))
                    mx, my, r = Memory(x, form, incx, 0), Memory(y, form, incy, 0), Memory([[result(ONE, form)]], form, 1, 1, host=True)
                    self.call({"q": "qdot", "w": "dddot"}[form], n, mx.address(), incx, my.address(), incy, r.address())
                    if n > 0:
                        self.require_gpu()
                    values = [[value(v[0], form) for v in vector] for vector in (x, y)]
                    self.compare(r, [[element(ONE, *values, ZERO, ZERO, form)]], f"dot {form} {kind} {n}")
                    if form == "q":
                        self.call("qnrm2", n, mx.address(), incx, r.address())
                        self.compare(r, [[quad.norm(values[0])]], f"nrm2 {kind} {n}")

    def test_syrk(self):
        for kind in KINDS:
            for engine in ("int8", "sums"):
                n, k, uplo, trans, layout = rng.randint(1, 12), rng.randint(1, 12), rng.choice((UPPER, LOWER)), rng.choice((NO_TRANS, TRANS)), rng.choice((COL_MAJOR, ROW_MAJOR))
                a, c = matrix(n, k, "q", kind), matrix(n, n, "q", "band")
                ma, lda = stored(a, "q", layout, trans)
                mc, ldc = stored(c, "q", layout)
                alpha, beta = rng.choice((ONE, number(-5))), rng.choice((ZERO, number(2)))
                self.call("qsyrk", layout, uplo, trans, n, k, scalar(alpha, "q"), ma.address(), lda, scalar(beta, "q"), mc.address(), ldc, engine=ENGINES[engine])
                full = self.expected(a, transposed(a), c, "q", alpha, beta)
                expected = [[full[i][j] if (i <= j) == (uplo == UPPER) or i == j else c[i][j] for j in range(n)] for i in range(n)]
                self.compare(mc, expected, f"syrk {kind} {n}x{k} {uplo} {trans} {layout} {engine}")

    def test_trsm(self):
        for kind in KINDS:
            for _ in times(4):
                m, n, side, uplo = rng.randint(1, 8), rng.randint(1, 8), rng.choice((LEFT, RIGHT)), rng.choice((UPPER, LOWER))
                trans, diag, layout = rng.choice((NO_TRANS, TRANS)), rng.choice((NON_UNIT, UNIT)), rng.choice((COL_MAJOR, ROW_MAJOR))
                order = m if side == LEFT else n
                a, b = matrix(order, order, "q", kind), matrix(m, n, "q", kind)  # what is not read may be anything
                ma, lda = stored(a, "q", layout)
                mb, ldb = stored(b, "q", layout)
                alpha = rng.choice((ONE, number(-3, -1), ZERO))
                self.call("qtrsm", layout, side, uplo, trans, diag, m, n, scalar(alpha, "q"), ma.address(), lda, mb.address(), ldb)
                if alpha != ZERO:
                    self.require_gpu()
                flipped = (trans != NO_TRANS) == (side == LEFT)
                op = transposed(a) if flipped else a
                x = quad.solve((uplo == UPPER) != flipped, diag == UNIT, alpha, op, b if side == LEFT else transposed(b))
                self.compare(mb, x if side == LEFT else transposed(x), f"trsm {kind} {m}x{n} {side} {uplo} {trans} {diag} {layout} alpha={alpha}")

    def test_quotient_next_to_a_tie(self):
        """The third unknown is an even number plus a half, and plus or minus something far below."""
        for sign in (1, -1):
            d, even = number(rng.getrandbits(112) | 1 << 112 | 1), number(rng.getrandbits(112) & ~1 | 1 << 112)
            half, below = number(-d[0], -1), number(-sign)
            a = [[d, ZERO, ZERO], [ZERO, d, ZERO], [half, below, d]]
            b = [[ONE], [number(1, -200)], [even]]
            ma, lda = stored(a, "q", COL_MAJOR)
            mb, ldb = stored(b, "q", COL_MAJOR)
            self.call("qtrsm", COL_MAJOR, LEFT, LOWER, NO_TRANS, NON_UNIT, 3, 1, scalar(d, "q"), ma.address(), lda, mb.address(), ldb)
            self.compare(mb, [[ONE], [number(1, -200)], [number(even[0] + (sign > 0))]], f"quotient {sign}")

    def test_next_to_ties(self):
        """Sums below a tie whose entries, rounded to any number of bits, sum up to more than it, and the other way round."""
        for bits in range(112, 150):
            for sign in (1, -1):
                for other in (1, -1):
                    near = number(2 ** (bits - 109) - 22 * other, -bits - 4)  # 2^-113 - 1.4 units
                    row = [[ONE, near, number(9 * other, -bits - 4), number(9 * other, -bits - 4)]]
                    row = [[number(sign * x[0], x[1]) for x in row[0]]]
                    column = [[ONE]] * 4
                    ma, lda = stored(row, "q", COL_MAJOR)
                    mb, ldb = stored(column, "q", COL_MAJOR)
                    mc, ldc = stored([[ONE]], "q", COL_MAJOR)
                    self.call("qgemm", COL_MAJOR, NO_TRANS, NO_TRANS, 1, 1, 4, scalar(ONE, "q"), ma.address(), lda, mb.address(), ldb,
                              scalar(ZERO, "q"), mc.address(), ldc, engine=ENGINES["int8"])
                    self.compare(mc, self.expected(row, column, [[ZERO]], "q", ONE, ZERO), f"next to a tie: {bits} bits, {sign}, {other}")

    def test_left_alone(self):
        """Without terms and with beta = 1, C keeps even the bits of a NaN; GEMV without terms keeps y."""
        noise = bytes(range(255, 239, -1))
        for name, k in (("qgemm", 0), ("ddgemm", 0)):
            c = ctypes.create_string_buffer(noise * 4, 64)
            form = {"q": "q", "d": "w"}[name[0]]
            one = scalar(result(ONE, form), form)
            self.call(name, COL_MAJOR, NO_TRANS, NO_TRANS, 2, 2, k, one, None, 2, None, 1, one, ctypes.cast(c, c_void_p), 2)
            self.assertEqual(c.raw, noise * 4)
        y = ctypes.create_string_buffer(noise, 16)
        self.call("qgemv", COL_MAJOR, NO_TRANS, 1, 0, scalar(ONE, "q"), None, 1, None, 1, scalar(ZERO, "q"), ctypes.cast(y, c_void_p), 1)
        self.assertEqual(y.raw, noise)

    def test_beta_as_a_pair(self):
        """A beta whose sum is 1 leaves C alone; other pairs scale it, and zeros have the sign of the page."""

        def pair(high, low):
            return struct.pack("=dd", high, low)

        def scaled_by(beta, c, k):
            memory, factor = ctypes.create_string_buffer(pair(*c), 16), ctypes.create_string_buffer(pair(*beta), 16)
            alpha = ctypes.create_string_buffer(pair(1.0, -1.0), 16)
            self.call("ddgemm", COL_MAJOR, NO_TRANS, NO_TRANS, 1, 1, k, ctypes.cast(alpha, c_void_p), None, 1, None, max(1, k), ctypes.cast(factor, c_void_p),
                      ctypes.cast(memory, c_void_p), 1)
            return memory.raw

        nan, big = float("nan"), 2.0**53
        for k in (0, 3):
            for beta in ((1.0, 0.0), (0.0, 1.0), (0.5, 0.5), (2.0, -1.0), (-1.0, 2.0), (big, 1 - big), (1 - 2.0**-53, 2.0**-53), (2.0**-53, 1 - 2.0**-53)):
                for c in ((0.25, 3.0), (nan, 1.0), (-0.0, -0.0), (1.0, -1.0)):
                    self.assertEqual(scaled_by(beta, c, k), pair(*c), (beta, c))
            for beta in ((1.0, 2.0**-60), (2.0**-1074, 1.0), (1.0, -(2.0**-1074)), (2 * big, -2 * big + 2), (2.0, -0.5), (-2.0, 1.0)):
                self.assertNotEqual(scaled_by(beta, (1.0, -3.0), k), pair(1.0, -3.0), beta)
            for beta, c, expected in (((2.0, 0.0), (-0.0, 0.0), -0.0), ((2.0, 0.0), (0.0, -0.0), 0.0), ((2.0, 0.0), (-0.0, -0.0), -0.0),
                                      ((-2.0, 0.0), (1.0, -1.0), -0.0), ((-1.0, -1.0), (0.0, -0.0), -0.0), ((1.0, -1.0), (nan, 0.0), 0.0)):
                self.assertEqual(scaled_by(beta, c, k), pair(expected, 0.0), (beta, c))

    def test_targets(self):
        """A target below one rounding is refused before C is written."""
        numbers = {form: [[result(number(i + 2 * j + 1), form) for j in range(3)] for i in range(3)] for form in "bqw"}
        for form, kept, missed in (("q", 2.0**-113, 2.0**-114), ("w", 2.0**-106, 2.0**-107), ("b", 2.0**-53, 2.0**-54)):
            a, c = numbers["q"], numbers[form]
            for target in (kept, missed, 1e-10, 1e-40):
                ma, lda = stored(a, "q", COL_MAJOR)
                mc, ldc = stored(c, form, COL_MAJOR)
                self.call("gemm_mixed", COL_MAJOR, NO_TRANS, NO_TRANS, 3, 3, 3, scalar(result(ONE, form), form), ma.address(), TYPES["q"], lda, ma.address(),
                          TYPES["q"], lda, scalar(result(ZERO, form), form), mc.address(), TYPES[form], ldc, target=target, status=6 if target < kept else 0)
                if target < kept:
                    self.compare(mc, c, f"target {target}")
        x, r = Memory([[ONE]], "q", 1, 1), Memory([[ONE]], "q", 1, 1, host=True)
        self.call("qnrm2", 1, x.address(), 1, r.address(), target=1e-40, status=6)
        self.call("qtrsm", COL_MAJOR, LEFT, UPPER, NO_TRANS, NON_UNIT, 1, 1, scalar(number(2), "q"), x.address(), 1, r.address(), 1, target=1e-40, status=6)
        self.compare(r, [[ONE]], "target of qnrm2 and qtrsm")

    @unittest.skipIf(MANAGED, "the workspace is in host memory")
    def test_workspace_of_the_caller(self):
        """Without room for residues the engine auto takes sums; int8 says what suffices, and that does."""
        a, b, c = (matrix(40, 40, "q", "uniform") for _ in range(3))
        expected = self.expected(a, b, c, "q", ONE, ZERO)

        def multiply(size, engine, status=0):
            buffer = ctypes.create_string_buffer(size + 1)
            (ma, lda), (mb, ldb), (mc, ldc) = (stored(x, "q", COL_MAJOR) for x in (a, b, c))
            self.lib.accublas_set_workspace.argtypes = [c_void_p, c_void_p, ctypes.c_size_t]
            self.assertEqual(self.lib.accublas_set_workspace(self.context, ctypes.addressof(buffer), size), 0)
            try:
                self.call("qgemm", COL_MAJOR, NO_TRANS, NO_TRANS, 40, 40, 40, scalar(ONE, "q"), ma.address(), lda, mb.address(), ldb, scalar(ZERO, "q"),
                          mc.address(), ldc, engine=ENGINES[engine], status=status, num_threads=2)
                self.compare(mc, c if status else expected, f"workspace of {size} bytes, {engine}")
                return self.report().engine if status == 0 else self.lib.accublas_last_error(self.context).decode()
            finally:
                self.assertEqual(self.lib.accublas_set_workspace(self.context, None, 0), 0)

        self.assertEqual(multiply(1000, "auto"), b"sums")
        self.assertEqual((self.report().bits, self.report().parts), (0, 0))
        needed = int(re.search(r"too small: (\d+) bytes are needed", multiply(1000, "int8", status=5))[1])
        for size in (needed, needed + 1, needed + 100000, 3 * needed):
            self.assertEqual(multiply(size, "int8"), b"int8")

    def test_increments(self):
        """Vectors beyond every address space are refused; the increment of one element may be anything."""
        x, r = Memory([[number(3)]], "q", 1, 1), Memory([[ZERO]], "q", 1, 1, host=True)
        for increment in (-(2**63), 2**63 - 1, 2**60, -(2**60)):
            self.call("qdot", 2, x.address(), increment, x.address(), 0, r.address(), status=1)
            self.call("qdot", 2, x.address(), 0, x.address(), increment, r.address(), status=1)
            self.call("qnrm2", 2, x.address(), increment, r.address(), status=1)
            self.call("qgemv", COL_MAJOR, NO_TRANS, 1, 2, scalar(ONE, "q"), x.address(), 1, x.address(), increment, scalar(ZERO, "q"), r.address(), 1, status=1)
            self.call("qgemv", COL_MAJOR, NO_TRANS, 2, 1, scalar(ONE, "q"), x.address(), 2, x.address(), 1, scalar(ZERO, "q"), r.address(), increment, status=1)
            self.compare(r, [[ZERO]], "untouched")
            self.call("qdot", 1, x.address(), increment, x.address(), increment, r.address())
            self.compare(r, [[number(9)]], "one element")
            r = Memory([[ZERO]], "q", 1, 1, host=True)
        self.call("qnrm2", 4, x.address(), 0, r.address())
        self.compare(r, [[number(6)]], "increment 0")

    @unittest.skipUnless(platform.machine() == "x86_64" and not MANAGED, "the values of the flags, which results in host memory raise")
    def test_exceptions(self):
        """The flags of the results, and no others."""
        math, invalid, division, overflow = ctypes.CDLL("libm.so.6"), 1, 4, 8
        huge = number(1, 16383)

        def flags(name, x, y, alpha=ONE):
            a, b, c = (Memory([[v]], "q", 1, 1) for v in (x, y, y))
            math.feclearexcept(invalid | division | overflow)
            if name == "qtrsm":
                self.call(name, COL_MAJOR, LEFT, UPPER, NO_TRANS, NON_UNIT, 1, 1, scalar(alpha, "q"), a.address(), 1, b.address(), 1)
            else:
                self.call(name, COL_MAJOR, NO_TRANS, NO_TRANS, 1, 1, 1, scalar(alpha, "q"), a.address(), 1, b.address(), 1, scalar(ZERO, "q"), c.address(), 1)
            return math.fetestexcept(invalid | division | overflow)

        for name, x, y, expected in (("qgemm", ONE, ONE, 0), ("qgemm", huge, number(2), overflow), ("qgemm", INF, ZERO, invalid), ("qgemm", NAN, ZERO, 0),
                                     ("qgemm", INF, ONE, 0), ("qtrsm", ZERO, ONE, division), ("qtrsm", ZERO, ZERO, invalid),
                                     ("qtrsm", number(1, -2), huge, overflow), ("qtrsm", INF, INF, invalid), ("qtrsm", ZERO, INF, 0)):
            self.assertEqual(flags(name, x, y), expected, (name, x, y))
        self.assertEqual(flags("qgemm", ONE, ZERO, INF), invalid)

    def test_overlap(self):
        a, lda = stored(matrix(4, 4, "q", "band"), "q", COL_MAJOR, extra=0)
        one = scalar(ONE, "q")
        self.call("qgemm", COL_MAJOR, NO_TRANS, NO_TRANS, 4, 4, 4, one, a.address(), lda, a.address(), lda, one, a.address(), lda, status=1)


if __name__ == "__main__":
    LIBRARY = sys.argv.pop(1)
    unittest.main()
