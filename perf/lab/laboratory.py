"""Code that the measurements of the five documents share: where the library and its benchmarks are, the machine's name,
progress, tables as CSV files, and the figures that the documents published."""

import copy
import csv
import ctypes
import datetime
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from tqdm import tqdm

from accublas_calls import Library, Reference, UsageError

HERE = Path(__file__).resolve().parent
BACKEND_CPU, BACKEND_CUDA = 1, 2


class Calls(Library):
    """The library on one backend; every number that its modes return is of host arrays."""

    def __init__(self, lab, precision, threads=0):
        super().__init__(precision, threads, lab.build / "perf")
        self.check(self.lib.accublas_set_backend(self.context, ctypes.c_int32(BACKEND_CUDA if lab.gpu else BACKEND_CPU)))
        self.check(self.lib.accublas_set_report_level(self.context, 2))

    def __del__(self):
        if hasattr(self, "context"):  # which keeps the memory of its largest call
            self.lib.accublas_destroy(self.context)

    def product(self, mode, a, b, op="gemm"):
        """A B in that mode."""
        self.set_mode(op, mode)
        c = np.full((a.shape[0], b.shape[1]), np.nan, dtype=a.dtype, order="F")
        self.run(op, a, b, 0.0, c)
        return c


class ExactProduct(Reference):
    """A reference whose errors come as the documents have them, too: over the correctly rounded result."""

    def row(self, c, rng):
        """The columns of errors of a table: against the exact product, and against that rounded to the type of C."""
        largest, median, scaled = self.errors(c, rng)
        value = self.value.astype(np.float64)
        with np.errstate(all="ignore"):
            rounded = np.where(c == self.value, 0.0, np.abs((c.astype(np.float64) - value) / value))
        return {"error": largest, "median": median, "error_rounded": float(rounded.max()), "error_over_uAB": scaled}


class Laboratory:
    def __init__(self, build, out, quick, cpu, command, png=False, data=()):
        self.build, self.out, self.quick, self.command = build, out, quick, command
        self.png = png  # pictures as PNG, too
        self.data = data  # names of matrices, or none for the defaults
        self.gpu = not cpu and self.devices() > 0
        self.threads = len(os.sched_getaffinity(0))
        with open(HERE / "published.csv", newline="") as file:
            self.figures = list(csv.DictReader(file))

    def devices(self):
        count = ctypes.c_int32(0)
        library = Library("d", 0, self.build / "perf").lib
        return count.value if library.accublas_device_count(ctypes.byref(count)) == 0 else 0

    def on(self, gpu):
        """This laboratory on the other kind of device."""
        other = copy.copy(self)
        other.gpu = gpu
        return other

    def sizes(self, quick, cpu, gpu):
        """The one of three that this run takes."""
        return quick if self.quick else gpu if self.gpu else cpu

    def progress(self, cases, what):
        return tqdm(list(cases), desc=what, unit="case", leave=False, disable=None)

    def machine(self):
        """The device's name; on the CPU with its instruction set and the cores that this process may use."""
        calls = Calls(self, "d")
        ones = np.ones((64, 64), order="F")
        calls.product("cr", ones, ones)
        device = calls.report().device.decode()
        if self.gpu:
            return device
        names = [line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                 if line.startswith("model name")]
        return f"{(names + [platform.machine()])[0]}, {device.removeprefix('cpu:')}, {self.threads} cores"

    def write(self, name, rows):
        """The table `name` as a CSV file, below a line that says when, where and by what it was made."""
        self.out.mkdir(parents=True, exist_ok=True)
        path = self.out / f"{name}.csv"
        with open(path, "w", newline="") as file:
            file.write(f"# {datetime.date.today()}; {self.machine()}; {self.command}\n")
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows({k: f"{v:.4g}" if isinstance(v, float) else v for k, v in row.items()} for row in rows)
        print(f"table:   {path}")

    def read(self, name):
        """(caption, rows) of a table; its numbers as floats."""
        path = self.out / f"{name}.csv"
        if not path.exists():
            raise UsageError(f"{path}: no such table; measure before drawing")
        with open(path, newline="") as file:
            caption = file.readline().lstrip("# ").strip()
            return caption, [{k: number(v) for k, v in row.items()} for row in csv.DictReader(file)]

    def published(self, document, table, **fixed):
        """Rows of the published figures, with the value as a number."""
        rows = [r | {"value": number(r["value"])} for r in self.figures if (r["document"], r["table"]) == (document, table)]
        return [r for r in rows if all(r[k] == str(v) for k, v in fixed.items())]

    def bench(self, program, *arguments):
        """Rows that a benchmark of perf/ writes as CSV."""
        path = self.build / "perf" / program
        if not path.exists():
            raise UsageError(f"{path} is not built")
        with tempfile.TemporaryDirectory() as folder:
            figures = Path(folder) / "figures.csv"
            run = subprocess.run([path, *map(str, arguments), "--csv", figures], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
            # 1: targets missed, which are not what is asked for here
            if run.returncode not in (0, 1) or not figures.exists():
                raise UsageError(f"{program}: {run.stderr.strip() or 'no figures'}")
            with open(figures, newline="") as file:
                return [{k: number(v) for k, v in row.items()} for row in csv.DictReader(file)]

    def gemm_times(self, routine, sizes, data, modes, what):
        """Rows n, data, mode, engine, ms, native_ms, gflops, bits, parts of GEMM on the CPU or the GPU."""
        rows = []
        for n in self.progress(sizes, what):
            if self.gpu:
                words = ["cublas" if mode == "native" else mode for mode in modes]
                found = self.bench("accublas-gpu-bench", "gemm", "-r", routine, "-n", n, "-d", ",".join(data), "-m",
                                   ",".join(words), "--burst", "--repetitions", 5)
                times = [(r["data"], r["contender"].replace("cublas", "native"), r["engine"], r["ms"], r) for r in found
                         if not r["failure"]]
            else:
                found = self.bench("accublas-bench", "-r", routine, "-n", n, "-d", ",".join(data), "-m", ",".join(modes),
                                   "-t", self.threads, "-s", 0 if self.quick else 0.3)
                times = [(r["data"], r["mode"], r["engine"], 1e3 * r["seconds"], r) for r in found if not r["error"]]
            native = {case: ms for case, mode, _, ms, _ in times if mode == "native"}
            if missing := set(data) - set(native):
                raise UsageError(f"{what}: no time of the native routine for {', '.join(sorted(missing))}")
            rows += [{"routine": routine, "n": n, "data": case, "mode": mode, "engine": engine or "cublas", "ms": ms,
                      "native_ms": native[case], "over_native": ms / native[case], "gflops": 2e-6 * n**3 / ms,
                      "T": int(r["T"]), "parts": int(r["parts"])} for case, mode, engine, ms, r in times]
        return rows

    def vector_times(self, routines, sizes, modes, what):
        """Rows routine, n, mode, ms, over_native, rate of DOT and GEMV; on a GPU the sizes are the benchmark's own."""
        rows = []
        for routine in self.progress(routines, what):
            if self.gpu:
                found = self.bench("accublas-gpu-bench", "vectors", routine.replace(":", "-"), "--repetitions", 5)
                found = [r | {"mode": r["mode"].replace("cublas", "native"), "ms": 1e-3 * r["us"]} for r in found
                         if r["data"] == "phi:1" and r["mode"] != "native"]
            else:
                found = self.bench("accublas-bench", "-r", routine, "-n", ",".join(map(str, sizes[routine])), "-m", ",".join(modes),
                                   "-t", self.threads, "-s", 0 if self.quick else 0.3)
                found = [{"n": r["k"], "mode": r["mode"], "ms": 1e3 * r["seconds"]} for r in found if not r["error"]]
            native = {r["n"]: r["ms"] for r in found if r["mode"] == "native"}
            for r in found:
                if r["mode"] in modes:
                    words = 2 * r["n"] if routine == "ddot" else r["n"] * (r["n"] + 1)
                    rows.append({"routine": routine, "n": int(r["n"]), "mode": r["mode"], "ms": r["ms"],
                                 "over_native": r["ms"] / native[r["n"]], "rate": 8e-6 * words / r["ms"], "unit": "GB/s"})
        return rows


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return text


def refuse(why):
    print(f"accublas-lab: {why}", file=sys.stderr)
    return 2
