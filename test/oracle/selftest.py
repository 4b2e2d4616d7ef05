"""The oracle itself against fractions.Fraction, hardware binary32/64 conversions and hand-checked cases."""

import random
import struct
import unittest
from fractions import Fraction

import numpy as np

import dot2
import dyadic
import lines
import modes
from dyadic import BINARY32, BINARY64, INF, decompose, fma64, round_dyadic, shift_nearest

RNG = random.Random(20201)


def any_double(rng=RNG):
    """A finite double of any magnitude; special patterns often."""
    while True:
        kind = rng.randrange(6)
        if kind == 0:
            bits = rng.getrandbits(64)
        elif kind == 1:
            bits = rng.getrandbits(rng.randrange(1, 53)) | rng.getrandbits(1) << 63
        elif kind == 2:
            bits = (rng.randrange(2047) << 52) | rng.getrandbits(1) << 63
        elif kind == 3:
            bits = (rng.randrange(1, 2047) << 52) - 1
        else:
            bits = ((1023 + rng.randrange(-40, 40)) << 52) | rng.getrandbits(52) | rng.getrandbits(1) << 63
        x = struct.unpack("<d", struct.pack("<Q", bits))[0]
        if x == x and abs(x) != INF:
            return x


def fraction(m, e):
    return Fraction(m) * Fraction(2) ** e


def round_fraction(f, fmt):
    """RN by search among neighbours, sharing no code with dyadic: nearest by distance, ties by even significand."""
    if f == 0:
        return 0.0
    sign, f = (-1, -f) if f < 0 else (1, f)
    exponent = fmt.least
    if f >= Fraction(2) ** fmt.least:
        exponent = f.numerator.bit_length() - f.denominator.bit_length()
        while Fraction(2) ** exponent > f:
            exponent -= 1
        while Fraction(2) ** (exponent + 1) <= f:
            exponent += 1
    unit = Fraction(2) ** max(exponent - fmt.precision + 1, fmt.least)
    low = f // unit
    rest = f - low * unit
    if 2 * rest > unit or (2 * rest == unit and low % 2 == 1):
        low += 1
    value = low * unit
    if value >= Fraction(2) ** fmt.greatest:
        return sign * INF
    return -float(value) if sign < 0 else float(value)


def same(a, b):
    return struct.pack("<d", a) == struct.pack("<d", b)


class Dyadic(unittest.TestCase):
    def test_shift_nearest(self):
        for m in range(-40, 41):
            for s in range(1, 6):
                self.assertEqual(shift_nearest([m], s), [round(fraction(m, -s))], (m, s))  # Fraction's round: ties to even

    def test_decompose(self):
        for x in [0.0, -0.0, 5e-324, 2.0**-1022, 1.7976931348623157e308] + [any_double() for _ in range(2000)]:
            m, e = decompose(x)
            self.assertEqual(fraction(m, e), Fraction(x))
        values = np.array([any_double() for _ in range(500)] + [0.0, -0.0])
        for x, m, e in zip(values.tolist(), *(part.tolist() for part in dyadic.decompose_all(values))):
            self.assertEqual(fraction(m, e), Fraction(x))

    def test_round(self):
        for fmt, lengths, shift, subnormal, largest, range_of_e in [
                (BINARY64, [1, 5, 52, 53, 54, 55, 60, 107, 300], 70, -1074, 971, (-1300, 1000)),
                (BINARY32, [1, 5, 23, 24, 25, 26, 40, 100], 40, -149, 104, (-260, 130))]:
            for _ in range(6000):
                m = RNG.getrandbits(RNG.choice(lengths)) * RNG.choice([1, -1])
                if RNG.randrange(3) == 0:  # halfway and next to it
                    m = ((RNG.getrandbits(fmt.precision) | 1 << fmt.precision - 1) << 1 | 1) << shift
                    m += RNG.choice([-1, 0, 0, 1])
                e = RNG.choice([RNG.randrange(*range_of_e), subnormal - RNG.randrange(120), largest - RNG.randrange(120)])
                self.assertTrue(same(round_dyadic(m, e, fmt), round_fraction(fraction(m, e), fmt)), (m, e))

    def test_round_binary32(self):
        # The hardware's conversion from binary64, subnormals and overflow included.
        for _ in range(4000):
            x = any_double()
            if RNG.randrange(2):
                x = np.ldexp(1.0 + RNG.random(), RNG.randrange(-152, 130))
            with np.errstate(all="ignore"):
                expected = float(np.float32(x))
            self.assertTrue(same(round_dyadic(*decompose(x), BINARY32), expected if x else 0.0), x)

    def test_known(self):
        self.assertEqual(round_dyadic(1, -1074, BINARY64), 5e-324)
        self.assertEqual(round_dyadic(1, -1075, BINARY64), 0.0)
        self.assertEqual(round_dyadic(3, -1076, BINARY64), 5e-324)
        self.assertTrue(same(round_dyadic(-1, -1075, BINARY64), -0.0))
        self.assertEqual(round_dyadic((1 << 54) - 1, 970, BINARY64), INF)
        self.assertEqual(round_dyadic((1 << 54) - 2, 970, BINARY64), 1.7976931348623157e308)
        self.assertEqual(round_dyadic((1 << 53) + 1, 0, BINARY64), 2.0**53)
        self.assertEqual(round_dyadic((1 << 53) + 3, 0, BINARY64), 2.0**53 + 4)

    def test_fma(self):
        for _ in range(4000):
            x, y, z = any_double(), any_double(), any_double()
            if RNG.randrange(2):
                z = -(x * y)
            if RNG.randrange(4) == 0:
                x, y = x * 2.0**-500, y * 2.0**-500
                z = -(x * y)
            if abs(z) == INF or z != z:
                self.assertFalse(abs(fma64(x, y, z)) < INF)
                continue
            expected = round_fraction(Fraction(x) * Fraction(y) + Fraction(z), BINARY64)
            if Fraction(x) * Fraction(y) + Fraction(z) == 0:
                self.assertEqual(fma64(x, y, z), 0.0)
            else:
                self.assertTrue(same(fma64(x, y, z), expected), (x, y, z))
        self.assertTrue(same(fma64(-0.0, 1.0, -0.0), -0.0))
        self.assertTrue(same(fma64(1.0, 1.0, -1.0), 0.0))
        self.assertNotEqual(fma64(INF, 1.0, -INF), fma64(INF, 1.0, -INF))
        self.assertEqual(fma64(1e300, 1e300, -INF), -INF)


def random_matrix(rows, columns, spread):
    values = [(RNG.random() - 0.5) * 2.0 ** RNG.randrange(-spread, spread + 1) for _ in range(rows * columns)]
    for i in range(len(values)):
        if RNG.randrange(8) == 0:
            values[i] = RNG.choice([0.0, -0.0, 1.0, -1.0, 2.0**RNG.randrange(-spread, spread + 1)])
    return np.array(values).reshape(rows, columns)


def fraction_line(values):
    return [Fraction(x) for x in values]


def least_exponent(values):
    """Least E with abs(x) < 2^E."""
    largest = max(abs(x) for x in values)
    e = largest.numerator.bit_length() - largest.denominator.bit_length() - 1  # 2^e is below
    while largest >= Fraction(2) ** e:
        e += 1
    return e


def definition_fixed(a, b, t):
    def rounded(values):
        if all(x == 0 for x in values):
            return values
        e = least_exponent(values)
        return [Fraction(round(x * Fraction(2) ** (t - e))) * Fraction(2) ** (e - t) for x in values]

    return sum(x * y for x, y in zip(rounded(a), rounded(b)))


def definition_slices(a, b, d, fast, k):
    rho = 0
    while 4**rho < 2**53 * k:
        rho += 1

    def parts(x):
        result = []
        x = list(x)
        for _ in range(d):
            largest = max(abs(v) for v in x)
            if largest == 0:
                break
            tau = least_exponent([largest]) - 1  # largest >= 2^tau
            tau += largest > Fraction(2) ** tau
            unit = Fraction(2) ** (rho + tau - 53)
            part = [round(v / unit) * unit for v in x]
            result.append(part)
            x = [v - w for v, w in zip(x, part)]
        return result

    left, right = parts(a), parts(b)
    return sum(sum(x * y for x, y in zip(left[p], right[q])) for p in range(len(left)) for q in range(len(right))
               if not fast or p + q + 2 <= d + 1) if left and right else Fraction(0)


class Modes(unittest.TestCase):
    def check(self, mode, a, b, definition):
        alpha, beta = RNG.choice([1.0, -1.0, any_double(), 0.3]), RNG.choice([0.0, 1.0, -0.7, any_double()])
        c = random_matrix(a.shape[0], b.shape[1], 40)
        for fmt in (BINARY64, BINARY32):
            values, _ = modes.gemm(modes.parse_mode(mode), fmt, alpha, a, b, beta, c)
            if alpha == 0:
                continue
            for i in range(a.shape[0]):
                for j in range(b.shape[1]):
                    s = definition(fraction_line(a[i].tolist()), fraction_line(b[:, j].tolist()))
                    value = Fraction(alpha) * s + (Fraction(beta) * Fraction(float(c[i, j])) if beta != 0 else 0)
                    self.assertTrue(same(values[i][j], round_fraction(value, fmt)), (mode, i, j))

    def test_cr(self):
        for shape in ((1, 5, 1), (3, 4, 2), (7, 9, 5)):
            a, b = random_matrix(shape[0], shape[1], 300), random_matrix(shape[1], shape[2], 300)
            self.check("cr", a, b, lambda x, y: sum(u * v for u, v in zip(x, y)))

    def test_fixed(self):
        for t in (2, 3, 20, 53, 54, 150):
            a, b = random_matrix(7, 6, 30), random_matrix(6, 5, 30)
            a[0] = 0
            self.check(f"fixed:{t}", a, b, lambda x, y: definition_fixed(x, y, t))

    def test_slices(self):
        for d in (1, 2, 5, 50):
            for fast in (False, True):
                a, b = random_matrix(7, 6, 40), random_matrix(6, 5, 40)
                b[:, 1] = 0
                word = f"slices:{d}" + (":fast" if fast else "")
                self.check(word, a, b, lambda x, y: definition_slices(x, y, d, fast, 6))

    def test_fixed_by_hand(self):
        # E = 1 for 1.0 (a power of two is not below itself); T = 2: unit 2^-1; 0.75 is a tie between 1/2 and 1: to 1.
        line = lines.Line(np.array([1.0, 0.75, 0.25, -0.25]))
        self.assertEqual(line.bound, 1)
        self.assertEqual(line.fixed(2), ([2, 2, 0, 0], -1))
        # The greatest entry may round up to 2^T.
        self.assertEqual(lines.Line(np.array([1.0 - 2.0**-53])).fixed(2), ([4], -2))

    def test_slices_by_hand(self):
        # k = 4: rho = 28 (4^27.5 = 2^55). x = (1, 2^-30): tau = 0, unit 2^-25, so the second entry stays for slice 2.
        self.assertEqual(lines.slices_rho(4), 28)
        self.assertEqual(lines.slices_rho(1), 27)
        parts = lines.Line(np.array([1.0, 2.0**-30])).slices(3, 28)
        self.assertEqual([[Fraction(x) * Fraction(2) ** u for x in ints] for ints, u in parts],
                         [[1, 0], [0, Fraction(2) ** -30]])

    def test_certificate_by_hand(self):
        ones = lines.Line(np.array([1.0, 1.0]))
        third = lines.Line(np.array([1.0 / 3.0, 2.0**-50 / 3]))
        # No dropped bit: the lowest rung.
        self.assertEqual(lines.certificate([ones], [ones], 2, "d"), [[48]])
        # lambda of ones: E = 1, ceil(2^23) twice; of third: E = -1, ceil(2^25 / 3) + 1; X = 64 * floor(2^8 / 3) = 64 * 85.
        self.assertEqual(ones.ceil_sum(), 2**24)
        self.assertEqual(third.ceil_sum(), 11184811 + 1)
        self.assertEqual(third.seven_bits(), [85, 0])
        # 2^25 (2^24 + 11184812) + 2 <= 3 * 2^31 * 5440 = 2^31 * 16320 fails; 2^27: against 2^35; ... the least T:
        least = next(t for t in (48, 50, 53, 56, 60, 64)
                     if Fraction(2) ** (t - 23) * (2**24 + 11184812) + 2 <= 3 * Fraction(2) ** (2 * t - 65) * 64 * 85)
        self.assertEqual(lines.certificate([ones], [third], 2, "d"), [[least]])
        # A zero row drops nothing, but the generic column does: rejected, X = 0.
        zero = lines.Line(np.array([0.0, 0.0]))
        self.assertEqual(lines.certificate([zero], [third], 2, "d"), [[None]])

    def test_certificate_sampling(self):
        k = 1025
        a = np.ones(k)
        values = np.zeros(k)
        values[200] = 0.7  # 200 / 128 = 1: not sampled, so X = 0 and the element is rejected
        self.assertEqual(lines.certificate([lines.Line(a)], [lines.Line(values)], k, "d"), [[53]])  # no bit dropped
        values[201] = 2.0**-30 / 3
        self.assertEqual(lines.certificate([lines.Line(a)], [lines.Line(values)], k, "d"), [[None]])
        values[1024] = 0.7  # 1024 / 128 = 8: sampled
        self.assertNotEqual(lines.certificate([lines.Line(a)], [lines.Line(values)], k, "d"), [[None]])

    def test_round_root(self):
        def neighbours(x, fmt):
            bits = struct.unpack(fmt.bits_code, struct.pack(fmt.code, x))[0]
            return [struct.unpack(fmt.code, struct.pack(fmt.bits_code, b))[0] for b in (bits - 1, bits + 1) if b >= 0]

        for fmt, wide in ((BINARY64, 1100), (BINARY32, 160)):
            top = fraction((1 << (fmt.precision + 1)) - 1, fmt.greatest - fmt.precision - 1)  # from here on RN overflows
            for number in range(500):
                m, e = RNG.getrandbits(RNG.randrange(1, 300)) + 1, 2 * RNG.randrange(-wide, wide // 2)
                if number % 3 == 0:  # squares of numbers and of midpoints, and what lies beside them
                    m, e = (RNG.getrandbits(fmt.precision + RNG.randrange(2)) | 1) ** 2, 2 * RNG.randrange(-40, 40)
                    m, e = (m << 200) + RNG.choice((-1, 0, 1)), e - 200
                root = dyadic.round_root(m, e, fmt)
                value = fraction(m, e)
                if root == INF:
                    self.assertGreaterEqual(value, top * top)
                    continue
                # The root lies between the midpoints to both neighbours; at a midpoint the last bit of the result is 0.
                even = struct.unpack(fmt.bits_code, struct.pack(fmt.code, root))[0] % 2 == 0
                for other in neighbours(root, fmt):
                    middle = top if abs(other) == INF else (Fraction(root) + Fraction(other)) / 2
                    if other < root:
                        self.assertTrue(value > middle**2 or (even and value == middle**2), (m, e))
                    else:
                        self.assertTrue(value < middle**2 or (even and value == middle**2), (m, e))

    def test_norms(self):
        for word, fmt in (("cr", BINARY64), ("dot2", BINARY64), ("cr", BINARY32), ("dot2", BINARY32)):
            mode = modes.parse_mode(word)
            big, small = (2.0**1020, 2.0**-1070) if fmt is BINARY64 else (2.0**124, 2.0**-147)
            for unit in (1.0, big, small):
                x = unit * np.array([3.0, -4.0])
                self.assertEqual(modes.norm("nrm2", mode, fmt, x), 5 * unit)
                self.assertEqual(modes.norm("asum", mode, fmt, x), 7 * unit)
            self.assertTrue(same(modes.norm("nrm2", mode, fmt, np.array([0.0, -0.0])), 0.0))
            self.assertEqual(modes.norm("asum", mode, fmt, np.array([-INF, 1.0])), INF)
            self.assertTrue(modes.norm("nrm2", mode, fmt, np.array([INF, float("nan")])) != 0)

    def test_packed_multiplication(self):
        for rows, columns, k in ((9, 7, 5), (6, 4, 1), (20, 30, 40)):
            a = [[RNG.getrandbits(70) * RNG.choice([1, -1]) for _ in range(k)] for _ in range(rows)]
            b = [[RNG.getrandbits(50) * RNG.choice([1, -1]) for _ in range(k)] for _ in range(columns)]
            self.assertEqual(lines.multiply(a, b), [[sum(x * y for x, y in zip(r, c)) for c in b] for r in a])

    def scalar_dot2(self, blocks):
        """The pair by scalar operations, one chain per list, combined left to right."""
        total = None
        for block in blocks:
            s = c = 0.0
            for x, y in block:
                p = x * y
                e = fma64(x, y, -p)
                s, q = dot2.two_sum(s, p)
                c = c + (q + e)
            if total is None:
                total = (s, c)
            else:
                total = self.combine(total, (s, c))
        return total

    @staticmethod
    def combine(one, two):
        s, q = dot2.two_sum(one[0], two[0])
        return s, (one[1] + two[1]) + q

    def test_dot2_gemm(self):
        for spread, scale in ((20, 0), (20, -530), (5, -520)):
            for k in (1, 127, 128, 129, 300):
                a = random_matrix(2, k, spread) * 2.0**scale
                b = random_matrix(k, 2, spread) * 2.0**scale
                s, c = dot2.dot2_gemm_pairs(a, b, False)
                for i in range(2):
                    for j in range(2):
                        terms = list(zip(a[i].tolist(), b[:, j].tolist()))
                        pair = self.scalar_dot2([terms[p : p + 128] for p in range(0, k, 128)])
                        self.assertEqual((float(s[i, j]), float(c[i, j])), pair)

    def test_dot2_dot(self):
        for n in (1, 31, 33, 1024, 1025, 3100, 5 * 1024, 7000):
            x, y = random_matrix(1, n, 20)[0], random_matrix(1, n, 20)[0]
            terms = list(zip(x.tolist(), y.tolist()))
            blocks = [terms[p : p + 1024] for p in range(0, n, 1024)]
            lanes = []
            for lane in range(32):
                pairs = [self.scalar_dot2([block[lane::32]]) for block in blocks]

                def tree(items):
                    if len(items) == 1:
                        return items[0]
                    left = 1 << ((len(items) - 1).bit_length() - 1)
                    return self.combine(tree(items[:left]), tree(items[left:]))

                lanes.append(tree(pairs))
            while len(lanes) > 1:
                half = len(lanes) // 2
                lanes = [self.combine(lanes[i], lanes[i + half]) for i in range(half)]
            s, c = dot2.dot2_dot_pair(x, y, False)
            self.assertEqual((float(s[0, 0]), float(c[0, 0])), lanes[0])

    def test_special(self):
        nan, inf = float("nan"), INF
        def one(a, b, alpha=1.0, beta=0.0, c=nan):
            values, _ = modes.gemm(modes.parse_mode("cr"), BINARY64, alpha, np.array([a]), np.array(b).reshape(-1, 1),
                                   beta, np.array([[c]]))
            return values[0][0]
        self.assertEqual(one([inf, 1.0], [2.0, 3.0]), inf)
        self.assertEqual(one([inf, 1.0], [-2.0, 3.0]), -inf)
        self.assertNotEqual(one([inf, 1.0], [0.0, 3.0]), one([inf, 1.0], [0.0, 3.0]))
        self.assertTrue(np.isnan(one([inf, inf], [1.0, -1.0])))
        self.assertTrue(np.isnan(one([inf, 1.0], [1.0, nan])))
        self.assertEqual(one([1e300, 1e300], [1e300, -1e300]), 0.0)  # no intermediate overflow
        self.assertEqual(one([1e300], [1e300], 1e-300), round_fraction(Fraction(1e300)**2 * Fraction(1e-300), BINARY64))
        self.assertTrue(np.isnan(one([0.0], [1.0], inf)))
        self.assertEqual(one([1.0], [1.0], inf), inf)
        self.assertTrue(np.isnan(one([1.0], [1.0], inf, 1.0, -inf)))
        self.assertTrue(np.isnan(one([1.0], [1.0], 1.0, inf, 0.0)))
        self.assertTrue(same(one([-5e-324], [0.25]), -0.0))
        self.assertTrue(same(one([-0.0], [1.0]), 0.0))
        self.assertTrue(same(one([1.0, -1.0], [1.0, 1.0]), 0.0))
        # alpha = 0: the IEEE product beta c
        values, _ = modes.gemm(modes.parse_mode("cr"), BINARY64, 0.0, np.full((1, 1), nan), np.full((1, 1), nan), -2.0,
                               np.array([[0.0]]))
        self.assertTrue(same(values[0][0], -0.0))
        self.assertIsNone(modes.gemm(modes.parse_mode("cr"), BINARY64, 0.0, np.ones((1, 1)), np.ones((1, 1)), 1.0,
                                     np.ones((1, 1)))[0])
        self.assertIsNone(modes.gemv(modes.parse_mode("cr"), BINARY64, 2.0, np.ones((3, 0)), np.ones(0), 5.0, np.ones(3))[0])


if __name__ == "__main__":
    unittest.main()
