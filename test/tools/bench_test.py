"""accublas-bench as a user meets it: a table, a file of figures, and status 2 for what it cannot use."""

import csv
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM, DATA = sys.argv[1:3]


def bench(*arguments, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ACCUBLAS")}
    environment |= variables
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, env=environment, timeout=100)


class Bench(unittest.TestCase):
    def test_figures(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "figures.csv"
            run = bench("-r", "ddot,dgemm", "-n", 30, "-m", "Native,CR", "-t", 1, "-s", 0, "--csv", file)
            self.assertEqual(run.returncode, 0, run.stderr)
            with open(file) as text:
                rows = list(csv.DictReader(text))
        self.assertEqual([(r["routine"], r["mode"]) for r in rows],
                         [("ddot", "native"), ("ddot", "cr"), ("dgemm", "native"), ("dgemm", "cr")])
        for row in rows:
            self.assertTrue(row["version"] and row["cpu"] and row["blas"])
            self.assertGreater(float(row["ratio"]), 0)

    def test_products(self):
        """Those with other operands than real GEMM's: memory of the right size, and a row for each."""
        names = [letter + kind for kind, letters in [("gemm", "zc"), ("symm", "dz"), ("hemm", "c"), ("syrk", "sz"), ("herk", "z"),
                                                     ("syr2k", "dc"), ("her2k", "z"), ("trmm", "sz"), ("trsm", "dc")] for letter in letters]
        run = bench("-r", ",".join(names), "-n", 40, "-m", "native,cr", "-t", 1, "-s", 0)
        self.assertEqual(run.returncode, 0, run.stderr)
        lines = run.stdout.splitlines()
        header = next(i for i, line in enumerate(lines) if line.startswith("routine"))  # behind what is said of OpenBLAS
        rows = [line.split()[:5:4] for line in lines[header + 1:]]
        self.assertEqual(rows, [[name, mode] for name in names for mode in ("OpenBLAS", "native", "cr")])

    def test_a_real_matrix(self):
        run = bench("-r", "dgemv:n", "-d", f"{DATA}/pores_1.mtx", "-m", "cr", "-t", 1, "-s", 0)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("pores_1.mtx", run.stdout)

    def test_named_matrices(self):
        """A shipped matrix is found by its name, and complex routines take all names."""
        run = bench("-r", "zgemm,dgetrf", "-n", 30, "-d", "gauss:0.02,permutation,sparse:0.1,pores_1.mtx", "-m", "cr", "-t", 1, "-s", 0)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(run.stdout.count(" cr "), 8)

    def test_accumulators(self):
        """Products in panels, whose results the program compares with those of one call; a kernel that decays needs a second round."""
        run = bench("--accumulators", 3, "-n", 50, "-m", "CR,fixed:53", "-t", 1, "-s", 0, "-d", "phi:1,gauss:0.05")
        self.assertEqual(run.returncode, 0, run.stderr)
        rows = [line.split() for line in run.stdout.splitlines() if line.startswith(("phi:1 ", "gauss:0.05 "))]
        self.assertEqual([row[:3] for row in rows], [[data, mode, "50"] for data in ("phi:1", "gauss:0.05") for mode in ("cr", "fixed:53")])
        undecided = [int(row[13].rstrip(",")) for row in rows]
        self.assertGreater(undecided[2], 0)
        self.assertEqual(undecided[1::2], [0, 0])
        self.assertIn(bench("--accumulators", 3, "-m", "dot2", "-n", 20).returncode, (1, 2))

    def test_data_table(self):
        run = bench("--data-table", "-n", 20, "-s", 0, "-d", "phi:1,decay:0.5")
        self.assertIn(run.returncode, (0, 1), run.stderr)  # 1: a limit is missed
        rows = [line.split() for line in run.stdout.splitlines() if line.startswith(("phi:1 ", "decay:0.5 "))]
        self.assertEqual([row[0] for row in rows], ["phi:1", "decay:0.5"] * 2)
        for row in rows:
            self.assertTrue(all(float(cell) >= 0 for cell in row[1:6]))
            self.assertEqual(row[6] == "met", row[6:] != ["NOT", "MET"])
        self.assertIn(f"{run.stdout.count('NOT MET')} do not", run.stdout)

    def test_kernels_of_old_cpus(self):
        flags = Path("/proc/cpuinfo").read_text().split()
        for core, known in [("Prescott", False), ("Haswell", True)]:
            run = bench("-r", "ddot", "-n", 10, "-m", "native", "-t", 1, "-s", 0, OPENBLAS_CORETYPE=core)
            self.assertEqual(run.returncode, 0, run.stderr)
            first, second = run.stdout.splitlines()[:2]
            if "avx2" not in flags or core not in first:
                self.skipTest("OpenBLAS has not these kernels, or the CPU no AVX2")
            self.assertEqual("OPENBLAS_CORETYPE=" in second, not known, second)

    def test_refusals(self):
        for arguments, saying in [(["-m", "best"], "unknown mode 'best'"), (["-n", 0], "0"), (["-n", -5], "-5"),
                                  (["-t", 0], "0"), (["-r", "dgesvd"], "dgesvd"), (["-d", "phi:x"], "phi:x"),
                                  (["-d", "uniform"], "block-diagonal"), (["-d", "gauss"], "gauss:W"), (["-d", "gauss:0"], "from"),
                                  (["-d", "banded:2.5"], "an integer"), (["-d", "decay:1.1"], "to 1"), (["-d", "absent.mtx"], "absent.mtx"),
                                  (["--csv", "/absent/figures.csv"], "/absent/figures.csv")]:
            run = bench("-r", "ddot", "-n", 10, "-t", 1, "-s", 0, *arguments)
            self.assertEqual(run.returncode, 2, (arguments, run.stdout, run.stderr))
            self.assertIn(saying, run.stderr)
            self.assertLess(len(run.stderr.splitlines()), 3)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
