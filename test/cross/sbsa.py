"""Cross-compiles the library with its CUDA backend for Arm servers (sbsa: Grace Hopper), and runs nothing.

usage: sbsa.py BUILD [TARGET...]

BUILD is the folder of the cross build, which is set up if it is missing. Its CUDA runtime for arm64 comes from PyPI's wheel nvidia-cuda-runtime of nvcc's version. TARGETs
are ninja's, by default the library. Exit status 77 if nvcc or the cross compiler is missing.
"""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OPTIONS = {"cuda": "enabled", "gpu_arch": "90a-virtual", "gpu_fast_compile": "true", "fortran": "disabled", "mpfr": "disabled", "mpi": "disabled", "docs": "disabled",
           "perf": "disabled", "proofs": "disabled", "tests": "disabled", "debug": "false", "unity": "on", "unity_size": "17"}
VERSION = re.search(r"version: '([\d.]+)'", (ROOT / "meson.build").read_text()).group(1)
LIBRARY = f"c_api/libaccublas.so.{VERSION}"


def run(*command):
    if subprocess.run(command, stdin=subprocess.DEVNULL).returncode:
        sys.exit(f"failed: {' '.join(map(str, command))}")


def runtime(nvcc, folder):
    """The folder of the arm64 CUDA runtime's libraries."""
    version = re.search(r"release (\d+\.\d+)", subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout).group(1)
    if not list(folder.glob("**/libcudart_static.a")):
        run(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--platform", "manylinux2014_aarch64", "--dest", folder,
            f"nvidia-cuda-runtime=={version}.*")
        for wheel in folder.glob("*.whl"):
            zipfile.ZipFile(wheel).extractall(folder)
    return next(folder.glob("**/libcudart_static.a")).parent


def main(build, *targets):
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not os.access(nvcc, os.X_OK) or not shutil.which("aarch64-linux-gnu-g++"):
        print("needs nvcc and aarch64-linux-gnu-g++")
        return 77
    build = Path(build).absolute()
    if not (build / "build.ninja").exists():
        wheel = build.with_name(build.name + "-cuda")
        wheel.mkdir(parents=True, exist_ok=True)
        libraries = runtime(nvcc, wheel)
        properties = wheel / "sbsa.ini"
        properties.write_text(f"[properties]\ncuda_libraries = '{libraries}'\n")
        run("meson", "setup", build, ROOT, "--cross-file", ROOT / "packaging" / "cross" / "arm64.ini", "--cross-file", properties,
            *(f"-D{name}={value}" for name, value in OPTIONS.items()))
    run("ninja", "-C", build, *(targets or [LIBRARY]))
    print("compiled for sbsa:", *(targets or [LIBRARY]))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 1 else __doc__)
