"""Solutions and factorizations of the Python package."""

import unittest
import warnings
from fractions import Fraction

import accublas
import numpy
from exact import TYPES, layouts, product, same

RNG = numpy.random.default_rng(3)


def integers(shape, dtype):
    """Small integers, complex ones for complex types."""
    made = RNG.integers(-9, 10, (2, *shape))
    return (made[0] + 1j * made[1] if dtype.startswith("c") else made[0]).astype(dtype)


def tolerance(dtype):
    return 200 * numpy.finfo(dtype).eps


def fractions_solution(a, b):
    """The exact solution of a real system, by Gauss's elimination."""
    n = len(a)
    rows = [[Fraction(x) for x in row] + [Fraction(y)] for row, y in zip(a.tolist(), b.tolist())]
    for i in range(n):
        pivot = next(r for r in range(i, n) if rows[r][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for r in range(n):
            if r != i:
                rows[r] = [x - rows[r][i] * y for x, y in zip(rows[r], rows[i])]
    return [row[-1] for row in rows]


class Solutions(unittest.TestCase):
    def test_solve(self):
        for dtype in TYPES:
            a, x = integers((5, 5), dtype) + 40 * numpy.eye(5, dtype=dtype), integers((5, 3), dtype)
            b = product(a, x, dtype)
            for _, view in layouts(a):
                before = view.copy()
                found = accublas.solve(view, b)
                self.assertEqual(found.dtype, numpy.dtype(dtype))
                numpy.testing.assert_allclose(found, x, tolerance(dtype), tolerance(dtype))
                self.assertTrue(same(view, before))
            numpy.testing.assert_allclose(accublas.solve(a, b[:, 1]), x[:, 1], tolerance(dtype), tolerance(dtype))
            definite = product(a, a.T.conj(), dtype)
            numpy.testing.assert_allclose(accublas.solve(definite, product(definite, x, dtype), assume_a="pos"), x, 50 * tolerance(dtype), 50 * tolerance(dtype))
            first, second = accublas.solve(a, b, mode="cr"), accublas.solve(numpy.asfortranarray(a), b[:, ::-1], mode="cr")
            self.assertTrue(same(first, second[:, ::-1]))

    def test_stacks(self):
        a, b = RNG.standard_normal((3, 1, 4, 4)), RNG.standard_normal((2, 4, 2))
        found = accublas.solve(a, b, mode="cr")
        for i in range(3):
            for j in range(2):
                self.assertTrue(same(found[i, j], accublas.solve(a[i, 0], b[j], mode="cr")))
        definite = accublas.syrk(RNG.standard_normal((3, 4, 4)))
        self.assertTrue(same(accublas.cholesky(definite, mode="cr")[2], accublas.cholesky(definite[2], mode="cr")))
        lu, piv = accublas.lu_factor(a, mode="cr")
        one, one_piv = accublas.lu_factor(a[1, 0], mode="cr")
        self.assertTrue(same(lu[1, 0], one) and same(piv[1, 0], one_piv))
        q, r = accublas.qr(a, mode="cr")
        one_q, one_r = accublas.qr(a[1, 0], mode="cr")
        self.assertTrue(same(q[1, 0], one_q) and same(r[1, 0], one_r))

    def test_certified(self):
        n = 9
        hilbert = numpy.array([[1 / (i + j + 1) for j in range(n)] for i in range(n)])
        b = numpy.arange(1.0, n + 1)
        wanted = fractions_solution(hilbert, b)
        for kind in ("gen", "pos"):
            x, radii, certificate = accublas.solve_certified(hilbert, b, assume_a=kind)
            self.assertEqual((certificate.reason, x.shape, radii.shape), ("none", (n,), (n,)))
            self.assertLess(certificate.contraction, 1)
            for found, radius, exact in zip(x.tolist(), radii.tolist(), wanted):
                self.assertLessEqual(abs(Fraction(found) - exact), Fraction(radius))
                self.assertLess(radius, 1e-15 * abs(found))
        self.assertTrue(certificate.positive_definite)
        for dtype in TYPES:
            a, x = integers((4, 4), dtype) + 40 * numpy.eye(4, dtype=dtype), integers((4, 2), dtype)
            solution = accublas.solve_certified(a.T, product(a.T, x, dtype))
            self.assertTrue(numpy.all(abs((solution.x - x).real) <= solution.radii.real) and numpy.all(abs((solution.x - x).imag) <= solution.radii.imag))

    def test_not_certified(self):
        solution = accublas.solve_certified(numpy.ones((2, 2)), [1.0, 2.0])
        self.assertTrue(numpy.all(solution.radii == numpy.inf))
        self.assertIn(solution.certificate.reason, ("singular", "ill-conditioned"))
        self.assertEqual(accublas.solve_certified([[numpy.nan]], [1.0]).certificate.reason, "not finite")

    def test_eigenvalues(self):
        for dtype in TYPES:
            for upper in (False, True):
                a = integers((5, 5), dtype)
                a = a + a.T.conj()
                given = numpy.triu(a) if upper else numpy.tril(a)
                w, radii, v, angles, clusters, certificate = accublas.eigh_certified(given, upper=upper)
                self.assertEqual((certificate.reason, w.dtype, v.dtype), ("none", a.real.dtype, a.dtype))
                self.assertTrue(numpy.all(abs(w - numpy.linalg.eigvalsh(a.astype(complex))) <= radii + 1e-13))
                self.assertTrue(numpy.all(radii <= tolerance(dtype) * abs(w) + 1e-20) and numpy.all(angles <= tolerance(dtype)))
                self.assertEqual(clusters.tolist(), list(range(5)))
                numpy.testing.assert_allclose(a @ v, v * w, 0, 100 * tolerance(dtype))
                for part in (accublas.eigh_certified(given, upper=upper, subset_by_index=(1, 3)),
                             accublas.eigh_certified(given, upper=upper, subset_by_value=(float(w[0] + w[1]) / 2, float(w[3] + w[4]) / 2))):  # fmt: skip
                    self.assertEqual((part.certificate.reason, part.v.shape, part.clusters.tolist()), ("none", (5, 3), [1, 2, 3]))
                    self.assertTrue(numpy.all(abs(part.w - w[1:4]) <= part.radii + radii[1:4]) and numpy.all(part.angles <= tolerance(dtype)))
                    numpy.testing.assert_allclose(a @ part.v, part.v * part.w, 0, 100 * tolerance(dtype))
        self.assertEqual(accublas.eigh_certified(numpy.diag([1.0, 2, 3]), subset_by_value=(1, 2.5)).certificate.reason, "interval")
        self.assertEqual(accublas.eigh_certified(numpy.diag([1.0, 2, 3]), subset_by_value=(3.5, numpy.inf)).v.shape, (3, 0))
        self.assertEqual(accublas.eigh_certified(numpy.zeros((0, 0)), subset_by_value=(1, 2)).w.shape, (0,))
        for name, wrong in (("subset_by_value", (2, 1)), ("subset_by_value", (numpy.nan, 1)), ("subset_by_index", (0, 3)), ("subset_by_index", (-1, 1)),
                            ("subset_by_index", (2, 1))):  # fmt: skip
            with self.assertRaisesRegex(accublas.ArgumentError, f"argument {name}"):
                accublas.eigh_certified(numpy.eye(3), **{name: wrong})
        with self.assertRaisesRegex(accublas.ArgumentError, "both given"):
            accublas.eigh_certified(numpy.eye(3), subset_by_index=(0, 1), subset_by_value=(0, 1))
        with self.assertRaisesRegex(accublas.ArgumentError, "argument b"):
            accublas.eigh_certified(numpy.eye(3), numpy.eye(3), subset_by_index=(0, 1))
        double = accublas.eigh_certified(numpy.eye(3))
        self.assertEqual((double.clusters.tolist(), double.certificate.positive_definite), ([0, 0, 0], True))
        for dtype in TYPES:
            a, b = integers((4, 4), dtype), integers((4, 4), dtype)
            a, b = a + a.T.conj(), b @ b.T.conj() + 40 * numpy.eye(4, dtype=dtype)
            w, radii, v, angles, _, certificate = accublas.eigh_certified(a, b)
            self.assertTrue(certificate.positive_definite and numpy.all(radii <= tolerance(dtype) * abs(w) + 1e-20) and numpy.all(angles <= tolerance(dtype)))
            numpy.testing.assert_allclose(a @ v, b @ (v * w), 0, 1000 * tolerance(dtype))
        self.assertEqual(accublas.eigh_certified(numpy.eye(2), -numpy.eye(2)).certificate.reason, "ill-conditioned")
        with self.assertRaisesRegex(accublas.ArgumentError, "argument b"):
            accublas.eigh_certified(numpy.eye(3), numpy.eye(2))
        nothing = accublas.eigh_certified([[numpy.nan]])
        self.assertEqual((nothing.certificate.reason, nothing.radii.tolist()), ("not finite", [numpy.inf]))
        self.assertEqual(accublas.eigh_certified(numpy.zeros((0, 0))).w.shape, (0,))
        with self.assertRaisesRegex(accublas.ArgumentError, "stack"):
            accublas.eigh_certified(numpy.ones((1, 2, 2)))

    def test_singular_values(self):
        for dtype in TYPES:
            for shape in ((5, 5), (6, 4), (3, 5), (1, 2)):
                a = integers(shape, dtype)
                for _, view in layouts(a):
                    u, s, vh, radii, angles, clusters, certificate = accublas.svd_certified(view)
                    k = min(shape)
                    self.assertEqual((certificate.reason, s.dtype, u.shape, vh.shape), ("none", a.real.dtype, (shape[0], k), (k, shape[1])))
                    self.assertTrue(numpy.all(abs(s - numpy.linalg.svd(a.astype(complex), compute_uv=False)) <= radii + 1e-13))
                    self.assertTrue(numpy.all(radii <= tolerance(dtype) * s + 1e-20) and numpy.all(angles <= tolerance(dtype)))
                    self.assertEqual(clusters[0], 0)
                    numpy.testing.assert_allclose((u * s) @ vh, a, 0, 100 * tolerance(dtype))
        double = accublas.svd_certified(numpy.eye(3, 2))
        self.assertEqual((double.clusters.tolist(), double.certificate.positive_definite), ([0, 0], False))
        nothing = accublas.svd_certified([[numpy.nan]])
        self.assertEqual((nothing.certificate.reason, nothing.radii.tolist()), ("not finite", [numpy.inf]))
        self.assertEqual(accublas.svd_certified(numpy.zeros((0, 3))).s.shape, (0,))
        with self.assertRaisesRegex(accublas.ArgumentError, "expected one matrix"):
            accublas.svd_certified(numpy.ones((1, 2, 2)))

    def test_factorizations(self):
        for dtype in TYPES:
            for shape in ((5, 5), (6, 4), (4, 6), (3, 1), (1, 3)):
                a = integers(shape, dtype)
                for _, view in layouts(a):
                    for full in (False, True):
                        q, r = accublas.qr(view, full=full)
                        self.assertEqual(q.shape, (shape[0], shape[0] if full else min(shape)))
                        self.assertEqual(r.shape, (q.shape[1], shape[1]))
                        self.assertFalse(numpy.tril(r, -1).any())
                        numpy.testing.assert_allclose(q @ r, a, tolerance(dtype), 20 * tolerance(dtype))
                        numpy.testing.assert_allclose(q.T.conj() @ q, numpy.eye(q.shape[1]), 0, tolerance(dtype))
                lu, piv = accublas.lu_factor(a)
                k = min(shape)
                lower, upper = numpy.tril(lu[:, :k], -1) + numpy.eye(shape[0], k), numpy.triu(lu[:k])
                rows = numpy.arange(shape[0])
                for i, j in enumerate(piv):
                    rows[[i, j]] = rows[[j, i]]
                numpy.testing.assert_allclose(lower @ upper, a[rows], tolerance(dtype), 20 * tolerance(dtype))
            a, x = integers((4, 4), dtype) + 40 * numpy.eye(4, dtype=dtype), integers((4, 2), dtype)
            factors = accublas.lu_factor(a)
            for op, matrix in (("N", a), ("T", a.T), ("C", a.T.conj())):
                found = accublas.lu_solve(factors, product(matrix, x, dtype), trans=op)
                numpy.testing.assert_allclose(found, x, tolerance(dtype), tolerance(dtype))
            definite = product(a, a.T.conj(), dtype)
            for view in (definite, numpy.asfortranarray(definite)):
                factor = accublas.cholesky(view)
                self.assertFalse(numpy.triu(factor, 1).any())
                numpy.testing.assert_allclose(factor @ factor.T.conj(), definite, tolerance(dtype), 50 * tolerance(dtype))
                numpy.testing.assert_allclose(accublas.cholesky(view, upper=True), factor.T.conj(), tolerance(dtype), 50 * tolerance(dtype))

    def test_empty(self):
        self.assertEqual(accublas.solve(numpy.zeros((0, 0)), numpy.zeros((0, 2))).shape, (0, 2))
        self.assertEqual(accublas.solve(numpy.zeros((2, 0, 3, 3)), numpy.zeros(3)).shape, (2, 0, 3))
        self.assertEqual(accublas.solve(numpy.eye(3), numpy.zeros((3, 0))).shape, (3, 0))
        self.assertEqual(accublas.cholesky(numpy.zeros((0, 0))).shape, (0, 0))
        self.assertEqual([x.shape for x in accublas.qr(numpy.zeros((3, 0)), full=True)], [(3, 3), (3, 0)])
        self.assertEqual([x.shape for x in accublas.qr(numpy.zeros((0, 3)))], [(0, 0), (0, 3)])
        self.assertEqual([x.shape for x in accublas.lu_factor(numpy.zeros((0, 3)))], [(0, 3), (0,)])
        self.assertEqual(accublas.solve_certified(numpy.zeros((0, 0)), numpy.zeros(0)).x.shape, (0,))

    def test_failures(self):
        with self.assertRaisesRegex(accublas.LinAlgError, "pivot 2 is zero") as caught:
            accublas.solve([[1.0, 2.0], [2.0, 4.0]], [1.0, 1.0])
        self.assertEqual(caught.exception.info, 2)
        self.assertIsInstance(caught.exception, numpy.linalg.LinAlgError)
        for call in (lambda: accublas.cholesky([[1.0, 2.0], [2.0, 1.0]]), lambda: accublas.solve([[1.0, 2.0], [2.0, 1.0]], [1.0, 1.0], assume_a="pos")):
            with self.assertRaisesRegex(accublas.LinAlgError, "minor of order 2"):
                call()
        with self.assertWarnsRegex(RuntimeWarning, "pivot 2"):
            accublas.lu_factor([[1.0, 2.0], [2.0, 4.0]])
        for call, message in (
            (lambda: accublas.solve(numpy.ones((2, 3)), [1.0, 2.0]), "argument a is 2 x 3: expected a square matrix"),
            (lambda: accublas.solve(numpy.ones((2, 2)), [1.0]), "argument b is 1: expected 2 rows"),
            (lambda: accublas.solve(numpy.ones((2, 2)), [1.0, 2.0], assume_a="sym"), 'assume_a = "sym"'),
            (lambda: accublas.solve_certified(numpy.ones((1, 2, 2)), [1.0, 1.0]), "stacks"),
            (lambda: accublas.qr([1.0]), "argument a has 1 dimensions"),
            (lambda: accublas.lu_solve((numpy.eye(2), [0]), [1.0, 1.0]), "the pivots are 1: expected 2"),
            (lambda: accublas.lu_solve((numpy.eye(2), [0, 2]), [1.0, 1.0]), "the pivots are 0 to 2: expected row numbers from 0 to 1"),
            (lambda: accublas.lu_solve((numpy.eye(2), [-1, 1]), [1.0, 1.0]), "the pivots are -1 to 1"),
        ):
            with self.assertRaisesRegex(accublas.ArgumentError, message):
                call()
        with self.assertRaisesRegex(TypeError, "the pivots are of type float64: expected integers"):
            accublas.lu_solve((numpy.eye(2), [0.0, 1.0]), [1.0, 1.0])


if __name__ == "__main__":
    warnings.simplefilter("error", DeprecationWarning)
    unittest.main()
