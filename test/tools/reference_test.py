"""The reference builds without a warning, has every routine of accublas.h, and a public symbol without a comment is found.
usage: reference_test.py FOLDER DOXYGEN ACCUBLAS_H [FORTRAN_SOURCE ...]; DOXYGEN empty: skipped"""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FOLDER, DOXYGEN, HEADER, *MODULES = sys.argv[1:]
del sys.argv[1:]


def build(out, header, modules):
    return subprocess.run([sys.executable, Path(FOLDER) / "build.py", DOXYGEN, out, header, *modules], capture_output=True, text=True)


class Reference(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def changed(self, path, old, new):
        text = Path(path).read_text()
        self.assertIn(old, text)
        copy = self.folder / Path(path).name
        copy.write_text(text.replace(old, new, 1))
        return copy

    def test_complete(self):
        done = build(self.folder, HEADER, MODULES)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        page = (self.folder / "c/html/accublas_8h.html").read_text()
        header = subprocess.run([sys.executable, Path(FOLDER) / "header.py", HEADER], capture_output=True, text=True, check=True)
        routines = set(re.findall(r"^\w[^/#\n]*?\b(accublas_\w+)\(", header.stdout, re.M))
        self.assertGreaterEqual(len(routines), 100)
        self.assertEqual({name for name in routines if f">{name}</a>" not in page}, set())

    def test_undocumented_in_c(self):
        header = self.changed(HEADER, "/** Writes the stream that is set, NULL by default. */\n", "\n")
        done = build(self.folder, header, [])
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("accublas_get_stream", done.stderr)

    @unittest.skipIf(not MODULES, "no Fortran")
    def test_undocumented_in_fortran(self):
        source = next(name for name in MODULES if name.endswith("accublas_context.f90"))
        changed = self.changed(source, "  !> Gets the stream that is set, c_null_ptr by default.\n", "")
        done = build(self.folder, HEADER, [changed if name == source else name for name in MODULES])
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("accublas_get_stream", done.stderr)


if __name__ == "__main__":
    if not DOXYGEN:
        print("Doxygen 1.9.4 or later is not installed")
        sys.exit(77)
    unittest.main()
