"""The prototypes of the Python package fit the library and its exceptions and reports have all that accublas.h has. The examples of its docstrings are true."""

import ctypes
import dataclasses
import doctest
import importlib
import pkgutil
import subprocess
import sys
import unittest
from pathlib import Path

import accublas
from accublas import _library, _prototypes, errors


ROOT = Path(__file__).resolve().parents[2]


class Prototypes(unittest.TestCase):
    def test_functions(self):
        for name in _prototypes.FUNCTIONS:
            with self.subTest(name):
                self.assertIsNotNone(_library.function(name))

    def test_statuses(self):
        statuses = {value for name, value in vars(_prototypes).items() if name.startswith("ERROR_")}
        self.assertEqual(set(errors.CLASSES), statuses)
        for status, kind in errors.CLASSES.items():
            made = errors.error(status, "a message")
            self.assertIsInstance(made, kind)
            self.assertIsInstance(made, accublas.Error)
            self.assertEqual((made.status, str(made)), (status, "a message"))
            self.assertIs(getattr(accublas, kind.__name__), kind)

    def test_report(self):
        members = [name for name, _ in _prototypes.accublas_report_t._fields_]
        self.assertEqual(["struct_size", *(field.name for field in dataclasses.fields(accublas.Report))], members)

    def test_strings(self):
        """A string of C and an address are passed as such."""
        context = _library.context()
        word = ctypes.create_string_buffer(32)
        context.call("get_mode_name", _prototypes.FAMILY_DGEMM, word, 32)
        self.assertTrue(word.value)
        self.assertEqual(_library.function("status_string")(0).decode()[:1].isalpha(), True)

    def test_names(self):
        for name in accublas.__all__:
            self.assertTrue(getattr(accublas, name).__doc__, name)

    def test_examples(self):
        try:
            accublas.mp.array(["1"], 64)
        except accublas.UnavailableError:
            self.skipTest("the build has no MPFR, which the examples of strings need")
        for module in [accublas, *(importlib.import_module(f"accublas.{found.name}") for found in pkgutil.iter_modules(accublas.__path__))]:
            with self.subTest(module.__name__):
                self.assertEqual(doctest.testmod(module).failed, 0)
        self.assertEqual(doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False).failed, 0)

    def test_program(self):
        """The README's program."""
        done = subprocess.run([sys.executable, ROOT / "examples" / "short.py"], capture_output=True, text=True, check=True)
        self.assertRegex(done.stdout, r"\[\[1\.\]\]\n\[ 0\.375 -0\.125\] \[.*e-\d+ .*e-\d+\]\n")


if __name__ == "__main__":
    unittest.main()
