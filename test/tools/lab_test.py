"""The laboratory: every command at its least sizes, its tables against what the modes define, its pictures well-formed, and its
errors against rational arithmetic."""

import csv
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from fractions import Fraction
from pathlib import Path

LAB, SOURCE = Path(sys.argv[1]), Path(sys.argv[2])
BUILD = LAB.resolve().parent.parent
sys.path[1:1] = [str(SOURCE / "perf" / "lab"), str(LAB.parent)]
import laboratory
import numpy as np
import paper_002
import paper_003
from accublas_calls import random_matrix

UNIT = {"DGEMM": 2.0**-53, "SGEMM": 2.0**-24}
LARGEST_PICTURE = 200_000  # bytes
PROGRAMS = {"000": "accublas-bench", "001": "accublas-bench", "003": "accublas-bench", "data": "accublas-bench", "004": "accublas-mp-bench"}


def lab(*arguments):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ACCUBLAS")}
    return subprocess.run([LAB, "--cpu", *map(str, arguments)], capture_output=True, text=True, env=environment, timeout=300)


def table(path):
    with open(path, newline="") as file:
        caption = file.readline()
        return caption, [{k: laboratory.number(v) for k, v in row.items()} for row in csv.DictReader(file)]


class Commands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.out = Path(cls.folder.name) / "made by the program"

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_document(self, document):
        """The tables of a document by name; pictures and captions are checked."""
        program = PROGRAMS.get(document)
        if program and not (BUILD / "perf" / program).exists():
            self.skipTest(f"{program} is not built")
        run = lab(document, "--quick", "--out", self.out)
        self.assertEqual(run.returncode, 0, run.stderr)
        pictures, tables = sorted(self.out.glob(f"{document}_*.svg")), sorted(self.out.glob(f"{document}_*.csv"))
        self.assertTrue(pictures and tables)
        for path in [*pictures, *tables]:
            self.assertIn(f" {path}\n", run.stdout)
        for path in pictures:
            self.assertLess(path.stat().st_size, LARGEST_PICTURE)
            root = xml.etree.ElementTree.parse(path).getroot()
            links = [v for e in root.iter() for k, v in e.attrib.items() if k.endswith("href")]
            self.assertTrue(all(link.startswith("#") for link in links), links)
        found = {}
        for path in tables:
            caption, found[path.stem] = table(path)
            self.assertRegex(caption, rf"^# \d{{4}}-\d\d-\d\d; .+; accublas-lab {document} --quick --cpu$")
            self.assertTrue(found[path.stem])
        redrawn = {path: path.read_bytes() for path in pictures}
        self.assertEqual(lab(document, "--draw", "--out", self.out).returncode, 0)
        self.assertEqual({path: path.read_bytes() for path in pictures}, redrawn)
        return found

    def test_tensor_cores(self):
        found = self.run_document("000")
        for row in found["000_accuracy"]:
            unit = UNIT[row["routine"]]
            if row["mode"] == "cr":
                self.assertLessEqual(row["error"], unit * 1.001)  # of four printed digits
                self.assertEqual(row["error_rounded"], 0)
            else:
                self.assertLessEqual(row["error_over_uAB"], row["n"] + 3)
                self.assertGreater(row["error"], unit / 8)
        for row in found["000_details"]:
            self.assertEqual(row["engine"], "int8")
            self.assertTrue(3 <= row["parts"] <= 49 and row["ms_product"] > 0)
        self.check_times(found["000_speed"])

    def test_data(self):
        found = self.run_document("data")
        self.assertEqual({r["mode"] for r in found["data_costs"]}, {"native", "dot2", "cr", "dp:repro"})
        run = lab("data", "--quick", "--data", "hilbert,decay:2", "--out", self.out)
        self.assertEqual(run.returncode, 2)
        self.assertIn("decay:R", run.stderr)
        self.check_times(found["data_costs"])

    def test_ozblas(self):
        found = self.run_document("001")
        errors = {(r["mode"], r["phi"]): r for r in found["001_accuracy"]}
        for phi in (1, 4, 7, 10):
            self.assertLessEqual(errors["cr", phi]["error"], 2.0**-53 * 1.001)
            self.assertEqual(errors["cr", phi]["error_rounded"], 0)
            for fast in ("", ":fast"):
                falling = [errors[f"slices:{d}{fast}", phi]["error"] for d in (2, 3, 4, 6)]
                self.assertTrue(all(a >= b * 0.99 for a, b in zip(falling, falling[1:])), falling)
        self.assertGreater(errors["slices:2", 10]["error"], errors["slices:2", 1]["error"])
        self.assertEqual(errors["slices:4:fast", 7]["published"], 2.87e-10)
        for row in found["001_bits"]:
            values = [v for k, v in row.items() if ":" in k]
            self.assertTrue(values and all(re.fullmatch(r"-?0x1\.[0-9a-f]{13}p[+-]\d+", v) for v in values))
            if row["mode"] != "native":
                self.assertEqual((row["same_bits"], len(set(values))), ("yes", 1))
            if row["mode"] in ("exact", "cr"):
                exact = exact if row["mode"] == "cr" else values[0]
                self.assertEqual(values[0], exact)
        self.check_times(found["001_overhead"])

    def test_multiword(self):
        found = self.run_document("002")
        for routine, words in (("SGEMM", "tf32"), ("DGEMM", "tf64")):
            rows = [r for r in found["002_errors"] if r["routine"] == routine]
            errors = {(r["input"], r["n"], r["mode"]): r["l2"] for r in rows}
            for kind, n in {(k, n) for k, n, _ in errors}:
                one, three, native = (errors[kind, n, mode] for mode in (f"{words}x1", f"{words}x3", "native"))
                self.assertTrue(2.0**-26 * (routine == "DGEMM") < 8 * one < 2.0 ** (-8 if routine == "SGEMM" else -21))
                self.assertLess(three, one / (100 if routine == "SGEMM" else 1e6))
                self.assertLess(three, 8 * native)

    def test_magma(self):
        found = self.run_document("003")
        self.assertEqual({r["mode"] for r in found["003_speed"]}, {"native", "dot2"})
        self.check_times(found["003_speed"])
        factored = {(r["routine"], r["mode"]): r for r in found["003_factorizations"]}
        for routine, operations in (("dgetrf", 2 / 3), ("dpotrf", 1 / 3)):
            for mode in ("dp:repro", "cr"):
                row = factored[routine, mode]
                self.assertAlmostEqual(row["gflops"] * row["ms"] * 1e6 / (operations * row["n"] ** 3), 1, delta=2e-3)
        self.assertEqual(("dgetrf", "netlib") in factored, paper_003.netlib_lapack(1) is not None)
        self.assertEqual([r["n"] for r in found["003_factorizations"] if r["routine"] == "dgemm"], [32])
        self.check_times(found["003_factorizations"])

    def test_multiple_precision(self):
        rows = self.run_document("004")["004_gemv"]
        ours = [r for r in rows if r["contender"] == "accublas"]
        self.assertEqual({(r["bits"], r["op"]) for r in ours}, {(106, "N"), (106, "T"), (424, "N"), (424, "T")})
        for row in ours:
            self.assertGreaterEqual(31 * row["moduli"], 2 * row["bits"])
            self.assertGreater(row["share_of_bandwidth"], 0)
        self.assertIn("mpfr", {r["contender"] for r in rows})

    def check_times(self, rows):
        for row in rows:
            self.assertGreater(row["ms"], 0)
            if row["mode"] == "native":
                self.assertEqual(row["over_native"], 1)


class Errors(unittest.TestCase):
    def test_rows_are_the_exact_errors(self):
        rng = np.random.default_rng(3)
        a, b = random_matrix(rng, (7, 40), 3.0, np.float64), random_matrix(rng, (40, 5), 3.0, np.float64)
        calls = laboratory.Calls(laboratory.Laboratory(BUILD, None, True, True, ""), "d")
        exact = [[sum(Fraction(x) * Fraction(y) for x, y in zip(a[i], b[:, j])) for j in range(5)] for i in range(7)]
        for mode in ("slices:2", "native", "cr"):
            c = calls.product(mode, a, b)
            row = laboratory.ExactProduct(calls, "gemm", a, b).row(c, rng)
            errors = [float(abs(Fraction(float(c[i, j])) / exact[i][j] - 1)) for i in range(7) for j in range(5)]
            self.assertAlmostEqual(row["error"] / max(errors), 1, places=9)
            self.assertAlmostEqual(row["median"] / float(np.median(errors)), 1, places=9)
            over = [float(abs(Fraction(float(c[i, j])) / Fraction(float(exact[i][j])) - 1)) for i in range(7) for j in range(5)]
            self.assertAlmostEqual(row["error_rounded"], max(over), delta=1e-9 * max(over))

    def test_spectral_norm(self):
        rng = np.random.default_rng(4)
        for matrix in (rng.random((30, 30)), 1e-9 * rng.standard_normal((50, 50)), np.zeros((4, 4))):
            norm = np.linalg.norm(matrix, 2)
            self.assertAlmostEqual(paper_002.spectral_norm(matrix), norm, delta=1e-6 * norm)

    def test_published_figures(self):
        with open(SOURCE / "perf" / "lab" / "published.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            self.assertTrue(all(row.values()) and None not in row, row)
            if row["unit"] != "hexadecimal":
                float(row["value"])
        self.assertEqual(sum(r["table"] == "accuracy" and r["document"] == "001" for r in rows), 9 * 4)
        self.assertEqual(sum(r["table"] == "time" for r in rows), 6 * 5)
        self.assertAlmostEqual(sum(float(r["value"]) for r in rows if r["table"] == "share"), 99.9)


STUB = """#!{python}
import csv, itertools, sys
option = dict(zip(sys.argv[1::1], sys.argv[2::1]))
columns = {columns!r}
with open(option["--csv"], "w") as file:
    rows = csv.DictWriter(file, columns, restval="0")
    rows.writeheader()
    if "factor" in option:
        for n, by in itertools.product(option["-n"].split(","), ["cusolver", "dp"]):
            rows.writerow({{"routine": option["factor"], "n": n, "by": by, "ms": 4 if by == "cusolver" else 2}})
    elif "vectors" in option:
        for n, data, mode in itertools.product([8, 16], ["phi:0", "phi:1"], ["cublas", "native", "dot2", "cr"]):
            rows.writerow({{"routine": option["vectors"], "n": n, "data": data, "mode": mode, "us": 500 if mode == "cublas" else 1000}})
    else:
        for data, mode in itertools.product(option["-d"].split(","), option["-m"].split(",")):
            rows.writerow({{"routine": option["-r"], "n": option["-n"], "data": data, "contender": mode, "T": 53, "parts": 15,
                            "engine": "" if mode == "cublas" else "int8", "ms": 1 if mode == "cublas" else 4, "failure": ""}})
sys.exit(1)  # targets missed
"""
TUNER = """#!{python}
print("A device, 132 multiprocessors\\ndgemm, n = 512; limit 3e+13 FP64 operations/s, 10 of them a term")
print("  {{64, 64, 16}}                        1.250 ms, 0.910 of the limit, 128 registers\\n  {{8, 8, 8}}   rejected: too small")
print("sgemm, n = 512; limit 3e+13 FP64 operations/s, 1 of them a term\\n  {{32, 32, 8}}   2.5 ms, 0.5 of the limit, 99 registers")
"""


class OnAGpu(unittest.TestCase):
    """Reads the output of the GPU's benchmarks from stand-ins that write the columns which the programs' sources name."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.lab = laboratory.Laboratory(BUILD, Path(self.folder.name), True, True, "")
        self.lab.build, self.lab.gpu = Path(self.folder.name), True
        self.lab.machine = lambda: "a stand-in"

    def program(self, name, text):
        path = self.lab.build / "perf" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def bench(self, source):
        self.program("accublas-gpu-bench", STUB.format(python=sys.executable, columns=self.columns(source)))

    def columns(self, *sources):
        """Columns of the tables of all sources, each once."""
        columns = {}
        for source in sources:
            literals = re.search(r'(?:csv_|file)\(csv,\s*((?:"[^"]*"\s*)+)\)', (SOURCE / "perf" / "gpu" / source).read_text()).group(1)
            columns |= dict.fromkeys("".join(re.findall(r'"([^"]*)"', literals)).split(","))
        return list(columns)

    def test_gemm(self):
        self.bench("table.cpp")
        rows = self.lab.gemm_times("dgemm", [100, 200], ["phi:1", "phi:2"], ["native", "cr"], "test")
        self.assertEqual([(r["n"], r["data"], r["mode"], r["engine"], r["over_native"]) for r in rows[:4]],
                         [(100, "phi:1", "native", "cublas", 1), (100, "phi:1", "cr", "int8", 4),
                          (100, "phi:2", "native", "cublas", 1), (100, "phi:2", "cr", "int8", 4)])
        self.assertEqual((len(rows), rows[1]["T"], rows[1]["parts"]), (8, 53, 15))
        self.assertAlmostEqual(rows[-1]["gflops"], 2 * 200**3 / 4e-3 * 1e-9)

    def test_vectors(self):
        self.bench("vectors.cpp")
        rows = self.lab.vector_times(["dgemv:n"], {}, ["native", "dot2"], "test")
        self.assertEqual([(r["n"], r["mode"], r["ms"], r["over_native"]) for r in rows],
                         [(8, "native", 0.5, 1), (8, "dot2", 1, 2), (16, "native", 0.5, 1), (16, "dot2", 1, 2)])

    def test_factorizations(self):
        text = STUB.format(python=sys.executable, columns=self.columns("factor.cpp", "table.cpp"))
        self.program("accublas-gpu-bench", text)
        paper_003.measure_factorizations(self.lab)
        _, rows = table(self.lab.out / "003_factorizations.csv")
        self.assertEqual([(r["routine"], r["mode"], r["ms"]) for r in rows],
                         [(routine, mode, ms) for routine in ("dgetrf", "dgeqrf", "dpotrf") for mode, ms in (("cuSOLVER", 4), ("dp", 2))]
                         + [("dgemm", "cuBLAS", 1)])
        self.assertAlmostEqual(rows[1]["gflops"] / (2 / 3 * 32**3 / 2e-3 * 1e-9), 1, delta=1e-3)
        self.assertEqual({r["over_native"] for r in rows}, {""})
        paper_003.draw_factorizations(self.lab)
        for name, words in (("003_factorizations", ["LU (Figure 4)", "Cholesky (Figure 4)", "DGEMM of cuBLAS, n = 32"]),
                            ("003_lu", ["LU (Figure 5)", "cuSOLVER", "MAGMA LU over MAGMA DGEMM"])):
            picture = (self.lab.out / f"{name}.svg").read_text()
            self.assertEqual([word for word in words if word not in picture], [])

    def test_shares_of_dgemm(self):
        rows = [{"routine": "dgetrf", "n": 8, "mode": mode, "gflops": rate} for mode, rate in (("dp", 6), ("native", 3), ("netlib", 2))]
        scales = {"dp": 1 / 8, "native": 1 / 4, "netlib": 1 / 4}
        self.assertEqual([(c.label.split()[0], c.y) for c in paper_003.curves_of_routine(rows, "dgetrf", scales.get)],
                         [("dp", (0.75,)), ("OpenBLAS", (0.75,)), ("netlib's", (0.5,))])

    def test_tuner(self):
        self.program("tune_dot2", TUNER.format(python=sys.executable))
        paper_003.measure_tuner(self.lab)
        _, rows = table(self.lab.out / "003_tuner.csv")
        self.assertEqual([(r["routine"], r["shape"], r["ms"], r["share_of_limit"], r["registers"]) for r in rows],
                         [("dgemm", "64, 64, 16", 1.25, 0.91, 128), ("sgemm", "32, 32, 8", 2.5, 0.5, 99)])
        paper_003.draw_tuner(self.lab)
        self.assertTrue((self.lab.out / "003_tuner.svg").exists())


class Refusals(unittest.TestCase):
    def refused(self, *arguments, saying):
        run = lab(*arguments)
        self.assertEqual(run.returncode, 2)
        self.assertIn(saying, run.stderr)
        self.assertNotIn("Traceback", run.stderr)
        self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)
        return run.stdout

    def test_what_cannot_be_used(self):
        with tempfile.TemporaryDirectory() as folder:
            self.refused("005", saying="accublas-lab: argument document: invalid choice: '005'")
            self.refused(saying="accublas-lab: the following arguments are required: document")
            self.refused("002", "--fast", saying="accublas-lab: unrecognized arguments: --fast")
            self.refused("002", "--only", "best", "--out", folder, saying="no part best; known: errors, speed")
            self.refused("002", "--draw", "--out", folder, saying="accublas-lab: 002 errors: ")
            for out in ("/dev/null/absent", __file__):
                measured = self.refused("all", "--out", out, saying=f"accublas-lab: --out: cannot make {out}: ")
                self.assertEqual(measured, "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
