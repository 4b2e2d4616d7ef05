"""The oracle's complex types against complex products of fractions, and cases checked by hand."""

import unittest
from fractions import Fraction

import numpy as np

import complex as complex_types
import modes
import selftest
from dyadic import BINARY32, BINARY64, INF, fma64
from lines import GRADE, MOST_TERMS_AS_CR, RUNGS
from selftest import RNG, any_double, least_exponent, random_matrix, round_fraction, same

NAN = float("nan")
CR = modes.parse_mode("cr")


def random_complex(rows, columns, spread):
    re, im = random_matrix(rows, columns, spread), random_matrix(rows, columns, spread)
    return re + 1j * im


def pairs_of(line):
    return [(Fraction(x.real), Fraction(x.imag)) for x in line.tolist()]


def times(x, y):
    return x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]


def plus(x, y):
    return x[0] + y[0], x[1] + y[1]


def product(a, b):
    total = Fraction(0), Fraction(0)
    for x, y in zip(a, b):
        total = plus(total, times(x, y))
    return total


def magnitude(line):
    return max(max(abs(re), abs(im)) for re, im in line)


def on_grid(line, unit):
    return [(round(re / unit) * unit, round(im / unit) * unit) for re, im in line]


def fixed_line(line, t):
    return line if magnitude(line) == 0 else on_grid(line, Fraction(2) ** (least_exponent([magnitude(line)]) - t))


def definition_slices(a, b, d, fast):
    rho = 0
    while 4**rho < 2**53 * 2 * len(a):
        rho += 1

    def parts(line):
        result = []
        while len(result) < d and magnitude(line) != 0:
            largest = magnitude(line)
            tau = least_exponent([largest]) - 1  # largest >= 2^tau
            tau += largest > Fraction(2) ** tau
            result.append(on_grid(line, Fraction(2) ** (rho + tau - 53)))
            line = [(x[0] - y[0], x[1] - y[1]) for x, y in zip(line, result[-1])]
        return result

    total = Fraction(0), Fraction(0)
    for p, x in enumerate(parts(a), 1):
        for q, y in enumerate(parts(b), 1):
            if not fast or p + q <= d + 1:
                total = plus(total, product(x, y))
    return total


def least_rung(a, b, precision):
    """Returns the least rung of dp:repro for Re S and for Im S, or None."""
    k = len(a)
    v = GRADE[precision]
    scale = [Fraction(2) ** (0 if magnitude(line) == 0 else -least_exponent([magnitude(line)])) for line in (a, b)]
    x, y = ([(abs(re) * s, abs(im) * s) for re, im in line] for line, s in zip((a, b), scale))
    sums = sum(-(-c * 2**24 // 1) for line in (x, y) for pair in line for c in pair)

    def byte(c):
        return min(127, c * 128 // 1)

    re = im = 0
    for p in range(k):
        if p // 64 % 8:
            continue
        (ar, ai), (br, bi) = ([byte(c) for c in line[p]] for line in (x, y))
        re += ar * br + ai * bi
        im += ar * bi + ai * br
    rungs = [None, None]
    for t in reversed(RUNGS[precision]):
        whole = all((c * 2**t).denominator == 1 for line in (x, y) for pair in line for c in pair)
        left = Fraction(2) ** (t - 23) * sums + 2 * k
        for r, s in enumerate((re, im)):
            if whole or left <= (2 * k + 1) * Fraction(2) ** (2 * t - 12 - v) * s:
                rungs[r] = t
    return rungs


class Complex(unittest.TestCase):
    def same_complex(self, got, want, fmt, message):
        for x, y in zip((got.real, got.imag), want):
            self.assertTrue(same(x, round_fraction(y, fmt)), message)

    def check(self, word, a, b, definition, fmts=(BINARY64, BINARY32)):
        """All elements against `definition` of a row and a column, pairs of fractions. It may depend on the components of S
        that a component of the result needs: a set of 0 and 1 then."""
        scalars = [0.0, 1.0, -1.0, 0.3, any_double(), any_double()]
        alpha, beta = (complex(RNG.choice(scalars), RNG.choice(scalars)) for _ in range(2))
        alpha = alpha or 1j
        c = random_complex(a.shape[0], b.shape[1], 40)
        for fmt in fmts:
            values, facts = complex_types.gemm(modes.parse_mode(word), fmt, alpha, a, b, beta, c)
            for i in range(a.shape[0]):
                for j in range(b.shape[1]):
                    value = []
                    for r in (0, 1):
                        needed = ({r} if alpha.real else set()) | ({1 - r} if alpha.imag else set())
                        s = definition(pairs_of(a[i]), pairs_of(b[:, j]), needed)
                        value.append(plus(times(*pairs_of(np.array([alpha])), s),
                                          times(*pairs_of(np.array([beta])), *pairs_of(c[i, j : j + 1])))[r])
                    self.same_complex(values[i][j], value, fmt, (word, alpha, beta, i, j))
        return facts

    def test_cr(self):
        for shape in ((1, 5, 1), (3, 4, 2), (7, 9, 5)):
            for _ in range(5):
                self.check("cr", random_complex(*shape[:2], 300), random_complex(*shape[1:], 300), lambda x, y, _: product(x, y))

    def test_fixed(self):
        for t in (2, 3, 20, 53, 54, 150):
            a, b = random_complex(3, 6, 30), random_complex(6, 3, 30)
            a[0], b[:, 1] = 0, b[:, 1].real
            self.check(f"fixed:{t}", a, b, lambda x, y, _: product(fixed_line(x, t), fixed_line(y, t)))

    def test_slices(self):
        for d in (1, 2, 5, 50):
            for fast in (False, True):
                a, b = random_complex(2, 5, 40), random_complex(5, 2, 40)
                a[0], b[:, 1] = a[0].imag * 1j, 0
                self.check(f"slices:{d}" + (":fast" if fast else ""), a, b, lambda x, y, _: definition_slices(x, y, d, fast))

    def test_repro(self):
        seen = set()
        for shape, spread in (((2, 512, 3), 1), ((2, 513, 17), 1), ((2, 513, 15), 1), ((2, 520, 17), 1)):
            for fmt in (BINARY64, BINARY32):
                a, b = random_complex(*shape[:2], spread), random_complex(*shape[1:], spread)
                if fmt is BINARY32:
                    a, b = (x.astype(np.complex64).astype(np.complex128) for x in (a, b))
                # One component of one element has only small terms beside a large entry of the row.
                a[0] = a[0] * 2.0**-40
                a[0, 0], b[0], b[0, 0], b[1:, 0] = 1, 0.75 + 0.625j, 0.75, b[1:, 0] * 2.0**-40
                rungs = [[least_rung(pairs_of(x), pairs_of(y), fmt.name) for y in b.T] for x in a]
                found = [t for line in rungs for pair in line for t in pair if t is not None]
                computed, terms = 2 * shape[0] * shape[2], 2 * shape[1]
                rejected = 0 if terms <= MOST_TERMS_AS_CR else computed - len(found)
                if 64 * rejected > computed:
                    rejected = computed
                call = max(found, default=0) if terms > MOST_TERMS_AS_CR and rejected < computed else 0
                seen.add((terms > MOST_TERMS_AS_CR, 0 < rejected < computed, rejected == computed))

                def definition(x, y, needed):
                    of_element = least_rung(x, y, fmt.name)
                    if call == 0 or any(of_element[r] is None for r in needed):
                        return product(x, y)
                    return product(fixed_line(x, call), fixed_line(y, call))

                facts = self.check("dp:repro", a, b, definition, [fmt])
                self.assertEqual(facts.call_bits, call)
                self.assertEqual(facts.rejected, rejected)
        self.assertEqual(seen, {(False, False, False), (True, True, False), (True, False, True)})

    def test_repro_sampling(self):
        """The first 128 in 1024 terms are sampled: p below 64, then from 512 on."""
        a = np.ones((1, 513), np.complex128)
        for p, sampled in ((63, True), (64, False), (511, False), (512, True)):
            b = np.full((513, 1), 2.0**-40 / 3 * (1 + 1j))
            b[p] = 0.7 + 0.7j
            _, facts = complex_types.gemm(modes.parse_mode("dp:repro"), BINARY64, 1.0, a, b, 0, None)
            self.assertEqual(facts.rejected, 0 if sampled else 2, p)  # both, which are all
        # One component has a large product, the other has not: one of two is rejected, so both are cr's.
        b.imag[:] = 0
        b[512] = 0.7
        b[0] = 2.0**-60 / 3 * 1j
        self.assertEqual(complex_types.gemm(modes.parse_mode("dp:repro"), BINARY64, 1.0, a, b, 0, None)[1].rejected, 2)

    @staticmethod
    def chains(a, b):
        """The terms of Re and of Im in order."""
        re, im = [], []
        for x, y in zip(a, b):
            re += [(x.real, y.real), (-x.imag, y.imag)]
            im += [(x.real, y.imag), (x.imag, y.real)]
        return re, im

    def test_dot2_gemm(self):
        blocked = selftest.Modes()
        for spread, scale in ((20, 0), (20, -530)):
            for k in (1, 63, 64, 65, 150):
                a, b = random_complex(2, k, spread) * 2.0**scale, random_complex(k, 2, spread) * 2.0**scale
                values, _ = complex_types.gemm(modes.parse_mode("dot2"), BINARY64, 0.5j, a, b, 0, None)
                for i in range(2):
                    for j in range(2):
                        terms = self.chains(a[i].tolist(), b[:, j].tolist())
                        pairs = [blocked.scalar_dot2([t[p : p + 128] for p in range(0, 2 * k, 128)]) for t in terms]
                        (re, im) = (Fraction(s) + Fraction(c) for s, c in pairs)
                        self.same_complex(values[i][j], (-im / 2, re / 2), BINARY64, (k, i, j))

    def test_dot2_dot(self):
        for n in (1, 16, 17, 500, 513, 1100):
            x, y = random_complex(1, n, 20)[0], random_complex(1, n, 20)[0]
            for dot, first in ((complex_types.dotu, x), (complex_types.dotc, np.conj(x))):
                value, _ = dot(modes.parse_mode("dot2"), BINARY64, x, y)
                for got, terms in zip((value.real, value.imag), self.chains(first.tolist(), y.tolist())):
                    want, _ = modes.dot(modes.parse_mode("dot2"), BINARY64, *(np.array(t) for t in zip(*terms)))
                    self.assertTrue(same(got, want))

    def test_dot2_overflow(self):
        """A chain that overflows gives cr's value in the components that need it."""
        a = np.array([[1e300 + 1e-30j, -1e300 + 1e-30j, 1.0 + 0j]])
        b = np.array([[1e300], [1e300], [3.0 + 1j]]).astype(np.complex128)
        b[2] += 1e-17j
        values, _ = complex_types.gemm(modes.parse_mode("dot2"), BINARY64, 1.0, a, b, 0, None)
        self.same_complex(values[0][0], product(pairs_of(a[0]), pairs_of(b[:, 0])), BINARY64, "overflow")
        # Two tiny products that a chain loses, beside an overflow in the other component.
        a, b = np.array([[1e300 + 0j, 1e300, 1j, -1j]]), np.array([[1e300 + 1j], [-1e300], [1e-200], [0j]])
        a[0, 2] = 1e-200j
        values, _ = complex_types.gemm(modes.parse_mode("dot2"), BINARY64, 1e200j, a, b, 0, None)
        self.same_complex(values[0][0], times((Fraction(0.0), Fraction(1e200)), product(pairs_of(a[0]), pairs_of(b[:, 0]))), BINARY64, "tiny")

    def test_gemv(self):
        a, x, y = random_complex(4, 5, 20), random_complex(1, 5, 20)[0], random_complex(1, 4, 20)[0]
        by_column, _ = complex_types.gemm(CR, BINARY64, 0.3 - 2j, a, x.reshape(-1, 1), 1.5j, y.reshape(-1, 1))
        for word in ("cr", "dp:repro"):
            values, _ = complex_types.gemv(modes.parse_mode(word), BINARY64, 0.3 - 2j, a, x, 1.5j, y)
            self.assertEqual(values, [line[0] for line in by_column])

    def test_norms(self):
        x = np.array([3.0 + 4j, -12j, 0])
        for word in ("cr", "dot2", "dp:repro"):
            self.assertEqual(complex_types.norm("nrm2", modes.parse_mode(word), BINARY64, x), 13.0)
            self.assertEqual(complex_types.norm("asum", modes.parse_mode(word), BINARY32, x), 19.0)
        self.assertEqual(complex_types.norm("asum", CR, BINARY64, np.array([complex(1, -INF)])), INF)

    def one(self, a, b, alpha=1.0, beta=0.0, c=complex(NAN, NAN), mode=CR):
        values, _ = complex_types.gemm(mode, BINARY64, alpha, np.array([a], np.complex128),
                                       np.array(b, np.complex128).reshape(-1, 1), beta, np.array([[c]], np.complex128))
        return values[0][0]

    def expect(self, got, re, im):
        for x, y in ((got.real, re), (got.imag, im)):
            self.assertTrue(x != x if y != y else same(x, y), (got, re, im))

    def test_special(self):
        for word in ("cr", "dot2", "fixed:60", "slices:3", "dp:repro"):
            mode = modes.parse_mode(word)
            # (Inf + i)(2 - 3i): Re Inf * 2 - 1 * (-3), Im Inf * (-3) + 1 * 2.
            self.expect(self.one([complex(INF, 1)], [2 - 3j], mode=mode), INF, -INF)
            # A zero component meets the Inf in one component only.
            self.expect(self.one([complex(INF, 1)], [2], mode=mode), INF, NAN)
            self.expect(self.one([complex(INF, INF)], [1 + 1j], mode=mode), NAN, INF)
            self.expect(self.one([complex(NAN, 1)], [2 + 1j], mode=mode), NAN, NAN)
            # alpha = i swaps the components, and its zero component drops the other's terms.
            self.expect(self.one([complex(INF, 1)], [2], alpha=1j, mode=mode), NAN, INF)
            self.expect(self.one([complex(INF, INF)], [1 + 1j], alpha=1j, mode=mode), -INF, NAN)
            self.expect(self.one([complex(INF, INF)], [1 + 1j], alpha=1 + 1j, mode=mode), NAN, NAN)
            self.expect(self.one([1.0], [2.0], alpha=complex(INF, 0), mode=mode), INF, NAN)
            # A special beta c is treated as alpha S is.
            self.expect(self.one([1.0], [2.0], beta=2.0, c=complex(NAN, 3), mode=mode), NAN, 6.0)
            self.expect(self.one([1.0], [2.0], beta=-1j, c=complex(NAN, 3), mode=mode), 5.0, NAN)
            self.expect(self.one([1.0], [2.0], beta=complex(0, INF), c=2 + 1j, mode=mode), -INF, INF)
        # No intermediate overflow; exact zeros are +0; a sign survives underflow.
        self.expect(self.one([2.0**1000 * (1 + 1j)], [2.0**1000 * (1 + 1j)], alpha=2.0**-1000 * 1j), -(2.0**1001), 0.0)
        self.expect(self.one([1 + 1j], [1 + 1j]), 0.0, 2.0)
        self.expect(self.one([-5e-324j], [0.25]), 0.0, -0.0)

    def test_nothing_added(self):
        """alpha = 0 or k = 0: beta c alone."""
        def one(beta, c, k=1, alpha=0j):
            values, _ = complex_types.gemm(CR, BINARY64, alpha, np.full((1, k), complex(NAN, NAN)),
                                           np.full((k, 1), complex(NAN, NAN)), beta, np.array([[c]], np.complex128))
            return values and values[0][0]

        self.assertIsNone(one(1.0, 3j))
        self.assertIsNone(one(complex(1.0, -0.0), 3j, 0, 2j))
        self.expect(one(complex(-0.0, 0.0), complex(NAN, INF)), 0.0, 0.0)
        self.expect(one(-2.0, 0j), -0.0, -0.0)
        self.expect(one(2j, complex(0.0, 0.0)), -0.0, 0.0)  # Re = -(2 * 0), Im = 2 * 0
        self.expect(one(2 + 2j, complex(0.0, -0.0)), 0.0, 0.0)  # Re = 2 * 0 - 2 * (-0), Im = 2 * (-0) + 2 * 0
        self.expect(one(2 + 2j, complex(-0.0, 0.0)), -0.0, 0.0)  # Re = 2 * (-0) - 2 * 0
        self.expect(one(1 + 1j, 1 + 1j), 0.0, 2.0)
        self.expect(one(1e300 + 1e300j, 1e300 + 1e300j), 0.0, INF)
        self.expect(one(complex(INF, 0), 0j), NAN, NAN)
        self.expect(one(complex(INF, 1e300), complex(1, 1e300)), INF, INF)
        x = 1 + 2.0**-52
        self.expect(one(complex(x, x), complex(x, 1)), fma64(x, x, -x), round_fraction(Fraction(x) + Fraction(x) * Fraction(x), BINARY64))


if __name__ == "__main__":
    unittest.main()
