"""accublas-compare as a user meets it: its table, its picture, and one clear line with status 2 for what it cannot use."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from fractions import Fraction
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import SimpleNamespace

SCRIPT, LIBRARY, DATA = sys.argv[1:4]
ARRAY, SPARSE = (f"%%MatrixMarket matrix {kind} real general\n" for kind in ("array", "coordinate"))
VECTOR = ARRAY + "3 1\n1\n2\n{last}\n"


def compare(*arguments, stdout=None, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ACCUBLAS")}
    environment |= {"ACCUBLAS_LIBRARY": LIBRARY, "ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=0:allocator_may_return_null=1"} | variables
    arguments = [a if isinstance(a, bytes) else str(a) for a in arguments]
    return subprocess.run([SCRIPT, *arguments], stdout=stdout or subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=environment, timeout=300)


def table(run):
    """Rows by mode, as dictionaries by column name (columns are two or more blanks apart)."""
    lines = run.stdout.splitlines()
    split = lambda line: [cell for cell in line.split("  ") if cell]
    head = [cell.strip() for cell in split(lines[1])]
    rows = [[cell.strip() for cell in split(line)] for line in lines[2:] if not line.startswith(("device", "picture", "report"))]
    return {row[0]: dict(zip(head, row)) for row in rows}


class Results(unittest.TestCase):
    def rows(self, *arguments):
        run = compare(*arguments)
        self.assertEqual(run.returncode, 0, run.stderr)
        return table(run)

    def test_real_matrix(self):
        rows = self.rows(f"{DATA}/west0479.mtx", "--modes", "dp:repro,fixed:12,slices:8,dot2,cr", "--repeat", 1)
        self.assertEqual(list(rows), ["native", "dp:repro", "fixed:12", "slices:8", "dot2", "cr"])
        self.assertLessEqual(float(rows["cr"]["max rel"]), 2.0**-53)
        self.assertGreater(float(rows["fixed:12"]["max rel"]), 1e-6)  # 12 bits cannot be right
        self.assertGreater(float(rows["native"]["max rel"]), float(rows["cr"]["max rel"]))
        self.assertEqual(rows["cr"]["rigorous bound"], "1.1e-16 |c|")

    def test_a_reader_that_has_seen_enough(self):
        command = [SCRIPT, "--random", "2", "2", "2", "--modes", "cr"]
        read, write = os.pipe()
        os.close(read)
        run = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, timeout=300,
                             env=os.environ | {"ACCUBLAS_LIBRARY": LIBRARY})
        os.close(write)
        self.assertEqual(run.stderr, "")

    def test_engines_give_the_same_bits(self):
        sums = {engine: self.rows(f"{DATA}/pores_1.mtx", "--modes", "CR,Fixed:60", "--engine", engine.upper())
                for engine in ["int8", "fp64"]}
        for mode in ["cr", "fixed:60"]:
            self.assertEqual(sums["int8"][mode]["checksum"], sums["fp64"][mode]["checksum"])
            self.assertEqual([sums[e][mode]["engine"] for e in sums], ["int8", "fp64"])

    def test_gemv_dot_and_single_precision(self):
        for arguments in [("--op", "gemv", "--random", 50, 1, 70), ("--op", "dot", "--random", 1, 1, 1000),
                          ("--precision", "s", "--random", 20, 30, 40)]:
            unit = 2.0**-24 if "s" in arguments else 2.0**-53
            rows = self.rows(*arguments, "--phi", 4, "--modes", "cr,dot2")
            self.assertLessEqual(float(rows["cr"]["max rel"]), unit)

    def test_complex_files(self):
        with tempfile.TemporaryDirectory() as folder:
            matrix, page = Path(folder) / "a.mtx", Path(folder) / "a.html"
            matrix.write_text("%%MatrixMarket matrix coordinate complex hermitian\n2 2 3\n1 1 3 0\n2 1 1e16 -1\n2 2 -1e400 0\n")
            run = compare(matrix, "--modes", "cr", "--repeat", 0)
            self.assertEqual(run.stderr, "accublas-compare: a.mtx: an entry is beyond the type's range: taken as Inf.\n")
            matrix.write_text(matrix.read_text().replace("-1e400", "-2"))
            run = compare(matrix, f"{DATA}/pores_1.mtx", "--modes", "cr", "--repeat", 0)
            self.assertIn("shapes do not fit: A is 2 x 2", run.stderr)
            run = compare(matrix, "--op", "herk", "--modes", "cr,dp:repro", "--repeat", 0, "--report", page)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.assertTrue(run.stdout.startswith("zherk: a.mtx; m = 2, n = 2, k = 2\n"), run.stdout)
            self.assertLessEqual(float(table(run)["cr"]["max rel"]), 2.0**-53)
            self.assertIn("A is 2 x 2, its conjugate transpose is 2 x 2", page.read_text())

    def test_pictures(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, magic in [("a.png", b"\x89PNG"), ("a.svg", b"<?xml")]:
                self.rows("--random", 8, 8, 8, "--modes", "cr", "--plot", Path(folder) / name)
                self.assertTrue((Path(folder) / name).read_bytes().startswith(magic))

    def test_report(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "a.html"
            run = compare(f"{DATA}/pores_1.mtx", "--modes", "dp:repro,fixed:20,dot2,cr", "--repeat", 0, "--report", page)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.assertEqual(run.stdout.splitlines()[-1], f"report: {page}")
            text = page.read_text()
            for mode, row in table(run).items():
                self.assertIn(row["checksum"], text)
                measured, promised = re.findall(rf"{mode}: measured (\S+), promised ([^\s;<]+)", text)[1]  # in units of u |A||B|
                self.assertEqual(promised, "∞") if mode == "fixed:20" else self.assertLessEqual(float(measured), float(promised))
            recommended = re.findall(r"<tr><th scope=\"row\">([^<]*)</th><td>(?:<code>(.*?)</code>|none of those tried)</td>", text)
            self.assertIn(recommended[-1], [("A reference: the exact result, rounded once", m) for m in ("cr", "dp:repro")])
            self.assertEqual(len(recommended), 5)

    def test_report_of_anything(self):
        with tempfile.TemporaryDirectory() as folder:
            special = Path(folder) / "<b>&.mtx"
            special.write_text(ARRAY + "2 2\n1\ninf\n0\nnan\n")
            zero = Path(folder) / "zero.mtx"
            zero.write_text(SPARSE + "3 3 1\n1 1 0\n")
            page = Path(folder) / "page.html"
            for arguments in [(special,), (zero,), ("--op", "dot", "--random", 1, 1, 50), ("--op", "gemv", "--random", 5, 1, 500),
                              ("--precision", "s", "--random", 9, 9, 9, "--phi", 300)]:
                run = compare(*arguments, "--modes", "dot2,cr", "--repeat", 0, "--report", page)
                self.assertEqual((run.returncode, run.stderr), (0, ""), arguments)
                self.assertNotIn("<b>", page.read_text())
                self.assertIsNone(re.search(r"\b(nan|inf)\b", page.read_text()))


class Routines(unittest.TestCase):
    """Calls and what judges them, in this process."""

    @classmethod
    def setUpClass(cls):
        sys.path.insert(0, str(Path(SCRIPT).parent))
        import accublas_calls as calls
        import accublas_routines as routines

        os.environ["ACCUBLAS_LIBRARY"] = LIBRARY
        cls.calls, cls.routines, cls.np = calls, routines, calls.np
        cls.libraries = {precision: calls.Library(precision, 1, Path(SCRIPT).parent) for precision in "dszc"}

    def errors(self, precision, call, mode="cr"):
        library = self.libraries[precision]
        library.set_mode(call.op, mode)
        c = call.start()
        call.run(library, c)
        return call.reference(library).errors(call.components(c), self.np.random.default_rng(0))

    # Each routine's own call against the product of components that judges it: another triangle, a conjugation or a diagonal
    # taken otherwise would be far off.
    def test_every_routine(self):
        rng = self.np.random.default_rng(0)
        for precision, dtype in self.calls.DTYPE.items():
            unit = 2.0**-53 if precision in "dz" else 2.0**-24
            matrix = lambda *shape: self.calls.random_matrix(rng, shape, 2, dtype)
            for op in self.routines.ROUTINES:
                if op in ("hemm", "herk") and precision in "ds":
                    continue
                for uplo, unit_diagonal in [("lower", False), ("upper", False), ("upper", True)]:
                    a = matrix(1 if op == "dot" else 9, 7 if op in ("gemm", "gemv", "dot", "syrk", "herk") else 9)
                    b = None if op in self.routines.OF_ONE else matrix(a.shape[1], 1 if op in ("gemv", "dot") else 5)
                    largest, _, scaled = self.errors(precision, self.routines.Call(op, a, b, uplo, unit_diagonal))
                    if op != "trsm":
                        self.assertLessEqual(largest, unit, (precision, op, uplo))
                    self.assertLessEqual(scaled, 1.0, (precision, op, uplo))

    # x_2 = b_2 - x_1 of the exact x_1 = 1 / 3 is what its rounding leaves; from the rounded x_1 it is 0, all of it wrong.
    def test_errors_of_solutions(self):
        np = self.np
        for precision, factor in [("d", 1), ("z", 1j)]:
            dtype = self.calls.DTYPE[precision]
            a, b = (np.asfortranarray(x, dtype=dtype) for x in ([[3, np.nan], [1, 1]], [[factor], [factor / 3]]))
            call = self.routines.Call("trsm", a, b)
            largest, _, scaled = self.errors(precision, call)
            self.assertEqual(largest, 1.0)
            self.assertTrue(0 < scaled <= 1)
            value = call.reference(self.libraries[precision]).value
            self.assertEqual(value[-1, 0], float(Fraction(1 / 3) - Fraction(1, 3)))


class Recommendations(unittest.TestCase):
    """The page's statements about products that leave the range of numbers, or hold none."""


    def said(self, text, *modes, stderr=""):
        """(the headline, what is said below it, mode by need, the table)."""
        with tempfile.TemporaryDirectory() as folder:
            matrix, page = Path(folder) / "a.mtx", Path(folder) / "page.html"
            matrix.write_text(text)
            run = compare(matrix, "--modes", ",".join(modes or ("dp:repro", "dot2", "cr")), "--repeat", 3, "--report", page)
            self.assertEqual((run.returncode, run.stderr), (0, stderr))
            advice = re.search(r'<div class="advice"><p class="word">(.*?)</p>(.*?)</div>', page.read_text())
            needs = re.findall(r'<tr><th scope="row">([^<]*)</th><td>(?:<code>(.*?)</code>|none of those tried)</td>', page.read_text())
            return re.sub("<.*?>", "", advice[1]), re.sub("<.*?>", " ", advice[2]), dict(needs), table(run)

    def square(self, *entries):
        return ARRAY + "2 2\n" + "\n".join(entries) + "\n"

    def test_native_promises_nothing_out_of_range(self):
        headline, text, needs, rows = self.said(self.square("1e200", "1e-200", "1", "3e-200"))
        self.assertEqual(rows["native"]["rigorous bound"], "none (overflow, underflow)")
        self.assertIn("Products or partial sums meet overflow and underflow here", text)
        self.assertIn("Of the 4 entries of the exact result 1 are beyond the largest number", text)
        self.assertNotIn("rounding errors add up", text)
        self.assertNotEqual(headline, "Use native")
        self.assertNotEqual(needs["The accuracy of a usual BLAS"], "native")

    def test_nothing_to_judge(self):
        for text, saying in [(self.square(*["1.7976931348623157e308"] * 4), "The exact result is beyond the largest number"),
                             (self.square("1e-323", "5e-324", "1e-300", "2e-323"), "so small that it rounds to zero"),
                             (self.square("0", "0", "0", "0"), "The exact result is zero, whatever the mode"),
                             (self.square("nan", "nan", "nan", "nan"), "The exact result is NaN, whatever the mode"),
                             (SPARSE + "3 5 0\n", "The exact result is zero, whatever the mode")]:
            headline, below, needs, _ = self.said(text)
            self.assertEqual((headline, needs), ("These matrices recommend no mode", {}), text)
            self.assertIn(saying, below)

    def test_an_entry_beyond_the_range(self):
        note = "a.mtx: an entry is beyond the type's range: taken as Inf."
        _, text, needs, _ = self.said(self.square("1e400", "1", "1", "1"), stderr=f"accublas-compare: {note}\n")
        self.assertIn(note.replace("'", "&#x27;"), text)
        self.assertIn(needs["A reference: the exact result, rounded once"], ("cr", "dp:repro"))  # equal for short sums
        self.said(self.square("inf", "1", "-Infinity", "1"))  # as it stands there: no note

    def test_correct_rounding_is_promised_by_the_bound(self):
        _, _, needs, _ = self.said(self.square("1", "3", "1e16", "-7"), "dot2")
        self.assertEqual(needs["A reference: the exact result, rounded once"], "")  # dot2's bound is near it, and no more


class Refusals(unittest.TestCase):
    small = ("--random", 2, 2, 2, "--modes", "cr", "--repeat", 0)

    def refused(self, *arguments, saying, **variables):
        run = compare(*arguments, **variables)
        self.assertEqual(run.returncode, 2, f"{run.stdout}{run.stderr}")
        # AddressSanitizer says so itself where it cannot allocate.
        lines = [line for line in run.stderr.splitlines() if "WARNING: AddressSanitizer failed to allocate" not in line]
        self.assertEqual(len(lines), 1, run.stderr)
        self.assertIn(saying, lines[0])

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            def write(name, text):
                path = Path(folder) / name
                path.write_text(text)
                return path

            good = write("good.mtx", VECTOR.format(last=3))
            self.refused(Path(folder) / "absent.mtx", saying="no such file")
            for text in ("hello\n", "", VECTOR.format(last="x")):
                self.refused(write("text.mtx", text), saying="not a readable Matrix Market file")
            self.refused(write("short.mtx", SPARSE + "2 2 3\n1 1 1.0\n"), saying="short.mtx")
            self.refused("--precision", "d", write("complex.mtx", "%%MatrixMarket matrix array complex general\n1 1\n1 2\n"),
                         saying="complex.mtx: complex entries; --precision z or c takes them")
            self.refused(good, good, saying="shapes do not fit: A is 3 x 1, B is 3 x 1")
            self.refused(good, good, good, saying="at most two")
            self.refused("--op", "dot", good, f"{DATA}/pores_1.mtx", saying="two vectors of one length")
            self.refused("--op", "symm", good, saying="a square first matrix, not 3 x 1")
            self.refused("--op", "trsm", f"{DATA}/west0479.mtx", "--modes", "cr", "--repeat", 0, saying="singular")
            self.refused("--op", "gemv", f"{DATA}/pores_1.mtx", f"{DATA}/pores_1.mtx", saying="vector")
            self.refused(folder, saying="not a readable Matrix Market file")
            self.refused(write("none.mtx", SPARSE + "0 0 0\n"), saying="empty")
            self.refused(write("index.mtx", SPARSE + "3 3 1\n5 5 1\n"), saying="index.mtx")
            self.refused(write("vast.mtx", SPARSE + "100000000 100000000 1\n1 1 1\n"), saying="out of memory")
            self.refused("--precision", "s", write("large.mtx", VECTOR.format(last=1e60)), "--trans-a", good,
                         saying="large.mtx: entries beyond the range")

    def test_options(self):
        self.refused(saying="Matrix Market")
        self.refused("--random", 2, 2, 2, "--modes", "best", saying="native")  # lists the words
        self.refused("--random", 2, 2, 2, "--modes", "fixed:1", saying="fixed")
        self.refused("--random", 2, 2, 2, "--modes", "tf32x3", saying="tf32x3")
        self.refused("--random", 2, 2, 2, "--engine", "warp", saying="int8")
        self.refused("--random", 0, 2, 2, saying="positive")
        self.refused("--random", 2, 2, 2, "--plot", "a.pdf", saying=".png or .svg")
        for path in ("a.txt", ""):
            self.refused("--random", 2, 2, 2, "--report", path, saying="--report takes an .html file")
        self.refused("--random", 2, 2, 2, "--report", "/absent/a.html", saying="--report: no folder /absent")
        self.refused("--random", 2, 2, saying="--random")
        self.refused("--random", 2, 2, 2, f"{DATA}/pores_1.mtx", saying="not both")
        self.refused("--random", 2, 2, 2, "--modes", "cr,", saying="--modes")
        self.refused("--random", 2, 2, 2, "--op", "herk", saying="complex matrices")
        self.refused("--random", 2, 2, 2, "--op", "trsm", "--report", "a.html", saying="goes with products")
        self.refused("--random", 2, 2, 2, "--op", "trsm", "--modes", "fixed:60", saying="dtrsm lacks fixed:60")
        self.refused("--random", 2, 2, 2, "--seed", -1, saying="--seed")
        self.refused("--random", 2, 2, 2, "--phi", "nan", saying="--phi")
        self.refused("--random", 2, 2, 2, "--threads", 10**11, saying="--threads")
        self.refused("--random", 2, 2, 2, "--trans-a", saying="--trans-a")
        self.refused(f"{DATA}/pores_1.mtx", "--trans-b", saying="second file")
        self.refused("--random", 10**8, 10**8, 10**8, saying="out of memory")  # beyond any address space
        self.refused("--random", 2, 2, 2, "--op", "dot", "--modes", "cr", "--engine", "int8", saying="sums")

    def test_surroundings(self):
        self.refused("--random", 2, 2, 2, saying="ACCUBLAS_MODE=best: unknown mode", ACCUBLAS_MODE="best")
        self.refused("--random", 2, 2, 2, saying="absent.so", ACCUBLAS_LIBRARY="/absent.so")
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a.html", "a.png"):
                (Path(folder) / name).mkdir()
            (Path(folder) / "full.html").symlink_to("/dev/full")
            for option, name, saying in [("--report", "a.html", "--report: cannot write"), ("--report", "full.html", "No space left"),
                                         ("--plot", "a.png", "cannot write")]:
                self.refused(*self.small, option, Path(folder) / name, saying=saying)

    # An argument parser does not reject these inputs: bytes that are not text, names with line ends, sizes beyond any
    # address, libraries and outputs that are not what they seem.
    def test_hostile_surroundings(self):
        with tempfile.TemporaryDirectory() as folder:
            def write(name, text):
                path = os.path.join(os.fsencode(folder), name)
                with open(path, "w") as file:
                    file.write(text)
                return path

            coordinate = SPARSE + "{0} {0} 1\n1 1 1\n"
            for size in (2 * 10**9, 4 * 10**9, 10**18, 10**30):
                self.refused(write(b"vast.mtx", coordinate.format(size)), saying="vast.mtx")
            self.refused(write(b"array.mtx", ARRAY + "2000000000 2000000000\n1\n"), saying="out of memory")
            for bad in (b"\xff.mtx", b"line\nend.mtx", "\u2028.mtx".encode()):
                self.refused(write(bad, "nothing"), saying="not a readable Matrix Market file")
                self.refused(bad, saying="no such file")
            not_a_library = write(b"text.so", "nothing")
            self.refused(*self.small, saying="text.so", ACCUBLAS_LIBRARY=not_a_library)
            with open("/dev/full", "w") as full:
                self.refused(*self.small, saying="cannot write", stdout=full)
        for sizes in [(2**31, 2**31, 2**31), (2**62, 1, 1), (1, 10**30, 1), (2**40, 2**40, 1)]:
            self.refused("--random", *sizes, saying="out of memory")
        for bad in (b"\xff", b"\xc3(", "\u00e9".encode(), b"c\nr"):
            self.refused("--random", 2, 2, 2, "--modes", bad, saying="native")
            self.refused("--random", 2, 2, 2, "--engine", bad, saying="int8")
            self.refused("--op", bad, saying="gemm")
            self.refused("--random", bad, 2, 2, saying="--random")
            self.refused(*self.small, saying="ACCUBLAS_MODE", ACCUBLAS_MODE=bad)
            self.refused(*self.small, saying="ACCUBLAS_ENGINE", ACCUBLAS_ENGINE=bad)
            self.refused(*self.small, saying="cannot load", ACCUBLAS_LIBRARY=b"/absent" + bad)
        self.refused(*self.small, saying="libc.so.6", ACCUBLAS_LIBRARY="libc.so.6")
        self.refused(*self.small, saying="/dev/null", ACCUBLAS_LIBRARY="/dev/null")
        closed = subprocess.run(["sh", "-c", '"$0" "$@" >&-', SCRIPT, *map(str, self.small)], stderr=subprocess.PIPE, text=True,
                                env=os.environ | {"ACCUBLAS_LIBRARY": LIBRARY}, timeout=300)
        self.assertEqual((closed.returncode, closed.stderr), (0, ""))

    def test_interrupt(self):
        environment = os.environ | {"ACCUBLAS_LIBRARY": LIBRARY}
        command = [SCRIPT, f"{DATA}/pores_1.mtx", "--repeat", "1000000", "--modes", "native"]
        for loaded in ("_multiarray_umath", "scipy", "libaccublas"):  # while Python imports, and later
            run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
            while run.poll() is None and loaded not in Path(f"/proc/{run.pid}/maps").read_text():
                time.sleep(0.01)
            run.send_signal(signal.SIGINT)
            _, errors = run.communicate(timeout=100)
            self.assertEqual((run.returncode, errors), (130, "accublas-compare: interrupted\n"))


class OtherBackend(unittest.TestCase):
    """Times where there is a GPU, of a library that stands for one: dot2 is a mode that the GPU lacks."""

    def test_times(self):
        sys.path.insert(0, str(Path(SCRIPT).parent))
        loader = SourceFileLoader("program", SCRIPT)
        program = module_from_spec(spec_from_loader("program", loader))
        loader.exec_module(program)
        calls = []

        class Library:
            devices = True
            has_device = lambda self: self.devices
            set_backend = lambda self, name: calls.append(name)
            set_mode = lambda self, op, mode: calls.append(mode)
            set_engine = lambda self, name: None
            report = lambda self: None

        class Call:
            start = lambda self: None

            def run(self, *_):
                if calls[-1] == "dot2":
                    raise program.UsageError("cuda lacks dot2")

        library = Library()
        reports = {mode: SimpleNamespace(backend=backend) for mode, backend in [("native", b"cuda"), ("cr", b"cpu"), ("dot2", b"cpu")]}
        args, progress = SimpleNamespace(repeat=0, op="gemm", engine="auto"), SimpleNamespace(update=lambda: None)
        measure = lambda: program.other_times(library, args, list(reports), Call(), reports, progress)
        self.assertEqual({mode: list(times) for mode, times in measure().items()}, {"native": ["cpu"], "cr": ["cuda"], "dot2": []})
        self.assertEqual(calls, ["cpu", "native", "cuda", "cr", "dot2"])
        library.devices = False
        self.assertEqual(measure(), {"native": {}, "cr": {}, "dot2": {}})


class Names(unittest.TestCase):
    def test_any_file_name(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in (b"\xff.mtx", "\u00e9.mtx".encode(), b"line\nend.mtx"):
                path = os.path.join(os.fsencode(folder), name)
                with open(path, "w") as file:
                    file.write(ARRAY + "1 1\n3\n")
                for variables in ({}, {"LC_ALL": "C", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "ascii"}):
                    run = compare(path, "--modes", "cr", "--repeat", 0, "--plot", os.path.join(folder, "a.png"), **variables)
                    self.assertEqual((run.returncode, run.stderr), (0, ""))
                    self.assertEqual(len(run.stdout.splitlines()), 6, run.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
