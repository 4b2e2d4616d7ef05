"""`python -m accublas run SCRIPT` runs a script whose BLAS, LAPACK and cuBLAS are accublas. `python -m accublas info` says what is there."""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import os
import sys
from pathlib import Path

from . import _library, _programs
from .errors import Error, ModeError
from .settings import mode

DROP_INS = {"libaccublas_blas.so.0": "blas", "libaccublas_cublas.so.0": "cublas"}  # and their folders in a build


def drop_ins() -> list[Path]:
    """The drop-ins beside the library."""
    library = _library.path().parent
    places = [[library / name, library / folder / name] for name, folder in DROP_INS.items()]
    return [next(filter(Path.exists, files)) for files in places if any(file.exists() for file in files)]


def run(options: argparse.Namespace) -> None:
    """Starts Python again under the drop-ins. LD_PRELOAD has the names of their files and LD_LIBRARY_PATH their folders, because LD_PRELOAD cannot hold a path with a
    blank."""
    files = drop_ins()
    if not files:
        sys.exit(f"accublas: {_library.path().parent} has no drop-ins: expected {' or '.join(DROP_INS)}")
    folders = dict.fromkeys(str(file.parent) for file in [_library.path(), *files])
    environment = dict(os.environ)
    environment["LD_PRELOAD"] = ":".join([*(file.name for file in files), *filter(None, [environment.get("LD_PRELOAD")])])
    environment["LD_LIBRARY_PATH"] = _library.library_path(*folders)
    if options.mode:
        environment["ACCUBLAS_MODE"] = options.mode
    if options.summary:
        environment["ACCUBLAS_VERBOSE"] = "summary"
    program = ["-m", *options.module] if options.module else options.script
    os.execve(sys.executable, [sys.executable, *program], environment)


def info(_: argparse.Namespace) -> None:
    """Prints which library, drop-ins, GPUs, modes and programs there are."""
    version = _library.function("version")()
    print(f"accublas {version // 10000}.{version // 100 % 100}.{version % 100}")
    print(f"library: {_library.path()}")
    print(f"drop-ins: {', '.join(map(str, drop_ins())) or 'none'}")
    devices = ctypes.c_int32()
    _library.function("device_count")(ctypes.byref(devices))
    print(f"GPUs: {devices.value}")
    print(f"cuBLAS of the package nvidia-cublas: {_library.packaged_cublas() or 'not installed'}")
    word = ctypes.create_string_buffer(32)
    for family, name in enumerate(("DGEMM", "SGEMM", "DOT", "GEMV")):
        _library.context().call("get_mode_name", family, word, 32)
        print(f"mode of {name}: {word.value.decode()}")
    print(f"arrays: {', '.join(name for name in ('numpy', 'cupy', 'torch', 'jax', 'mpmath', 'gmpy2') if importlib.util.find_spec(name))}")
    print(f"programs: {', '.join(_programs.names()) or 'none'}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m accublas", description="A BLAS that states how accurate its answer is.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    runner = commands.add_parser("run", help="run a script whose BLAS, LAPACK and cuBLAS are accublas")
    runner.add_argument("--mode", help='a mode word, such as "cr" or "dp:repro"')
    runner.add_argument("--summary", action="store_true", help="print at exit which routines accublas computed")
    runner.add_argument("-m", dest="module", nargs=argparse.REMAINDER, metavar="MODULE", help="run a module, with the arguments that follow, in place of a script")
    runner.add_argument("script", nargs=argparse.REMAINDER, metavar="SCRIPT", help="the script and its arguments")
    runner.set_defaults(command=run)
    commands.add_parser("info", help="say which library, drop-ins, GPUs and modes there are").set_defaults(command=info)
    options = parser.parse_args()
    if options.command is run and not (options.script or options.module):
        parser.error("run needs a SCRIPT, or -m and a MODULE")
    try:
        if options.command is run and options.mode:
            try:
                with mode(options.mode):
                    pass
            except ModeError as problem:
                parser.error(f"argument --mode: {problem}")
        options.command(options)
    except Error as problem:
        sys.exit(f"accublas: {problem}")


if __name__ == "__main__":
    main()
