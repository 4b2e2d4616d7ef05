"""python -m accublas, from the build folder: the drop-in computes the products of a script, and of a module."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = """import sys, numpy
x = numpy.array([1e16, 1.0, 1.0, -1e16])
print(x @ numpy.ones(4), sys.argv[1:])
"""


def answer(*arguments, status=0, **variables):
    done = subprocess.run([sys.executable, "-m", "accublas", *arguments], env=os.environ | variables, capture_output=True, text=True)
    if done.returncode != status:
        raise AssertionError(f"status {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout + done.stderr


class Run(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.script = self.folder / "a script.py"
        self.script.write_text(SCRIPT)

    def test_script(self):
        self.assertEqual(answer("run", "--mode", "cr", self.script, "--mode", "b c", "-m"), "2.0 ['--mode', 'b c', '-m']\n")
        self.assertIn("accublas: ddot backend=cpu", answer("run", "--mode", "cr", "--summary", self.script))

    def test_module(self):
        self.script.rename(self.folder / "some_module.py")
        path = f"{self.folder}:{os.environ.get('PYTHONPATH', '')}"
        self.assertEqual(answer("run", "--mode", "cr", "-m", "some_module", "-n1", PYTHONPATH=path), "2.0 ['-n1']\n")

    def test_cublas(self):
        """The loader finds the cuBLAS of the package nvidia-cublas, after all other folders that LD_LIBRARY_PATH names."""
        file = self.folder / "nvidia" / "cu13" / "lib" / "libcublas.so.13"
        file.parent.mkdir(parents=True)
        file.touch()
        self.script.write_text("import os; print(os.environ['LD_LIBRARY_PATH'])")
        path = f"{self.folder}:{os.environ.get('PYTHONPATH', '')}"
        self.assertRegex(answer("run", self.script, PYTHONPATH=path, LD_LIBRARY_PATH="/some/folder"), f".+:/some/folder:{file.parent}\n")

    def test_failures(self):
        for arguments in ((), ("-m",), ("--mode", "cr", "-m")):
            self.assertIn("run needs a SCRIPT, or -m and a MODULE", answer("run", *arguments, status=2))
        self.assertIn("argument --mode: unknown mode 'crr'", answer("run", "--mode", "crr", self.script, status=2))
        self.assertIn("unknown mode 'crr'", answer("info", status=1, ACCUBLAS_MODE="crr"))

    def test_info(self):
        told = answer("info", ACCUBLAS_MODE="dot2")
        for line in ("accublas 0.", "library: ", "libaccublas_blas.so.0", "GPUs: ", "mode of GEMV: dot2", "arrays: numpy"):
            self.assertIn(line, told)


if __name__ == "__main__":
    unittest.main()
