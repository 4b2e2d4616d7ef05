"""Multiple-precision arrays of the Python package: conversions from and to Python, NumPy, mpmath and gmpy2, and products compared with exact ones."""

import copy
import math
import pickle
import unittest
from decimal import Decimal
from fractions import Fraction

import accublas
import numpy
from accublas import mp

try:
    import mpmath
except ImportError:
    mpmath = None
try:
    import gmpy2
except ImportError:
    gmpy2 = None

SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 5e-324, -1e308, 0.1]


def fraction(part):
    sign, integer, exponent = part
    return (-1) ** sign * integer * Fraction(2) ** exponent if integer else Fraction(0)


def rounded(value, precision):
    """A fraction rounded to nearest even, to `precision` bits."""
    if value == 0:
        return value
    exponent = math.floor(math.log2(abs(value.numerator)) - math.log2(value.denominator)) - precision - 2
    while abs(value) >= Fraction(2) ** (exponent + precision):
        exponent += 1
    return round(value / Fraction(2) ** exponent) * Fraction(2) ** exponent


def same(a, b):
    return all(x == y or (x != x and y != y) for x, y in zip(a, b)) and len(a) == len(b)


class Conversions(unittest.TestCase):
    def test_numpy(self):
        for shape in ((), (8,), (4, 2), (0,), (3, 0)):
            values = numpy.resize(SPECIAL, shape)
            for given in (values, values.copy("F"), values.tolist()):
                found = mp.array(given, 64).to_numpy()
                self.assertEqual(found.shape, shape)
                self.assertTrue(numpy.array_equal(found, values, equal_nan=True) and numpy.array_equal(numpy.signbit(found), numpy.signbit(values)))
        self.assertEqual(mp.array(numpy.float32([0.1]), 64).to_numpy()[0], float(numpy.float32(0.1)))
        self.assertEqual(float(mp.array(2**70 + 1, 128)), 2.0**70)

    def test_python(self):
        big = 3**200
        for value, precision in ((big, 320), (-big, 320), (big, 64), (0, 64), (2**63, 64), (True, 64), (numpy.int64(-7), 64)):
            (part,) = mp.array(value, precision).parts()
            self.assertEqual(fraction(part), rounded(Fraction(int(value)), precision))
        mixed = mp.array([1, 2.5, "0x1p-3", b"-inf", numpy.float32(0.5), 2**80], 96)
        self.assertEqual(mixed.to_numpy().tolist(), [1, 2.5, 0.125, -math.inf, 0.5, 2.0**80])
        self.assertEqual([fraction(part) for part in mp.array([2**53 + 1, 2**62 + 1], 64).parts()], [2**53 + 1, 2**62 + 1])

    def test_copies(self):
        for values in ([[1, "0.1", 3**200], ["-0", "inf", "nan"]], "0.3", []):
            x = mp.array(values, 128)
            for made in (copy.copy(x), copy.deepcopy([x])[0], pickle.loads(pickle.dumps(x))):
                self.assertEqual((made.shape, made.precision, made.parts()), (x.shape, x.precision, x.parts()))
                self.assertNotEqual(made.handle.value, x.handle.value)

    def test_exact_numbers(self):
        """A number rounds once, whatever stands beside it."""
        third, tie = Fraction(1, 3), Fraction(2**64 + 1)
        for value, exact in ((third, third), (-third * 2**300, -third * 2**300), (Fraction(5**90, 7**80), Fraction(5**90, 7**80)), (tie + third / 2**9, tie + third / 2**9),
                             (tie - third, tie - third), (Decimal("0.1"), Fraction(1, 10)), (Decimal("-1e-400"), Fraction(-1, 10**400)), (2**63 + 1, Fraction(2**63 + 1)),
                             (numpy.True_, Fraction(1)), (numpy.longdouble(1) / 3, Fraction(*(numpy.longdouble(1) / 3).as_integer_ratio()))):  # fmt: skip
            for given in ([value, 0.5], [0.5, value], value):
                self.assertIn(rounded(exact, 64), [fraction(part) for part in mp.array(given, 64).parts()], given)
        for array in (numpy.array([numpy.longdouble(1) / 3]), numpy.array([True])):
            self.assertEqual(fraction(mp.array(array, 96).parts()[0]), Fraction(*array[0].as_integer_ratio()) if array.dtype != bool else 1)
        special = mp.array([Decimal("-0"), Decimal("inf"), Decimal("-Infinity"), Decimal("NaN")], 64)
        self.assertEqual(special.to_strings(2).tolist(), mp.array([-0.0, math.inf, -math.inf, math.nan], 64).to_strings(2).tolist())
        with self.assertRaises(accublas.FormatError):
            mp.array(["1\x002"], 64)

    def test_strings(self):
        x = mp.array([["0.1", "1e1000"], ["-2.5", "nan"]], 128)
        self.assertEqual(x.to_strings(3).tolist(), [["1.00e-1", "1.00e+1000"], ["-2.50e+0", "nan"]])
        self.assertEqual([fraction(p) for p in mp.array(x.to_strings()[0].tolist(), 128).parts()], [fraction(p) for p in x.parts()[::2]])
        with self.assertRaisesRegex(accublas.FormatError, "one"):
            mp.array(["one"], 64)

    def test_precision(self):
        x = mp.array(["0.1"], 256)
        self.assertEqual(fraction(mp.array(x, 64).parts()[0]), rounded(fraction(x.parts()[0]), 64))
        for precision in (63, 8193):
            with self.assertRaises(accublas.ArgumentError):
                mp.array([1.0], precision)
        with self.assertRaises(accublas.PrecisionError):
            mp.dot(mp.array([1.0], 64), mp.array([1.0], 128))

    def test_wrong_values(self):
        for value in (1j, None, numpy.complex128(1), [[[1.0]]]):
            with self.assertRaises((TypeError, accublas.ArgumentError)):
                mp.array([value], 64)

    @unittest.skipUnless(mpmath, "mpmath is not installed")
    def test_mpmath(self):
        with mpmath.workprec(200):
            values = [mpmath.mpf(1) / 3, -mpmath.mpf(2) ** 4000, mpmath.mpf(0), mpmath.inf, -mpmath.inf, mpmath.nan, mpmath.pi + 0]
            found = mp.array(values, 256).to_mpmath()
        self.assertTrue(same(found.tolist(), values))
        self.assertEqual([type(value) for value in found], [type(values[0])] * len(values))
        self.assertEqual(fraction(mp.array(values[:1], 64).parts()[0]), rounded(fraction(values[0]._mpf_[:3]), 64))
        self.assertEqual(mp.array([values[:2]], 256).to_mpmath().shape, (1, 2))
        matrix = mp.array(mpmath.matrix([values[:2]]), 256)
        self.assertEqual((matrix.shape, matrix.parts()), ((1, 2), mp.array([values[:2]], 256).parts()))
        with mpmath.workprec(256):
            self.assertEqual(mp.array([mpmath.pi, 1], 256).to_mpmath()[0], +mpmath.pi)

    @unittest.skipUnless(gmpy2, "gmpy2 is not installed")
    def test_gmpy2(self):
        with gmpy2.context(precision=200):
            values = [gmpy2.mpfr(1) / 3, gmpy2.mpfr("-1e1000"), gmpy2.mpfr(0), gmpy2.mpfr("-0"), gmpy2.inf(), gmpy2.inf(-1), gmpy2.nan(), gmpy2.const_pi()]
        found = mp.array(values, 256).to_gmpy2().tolist()
        self.assertTrue(same(found, values))
        self.assertEqual([gmpy2.is_signed(x) for x in found[:6]], [gmpy2.is_signed(x) for x in values[:6]])
        self.assertEqual(found[0].precision, 256)
        self.assertEqual(mp.array([gmpy2.mpz(3) ** 100], 192).to_gmpy2()[0], gmpy2.mpz(3) ** 100)


class Products(unittest.TestCase):
    def setUp(self):
        self.rng = numpy.random.default_rng(6)

    def matrix(self, *shape, precision=160):
        """Numbers of 150 bits whose exponents spread over 200 bits."""
        integers = [int.from_bytes(self.rng.bytes(19), "little") * (-1) ** i << int(self.rng.integers(0, 200)) for i in range(int(numpy.prod(shape)))]
        values = numpy.empty(len(integers), object)
        values[:] = integers
        return values.reshape(shape), mp.array(values.reshape(shape), precision)

    def assertRounded(self, found, wanted):
        self.assertEqual(found.shape, wanted.shape)
        for part, value in zip(found.parts(), wanted.ravel(order="F").tolist()):
            self.assertEqual(fraction(part), rounded(Fraction(value), found.precision))

    def test_matmul(self):
        (a, mp_a), (b, mp_b) = self.matrix(3, 5), self.matrix(5, 4)
        (x, mp_x), (y, mp_y) = self.matrix(5), self.matrix(3)
        self.assertRounded(mp_a @ mp_b, a.dot(b))
        self.assertRounded(mp_a @ mp_x, a.dot(x))
        self.assertRounded(mp_y @ mp_a, y.dot(a))
        self.assertRounded(mp_x @ mp_x, numpy.array(x.dot(x), object))
        self.assertRounded(mp.gemm(mp_b, mp_a, trans_a="T", trans_b="T"), b.T.dot(a.T))
        self.assertRounded(mp.gemv(mp_a, mp_y, trans="T"), a.T.dot(y))

    def test_factors(self):
        (a, mp_a), (b, mp_b), (c, mp_c) = self.matrix(3, 5), self.matrix(5, 4), self.matrix(3, 4)
        self.assertRounded(mp.gemm(mp_a, mp_b, alpha=3, beta="-2", c=mp_c), 3 * a.dot(b) - 2 * c)
        (x, mp_x), (y, mp_y) = self.matrix(5), self.matrix(3)
        self.assertRounded(mp.gemv(mp_a, mp_x, alpha=-1, beta=2.0, y=mp_y), 2 * y - a.dot(x))
        self.assertRounded(mp_c, c)

    def test_syrk(self):
        (a, mp_a), (c, mp_c) = self.matrix(4, 3), self.matrix(4, 4)
        lower, upper = numpy.tri(4, dtype=int), numpy.tri(4, dtype=int).T
        self.assertRounded(mp.syrk(mp_a), a.dot(a.T) * lower)
        self.assertRounded(mp.syrk(mp_a, uplo="U"), a.dot(a.T) * upper)
        self.assertRounded(mp.syrk(mp_a, trans="T"), a.T.dot(a) * numpy.tri(3, dtype=int))
        self.assertRounded(mp.syrk(mp_a, alpha=3, beta=-2, c=mp_c), (3 * a.dot(a.T) - 2 * c) * lower + c * (1 - lower))

    def test_cancellation(self):
        x, y = mp.array([2**150, 1, -(2**150)], 64), mp.array([1.0, 1.0, 1.0], 64)
        self.assertEqual(float(mp.dot(x, y)), 1)

    def test_empty(self):
        self.assertEqual((mp.array(numpy.zeros((2, 0)), 64) @ mp.array(numpy.zeros((0, 3)), 64)).to_numpy().tolist(), [[0.0] * 3] * 2)
        self.assertEqual(float(mp.dot(mp.array([], 64), mp.array([], 64))), 0)
        self.assertEqual(mp.array(numpy.zeros((0, 3)), 64).to_strings().shape, (0, 3))

    def test_messages(self):
        a, x = mp.array(numpy.ones((2, 3)), 64), mp.array(numpy.ones(2), 64)
        for call, message in (
            (lambda: a @ a, "2 x 3 and 2 x 3"),
            (lambda: a @ x, r"argument x has the shape \(2,\)"),
            (lambda: mp.dot(a, a), "vectors of one length"),
            (lambda: mp.gemm(a, a, trans_b="X"), '"X" is not a transposition'),
            (lambda: mp.gemm(a, a, trans_b="T", beta=1), "argument c is missing: beta needs it"),
            (lambda: mp.gemm(a, a, trans_b="T", beta=1, c=a), r"argument c has the shape \(2, 3\): expected \(2, 2\)"),
            (lambda: mp.gemm(a, a, trans_b="T", alpha=[1, 2]), r"argument alpha has the shape \(2,\): expected one number"),
            (lambda: mp.syrk(a, uplo="X"), '"X" is not a triangle'),
            (lambda: mp.syrk(a, beta=1, c=a), r"argument c has the shape \(2, 3\): expected \(2, 2\)"),
            (lambda: mp.array(1, 2**70), "precision = 1180591620717411303424 is out of range"),
            (lambda: mp.gemm(x, a), "argument a has 1 dimensions"),
            (lambda: a.move("gpu"), 'place = "gpu"'),
        ):
            with self.assertRaisesRegex(accublas.ArgumentError, message):
                call()
        for call in (lambda: float(a), lambda: a @ 2, lambda: a @ [1.0, 2.0, 3.0], lambda: mp.array(1, 64.5), lambda: mp.matmul(a, [1.0]), lambda: mp.dot([1.0], x),
                     lambda: mp.gemv(a, [1.0]), lambda: mp.gemm(a, None)):  # fmt: skip
            with self.assertRaises(TypeError):
                call()
        self.assertEqual(repr(a), "<accublas.mp.Array of shape (2, 3) and 64 bits>")


if __name__ == "__main__":
    unittest.main()
