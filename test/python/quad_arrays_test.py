"""Arrays of binary128 of the Python package: conversions, and products and solutions compared with exact ones."""

import copy
import math
import pickle
import random
import unittest
from decimal import Decimal
from fractions import Fraction

import accublas
import numpy
from accublas import quad

try:
    import mpmath
except ImportError:
    mpmath = None

LEAST, BEYOND = Fraction(2) ** -16494, Fraction(2) ** 16384
rng = random.Random(128)


def rounded(value):
    """A fraction rounded to binary128, to nearest even; an infinity beyond the largest number."""
    if value == 0:
        return value
    exponent = abs(value.numerator).bit_length() - value.denominator.bit_length() - 115
    while abs(value) >= Fraction(2) ** (exponent + 113):
        exponent += 1
    unit = Fraction(2) ** max(exponent, -16494)
    found = round(value / unit) * unit
    return found if abs(found) < BEYOND else math.inf if value > 0 else -math.inf


def numbers(*shape, low=-60, high=60):
    """Random numbers of 113 bits."""
    count = math.prod(shape)
    return quad.array([Fraction(rng.getrandbits(113) - 2**112) * Fraction(2) ** rng.randint(low, high) for _ in range(count)]).reshape(shape)


def exact(a, b):
    a, b = quad.to_fractions(a), quad.to_fractions(b)
    return [[sum(x * y for x, y in zip(row, column)) for column in b.T] for row in a]


class Quad(unittest.TestCase):
    def equal(self, found, wanted):
        self.assertEqual(found.dtype, quad.dtype)
        self.assertEqual(quad.to_fractions(found).tolist(), wanted)

    def test_conversions(self):
        values = [Fraction(1, 3), Fraction(-(2**113) - 1), Fraction(2**114 + 6), LEAST / 2, LEAST * Fraction(3, 2), LEAST * Fraction(1001, 1000), Fraction(2) ** 16383,
                  BEYOND - 1, BEYOND - Fraction(2) ** 16270, BEYOND - Fraction(2) ** 16270 - 1, Fraction(2) ** -16382 - LEAST / 2, Fraction(7, 5) * Fraction(2) ** 12000]  # fmt: skip
        values += [Fraction(rng.randint(-(10**40), 10**40), rng.randint(1, 10**40)) * Fraction(2) ** rng.randint(-16500, 16300) for _ in range(200)]
        self.equal(quad.array(values), list(map(rounded, values)))
        self.equal(quad.array([1, True, numpy.float32(0.1), numpy.int64(-7), 2**200 + 1, 5e-324, -1e308]),
                   [Fraction(1), Fraction(1), Fraction(float(numpy.float32(0.1))), Fraction(-7), Fraction(2**200), Fraction(5e-324), Fraction(-1e308)])  # fmt: skip
        texts = ["0.1", "1e-4950", "-1.5e4932", "1e4933", "-3e9999999", "1e-9999999", Decimal("2.5"), b"7e-3"]
        self.equal(quad.array(texts), [rounded(Fraction(1, 10)), rounded(Fraction(10) ** -4950), rounded(Fraction(-15) * 10**4931), math.inf, -math.inf, Fraction(0),
                                       Fraction(5, 2), rounded(Fraction(7, 1000))])  # fmt: skip
        for bad in ("", "1.2.3", "0x1", object(), 1j, None):
            with self.assertRaises((accublas.ArgumentError, TypeError)):
                quad.array([bad])
        x = quad.array([1.0])
        self.assertIs(quad.array(x), x)
        self.assertEqual(quad.array([list(x), [2]]).tolist(), [[x[0].item()], [quad.array(2).item()]])

    def test_doubles(self):
        """The bits of doubles by NumPy and by fractions, and back."""
        values = [0.0, -0.0, math.inf, -math.inf, math.nan, 5e-324, -2.2250738585072014e-308, 1.7976931348623157e308, 0.1, 1.0, -2.0]
        values += [math.ldexp(rng.uniform(-1, 1), rng.randint(-1074, 1023)) for _ in range(300)]
        found, slow = quad.array(numpy.array(values)), quad.array(list(values))
        self.assertEqual(found.tobytes(), slow.tobytes())
        self.assertEqual(quad.array(numpy.array(values[:5], "f4")).tobytes(), found[:5].tobytes())
        numpy.testing.assert_array_equal(quad.to_float64(found), values)
        numpy.testing.assert_array_equal(numpy.signbit(quad.to_float64(found[:4])), numpy.signbit(values[:4]))
        x = numbers(5, 4, low=-1300, high=900)
        back = [[self.double(value) for value in row] for row in quad.to_fractions(x)]
        numpy.testing.assert_array_equal(quad.to_float64(x), back)
        numpy.testing.assert_array_equal(quad.to_float64(x.T), numpy.transpose(back))
        self.assertEqual(quad.to_float64(quad.array([])).shape, (0,))

    def double(self, value):
        try:
            return value.numerator / value.denominator  # which Python rounds once
        except OverflowError:
            return math.inf if value > 0 else -math.inf

    def test_strings(self):
        x = quad.array([Fraction(1, 3), 0.0, -0.0, math.inf, math.nan, 1, Fraction(2) ** 16383, LEAST, Fraction(-7, 4)])
        self.assertEqual(quad.to_strings(x, 5).tolist(), ["0.33333", "0.0", "-0.0", "inf", "nan", "1.0000", "5.9487E+4931", "6.4752E-4966", "-1.7500"])
        y = numbers(50, low=-16494, high=16200)
        self.assertEqual(quad.array(quad.to_strings(y)).tobytes(), y.tobytes())

    @unittest.skipUnless(mpmath, "mpmath")
    def test_mpmath(self):
        x = numbers(20, low=-3000, high=3000)
        self.assertEqual(quad.array(quad.to_mpmath(x)).tobytes(), x.tobytes())
        with mpmath.workprec(300):
            self.equal(quad.array([mpmath.mpf(1) / 3, mpmath.inf]), [rounded(Fraction(1, 3)), math.inf])
            pi = quad.to_mpmath(quad.array(mpmath.pi))[()]
            self.assertLess(abs(pi - mpmath.pi), mpmath.mpf(2) ** -112)

    def test_products(self):
        for m, n, k in ((1, 1, 1), (3, 5, 4), (7, 2, 60), (40, 41, 30), (2, 3, 0), (0, 2, 2)):
            a, b, c = numbers(m, k), numbers(k, n), numbers(m, n)
            sums = exact(a, b) if k and m else [[Fraction(0)] * n for _ in range(m)]
            self.equal(quad.gemm(a, b), [list(map(rounded, row)) for row in sums])
            self.equal(quad.matmul(a, b), [list(map(rounded, row)) for row in sums])
            before = c.tobytes()
            added = quad.to_fractions(c)
            wanted = [[rounded(Fraction(-3, 2) * s + 5 * x) for s, x in zip(row, old)] for row, old in zip(sums, added)]
            self.equal(quad.gemm(a.T, b.T, alpha=-1.5, beta="5", c=c, trans_a="T", trans_b="t"), wanted)
            self.equal(quad.gemm(a[::-1], b[:, ::-1], alpha=Fraction(-3, 2), beta=5, c=c[::-1, ::-1]), [row[::-1] for row in wanted[::-1]])
            self.assertEqual(c.tobytes(), before)

    def test_vectors(self):
        a, x, y = numbers(6, 9), numbers(18)[::2], numbers(12)[::-2]
        of_x = [sum(p * q for p, q in zip(row, quad.to_fractions(x))) for row in quad.to_fractions(a)]
        self.equal(quad.gemv(a, x), list(map(rounded, of_x)))
        self.equal(quad.matmul(a, x), list(map(rounded, of_x)))
        self.equal(quad.matmul(x, a.T), list(map(rounded, of_x)))
        self.equal(quad.gemv(a.T, x, trans="T", alpha=2, beta=-1, y=y), [rounded(2 * s - t) for s, t in zip(of_x, quad.to_fractions(y))])
        self.equal(quad.dot(x, x), rounded(sum(t * t for t in quad.to_fractions(x))))
        self.assertEqual(quad.dot(x, x).shape, ())
        self.equal(quad.matmul(quad.array([1e300, 1, -1e300]), [1, Fraction(1, 3), 1]), rounded(Fraction(1, 3)))
        self.equal(quad.norm([[3], [4]]), Fraction(5))
        self.equal(quad.dot([], []), Fraction(0))

    def test_numbers_among_others(self):
        table = numpy.zeros((4, 3), [("name", "S3"), ("value", quad.dtype)])
        table["value"] = numbers(4, 3)
        self.equal(quad.matmul(table["value"], numpy.eye(3)), quad.to_fractions(table["value"]).tolist())

    def test_solutions(self):
        for n, nrhs in ((1, 1), (4, 3), (9, None)):
            a, b = numbers(n, n, low=0, high=0), numbers(n, nrhs or 1)
            x, radii, certificate = quad.solve_certified(a.T, b if nrhs else b[:, 0])
            self.assertEqual((x.shape, radii.shape), ((n, nrhs), (n, nrhs)) if nrhs else ((n,), (n,)))
            self.assertEqual((certificate.reason, certificate.parts), ("none", 1))
            self.bounds(quad.to_fractions(a.T), quad.to_fractions(b), x.reshape(n, -1), radii.reshape(n, -1))
        a = [[Fraction(1, i + j + 1) for j in range(6)] for i in range(6)]
        x, radii, certificate = quad.solve_certified(a, numpy.eye(6), assume_a="pos")
        self.assertTrue(certificate.positive_definite)
        self.bounds(quad.to_fractions(quad.array(a)), numpy.eye(6, dtype=int), x, radii)
        x, radii, certificate = quad.solve_certified([[1, 2], [2, 4]], [1, 1])
        self.assertEqual((certificate.reason, quad.to_fractions(radii).tolist()), ("singular", [math.inf] * 2))

    def bounds(self, a, b, x, radii):
        """Every radius holds the exact unknown, and is about half a unit in the last place."""
        n = len(a)
        rows = [list(map(Fraction, [*row, *right])) for row, right in zip(a.tolist(), b.tolist())]
        for k in range(n):
            pivot = next(i for i in range(k, n) if rows[i][k])
            rows[k], rows[pivot] = rows[pivot], rows[k]
            rows[k] = [value / rows[k][k] for value in rows[k]]
            rows = [row if i == k else [p - row[k] * q for p, q in zip(row, rows[k])] for i, row in enumerate(rows)]
        for row, of_x, of_radii in zip(rows, quad.to_fractions(x).tolist(), quad.to_fractions(radii).tolist()):
            for wanted, found, radius in zip(row[n:], of_x, of_radii):
                self.assertLessEqual(abs(found - wanted), radius)
                self.assertLessEqual(radius, abs(wanted) / 2**112)

    def test_copies(self):
        x = numbers(3, 3)
        for same in (copy.deepcopy(x), pickle.loads(pickle.dumps(x)), x[:, :]):
            self.assertEqual(same.tobytes(), x.tobytes())

    def test_arguments(self):
        a, x = numbers(2, 3), numbers(3)
        for word, wrong in {
            "columns of the first": lambda: quad.gemm(a, a),
            "argument b has 1 dimensions": lambda: quad.gemm(a, x),
            "argument x has 2 elements": lambda: quad.gemv(a, x[:2]),
            "argument c is missing: beta = 2 needs it": lambda: quad.gemm(a, a.T, beta=2),
            "argument c is 3 x 2: expected 2 x 2": lambda: quad.gemm(a, a.T, beta=2, c=a.T),
            "a factor is an array of 3": lambda: quad.gemm(a, a.T, alpha=x),
            "3 and 2 elements": lambda: quad.dot(x, x[:2]),
            "not a transposition": lambda: quad.gemm(a, a, trans_a="X"),
            "expected a square matrix": lambda: quad.solve_certified(a, x),
            '"sym" is unknown': lambda: quad.solve_certified(a[:, :2], x[:2], assume_a="sym"),
            "expected 2 rows": lambda: quad.solve_certified(a[:, :2], x),
            "stacks": lambda: quad.solve_certified(numbers(2, 2, 2), numbers(2, 2)),
            "argument a has 0 dimensions": lambda: quad.matmul(1, a),
        }.items():
            with self.assertRaisesRegex(accublas.ArgumentError, word):
                wrong()
        self.addCleanup(accublas.set_target, 0)
        accublas.set_target(1e-40)
        with self.assertRaises(accublas.AccuracyError):
            quad.gemm(a, a.T)


if __name__ == "__main__":
    unittest.main()
