"""Certified solutions of systems of binary128 numbers against exact ones: quad_solve_test.py LIBRARY."""

import ctypes
import hashlib
import random
import sys
import unittest
from ctypes import byref, c_void_p
from fractions import Fraction
from math import lcm

import quad
from binding import ENGINES, INITIAL_OPTIONS, SIGNATURES, Options, Report
from quad import INF, NAN, ONE, ZERO, from_bytes, number, rounded
from quad_data import COL_MAJOR, LOWER, ROW_MAJOR, UPPER, Memory, at, rng, stored, times, transposed

NOT_CERTIFIED = 16
NOT_FINITE, SINGULAR, ILL_CONDITIONED, OVERFLOW = 1, 2, 3, 4
CHECKSUM = "5405b40154db997d6f773476974bd3a57dc40709dae7fe99cf5babc76b18d433"


class Certificate(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("reason", ctypes.c_int32), ("positive_definite", ctypes.c_int32), ("parts", ctypes.c_int32),
                ("iterations", ctypes.c_int64), ("condition", ctypes.c_double), ("contraction", ctypes.c_double), ("residual", ctypes.c_double),
                ("gap", ctypes.c_double)]


def fraction(x):
    return Fraction(x[0]) * Fraction(2) ** x[1]


def nearest(x):
    """The number of binary128 that is closest to a fraction, without ties."""
    if x == 0:
        return ZERO
    shift = 130 - (abs(x.numerator).bit_length() - x.denominator.bit_length())
    q, rest = divmod(abs(x.numerator) << max(shift, 0), x.denominator << max(-shift, 0))
    m = 2 * q + (rest != 0)
    return rounded(number(-m if x < 0 else m, -shift - 1), "q")


def exact_solution(a, b):
    """The solution of A X = B in fractions, or None if A is singular."""
    n = len(a)
    rows = [[fraction(x) for x in row_a] + [fraction(x) for x in row_b] for row_a, row_b in zip(a, b)]
    for k in range(n):
        pivot = next((i for i in range(k, n) if rows[i][k] != 0), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(n):
            if i != k and rows[i][k] != 0:
                factor = rows[i][k]
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k])]
    return [row[n:] for row in rows]


def numbers(m, n, low=-4, high=0):
    return [[at("q", rng.randint(low, high)) for _ in range(n)] for _ in range(m)]


def symmetric(a):
    return [[a[max(i, j)][min(i, j)] for j in range(len(a))] for i in range(len(a))]


def hilbert(n):
    """The Hilbert matrix times a common multiple of its denominators: integers, of 53 bits for n = 20."""
    multiple = lcm(*range(1, 2 * n))
    return [[number(multiple // (i + j + 1)) for j in range(n)] for i in range(n)]


class QuadSolve(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lib = ctypes.CDLL(LIBRARY)
        cls.lib.accublas_last_error.restype = ctypes.c_char_p
        cls.context = c_void_p()
        assert cls.lib.accublas_create(byref(cls.context)) == 0

    def call(self, name, *arguments, **options):
        function = getattr(self.lib, f"accublas_{name}_ex")
        function.argtypes = [c_void_p, *SIGNATURES[name], ctypes.POINTER(Options)]
        given = Options(ctypes.sizeof(Options), *INITIAL_OPTIONS)
        for key, setting in options.items():
            setattr(given, key, setting)
        return function(self.context, *arguments, byref(given))

    def solve(self, a, b, definite=False, layout=None, **options):
        """Calls qgesv or qposv in a random form and judges every radius. Returns the status, the certificate, X and the radii."""
        n, nrhs = len(a), len(b[0])
        layout = layout or rng.choice((COL_MAJOR, ROW_MAJOR))
        uplo = rng.choice((UPPER, LOWER))
        given = a
        if definite:  # what is not read may be anything
            given = [[x if (i <= j) == (uplo == UPPER) or i == j else NAN for j, x in enumerate(row)] for i, row in enumerate(a)]
        (ma, lda), (mb, ldb) = stored(given, "q", layout), stored(b, "q", layout)
        marks = [[number(7)] * nrhs for _ in range(n)]
        (mx, ldx), (mr, ldr) = stored(marks, "q", layout), stored(marks, "q", layout)
        before = bytes(ma.buffer), bytes(mb.buffer)
        certificate = Certificate(ctypes.sizeof(Certificate))
        status = self.call("qposv" if definite else "qgesv", layout, *[uplo] * definite, n, nrhs, ma.address(), lda, mb.address(), ldb, mx.address(), ldx,
                           mr.address(), ldr, ctypes.cast(byref(certificate), c_void_p), **options)
        self.assertEqual((bytes(ma.buffer), bytes(mb.buffer)), before)
        x, radius = ([[from_bytes(m.get(i, j), "q") for j in range(nrhs)] for i in range(n)] for m in (mx, mr))
        return status, certificate, x, radius

    def judge(self, a, b, definite=False, ulps=Fraction(51, 100), exact=None, **options):
        """Solves a system that must be certified, with small radii. Returns the certificate."""
        status, certificate, x, radius = self.solve(a, b, definite, **options)
        self.assertEqual(status, 0, self.lib.accublas_last_error(self.context))
        self.assertEqual(certificate.reason, 0)
        self.holds(a, b, x, radius, ulps, exact)
        return certificate

    def holds(self, a, b, x, radius, ulps=None, exact=None):
        """No radius is false. With `ulps`, none is larger than so many units in the last place of its unknown."""
        exact = exact or exact_solution(a, b)
        for i, row in enumerate(exact):
            for j, wanted in enumerate(row):
                self.assertTrue(radius[i][j] == INF or (quad.finite(radius[i][j]) and quad.finite(x[i][j]) and
                                                        abs(fraction(x[i][j]) - wanted) <= fraction(radius[i][j])), f"({i}, {j}): false radius")
                if ulps and wanted != 0:
                    self.assertNotEqual(radius[i][j], INF)
                    least = Fraction(2) ** -16494
                    unit = Fraction(2) ** max(x[i][j][1] + abs(x[i][j][0]).bit_length() - 113, -16494)
                    self.assertLessEqual(fraction(radius[i][j]), ulps * unit + (least if unit == least else 0), f"({i}, {j}): {x[i][j]}")

    def test_random(self):
        for n in (1, 2, 3, 5, 8, 13):
            for _ in times(4):
                for nrhs in (1, 2, 7):
                    a = numbers(n, n)
                    certificate = self.judge(a, numbers(n, nrhs))
                    self.assertLess(certificate.contraction, 1)
                    a = symmetric(a)
                    for i in range(n):
                        a[i][i] = at("q", 6)
                        a[i][i] = (abs(a[i][i][0]), a[i][i][1], False)
                    self.assertEqual(self.judge(a, numbers(n, nrhs), True).positive_definite, 1)

    def test_larger(self):
        """More terms than sums take: products by INT8 residues."""
        n, nrhs = 34, 9
        self.judge(numbers(n, n), numbers(n, nrhs), engine=ENGINES["int8"])
        a = numbers(n, n)
        self.judge(a, numbers(n, 1))

    def test_hilbert(self):
        """33 digits up to order 20, whose condition number is 2.5e28; and both routines up to order 24 (1e34)."""
        for n in (6, 10, 12, 16, 20, 24):
            a = hilbert(n)
            b = [[rounded(number(sum(x[0] for x in row)), "q"), number(i == 0)] for i, row in enumerate(a)]
            for definite in (False, True):
                certificate = self.judge(a, b, definite)
                self.assertGreater(certificate.condition, 0.5 * 10 ** (1.3 * n - 3))
        _, _, x, radius = self.solve(hilbert(20), [[number(sum(x[0] for x in row))] for row in hilbert(20)])
        for xi, ri in zip(x, radius):
            self.assertLess(abs(fraction(xi[0]) - 1) + fraction(ri[0]), Fraction(1, 10**33))

    def test_rounded_hilbert(self):
        n = 20
        a = [[nearest(Fraction(1, i + j + 1)) for j in range(n)] for i in range(n)]
        self.judge(a, [[ONE] for _ in range(n)], rng.choice((True, False)))

    def test_ill_conditioned(self):
        """((k, k + 1), (k + 1, k + 2)) has the determinant -1 and the condition number 4 k^2."""
        for e in (20, 35, 40, 50, 53, 60, 65, 70, 75):
            k = (1 << e) + rng.getrandbits(e)
            a = [[number(k), number(k + 1)], [number(k + 1), number(k + 2)]]
            certificate = self.judge(a, [[number(rng.getrandbits(100))], [number(rng.getrandbits(100))]])
            self.assertEqual(certificate.parts > 1, e > 25, e)

    def test_singular_starts(self):
        """The inverses of these matrices in double precision are exactly singular after rounding."""
        for k in (8567163852404481, 26372413462793012):
            a = [[number(k), number(k + 1)], [number(k + 1), number(k + 2)]]
            self.judge(a, [[number(12345)], [number(678)]])

    def test_products_of_graded_factors(self):
        """Random matrices with prescribed condition numbers 2^(2 e): L D U with exact factors of a few bits."""
        for e in (20, 40, 55, 70):
            n = 8
            lower = [[Fraction(rng.randint(-3, 3)) if j < i else Fraction(i == j) for j in range(n)] for i in range(n)]
            upper = [[Fraction(rng.randint(-3, 3)) if j > i else Fraction(i == j) for j in range(n)] for i in range(n)]
            scale = [Fraction(2) ** -(e * i // (n - 1)) for i in range(n)]
            a = [[sum(lower[i][p] * scale[p] * upper[p][j] for p in range(n)) for j in range(n)] for i in range(n)]
            self.judge([[nearest(x) for x in row] for row in a], numbers(n, 2))

    def test_range(self):
        """Rows, columns and sides near both ends of the range; powers of two change nothing else."""
        for low, high in ((-16300, -16200), (16100, 16200), (-9000, 9000)):
            for _ in times(3):
                n = 5
                row, column = ([rng.randint(-60, 60) for _ in range(n)] for _ in range(2))
                base = rng.randint(low, high)
                a = [[(m, e + row[i] + column[j] + base, s) for j, (m, e, s) in enumerate(line)] for i, line in enumerate(numbers(n, n))]
                a = [[rounded(x, "q") for x in line] for line in a]
                shift = rng.randint(-16000, 16000)
                b = [[rounded((m, e + row[i] + shift, s), "q") for m, e, s in line] for i, line in enumerate(numbers(n, 2))]
                status, certificate, x, radius = self.solve(a, b)
                self.assertIn((status, certificate.reason), ((0, 0), (NOT_CERTIFIED, OVERFLOW)))
                exact = exact_solution(a, b)
                self.holds(a, b, x, radius, None if status else Fraction(51, 100), exact)
                largest = max(abs(v) for line in exact for v in line)
                if status:
                    self.assertGreaterEqual(largest, Fraction(2) ** 16383)
                elif largest >= Fraction(2) ** 16384:
                    self.fail("an overflow is not reported")

    def test_whole_range(self):
        """Elements with any exponents: bounds hold, whether or not they are small."""
        for _ in times(6):
            n = rng.randint(2, 4)
            a, b = numbers(n, n, -16494, 16384), numbers(n, 2, -16494, 16384)
            status, _, x, radius = self.solve(a, b)
            self.assertIn(status, (0, NOT_CERTIFIED))
            exact = exact_solution(a, b)
            if exact:
                self.holds(a, b, x, radius, None, exact)

    def test_underflow(self):
        """Unknowns below the smallest number have radii that cover the whole loss."""
        tiny, huge = number(1, -16494), number(1, 16383)
        _, _, x, radius = self.solve([[huge]], [[tiny]])
        self.assertEqual((x[0][0][0], radius[0][0]), (0, number(1, -16494)))
        self.judge([[number(3)]], [[number(5, -16494)]])
        self.judge([[tiny, ZERO], [ZERO, tiny]], [[tiny], [number(3, -16494)]], True)
        status, certificate, x, radius = self.solve([[number(1, -20), ZERO], [ZERO, ONE]], [[huge], [number(3, 16380)]])
        self.assertEqual((status, certificate.reason), (NOT_CERTIFIED, OVERFLOW))
        self.assertEqual((radius[0][0], fraction(x[1][0])), (INF, Fraction(3) * 2**16380))
        self.assertNotEqual(radius[1][0], INF)

    def test_small_unknowns(self):
        """Unknowns far below the largest one of their side keep their bits."""
        a = numbers(6, 6)
        x = [[at("q", -10 * i)] for i in range(6)]
        b = [[nearest(sum(fraction(p) * fraction(q[0]) for p, q in zip(row, x)))] for row in a]
        self.judge(a, b)

    def test_zero_sides(self):
        _, _, x, radius = self.solve(numbers(4, 4), [[ZERO, ONE] for _ in range(4)])
        self.assertEqual([(x[i][0][0], radius[i][0][0]) for i in range(4)], [(0, 0)] * 4)

    def test_singular(self):
        for a in ([[ONE, ONE], [ONE, ONE]], [[ZERO, ZERO], [ZERO, ONE]], [[number(1), number(2)], [number(3), number(6)]],
                  [[ONE, number(1 << 112 | 1)], [ONE, number(1 << 112 | 1)]], [[ZERO]]):
            for definite in (False, a[0][-1] == a[-1][0]):
                status, certificate, _, radius = self.solve(a, [[ONE] for _ in a], definite)
                self.assertEqual(status, NOT_CERTIFIED)
                self.assertIn(certificate.reason, (SINGULAR, ILL_CONDITIONED))
                self.assertEqual({row[0] for row in radius}, {INF})
        for _ in times(8):  # rank n - 1, which only exact arithmetic sees
            n = rng.randint(2, 6)
            left = [[number(rng.randint(-9, 9)) for _ in range(n - 1)] for _ in range(n)]
            right = [[number(rng.randint(-9, 9)) for _ in range(n)] for _ in range(n - 1)]
            a = [[quad.total([quad.multiply(left[i][p], right[p][j]) for p in range(n - 1)]) for j in range(n)] for i in range(n)]
            status, _, _, radius = self.solve(a, numbers(n, 2))
            self.assertEqual((status, {r for row in radius for r in row}), (NOT_CERTIFIED, {INF}))

    def test_not_finite(self):
        for bad in (NAN, INF, quad.MINUS_INF):
            a, b = numbers(3, 3), numbers(3, 2)
            b[1][0] = bad
            status, certificate, x, radius = self.solve(a, b)
            self.assertEqual((status, certificate.reason), (NOT_CERTIFIED, NOT_FINITE))
            self.assertEqual({(x[i][0], radius[i][0]) for i in range(3)}, {(NAN, INF)})
            self.holds(a, [[row[1]] for row in b], [[row[1]] for row in x], [[row[1]] for row in radius], Fraction(51, 100))
            a[2][2] = bad
            status, certificate, x, radius = self.solve(a, numbers(3, 2), rng.choice((True, False)))
            self.assertEqual((status, certificate.reason), (NOT_CERTIFIED, NOT_FINITE))
            self.assertEqual({v for row in x for v in row} | {r for row in radius for r in row}, {NAN, INF})

    def test_indefinite(self):
        a = symmetric(numbers(5, 5))
        certificate = self.judge(a, numbers(5, 1), True)
        self.assertEqual(certificate.positive_definite, 0)

    def test_empty(self):
        certificate = Certificate(ctypes.sizeof(Certificate))
        where = ctypes.cast(byref(certificate), c_void_p)
        for nrhs in (0, 3):
            self.assertEqual(self.call("qgesv", COL_MAJOR, 0, nrhs, None, 1, None, 1, None, 1, None, 1, where), 0)
            self.assertEqual(self.call("qposv", COL_MAJOR, UPPER, 0, nrhs, None, 1, None, 1, None, 1, None, 1, where), 0)
            self.assertEqual(certificate.positive_definite, 1)
        for a, status in (([[ONE, ZERO], [ZERO, ONE]], 0), ([[ONE, ONE], [ONE, ONE]], NOT_CERTIFIED)):
            memory, ld = stored(a, "q", COL_MAJOR)
            self.assertEqual(self.call("qgesv", COL_MAJOR, 2, 0, memory.address(), ld, None, 2, None, 2, None, 2, None), status)

    def test_arguments(self):
        a, x, r = numbers(3, 3), Memory(numbers(3, 3), "q", 1, 3), Memory(numbers(3, 3), "q", 1, 3)
        memory, ld = stored(a, "q", COL_MAJOR, extra=0)
        good = [COL_MAJOR, 3, 3, memory.address(), 3, memory.address(), 3, x.address(), 3, r.address(), 3, None]
        self.assertEqual(self.call("qgesv", *good), 0)  # B may be A
        for at_, value, word in ((0, 7, b"layout"), (1, -1, b"n"), (2, -1, b"nrhs"), (4, 2, b"lda"), (6, 2, b"ldb"), (8, 2, b"ldx"), (10, 2, b"ldr"),
                                 (7, memory.address(), b"x"), (9, memory.address(), b"radius"), (9, x.address(), b"radius")):
            bad = list(good)
            bad[at_] = value
            before = bytes(memory.buffer), bytes(x.buffer)
            self.assertEqual(self.call("qgesv", *bad), 1, (at_, value))
            self.assertIn(word, self.lib.accublas_last_error(self.context))
            self.assertEqual((bytes(memory.buffer), bytes(x.buffer)), before)
        self.assertEqual(self.call("qposv", COL_MAJOR, 0, *good[1:]), 1)
        self.assertEqual(self.call("qgesv", *good, mode=1), 2)
        self.assertEqual(self.call("qgesv", *good, engine=ENGINES["fp64"]), 3)
        self.assertEqual(self.call("qgesv", *good, target=1e-300), 0)  # a target has no effect
        certificate = Certificate(4)
        self.assertEqual(self.call("qgesv", *good[:-1], ctypes.cast(byref(certificate), c_void_p)), 1)

    def test_report_and_bits(self):
        """The report names the routine, and the bits do not depend on threads, layout, engine or workspace."""
        a, b = numbers(12, 12), numbers(12, 6)
        results = []
        for options in ({}, {"num_threads": 1}, {"num_threads": 3}, {"engine": ENGINES["sums"]}, {"engine": ENGINES["int8"]}, {"workspace_bytes": 1 << 16}):
            for layout in (COL_MAJOR, ROW_MAJOR):
                status, certificate, x, radius = self.solve(a, b, layout=layout, **options)
                self.assertEqual(status, 0)
                results.append((x, radius, certificate.contraction, certificate.iterations))
        self.assertTrue(all(result == results[0] for result in results))
        report = Report()
        report.struct_size = ctypes.sizeof(Report)
        self.assertEqual(self.lib.accublas_report(self.context, byref(report)), 0)
        self.assertEqual((report.routine, report.mode, report.m, report.n, report.k), (b"qgesv", b"cr", 12, 6, 12))
        self.assertEqual((report.bound_relative, report.bound_componentwise), (0, float("inf")))
        # Sides do not depend on each other.
        _, _, x, radius = self.solve(a, [row[2:3] for row in b])
        self.assertEqual((x, radius), ([row[2:3] for row in results[0][0]], [row[2:3] for row in results[0][1]]))

    def test_checksum(self):
        """X, radii and certificates have the same bits on every instruction set and machine."""
        bits = hashlib.sha256()
        draw = random.Random(44)
        uniform = [[number(draw.getrandbits(113) - 2**112, -112) for _ in range(9)] for _ in range(9)]
        for a, definite in ((uniform, False), (hilbert(14), True), (hilbert(21), False)):
            b = [[number(draw.getrandbits(60)), number(i)] for i in range(len(a))]
            _, certificate, x, radius = self.solve(a, b, definite)
            bits.update(repr((x, radius, certificate.parts, certificate.iterations, certificate.contraction, certificate.condition)).encode())
        self.assertEqual(bits.hexdigest(), CHECKSUM)

    def test_defined_bits(self):
        """x is RN of the exact unknown where the radius excludes ties."""
        a, b = numbers(7, 7), numbers(7, 3)
        _, _, x, _ = self.solve(transposed(a), b)
        right = sum(x[i][j] == nearest(v) for i, row in enumerate(exact_solution(transposed(a), b)) for j, v in enumerate(row))
        self.assertGreaterEqual(right, 20)


if __name__ == "__main__":
    LIBRARY = sys.argv.pop(1)
    unittest.main()
