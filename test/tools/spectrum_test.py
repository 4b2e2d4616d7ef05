"""accublas-compare --spectrum: proved eigenvalues or singular values of A.
usage: spectrum_test.py SCRIPT LIBRARY DATA"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT, LIBRARY, DATA = sys.argv[1:4]


def spectrum(path):
    """Returns the lines that the program prints below its table."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ACCUBLAS")} | {
        "ACCUBLAS_LIBRARY": LIBRARY, "ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=0"}
    run = subprocess.run([SCRIPT, str(path), "--modes", "cr", "--repeat", "0", "--spectrum"], capture_output=True, text=True, env=environment, timeout=300)
    if run.returncode:
        raise AssertionError(run.stderr)
    return run.stdout.partition("\ndevice ")[2].partition("\n")[2]


def spectrum_of(entries):
    """Returns these lines for the entries of a matrix in Matrix Market form."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.mtx"
        path.write_text(f"%%MatrixMarket matrix array real general\n{entries}")
        return spectrum(path)


class Spectra(unittest.TestCase):
    def test_eigenvalues(self):
        text = spectrum(f"{DATA}/lund_a.mtx")
        self.assertTrue(text.startswith("certified eigenvalues of A:\n"), text)
        found = re.findall(r"^ +(\d+) +(\S+)  proved within (\S+)$", text, re.MULTILINE)
        self.assertEqual([int(i) for i, *_ in found], [1, 2, 3, 145, 146, 147])
        self.assertTrue(all(float(radius) <= 2.0**-52 * abs(float(value)) for _, value, radius in found))
        self.assertIn("... 141 more", text)
        low, high = map(float, re.search(r"condition number: from (\S+) to (\S+)", text).groups())
        self.assertTrue(low <= high <= 1.00001 * low and 2.7e6 < low < 2.9e6, text)

    def test_singular_values(self):
        text = spectrum_of("3 2\n3\n0\n0\n0\n0\n0\n")
        self.assertRegex(text, r"^certified singular values of A:\n +1 +3\.0+e\+00 ")
        self.assertIn("not bounded", text)

    def test_not_finite(self):
        self.assertIn("spectrum: the eigenvalues are not certified", spectrum_of("2 2\ninf\n0\n0\n1\n"))
        self.assertIn("spectrum: the singular values are not certified", spectrum_of("1 1\nnan\n"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
