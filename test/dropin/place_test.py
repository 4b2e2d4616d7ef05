"""The helpers of the suites in a folder named `accublas é x`: nothing that they do depends on the name or place of the checkout.

usage: place_test.py SOURCE PYTHON_WITH_NUMPY LIBACCUBLAS_BLAS LIBACCUBLAS OTHER_BLAS
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import run_with_dropin as dropin

SOURCE = Path(sys.argv[1])
PYTHON = sys.argv[2]
LIBRARIES = sys.argv[3:6]
NAME = "accublas é x"

# A path that a variable of several, separated by spaces or colons, would hold; a path judged by a word in it.
PRELOADS_A_PATH = re.compile(r"LD_PRELOAD\b.*(full_path\(\)|argv|=\"\$\d\"|= *library\b)")
JUDGES_A_PATH = re.compile(r"[\"']accublas[\"'] (not )?in \w*(file|path|name|line|folder)")
MAPS = "print(*{line.split(maxsplit=5)[5].strip() for line in open('/proc/self/maps') if '/' in line}, sep='\\n')"


class Place(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = Path(self.temporary.name) / NAME
        shutil.copytree(SOURCE / "test" / "dropin", self.folder / "test" / "dropin", ignore=shutil.ignore_patterns("*.cpp"))
        for name in ("c_api/structs.py", "include/accublas.h"):
            (self.folder / name).parent.mkdir()
            shutil.copy(SOURCE / name, self.folder / name)
        (self.folder / "other").mkdir()
        self.blas, self.library = (shutil.copy(library, self.folder) for library in LIBRARIES[:2])
        self.other = shutil.copy(LIBRARIES[2], self.folder / "other")
        # The drop-in finds libaccublas.so.0 by its own place in the build, or here.
        (self.folder / "libaccublas.so.0").symlink_to(Path(self.library).name)

    def run_there(self, code, env):
        done = subprocess.run([PYTHON, "-c", code, *map(str, (self.folder, self.blas, self.library, self.other))], env=env,
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr.replace("\n", " ")[:200] if done.returncode else ""), (0, ""))
        return done.stdout.splitlines()

    def test_the_drop_in_is_preloaded(self):
        env = dropin.environment(self.blas, "cr")
        libraries = self.run_there(MAPS, env)
        self.assertIn(os.path.realpath(self.blas), libraries)
        # Also where a program's own search path is given.
        libraries = self.run_there(MAPS, dropin.environment(self.blas, "cr", netlib="/nowhere"))
        self.assertIn(os.path.realpath(self.blas), libraries)

    def test_compare_bits(self):
        seen = self.folder / "seen"
        program = self.folder / "program"
        program.write_text(f"#!/bin/sh\ngrep -o 'libaccublas\\.so[.0-9]*' /proc/self/maps | sort -u >>'{seen}'\necho sum\n")
        program.chmod(0o755)
        env = {**dropin.environment(None, "cr"), "LD_LIBRARY_PATH": ""}
        if not os.environ.get("DROPIN_SANITIZER"):  # its variable is the one that the script sets
            subprocess.run([SOURCE / "test/export/compare_bits.sh", program, self.library], env=env, check=True, capture_output=True)
            self.assertEqual(seen.read_text().split(), [Path(self.library).name])

    def test_blas_libraries_of_a_process(self):
        code = """
import ctypes, sys
folder, blas, library, other = sys.argv[1:]
sys.path.insert(0, folder + "/test/dropin")
sys.argv[1:] = [library, "cr"]
import numpy_checks
for file in (blas, other):
    ctypes.CDLL(file)
numpy_checks.print_libraries()
"""
        found = self.run_there(code, {**dropin.environment(None, "cr"), "LD_LIBRARY_PATH": str(self.folder)})
        self.assertIn(os.path.realpath(self.other), found)
        self.assertFalse({os.path.realpath(self.blas), os.path.realpath(self.library)} & set(found), found)

    def test_no_path_where_it_would_be_taken_apart(self):
        """In every test, script and build file."""
        seen = 0
        for folder in ("test", "perf", "c_api", "examples", "fortran", "docs", "packaging"):
            for file in (SOURCE / folder).rglob("*"):
                if file.suffix not in (".py", ".sh", ".build") and file.name != "meson.build" or file.name == Path(__file__).name:
                    continue
                seen += 1
                for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                    if "env -u LD_LIBRARY_PATH" in line:  # the very question is whether a path does
                        continue
                    self.assertIsNone(PRELOADS_A_PATH.search(line) or JUDGES_A_PATH.search(line),
                                      f"{file}:{number}: preload by name (run_with_dropin.preload); judge a file by what it is: {line}")
        self.assertGreater(seen, 60)
        for line in ("'LD_PRELOAD': accublas_cublas.full_path()})", "env = dict(os.environ, LD_PRELOAD=sys.argv[2])", 'LD_PRELOAD="$2" "$1"'):
            self.assertIsNotNone(PRELOADS_A_PATH.search(line), line)
        self.assertIsNotNone(JUDGES_A_PATH.search('if "accublas" not in file'))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
