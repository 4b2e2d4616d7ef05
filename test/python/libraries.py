"""The Python package on arrays of CuPy, PyTorch and JAX, on a GPU if there is one: the bits are those of NumPy's arrays, and results are arrays of the same library in
the same memory.

usage: libraries.py [LIBRARY ...]    skipped (77) where none of the libraries is installed
"""

import importlib
import importlib.util
import sys
import unittest

import accublas
import numpy
from accublas import _kinds
from exact import TYPES, same, wide

SKIP = 77


class Client:
    """One of the libraries: how its arrays are made and read."""

    def __init__(self, name):
        self.name, self.module = name, importlib.import_module(name)

    def array(self, host):
        raise NotImplementedError

    def host(self, array):
        return numpy.asarray(array)

    def narrow(self):
        """A block in which the library's arrays hold 32 bits at most, None where it has none."""
        return None

    def stream(self):
        """A stream that is not the default one, None where the library has none."""
        return None


class CuPyClient(Client):
    def array(self, host):
        return self.module.asarray(host)

    def host(self, array):
        return array.get()

    def stream(self):
        return self.module.cuda.Stream(non_blocking=True)


class PyTorchClient(Client):
    def array(self, host):
        place = "cuda" if self.module.cuda.is_available() else "cpu"
        return self.module.from_numpy(host.copy()).to(place)

    def host(self, array):
        return array.cpu().numpy()

    def stream(self):
        return self.module.cuda.stream(self.module.cuda.Stream()) if self.module.cuda.is_available() else None


class JAXClient(Client):
    def __init__(self, name):
        super().__init__(name)
        self.module.config.update("jax_enable_x64", True)

    def array(self, host):
        return self.module.numpy.asarray(host)

    def narrow(self):
        return _kinds.kind_of((self.array(numpy.ones(1)),)).wide(False)


CLIENTS = {"cupy": CuPyClient, "torch": PyTorchClient, "jax": JAXClient}


class Arrays(unittest.TestCase):
    """Tests of one library; `client` is set by a subclass."""

    client = None

    def setUp(self):
        self.rng = numpy.random.default_rng(4)

    def place(self, array):
        return _kinds.kind_of((array,)).device(array)

    def compare(self, function, *hosts, **options):
        """The function of the library's arrays has the bits of that of NumPy's arrays."""
        arrays = [self.client.array(host) for host in hosts]
        wanted, found = function(*hosts, **options), function(*arrays, **options)
        for wanted_one, found_one in zip(*((value if isinstance(value, tuple) else (value,)) for value in (wanted, found))):
            if isinstance(wanted_one, (numpy.ndarray, numpy.generic)):
                self.assertEqual((type(found_one), self.place(found_one)), (type(arrays[0]), self.place(arrays[0])))
                self.assertTrue(same(self.client.host(found_one), wanted_one), (function, wanted_one, found_one))
        return found

    def test_products(self):
        for dtype in TYPES:
            a, b = wide(self.rng, (70, 50), dtype), wide(self.rng, (50, 40), dtype)
            self.compare(accublas.matmul, a, b, mode="cr")
            self.compare(lambda a, b: accublas.matmul(a[::2, ::3], b[::3].T[:17].T, mode="cr"), a, b)
            self.compare(lambda a, b: accublas.matmul(b.T, a.T, mode="cr"), a, b)
            self.compare(lambda a, b: accublas.gemm(a, b, trans_a="C", trans_b="C", alpha=2, mode="cr"), a.T.copy(), b.T.copy())
            self.compare(lambda a, b, c: accublas.gemm(a, b, alpha=2, beta=-1, c=c, mode="cr"), a, b, wide(self.rng, (70, 40), dtype))
            self.compare(accublas.matmul, a, b[:, 0].copy(), mode="cr")
            self.compare(accublas.matmul, b[:, 0].copy(), a.T.copy(), mode="cr")
            self.compare(accublas.matmul, wide(self.rng, (3, 1, 8, 9), dtype), wide(self.rng, (2, 9, 7), dtype), mode="cr")
            self.compare(accublas.syrk, a, hermitian=True, mode="cr")
            self.compare(accublas.matmul, a[:0], b, mode="cr")

    def test_sums(self):
        for dtype in TYPES:
            x, y = wide(self.rng, 1000, dtype), wide(self.rng, 1000, dtype)
            self.compare(accublas.dot, x, y, mode="cr")
            self.compare(accublas.vdot, x, y, mode="cr")
            self.compare(accublas.matmul, x, y, mode="cr")
            self.compare(accublas.norm, x, mode="cr")
            self.compare(accublas.dot, x[:0], y[:0], mode="cr")

    def test_solvers(self):
        for dtype in TYPES:
            a, b = self.rng.standard_normal((2, 12, 12)).astype(dtype), self.rng.standard_normal((12, 3)).astype(dtype)
            definite = accublas.syrk(a, hermitian=True)
            self.compare(accublas.solve, a, b, mode="cr")
            self.compare(accublas.solve, definite, b, assume_a="pos", mode="cr")
            self.compare(accublas.cholesky, definite, mode="cr")
            self.compare(accublas.lu_factor, a, mode="cr")
            self.compare(lambda a, b: accublas.lu_solve(accublas.lu_factor(a, mode="cr"), b, trans="C", mode="cr"), a[0], b)
            self.compare(accublas.qr, a, mode="cr")
            self.compare(accublas.qr, a[0, :, :5].copy(), full=True, mode="cr")
            self.assertEqual(self.compare(accublas.solve_certified, a[0], b, mode="cr").certificate.reason, "none")

    def test_out(self):
        a = self.client.array(wide(self.rng, (5, 5), "float64"))
        if not _kinds.kind_of((a,)).writable:
            with self.assertRaisesRegex(accublas.ArgumentError, "cannot be written"):
                accublas.matmul(a, a, out=a)
            return
        out = self.client.array(numpy.zeros((5, 5)))
        self.assertIs(accublas.matmul(a, a, out=out, mode="cr"), out)
        host = self.client.host(a)
        self.assertTrue(same(self.client.host(out), accublas.matmul(host, host, mode="cr")))

    def test_streams(self):
        """A product on a stream of its own, between other work there."""
        a, b = wide(self.rng, (300, 300), "float64"), wide(self.rng, (300, 300), "float64")
        wanted = accublas.matmul(2 * a, b, mode="cr") * 2
        on_device = [self.client.array(host) for host in (a, b)]
        stream = self.client.stream()
        if stream is None:
            self.skipTest("no streams")
        for _ in range(20):
            with stream:
                found = accublas.matmul(2 * on_device[0], on_device[1], mode="cr") * 2
                found = self.client.host(found)
            self.assertTrue(same(found, wanted))
        accublas.sync()

    def test_operands(self):
        one = self.client.array(numpy.ones((2, 2)))
        self.assertTrue(same(self.client.host(accublas.matmul(one, [[1.0], [2.0]])), numpy.full((2, 1), 3.0)))
        with self.assertRaisesRegex(accublas.ArgumentError, "2 x 2 and 3 x 1"):
            accublas.matmul(one, self.client.array(numpy.ones((3, 1))))
        tenth = accublas.matmul(self.client.array(numpy.ones((1, 1))), [[0.1]], mode="cr")
        self.assertTrue(same(self.client.host(tenth), numpy.array([[0.1]])))

    def test_narrow(self):
        """Where arrays hold 32 bits at most, all that would become float64 becomes float32."""
        if self.client.narrow() is None:
            self.skipTest("arrays hold 64 bits")
        with self.client.narrow():
            x, y, ones = self.client.array(numpy.array([3, 4])), self.client.array(numpy.float32([1, 2])), self.client.array(numpy.ones((50, 50), "i4"))
            for found, wanted in ((accublas.dot(x, x), 25), (accublas.dot([3, 4], y), 11), (accublas.dot(numpy.array([0.1, 2**40]), y, mode="cr"), 2.0**41),
                                  (accublas.norm(x), 5), (accublas.matmul(ones, ones)[7, 7], 50), (accublas.syrk(ones)[1, 2], 50),
                                  (accublas.gemm([[1]], [[2]], beta=1, c=self.client.array(numpy.array([[3]])))[0, 0], 5),
                                  (accublas.solve(self.client.array(numpy.array([[4]])), [2.0])[0], 0.5)):  # fmt: skip
                self.assertTrue(same(self.client.host(found), numpy.float32(wanted)), (found, wanted))


def cases(names):
    for name in names:
        client = CLIENTS[name](name)
        device = _kinds.kind_of((array := client.array(numpy.ones(1)),)).device(array)
        print(f"{name} {client.module.__version__}: arrays in {'host memory' if device is None else f'the memory of GPU {device}'}", flush=True)
        yield type(f"{name}Arrays", (Arrays,), {"client": client})


if __name__ == "__main__":
    wanted = sys.argv[1:] or [name for name in CLIENTS if importlib.util.find_spec(name)]
    if not wanted:
        print("skipped: neither CuPy nor PyTorch nor JAX is installed")
        sys.exit(SKIP)
    suite = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromTestCase(case) for case in cases(wanted))
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
