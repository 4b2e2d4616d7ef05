"""Finds and loads the library, and calls its functions in the calling thread's context."""

from __future__ import annotations

import contextlib
import contextvars
import ctypes
import functools
import importlib.util
import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy  # noqa: F401  a NumPy from PyPI brings an OpenBLAS, which the library finds if it is loaded

from . import _prototypes as api
from .errors import error

FILE = "libaccublas.so.0"
GPU_DEVICES = (Path("/dev/nvidiactl"), Path("/dev/dxg"))  # where NVIDIA's driver is, under Linux and in Windows' subsystem
FOLDER = Path(__file__).resolve().parent / "lib"  # of the libraries in a wheel


def candidates() -> Iterator[str]:
    """Returns the files that may be the library, the first choice first."""
    if chosen := os.environ.get("ACCUBLAS_LIBRARY"):
        yield chosen
        return
    if (FOLDER / FILE).exists():
        yield str(FOLDER / FILE)
        return
    yield FILE
    try:
        asked = subprocess.run(["pkg-config", "--variable=libdir", "accublas"], capture_output=True, text=True, check=True)
        yield str(Path(asked.stdout.strip()) / FILE)
    except (OSError, subprocess.CalledProcessError):
        return


def packaged_cublas() -> Path | None:
    """The file of cuBLAS in the package nvidia-cublas, if it is installed."""
    for name, version in (("nvidia.cu13", 13), ("nvidia.cublas", 12)):
        try:
            spec = importlib.util.find_spec(name)
        except ModuleNotFoundError:
            continue
        for folder in (spec and spec.submodule_search_locations) or ():
            if (file := Path(folder) / "lib" / f"libcublas.so.{version}").exists():
                return file
    return None


def library_path(*folders: str) -> str:
    """Returns the LD_LIBRARY_PATH for another program: `folders`, the variable's current folders, and that of the package nvidia-cublas, where the loader finds cuBLAS."""
    cublas = packaged_cublas()
    return ":".join([*folders, *filter(None, [os.environ.get("LD_LIBRARY_PATH"), cublas and str(cublas.parent)])])


@functools.cache
def library() -> ctypes.CDLL:
    """Loads the library once."""
    tried = []
    for path in candidates():
        try:
            loaded = ctypes.CDLL(path)
            loaded.accublas_version  # noqa: B018  another library has no such function
        except (OSError, AttributeError) as problem:
            tried.append(f"{path} ({problem})")
            continue
        # The library prefers a cuBLAS that is loaded to the system's. Nothing else here may wake CUDA, which does not survive a fork.
        if any(device.exists() for device in GPU_DEVICES) and (file := packaged_cublas()):
            with contextlib.suppress(OSError):  # The library then looks for a cuBLAS that can be loaded.
                ctypes.CDLL(str(file))
        return loaded
    raise ImportError(f"the library of accublas could not be loaded; tried {'; '.join(tried)}. Set ACCUBLAS_LIBRARY to the path of {FILE}")


class Dl_info(ctypes.Structure):
    _fields_ = [("dli_fname", ctypes.c_char_p), ("dli_fbase", ctypes.c_void_p), ("dli_sname", ctypes.c_char_p), ("dli_saddr", ctypes.c_void_p)]


def path() -> Path:
    """The file of the loaded library."""
    found = Dl_info()
    ctypes.CDLL(None).dladdr(ctypes.cast(library().accublas_version, ctypes.c_void_p), ctypes.byref(found))
    return Path(os.fsdecode(found.dli_fname)).resolve()


@functools.cache
def function(name: str) -> Any:
    """The function accublas_`name` with its prototype."""
    found = getattr(library(), f"accublas_{name}")
    found.restype, found.argtypes = api.FUNCTIONS[name]
    return found


# The settings of `accublas.mode` and `accublas.set_target`. Each thread and each asynchronous task has its own.
mode_word: contextvars.ContextVar[str | None] = contextvars.ContextVar("accublas mode", default=None)
target: contextvars.ContextVar[float] = contextvars.ContextVar("accublas target", default=0.0)


UNKNOWN = object()  # a setting of a context that may have been set or not


def encoded(word: str | None) -> bytes | None:
    """A mode word for the library, which takes no empty one and reads it to the first zero byte."""
    if word is None:
        return None
    if not isinstance(word, str):
        raise TypeError(f'argument mode = {word!r} is of type {type(word).__name__}: expected a string such as "cr", or None')
    if not word or "\0" in word:
        raise error(api.ERROR_MODE, f'unknown mode {word!r}: expected a mode word such as "cr"')
    return word.encode()


class Context:
    """A context of the library. It remembers what is set, so that a call sets only what has changed."""

    def __init__(self) -> None:
        self.handle = ctypes.c_void_p()
        self.word: Any = None
        self.target: Any = 0.0
        self.device: Any = None
        self.stream: Any = 0
        self.destroy = function("destroy")  # kept here because the module may have lost its names at the end of the process
        self.check(function("create")(ctypes.byref(self.handle)))

    def __del__(self) -> None:
        if self.handle:
            self.destroy(self.handle)

    def check(self, status: int) -> None:
        if status:
            raise error(status, function("last_error")(self.handle).decode(errors="backslashreplace"))

    def call(self, name: str, *arguments: Any) -> None:
        """Calls a function whose first argument is the context and whose result is a status."""
        self.check(function(name)(self.handle, *arguments))

    def apply_settings(self) -> None:
        """Sets what has changed. A setting counts as unknown until it is set, because an exception, such as Ctrl-C, may end this function anywhere."""
        if (word := mode_word.get()) != self.word:
            self.word = UNKNOWN
            self.call("set_mode_name", encoded(word))
            self.word = word
        if (bound := target.get()) != self.target:
            self.target = UNKNOWN
            self.call("set_target", bound)
            self.target = bound

    def use_stream(self, device: int, stream: int) -> None:
        """Makes the next calls run on a stream of a device. Selecting a device unsets the stream."""
        if device != self.device:
            self.device = UNKNOWN
            self.call("set_device", device)
            self.device, self.stream = device, 0
        if stream != self.stream:
            self.stream = UNKNOWN
            self.call("set_stream", stream)
            self.stream = stream


_local = threading.local()


def context() -> Context:
    """The context of the calling thread, with the current settings."""
    found = getattr(_local, "context", None)
    if found is None:
        found = _local.context = Context()
    found.apply_settings()
    return found


@functools.lru_cache
def options(mode: str | None) -> Any:
    """The options of a call: its mode, which some routine has, or none. They are only read."""
    if mode is None:
        return None
    token = mode_word.set(mode)
    try:
        context()
    finally:
        mode_word.reset(token)
        context()
    chosen = api.accublas_options(ctypes.sizeof(api.accublas_options), *api.OPTIONS)
    chosen.mode_name = encoded(mode)
    return ctypes.byref(chosen)
