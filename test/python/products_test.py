"""Products of matrices in the Python package, compared with exact ones."""

import tracemalloc
import unittest

import accublas
import numpy
from exact import TYPES, cancelling, layouts, product, same, wide


def some(rng, batch):
    """The last dimensions of a batch, each of them or 1."""
    return tuple(1 if rng.random() < 0.3 else size for size in batch[rng.integers(0, len(batch) + 1) :])


def random_view(rng, shape, dtype):
    """A view of a larger array with steps of either sign along axes in any order."""
    order, steps = rng.permutation(len(shape)), rng.choice([1, 1, 2, -1, -3], len(shape))
    base = wide(rng, [shape[axis] * abs(steps[axis]) + 1 for axis in order], dtype)
    view = base.transpose(numpy.argsort(order))
    return view[tuple(slice((size - 1) * -step if step < 0 else 0, None, step) for size, step in zip(shape, steps))][tuple(map(slice, shape))]


class Products(unittest.TestCase):
    def setUp(self):
        self.rng = numpy.random.default_rng(1)

    def assertSame(self, found, wanted, *what):
        self.assertTrue(same(found, wanted), f"{what}:\n{found!r}\n{wanted!r}")

    def test_layouts(self):
        for dtype in TYPES:
            a, b = wide(self.rng, (3, 5), dtype), wide(self.rng, (5, 4), dtype)
            wanted = product(a, b, dtype)
            for name_a, view_a in layouts(a):
                for name_b, view_b in layouts(b):
                    self.assertSame(accublas.matmul(view_a, view_b, mode="cr"), wanted, dtype, name_a, name_b)

    def test_transpositions(self):
        for dtype in TYPES:
            a, b = wide(self.rng, (3, 5), dtype), wide(self.rng, (5, 4), dtype)
            wanted = product(a, b, dtype)
            forms = {"N": lambda x: x, "T": lambda x: x.T, "C": lambda x: x.T.conj()}
            for op_a, form_a in forms.items():
                for name_a, view_a in layouts(form_a(a)):
                    for op_b, form_b in forms.items():
                        for view_b in (form_b(b).copy("C"), form_b(b).copy("F")):
                            self.assertSame(accublas.gemm(view_a, view_b, trans_a=op_a, trans_b=op_b, mode="cr"), wanted, dtype, op_a, op_b, name_a)

    def test_cancellation(self):
        for dtype in TYPES:
            row, column = cancelling(self.rng, 40, dtype)
            wanted = product(row, column, dtype)
            self.assertTrue(numpy.all(wanted != 0))
            self.assertSame(accublas.matmul(row, column, mode="cr"), wanted, dtype)
            self.assertSame(accublas.dot(row[0], column[:, 0], mode="cr"), wanted[0, 0], dtype)

    def test_special_values(self):
        inf, nan, least = numpy.inf, numpy.nan, 5e-324
        for row, column in (
            ([inf, 1], [1, 1]), ([inf, 1], [0, 1]), ([inf, -inf], [1, 1]), ([inf, 1], [1, -inf]), ([nan, 1], [0, 1]), ([1e308, 1e308], [10, 1]),
            ([1e308, -1e308, 1], [10, 10, 3]), ([least, least], [0.5, 0.25]), ([least, least], [0.5, 0.5]), ([2.0**-600, 1], [2.0**-475, 0]),
        ):  # fmt: skip
            a, b = numpy.array([row], "f8"), numpy.array(column, "f8")[:, None]
            self.assertSame(accublas.matmul(a, b, mode="cr"), product(a, b, "float64"), row, column)

    def test_factors(self):
        for dtype in TYPES:
            # 2 A B + C / 2 is a sum of exact terms as well: the product of wider matrices.
            a, b, c = wide(self.rng, (3, 5), dtype), wide(self.rng, (5, 4), dtype), wide(self.rng, (3, 4), dtype)
            half = numpy.asarray(0.5, dtype)
            wanted = product(numpy.concatenate([2 * a, c], 1), numpy.concatenate([b, numpy.eye(4, dtype=dtype) * half]), dtype)
            for _, view in layouts(c):
                self.assertSame(accublas.gemm(a, b, alpha=2, beta=0.5, c=view, mode="cr"), wanted, dtype)
            for order in "CF":
                out = c.copy(order)
                self.assertIs(accublas.gemm(a, b, alpha=2, beta=0.5, c=out, out=out, mode="cr"), out)
                self.assertSame(out, wanted, dtype, order)
            large = numpy.zeros((6, 8), dtype)
            accublas.matmul(a, b, out=large[::2, ::-2], mode="cr")
            self.assertSame(large[::2, ::-2], product(a, b, dtype))
            self.assertFalse(large[1::2].any() or large[:, ::2].any())
        i = numpy.array([[1j]])
        self.assertSame(accublas.gemm(i, i, alpha=2j), numpy.array([[-2j]]))

    def test_vectors(self):
        for dtype in TYPES:
            a, x, y = wide(self.rng, (4, 5), dtype), wide(self.rng, 5, dtype), wide(self.rng, 4, dtype)
            wanted = product(a, x[:, None], dtype)[:, 0]
            for _, view in layouts(a):
                for vector in (x, numpy.repeat(x, 3)[::3], x[::-1].copy()[::-1]):
                    self.assertSame(accublas.matmul(view, vector, mode="cr"), wanted)
                    self.assertSame(accublas.gemv(view.T, vector, trans="T", mode="cr"), wanted)
                    self.assertSame(accublas.gemv(view.T.conj(), vector, trans="C", mode="cr"), wanted)
                    self.assertSame(accublas.gemv(numpy.asfortranarray(view.T.conj()), vector, trans="C", mode="cr"), wanted)
            self.assertSame(accublas.matmul(x, a.T, mode="cr"), wanted)
            same_element = numpy.broadcast_to(x[:1], 5)
            self.assertSame(accublas.matmul(a, same_element, mode="cr"), product(a, same_element[:, None], dtype)[:, 0])
            self.assertSame(accublas.dot(x, same_element, mode="cr"), product(x[None, :], same_element[:, None], dtype)[0, 0])
            one = numpy.eye(4, dtype=dtype)
            wanted = product(numpy.concatenate([a, one], 1), numpy.concatenate([x, -2 * y])[:, None], dtype)[:, 0]
            out = y[::-1].copy()[::-1]
            accublas.gemv(a, x, beta=-2, y=out, out=out, mode="cr")
            self.assertSame(out, wanted)

    def test_stacks(self):
        for dtype in TYPES:
            a, b = wide(self.rng, (2, 1, 3, 4, 5), dtype), wide(self.rng, (3, 3, 5, 2), dtype)
            wanted = numpy.empty((2, 3, 3, 4, 2), dtype)
            for index in numpy.ndindex(2, 3, 3):
                wanted[index] = product(a[index[0], 0, index[2]], b[index[1:]], dtype)
            columns = numpy.swapaxes(numpy.swapaxes(b, -1, -2).copy(), -1, -2)
            for right in (b, columns, numpy.repeat(b, 2, -1)[..., ::2], b[::-1].copy()[::-1], numpy.moveaxis(numpy.moveaxis(b, 0, 2).copy(), 2, 0)):
                self.assertSame(accublas.matmul(a, right, mode="cr"), wanted, dtype)
            self.assertSame(accublas.gemm(numpy.swapaxes(a, -1, -2).conj(), b, trans_a="C", mode="cr"), wanted, dtype)
            vector = wide(self.rng, 5, dtype)
            found = accublas.matmul(a, vector, mode="cr")
            self.assertSame(found[1, 0, 2], accublas.matmul(a[1, 0, 2], vector, mode="cr"))
            self.assertEqual(accublas.matmul(vector, b, mode="cr").shape, (3, 3, 2))
            self.assertSame(accublas.matmul(vector, b, mode="cr")[2, 1], accublas.matmul(vector, b[2, 1], mode="cr"))

    def test_random_layouts(self):
        """Stacks of random shapes, strides and transpositions have the bits of their matrices one by one."""
        for _ in range(150):
            dtype = self.rng.choice(TYPES)
            m, k, n = self.rng.integers(0, 5, 3)
            batch = tuple(self.rng.integers(1, 4, self.rng.integers(0, 3)))
            op_a, op_b = self.rng.choice(list("NTC"), 2)
            a = random_view(self.rng, some(self.rng, batch) + ((m, k) if op_a == "N" else (k, m)), dtype)
            b = random_view(self.rng, some(self.rng, batch) + ((k, n) if op_b == "N" else (n, k)), dtype)
            shape = (*numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2]), m, n)
            c, out = random_view(self.rng, shape, dtype), random_view(self.rng, shape, dtype)
            forms = {"N": lambda x: x, "T": lambda x: numpy.swapaxes(x, -1, -2), "C": lambda x: numpy.swapaxes(x, -1, -2).conj()}
            plain_a, plain_b = numpy.broadcast_to(forms[op_a](a), (*shape[:-2], m, k)), numpy.broadcast_to(forms[op_b](b), (*shape[:-2], k, n))
            wanted = numpy.empty(shape, dtype)
            for index in numpy.ndindex(shape[:-2]):
                wanted[index] = accublas.gemm(plain_a[index].copy(), plain_b[index].copy(), alpha=2, beta=-1, c=c[index].copy(), mode="cr")
            accublas.gemm(a, b, alpha=2, beta=-1, c=c, trans_a=op_a, trans_b=op_b, out=out, mode="cr")
            self.assertSame(out, wanted, dtype, a.shape, a.strides, op_a, b.shape, b.strides, op_b, out.strides)

    def test_syrk(self):
        for dtype in TYPES:
            a = wide(self.rng, (4, 3), dtype)
            for _, view in layouts(a):
                self.assertSame(accublas.syrk(view, mode="cr"), product(a, a.T, dtype))
                self.assertSame(accublas.syrk(view, trans=True, mode="cr"), product(a.T, a, dtype))
                self.assertSame(accublas.syrk(view, hermitian=True, mode="cr"), product(a, a.T.conj(), dtype))
                self.assertSame(accublas.syrk(view, hermitian=True, trans=True, mode="cr"), product(a.T.conj(), a, dtype))
            stack = wide(self.rng, (2, 4, 3), dtype)
            self.assertSame(accublas.syrk(stack, mode="cr")[1], product(stack[1], stack[1].T, dtype))

    def test_hermitian_zeros(self):
        """The imaginary parts that are zero are +0 in both triangles."""
        for dtype in ("complex128", "complex64"):
            a = numpy.array([[1, 0], [1 + 1j, 2]], dtype)
            found = accublas.syrk(a.real.astype(dtype), hermitian=True)
            self.assertFalse(numpy.signbit(found.imag).any())
            self.assertEqual(found.dtype, dtype)

    def test_empty(self):
        for shapes in ((0, 3), (3, 2)), ((2, 0), (0, 3)), ((2, 3), (3, 0)), ((0, 2, 3), (3, 4)), ((2, 0, 3), (2, 3, 4)), ((0, 0), (0, 0)):
            a, b = map(numpy.zeros, shapes)
            self.assertSame(accublas.matmul(a, b), numpy.matmul(a, b))
        self.assertEqual(accublas.dot([], []), 0)
        self.assertEqual(accublas.norm([]), 0)
        self.assertSame(accublas.matmul(numpy.zeros((3, 0)), numpy.zeros(0)), numpy.zeros(3))
        self.assertSame(accublas.syrk(numpy.zeros((0, 3))), numpy.zeros((0, 0)))
        self.assertSame(accublas.syrk(numpy.zeros((2, 0))), numpy.zeros((2, 2)))

    def test_types(self):
        self.assertEqual(accublas.matmul([[1, 2]], [[3], [4]]).dtype, "float64")
        self.assertEqual(accublas.matmul(numpy.ones((1, 1), "f2"), numpy.ones((1, 1), "f4")).dtype, "float32")
        self.assertEqual(accublas.matmul(numpy.ones((1, 1), "f4"), numpy.ones((1, 1), "c16")).dtype, "complex128")
        self.assertEqual(accublas.matmul(numpy.ones((1, 1), "f4"), numpy.ones((1, 1), "i8")).dtype, "float64")
        self.assertEqual(accublas.matmul([[True]], [[False]]).dtype, "float64")
        for wrong in (numpy.ones((1, 1), "g"), numpy.array([["a"]]), numpy.array([[None]])):
            with self.assertRaisesRegex(TypeError, "not supported"):
                accublas.matmul(wrong, wrong)

    def test_messages(self):
        one = numpy.ones((2, 2))
        for call, message in (
            (lambda: accublas.matmul(numpy.ones((2, 3)), one), "2 x 3 and 2 x 2"),
            (lambda: accublas.matmul(numpy.ones((2, 2, 2)), numpy.ones((3, 2, 2))), "do not broadcast"),
            (lambda: accublas.matmul(1.0, one), "argument a is a number"),
            (lambda: accublas.matmul(one, one, out=numpy.ones((2, 3))), "argument out is 2 x 3"),
            (lambda: accublas.matmul(one, one, out=numpy.ones((2, 2), "f4")), "of type float32"),
            (lambda: accublas.matmul(one, one, out=one), "share"),
            (lambda: accublas.matmul(one, one, out=numpy.broadcast_to(one[:1], (2, 2))), "read-only"),
            (lambda: accublas.gemm(one, one, beta=1), "argument c is missing"),
            (lambda: accublas.gemm(one, one, beta=1, c=numpy.ones((3, 3))), "argument c is 3 x 3"),
            (lambda: accublas.gemm(one, one, alpha=1j), "alpha = 1j is complex"),
            (lambda: accublas.gemm(one, one, trans_a="X"), 'trans_a = "X"'),
            (lambda: accublas.gemv(one, one), "dimensions"),
            (lambda: accublas.gemv(one, [1.0]), "argument x has 1 elements"),
            (lambda: accublas.dot([1.0], [1.0, 2.0]), "1 and 2 elements"),
        ):
            with self.assertRaisesRegex(accublas.ArgumentError, message) as caught:
                call()
            self.assertIsInstance(caught.exception, ValueError)
        for call, message in (
            (lambda: accublas.gemm(one, one, trans_a=None), "argument trans_a = None is of type NoneType"),
            (lambda: accublas.matmul(one, one, out=[[0.0] * 2] * 2), "argument out is of type list: expected ndarray"),
            (lambda: accublas.matmul(None, one), "not supported"),
            (lambda: accublas.solve(one, None), "not supported"),
        ):
            with self.assertRaisesRegex(TypeError, message):
                call()

    def test_shared_memory(self):
        """An array that the result overwrites shares no element with an operand, in any matrix of a stack, nor with itself."""
        base = self.rng.standard_normal(24)
        stacks, other, before = base.reshape(3, 2, 4), numpy.eye(2), base.copy()
        twice = numpy.lib.stride_tricks.as_strided(base, (2, 2, 2), (16, 32, 16))
        for name, call in (
            ("a", lambda: accublas.matmul(stacks[:2, :, :2], other, out=stacks[1:, :, :2])),
            ("a", lambda: accublas.gemm(stacks[:2, :, ::2], other, beta=1, c=other, out=stacks[1:, :, ::2])),
            ("b", lambda: accublas.matmul(numpy.ones((2, 2, 2)), stacks[1, :, ::2], out=stacks[:2, :, ::2])),
            ("x", lambda: accublas.gemv(other, base[:2], beta=1, y=[1.0, 1.0], out=base[1:3])),
            ("out", lambda: accublas.matmul(numpy.ones((2, 2, 2)), other, out=twice)),
        ):
            with self.assertRaisesRegex(accublas.ArgumentError, f"argument {name}( share|:)"):
                call()
            self.assertSame(base, before)
        wanted = stacks[:, :, ::2].copy()
        self.assertSame(accublas.matmul(stacks[:, :, ::2], other, out=stacks[:, :, 1::2]), wanted)

    def test_failed_calls(self):
        """A call that fails leaves the array that it would overwrite as it was."""
        one, c, stack = numpy.eye(2), numpy.full((2, 2), 7.0), numpy.array([numpy.eye(2), [[1, 1e-12], [1e-12, 1 / 3]]])
        for out, options, call in (
            (numpy.ones((2, 2)), {"mode": "nonsense"}, lambda **to: accublas.gemm(one, one, beta=1, c=c, **to)),
            (numpy.ones((2, 2)), {"alpha": 1j}, lambda **to: accublas.gemm(one, one, beta=1, c=c, **to)),
            (numpy.ones(2), {"mode": "nonsense"}, lambda **to: accublas.gemv(one, c[0], beta=1, y=c[1], **to)),
            (numpy.ones((2, 2, 2)), {"mode": "fixed:24"}, lambda **to: accublas.matmul(stack, stack, **to)),
            (numpy.ones((2, 2, 2)), {"mode": "fixed:24"}, lambda **to: accublas.gemm(stack, stack, beta=1, c=to["out"], **to)),
        ):
            accublas.set_target(1e-6 if out.ndim == 3 else 0)
            self.addCleanup(accublas.set_target, 0)
            with self.assertRaises(accublas.Error):
                call(out=out, **options)
            self.assertSame(out, numpy.ones(out.shape))

    def test_memory(self):
        """Views are multiplied where they lie."""
        a, b = numpy.ones((400, 800))[:, ::2], numpy.ones((400, 400))[::-1].T
        accublas.matmul(a, b)
        tracemalloc.start()
        result = accublas.matmul(a, b)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        self.assertLess(peak, result.nbytes * 1.1)


class Sums(unittest.TestCase):
    def test_vdot(self):
        rng = numpy.random.default_rng(2)
        for dtype in TYPES:
            x, y = wide(rng, (3, 4), dtype), wide(rng, (3, 4), dtype)
            wanted = product(x.conj().reshape(1, 12), y.reshape(12, 1), dtype)[0, 0]
            for view in (x, numpy.asfortranarray(x)):
                self.assertTrue(same(accublas.vdot(view, y, mode="cr"), wanted))
            self.assertEqual(type(accublas.vdot(x, y)), numpy.dtype(dtype).type)

    def test_norm(self):
        for dtype in TYPES:
            x = numpy.array([[3, 0], [0, -4]], dtype) * (1j if dtype.startswith("c") else 1)
            for view in (x, x.T, x[::-1]):
                self.assertEqual(accublas.norm(view, mode="cr"), 5)
            self.assertEqual(accublas.norm(x).dtype, numpy.empty(0, dtype).real.dtype)
        self.assertEqual(accublas.norm(numpy.broadcast_to(2.0, 4)), 4)
        self.assertEqual(accublas.norm([numpy.inf, 1]), numpy.inf)


if __name__ == "__main__":
    unittest.main()
