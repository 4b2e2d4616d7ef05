"""Arrays in device memory without a GPU: modules that stand for CuPy and PyTorch, whose arrays say that they lie on GPU 1 and keep their numbers in host memory. The
package passes the library their addresses, the device, and the current stream; what sets these in the library is recorded here instead."""

import os
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

import accublas
import numpy
from accublas import _kinds, _library
from accublas import _prototypes as api
from exact import same, wide

STREAM = {"cupy": 123, "torch": 0}


class Device:
    id = index = 1
    type = "cuda"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


class Array:
    """Numbers of NumPy with the operations of both libraries."""

    device = Device()

    def __init__(self, host):
        self.host = numpy.asarray(host)

    ndim = property(lambda self: self.host.ndim)
    shape = property(lambda self: self.host.shape)
    dtype = property(lambda self: self.module.named(self.host.dtype))

    def __getattr__(self, name):
        """Methods of NumPy's arrays."""
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *arguments, **options: type(self)(getattr(self.host, name)(*arguments, **options))

    def __getitem__(self, key):
        return type(self)(self.host[key])

    def __setitem__(self, key, value):
        self.host[key] = value.host

    def __sub__(self, other):
        return type(self)(self.host - other)

    def __add__(self, other):
        return type(self)(self.host + other)

    def __int__(self):
        return int(self.host)


class CuPyArray(Array):
    strides, itemsize = property(lambda self: self.host.strides), property(lambda self: self.host.itemsize)
    data = property(lambda self: types.SimpleNamespace(ptr=self.host.ctypes.data))


class Tensor(Array):
    def stride(self):
        return [stride // self.host.itemsize for stride in self.host.strides]

    def data_ptr(self):
        return self.host.__array_interface__["data"][0]

    def detach(self):
        return self

    resolve_conj = resolve_neg = detach

    def to(self, dtype):
        return Tensor(self.host.astype(dtype.name, copy=False))

    def copy_(self, other):
        self.host[...] = other.host
        return self


class TorchType:
    def __init__(self, name):
        self.name = name

    def __str__(self):
        return f"torch.{self.name}"

    def __eq__(self, other):
        return str(self) == str(other)


def imitation(name, array):
    """A module that does what NumPy does, with other arrays."""
    module = types.ModuleType(name)
    array.__module__, array.module = name, module
    torch = name == "torch"
    module.named = (lambda dtype: TorchType(dtype.name)) if torch else (lambda dtype: dtype)
    host = lambda value: value.host if isinstance(value, array) else [host(one) for one in value] if isinstance(value, (list, tuple)) else value

    def function(of):
        def call(*arguments, dtype=None, device=None, **options):
            if dtype is not None:
                options["dtype"] = dtype.name if torch else dtype
            return array(of(*map(host, arguments), **options))

        return call

    for one in ("array", "broadcast_to", "empty", "ones", "tri", "tril", "triu", "swapaxes", "where", "concatenate"):
        setattr(module, one, function(getattr(numpy, one)))
    module.asarray = module.as_tensor = function(numpy.asarray)
    for one in ("float64", "float32", "complex128", "complex64", "int64", "bool"):
        setattr(module, one, TorchType(one))
    stream = types.SimpleNamespace(ptr=STREAM[name], cuda_stream=STREAM[name])
    module.cuda = types.SimpleNamespace(Device=lambda number: Device(), get_current_stream=lambda: stream, current_stream=lambda device: stream)
    return module


class OnlyInterface:
    """An array of a library that is not known, with __cuda_array_interface__."""

    __cuda_array_interface__: dict = {}

    def __init__(self, host):
        self.host = host


class OnlyDLPack:
    """An array of a library that is not known, with DLPack."""

    kind = _kinds.CUDA

    def __init__(self, host):
        self.host = host

    def __dlpack__(self, **options):
        return self.host.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.kind, 0


class Devices(unittest.TestCase):
    def setUp(self):
        self.rng = numpy.random.default_rng(5)
        self.used = []  # what would have been set in the library
        call = _library.Context.call

        def recorded(context, name, *arguments):
            if name in ("set_pointer_mode", "sync"):
                self.used.append((name, *arguments))
            else:
                call(context, name, *arguments)

        for patch in (mock.patch.object(_library.Context, "call", recorded),
                      mock.patch.object(_library.Context, "use_stream", lambda context, *where: self.used.append(where)),
                      mock.patch.dict(sys.modules, {"cupy": imitation("cupy", CuPyArray), "torch": imitation("torch", Tensor)})):  # fmt: skip
            patch.start()
            self.addCleanup(patch.stop)

    def compare(self, function, *hosts):
        for array in (CuPyArray, Tensor):
            self.used.clear()
            wanted, found = function(*hosts), function(*map(array, hosts))
            for wanted_one, found_one in zip(*((value if isinstance(value, tuple) else (value,)) for value in (wanted, found))):
                if isinstance(wanted_one, (numpy.ndarray, numpy.generic)):
                    self.assertIsInstance(found_one, array)
                    self.assertTrue(same(found_one.host, wanted_one), function)
            self.assertIn((1, STREAM[array.__module__]), self.used)

    def test_functions(self):
        with accublas.mode("cr"):
            for dtype in ("float64", "complex64"):
                a, b, x = (wide(self.rng, shape, dtype) for shape in ((6, 5), (5, 4), (5,)))
                square, right = self.rng.standard_normal((4, 4)).astype(dtype), self.rng.standard_normal((4, 2)).astype(dtype)
                self.compare(accublas.matmul, a, b)
                self.compare(accublas.matmul, a[::-1, ::2], b.T[::2, :3].T)
                self.compare(accublas.matmul, a, x)
                self.compare(lambda a, b, c: accublas.gemm(a, b, trans_a="C", beta=2, c=c), a.T.conj().copy(), b, wide(self.rng, (6, 4), dtype))
                self.compare(accublas.matmul, wide(self.rng, (2, 3, 4), dtype), wide(self.rng, (2, 4, 5), dtype))
                self.compare(lambda a: accublas.syrk(a, hermitian=True), a)
                for function in (accublas.dot, accublas.vdot):
                    self.compare(function, x, x[::-1])
                    self.assertIn(("set_pointer_mode", api.POINTER_DEVICE), self.used)
                    self.assertEqual(self.used[-1], ("set_pointer_mode", api.POINTER_HOST))
                self.compare(accublas.norm, a)
                self.compare(accublas.solve, square, right)
                self.compare(lambda a: accublas.cholesky(accublas.syrk(a, hermitian=True)), square)
                self.compare(lambda a, b: accublas.lu_solve(accublas.lu_factor(a), b), square, right)
                self.compare(accublas.lu_factor, square)
                self.compare(accublas.qr, square)
                self.compare(lambda a: accublas.qr(a, full=True), a)
                self.compare(accublas.solve_certified, square, right)

    def test_other_libraries(self):
        """CuPy reads the arrays of other libraries in device memory, and NumPy those in host memory."""
        for kind, reader in ((OnlyInterface, "asarray"), (OnlyDLPack, "from_dlpack")):
            one = kind(numpy.ones((2, 2)))
            with mock.patch.object(sys.modules["cupy"], reader, lambda given: CuPyArray(given.host), create=True):
                self.assertIsInstance(accublas.matmul(one, one), CuPyArray)
        with mock.patch.object(OnlyDLPack, "kind", 1):
            self.assertIsInstance(accublas.matmul(one, one), numpy.ndarray)

    def test_mixed(self):
        with self.assertRaisesRegex(TypeError, "arrays of cupy and torch"):
            accublas.matmul(CuPyArray(numpy.ones((2, 2))), Tensor(numpy.ones((2, 2))))
        found = accublas.matmul(Tensor(numpy.ones((2, 2))), [[1.0], [2.0]])
        self.assertTrue(same(found.host, numpy.full((2, 1), 3.0)))
        narrow = lambda given: Tensor(numpy.asarray(given, "f4" if isinstance(given, list) else None))  # what PyTorch does
        places = []
        with mock.patch.object(sys.modules["torch"], "as_tensor", lambda given, device: places.append(device) or narrow(given)):
            self.assertEqual(float(accublas.dot(Tensor([1.0]), [0.1], mode="cr").host), 0.1)
        self.assertEqual([place.type for place in places], ["cuda"])

    def test_target(self):
        """A result is copied to `out` only after the device has met the target."""
        out, one = CuPyArray(numpy.zeros((2, 2))), CuPyArray(numpy.eye(2))
        accublas.set_target(1e-10)
        self.addCleanup(accublas.set_target, 0)
        accublas.gemm(one, one, beta=1, c=one, out=out, mode="cr")
        self.assertEqual(self.used[-1], ("sync",))
        self.assertTrue(same(out.host, 2 * numpy.eye(2)))

    def test_conversion(self):
        """An array that a library did not convert is not read as one of another type."""
        with mock.patch.object(Tensor, "to", lambda tensor, dtype: tensor), self.assertRaises(accublas.InternalError):
            accublas.dot(Tensor([1, 2]), Tensor([3, 4]))

    def test_type(self):
        with mock.patch.object(Tensor, "dtype", "torch.bfloat16"), self.assertRaisesRegex(TypeError, "bfloat16 are not supported"):
            accublas.matmul(Tensor(numpy.ones((2, 2))), Tensor(numpy.ones((2, 2))))


class Streams(unittest.TestCase):
    """The context sets in the library what has changed, and nothing else."""

    def test_use_stream(self):
        context = _library.Context()
        with mock.patch.object(_library.Context, "call") as call:
            for device, stream in ((1, 7), (1, 7), (1, 8), (0, 8), (0, 0), (0, 0)):
                context.use_stream(device, stream)
        self.assertEqual([one.args for one in call.call_args_list],
                         [("set_device", 1), ("set_stream", 7), ("set_stream", 8), ("set_device", 0), ("set_stream", 8), ("set_stream", 0)])  # fmt: skip


class Views(unittest.TestCase):
    def test_dlpack(self):
        base = numpy.arange(60.0).reshape(3, 4, 5)
        for array in (base, base[1], base[::2, ::-1, 1:3], base.T, base[:0], numpy.array(2.0)):
            view = _kinds.dlpack_view(array, None)
            self.assertEqual(view.shape, array.shape)
            if array.size:
                self.assertEqual(view.address, array.__array_interface__["data"][0])
                self.assertEqual([s for s, n in zip(view.strides, view.shape) if n > 1], [s // 8 for s, n in zip(array.strides, array.shape) if n > 1])

    def test_cublas(self):
        """The cuBLAS of NVIDIA's packages for CUDA 13 and 12."""
        for package, name in (("cu13", "libcublas.so.13"), ("cublas", "libcublas.so.12")):
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "nvidia" / package / "lib" / name
                file.parent.mkdir(parents=True)
                file.touch()
                found = "from accublas import _library; print(_library.packaged_cublas())"
                done = subprocess.run([sys.executable, "-c", found], env=os.environ | {"PYTHONPATH": f"{folder}:{os.environ.get('PYTHONPATH', '')}"}, capture_output=True, text=True)
                self.assertEqual(done.stdout, f"{file}\n", done.stderr)

    def test_broken_cublas(self):
        """Where a GPU is, a package whose cuBLAS cannot be loaded does not keep accublas from being loaded."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "libcublas.so.13"
            file.touch()
            with mock.patch.object(_library, "GPU_DEVICES", [Path(folder)]), mock.patch.object(_library, "packaged_cublas", lambda: file):
                self.assertTrue(_library.library.__wrapped__().accublas_version)


if __name__ == "__main__":
    unittest.main()
