"""The kinds of arrays that calls take: NumPy's, CuPy's, PyTorch's and JAX's, in host or device memory.

A kind makes arrays of its library, and views of their memory. Arrays of other libraries become NumPy's or CuPy's, by DLPack or `__cuda_array_interface__`.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import sys
from typing import Any, NamedTuple

import numpy

CUDA, CUDA_MANAGED = 2, 13  # DLPack's types of devices whose memory a GPU has


class View(NamedTuple):
    """The memory of an array. Strides count elements. `owner` keeps the memory alive."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    owner: Any


class DLDevice(ctypes.Structure):
    _fields_ = [("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32)]


class DLTensor(ctypes.Structure):
    """The beginning of the struct DLManagedTensor."""

    _fields_ = [("data", ctypes.c_void_p), ("device", DLDevice), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]  # fmt: skip


_capsule_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))


def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def dlpack_view(array: Any, stream: int | None) -> View:
    """The memory of an array by DLPack. The stream waits for the work that makes the array."""
    capsule = array.__dlpack__() if stream is None else array.__dlpack__(stream=stream)
    tensor = DLTensor.from_address(_capsule_pointer(capsule, b"dltensor"))
    shape = tuple(tensor.shape[: tensor.ndim]) if tensor.ndim else ()
    strides = tuple(tensor.strides[: tensor.ndim]) if tensor.ndim and tensor.strides else contiguous_strides(shape)
    return View((tensor.data or 0) + tensor.byte_offset, shape, strides, capsule)


class NumPy:
    """NumPy's arrays, and everything that numpy.asarray takes."""

    synchronous = False  # whether a call waits for its result on a device
    writable = True  # whether the library lets an array be written
    xp: Any = numpy

    def among(self, operands: tuple[Any, ...]) -> NumPy:
        """Returns the kind for a call with these operands, at least one of which is an array of this kind."""
        return self

    def array(self, given: Any) -> Any:
        return numpy.from_dlpack(given) if only_dlpack(given) else numpy.asarray(given)

    def dtype(self, array: Any) -> numpy.dtype:
        return array.dtype

    def held(self, dtype: str) -> str:
        """The type in which the library's arrays hold numbers of a type."""
        return dtype

    def device(self, array: Any) -> int | None:
        """The number of the GPU whose memory holds the array, or None."""
        return None

    def stream(self, device: int) -> int:
        """The current stream of a device."""
        return 0

    def converted(self, array: Any, dtype: str) -> Any:
        """The array with elements of a type, in memory that a view can describe. It is copied only if it has to be."""
        found = array if array.dtype == dtype else array.astype(dtype)
        if found.flags.c_contiguous and found.flags.aligned:
            return found
        whole = found.flags.aligned and all(stride % found.itemsize == 0 for stride in found.strides)
        return found if whole else numpy.array(found, dtype)

    def copy(self, array: Any, shape: tuple[int, ...], dtype: str) -> Any:
        """A new array with contiguous rows."""
        return numpy.array(numpy.broadcast_to(array, shape), dtype, order="C")

    def empty(self, shape: tuple[int, ...], dtype: str, like: Any) -> Any:
        return numpy.empty(shape, dtype)

    def view(self, array: Any) -> View:
        size = array.itemsize
        return View(array.ctypes.data, array.shape, tuple([stride // size for stride in array.strides]), array)

    def scalar(self, array: Any) -> Any:
        """The result of a call that returns a number."""
        return array[()]

    def tri(self, n: int, like: Any) -> Any:
        """The lower triangle of order n, as truth values."""
        return numpy.tri(n, dtype=bool)


class CuPy(NumPy):
    def __init__(self, cupy: Any) -> None:
        self.xp = cupy

    def array(self, given: Any) -> Any:
        return self.xp.from_dlpack(given) if only_dlpack(given) else self.xp.asarray(given)

    def device(self, array: Any) -> int | None:
        return array.device.id

    def stream(self, device: int) -> int:
        with self.xp.cuda.Device(device):
            return self.xp.cuda.get_current_stream().ptr

    def converted(self, array: Any, dtype: str) -> Any:
        return array.astype(dtype, copy=False)

    def copy(self, array: Any, shape: tuple[int, ...], dtype: str) -> Any:
        with array.device:
            return self.xp.array(self.xp.broadcast_to(array, shape), dtype, order="C")

    def empty(self, shape: tuple[int, ...], dtype: str, like: Any) -> Any:
        with like.device:
            return self.xp.empty(shape, dtype)

    def view(self, array: Any) -> View:
        size = array.itemsize
        return View(array.data.ptr, array.shape, tuple([stride // size for stride in array.strides]), array)

    def scalar(self, array: Any) -> Any:
        return array

    def tri(self, n: int, like: Any) -> Any:
        with like.device:
            return self.xp.tri(n, dtype=bool)


class PyTorch(NumPy):
    def __init__(self, torch: Any) -> None:
        self.xp = torch
        self.place: Any = None

    def among(self, operands: tuple[Any, ...]) -> PyTorch:
        self.place = next(operand.device for operand in operands if library_of(type(operand)))
        return self

    def array(self, given: Any) -> Any:
        """NumPy reads lists, because PyTorch would round their numbers to float32. Lists and arrays of NumPy go to the device of the tensors."""
        tensor = given if library_of(type(given)) else self.xp.as_tensor(numpy.asarray(given), device=self.place)
        return tensor.detach().resolve_conj().resolve_neg()

    def dtype(self, array: Any) -> numpy.dtype:
        return named_dtype(str(array.dtype).removeprefix("torch."))

    def device(self, array: Any) -> int | None:
        return array.device.index if array.device.type == "cuda" else None

    def stream(self, device: int) -> int:
        return self.xp.cuda.current_stream(device).cuda_stream

    def converted(self, array: Any, dtype: str) -> Any:
        return array.to(getattr(self.xp, dtype))

    def copy(self, array: Any, shape: tuple[int, ...], dtype: str) -> Any:
        return self.xp.empty(shape, dtype=getattr(self.xp, dtype), device=array.device).copy_(array)

    def empty(self, shape: tuple[int, ...], dtype: str, like: Any) -> Any:
        return self.xp.empty(shape, dtype=getattr(self.xp, dtype), device=like.device)

    def view(self, array: Any) -> View:
        return View(array.data_ptr(), tuple(array.shape), tuple(array.stride()), array)

    def scalar(self, array: Any) -> Any:
        return array

    def tri(self, n: int, like: Any) -> Any:
        return self.xp.tril(self.xp.ones((n, n), dtype=self.xp.bool, device=like.device))


class JAX(NumPy):
    """JAX's arrays. JAX does not know of writes to an array, hence each call waits for its result on the device."""

    synchronous = True
    writable = False

    def __init__(self, jax: Any) -> None:
        self.jax, self.xp = jax, jax.numpy
        # Older versions have the name in another module.
        self.wide = (jax if hasattr(jax, "enable_x64") else importlib.import_module("jax.experimental")).enable_x64

    def array(self, given: Any) -> Any:
        """NumPy reads lists and its own arrays, whose numbers JAX would round, or cut off to 32 bits, before the type of the call is known."""
        if library_of(type(given)):
            return self.xp.asarray(given)
        with self.wide(True):
            return self.xp.asarray(numpy.asarray(given))

    def held(self, dtype: str) -> str:
        """JAX has float64 and complex128 only if the program enables them."""
        return self.jax.dtypes.canonicalize_dtype(dtype).name

    def device(self, array: Any) -> int | None:
        kind, number = array.__dlpack_device__()
        return number if kind in (CUDA, CUDA_MANAGED) else None

    def converted(self, array: Any, dtype: str) -> Any:
        with self.wide(True):
            return array.astype(dtype)

    def copy(self, array: Any, shape: tuple[int, ...], dtype: str) -> Any:
        with self.wide(True):
            return self.xp.array(self.xp.broadcast_to(array, shape), dtype, copy=True)

    def empty(self, shape: tuple[int, ...], dtype: str, like: Any) -> Any:
        """The library's pivots have 64 bits, whether or not JAX's programs use them."""
        with self.wide(True):
            return self.jax.device_put(self.xp.zeros(shape, dtype), like.sharding)

    def view(self, array: Any) -> View:
        """The memory of an array whose value is there. Calls run on CUDA's default stream, which DLPack calls 1."""
        return dlpack_view(array.block_until_ready(), None if self.device(array) is None else 1)

    def scalar(self, array: Any) -> Any:
        return array

    def tri(self, n: int, like: Any) -> Any:
        return self.xp.tri(n, dtype=bool)


def named_dtype(name: str) -> numpy.dtype:
    """NumPy's type of a name. NumPy lacks some types of the other libraries."""
    try:
        return numpy.dtype(name)
    except TypeError:
        raise TypeError(f"elements of type {name} are not supported: expected float64, float32, complex128 or complex64") from None


MAKERS = {"cupy": CuPy, "torch": PyTorch, "jax": JAX}
LIBRARIES = {"cupy": "cupy", "torch": "torch", "jax": "jax", "jaxlib": "jax"}  # by the first word of the name of an array's module


@functools.lru_cache
def library_of(kind: type) -> str | None:
    """The library that makes operands of a type, None for NumPy and for everything that NumPy takes."""
    found = LIBRARIES.get(kind.__module__.partition(".")[0])
    return "cupy" if found is None and hasattr(kind, "__cuda_array_interface__") else found


def only_dlpack(operand: Any) -> bool:
    """Whether DLPack is the protocol by which the array of another library is read."""
    return hasattr(operand, "__dlpack__") and not hasattr(operand, "__array__") and not hasattr(operand, "__cuda_array_interface__")


def kind_of(operands: tuple[Any, ...]) -> NumPy:
    """The kind of the operands of a call, whose result has it too."""
    types: list[Any] = [type(operand) for operand in operands]
    libraries = {found for kind in types if (found := library_of(kind))}
    if any(only_dlpack(operand) and operand.__dlpack_device__()[0] in (CUDA, CUDA_MANAGED) for operand in operands):
        libraries.add("cupy")
    if len(libraries) > 1:
        raise TypeError(f"the operands are arrays of {' and '.join(sorted(libraries))}: convert them to arrays of one library")
    if not libraries:
        return NUMPY
    name = libraries.pop()
    module = sys.modules.get(name) or importlib.import_module(name)
    return MAKERS[name](module).among(operands)


NUMPY = NumPy()
