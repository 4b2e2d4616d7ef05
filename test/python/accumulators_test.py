"""Accumulators of the Python package."""

import unittest

import accublas
import numpy
from exact import TYPES, layouts, same

RNG = numpy.random.default_rng(7)


def numbers(shape, dtype):
    made = RNG.standard_normal((2, *shape)) * 2.0 ** RNG.integers(-20, 20, (2, *shape))
    return (made[0] + 1j * made[1] if dtype.startswith("c") else made[0]).astype(dtype)


class Accumulators(unittest.TestCase):
    def sums(self, a, b, cuts, **options):
        rows = columns = None
        for first, end in zip(cuts, cuts[1:]):
            rows = accublas.row_exponents(a[:, first:end], rows, a.dtype.name)
            columns = accublas.column_exponents(b[first:end], columns, a.dtype.name)
        return accublas.Accumulator(rows, columns, a.shape[1], dtype=a.dtype.name, **options)

    def test_bits(self):
        for dtype in TYPES:
            a, b, c = numbers((5, 40), dtype), numbers((40, 7), dtype), numbers((5, 7), dtype)
            cuts = [0, 13, 14, 40]
            for mode in ("cr", "fixed:53"):
                expected = accublas.gemm(a, b, alpha=-2, beta=3, c=c, mode=mode)
                for (_, left), (_, right) in zip(layouts(a), layouts(b)):
                    sums = self.sums(left, right, cuts, mode=mode)
                    for _ in range(2):
                        for first, end in zip(cuts, cuts[1:]):
                            sums.add(left[:, first:end], right[first:end])
                        try:
                            found = sums.finish(-2, 3, c)
                            break
                        except accublas.UndecidedError:
                            self.assertGreater(sums.undecided, 0)
                    self.assertTrue(same(found, expected))

    def test_rounds_and_bytes(self):
        a, b = numbers((6, 30), "float64"), numbers((30, 4), "float64")
        expected = accublas.matmul(a, b, mode="cr")
        sums = self.sums(a, b, [0, 30], bits=10)
        for round in range(2):
            other = accublas.Accumulator.from_bytes(sums.to_bytes())
            self.assertEqual((other.shape, other.dtype, other.moduli), ((6, 4), "float64", sums.moduli))
            other.add(a[:, 20:], b[20:])
            sums.add(a[:, :20], b[:20])
            sums.merge(other.to_bytes())
            if round == 0:
                with self.assertRaises(accublas.UndecidedError):
                    sums.finish()
        self.assertTrue(same(sums.finish(), expected))

    def test_failures(self):
        a, b = numbers((3, 4), "float64"), numbers((4, 2), "float64")
        sums = self.sums(a, b, [0, 4])
        with self.assertRaises(accublas.ArgumentError):
            sums.add(a, b[:3])
        with self.assertRaises(accublas.ArgumentError):
            sums.add(1e300 * a, b)
        with self.assertRaises(accublas.ArgumentError):
            sums.finish(c=numpy.zeros((2, 2)), beta=1)
        with self.assertRaises(accublas.FormatError):
            accublas.Accumulator.from_bytes(sums.to_bytes()[:-1])
        with self.assertRaises(accublas.ModeError):
            self.sums(a, b, [0, 4], mode="dp")
        with self.assertRaises(TypeError):
            accublas.Accumulator(*[numpy.zeros((1, 2))] * 2, 3, dtype="int32")
        with self.assertRaises(accublas.ArgumentError):
            accublas.Accumulator(numpy.zeros(3), numpy.zeros((1, 2)), 3)


if __name__ == "__main__":
    unittest.main()
