"""Nath, Tomov, Dongarra 2010: an improved MAGMA GEMM for Fermi GPUs.

Figure 3 (GEMM against n), for the tuned Dot2 kernel beside the native one; Figure 4 (LU, QR and Cholesky's factorization
against n); Figure 5 (LU by several libraries); and the landscape that the tuner of Dot2's kernels sees (GPU alone)."""

import ctypes
import re
import subprocess
import time
from pathlib import Path

import numpy as np
from accublas_calls import random_matrix
from laboratory import UsageError
from pictures import COLOURS, Curve, Panel, bars_picture, curves_picture

BEST = 24  # candidates of the tuner that are drawn
# Name, and operations over n^3.
FACTORIZATIONS = {"dgetrf": ("LU", 2 / 3), "dgeqrf": ("QR", 4 / 3), "dpotrf": ("Cholesky", 1 / 3)}
CONTENDERS = {"native": "OpenBLAS", "netlib": "netlib's LAPACK\non OpenBLAS's BLAS"}
ON_THE_HOST = ("native", "netlib")  # on a GPU, too
NETLIB = "usr/lib/*-linux-gnu/lapack/liblapack.so.3"  # as Debian and Ubuntu have it


def measure_speed(lab):
    sizes = lab.sizes([32], [64, 128, 256, 512, 1024], [512, 1024, 2048, 4096, 8192])
    lab.write("003_speed", lab.gemm_times("dgemm", sizes, ["phi:1"], ["native", "dot2"], "003 GEMM"))


def draw_speed(lab):
    caption, rows = lab.read("003_speed")
    curves = [Curve({"native": "native DGEMM"}.get(mode, mode), *zip(*[(r["n"], r["gflops"]) for r in rows if r["mode"] == mode]),
                    COLOURS[mode]) for mode in ("native", "dot2")]
    # An element of dot2 is 10 operations a term where native has 2.
    dot2 = curves[1]
    curves.append(Curve("dot2, its own operations\n(10 a term)", dot2.x, [5 * y for y in dot2.y], COLOURS["dot2"], "dotted"))
    levels = [(f"{r['series']}\n(C2050, published)", r["value"], colour, "published")
              for r, colour in zip(lab.published("003", "speed"), ("tab:blue", "tab:gray"))]
    curves_picture(lab, "003_speed", "GEMM against n: twofold precision and native", caption,
                   [Panel("DGEMM (Figure 3)", "n", "GFlop/s", curves, levels=levels)], 1, legend_width=0.6, panel_size=(4.6, 3.8))


def factorizations_of(bench):
    """Those that a benchmark, by its list of routines, knows."""
    if not bench.exists():
        return []
    known = subprocess.run([bench, "--help"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return [routine for routine in FACTORIZATIONS if re.search(rf"\b{routine}\b", known)]


def factorization_row(routine, n, mode, ms):
    return {"routine": routine, "n": int(n), "mode": mode, "ms": ms, "gflops": 1e-6 * FACTORIZATIONS[routine][1] * n**3 / ms}


def netlib_lapack(threads):
    """netlib's LAPACK with OpenBLAS below it, or None where the system does not have both."""
    for path in sorted(Path("/").glob(NETLIB)):
        library = ctypes.CDLL(str(path))
        if hasattr(library, "openblas_set_num_threads"):  # of its libblas.so.3
            library.openblas_set_num_threads(ctypes.c_int(threads))
            return library
    return None


def netlib_seconds(library, n, seconds):
    """The least time of dgetrf_ on random matrices of order n: three calls, and more until they took so many seconds."""
    matrix = random_matrix(np.random.default_rng(n), (n, n), 1.0, np.float64)
    order, info, pivots, taken = ctypes.c_int(n), ctypes.c_int(), np.zeros(n, dtype=np.int32), []
    while len(taken) < 3 or sum(taken) < seconds:
        a = matrix.copy(order="F")
        start = time.perf_counter()
        library.dgetrf_(ctypes.byref(order), ctypes.byref(order), ctypes.c_void_p(a.ctypes.data), ctypes.byref(order),
                        ctypes.c_void_p(pivots.ctypes.data), ctypes.byref(info))
        taken.append(time.perf_counter() - start)
        if info.value:
            raise UsageError(f"netlib's dgetrf_, n = {n}: info is {info.value}")
    return min(taken)


def rows_of_host(lab, sizes):
    """Factorizations on the CPU. On a machine with a GPU only those of other libraries."""
    rows, seconds = [], 0 if lab.quick else 0.3
    modes = "native" if lab.gpu else "native,dp:repro,cr"
    known = factorizations_of(lab.build / "perf" / "accublas-bench")
    if not known:
        return []
    for routine in lab.progress(known, "003 factorizations of the CPU"):
        found = lab.bench("accublas-bench", "-r", routine, "-n", ",".join(map(str, sizes)), "-d", "phi:1", "-m", modes, "-t", lab.threads,
                          "-s", seconds)
        rows += [factorization_row(routine, r["k"], r["mode"], 1e3 * r["seconds"]) for r in found if not r["error"]]
    rows.append(dgemm_row(lab.on(gpu=False), sizes[-1], "native"))
    if library := netlib_lapack(lab.threads):
        rows += [factorization_row("dgetrf", n, "netlib", 1e3 * netlib_seconds(library, n, seconds))
                 for n in lab.progress(sizes, "003 LU of netlib's LAPACK")]
    else:
        print("003 factorizations: without netlib's LAPACK (Debian: liblapack3, and libblas.so.3 of OpenBLAS)")
    return rows


def dgemm_row(lab, n, name):
    """The native DGEMM, whose rate that of a factorization approaches."""
    found = lab.gemm_times("dgemm", [n], ["phi:1"], ["native"], "003 DGEMM")[0]
    return {"routine": "dgemm", "n": n, "mode": name, "ms": found["ms"], "gflops": found["gflops"]}


def measure_factorizations(lab):
    """On the CPU beside OpenBLAS and netlib's LAPACK; on a GPU beside cuSOLVER, and those two on the host."""
    rows = []
    if lab.gpu:
        sizes = lab.sizes([32], [], [512, 1024, 2048, 4096, 8192, 16384])
        for routine in lab.progress(FACTORIZATIONS, "003 factorizations"):
            found = lab.bench("accublas-gpu-bench", "factor", routine, "-n", ",".join(map(str, sizes)), "--repetitions", 3)
            rows += [factorization_row(routine, r["n"], {"cusolver": "cuSOLVER"}.get(r["by"], r["by"]), r["ms"]) for r in found]
        rows.append(dgemm_row(lab, sizes[-1], "cuBLAS"))
    rows += rows_of_host(lab, lab.sizes([32], [64, 128, 256, 512, 1024, 2048], [512, 1024, 2048, 4096]))
    if not rows:
        raise UsageError("003 factorizations: accublas-bench has none, or is not built")
    native = {(r["routine"], r["n"]): r["ms"] for r in rows if r["mode"] == "native"}
    for r in rows:
        r["over_native"] = r["ms"] / native[r["routine"], r["n"]] if (r["routine"], r["n"]) in native else ""
    lab.write("003_factorizations", rows)


def curves_of_routine(rows, routine, scale=lambda mode: 1):
    """Rates of all contenders; a rate is multiplied by the contender's scale."""
    chosen = [r for r in rows if r["routine"] == routine]
    modes = dict.fromkeys(r["mode"] for r in chosen)
    points = {mode: [(r["n"], scale(mode) * r["gflops"]) for r in chosen if r["mode"] == mode] for mode in modes}
    return [Curve(CONTENDERS.get(mode, mode), *zip(*found), COLOURS[mode]) for mode, found in points.items()]


def draw_factorizations(lab):
    caption, rows = lab.read("003_factorizations")
    dgemm = {r["mode"]: r for r in rows if r["routine"] == "dgemm"}
    levels = [(f"DGEMM of {CONTENDERS.get(mode, mode)}, n = {r['n']:g}", r["gflops"], "black" if mode == "native" else "tab:gray", "dotted")
              for mode, r in dgemm.items()]
    published = lab.published("003", "speed")
    of_lu = [(f"{r['series']}\n(n about {r['case']}, C2050, published)", r["value"], colour, "published")
             for r, colour in zip((r for r in published if r["series"].endswith(" LU")), ("tab:blue", "tab:red"))]
    panels = [Panel(f"{name} (Figure 4)", "n", "GFlop/s", curves_of_routine(rows, routine),
                    levels=levels + (of_lu if routine == "dgetrf" else []))
              for routine, (name, _) in FACTORIZATIONS.items() if any(r["routine"] == routine for r in rows)]
    panels[0].curves = [curve for curve in panels[0].curves if curve.label != CONTENDERS["netlib"]]  # of Figure 5
    curves_picture(lab, "003_factorizations", "Factorizations against n", caption, panels, len(panels), panel_size=(3.8, 3.6))
    draw_lu(lab, caption, rows, {mode: r["gflops"] for mode, r in dgemm.items()}, of_lu)


def draw_lu(lab, caption, rows, dgemm, of_lu):
    """Figure 5: LU by every library, as a rate and over the rate of DGEMM on the same device."""
    rate = {r["series"]: r["value"] for r in lab.published("003", "speed")}
    of_device = {"host": dgemm.get("native"), "device": dgemm.get("cuBLAS", dgemm.get("native"))}
    below = {r["mode"]: of_device["host" if r["mode"] in ON_THE_HOST else "device"] for r in rows}
    share = curves_of_routine([r for r in rows if below[r["mode"]]], "dgetrf", lambda mode: 1 / below[mode])
    level = ("MAGMA LU over MAGMA DGEMM\n(C2050, published)", rate["MAGMA LU"] / rate["MAGMA DGEMM"], "tab:purple", "published")
    panels = [Panel("LU (Figure 5)", "n", "GFlop/s", curves_of_routine(rows, "dgetrf"), levels=of_lu),
              Panel("LU over DGEMM of the same device", "n", "rate over DGEMM's at its largest n", share, levels=[level])]
    curves_picture(lab, "003_lu", "LU of several libraries against n", caption, panels, 2, panel_size=(4.2, 3.8))


def measure_tuner(lab):
    program = lab.build / "perf" / "tune_dot2"
    if not lab.gpu or not program.exists():  # built only when asked for
        print("003 tuner: needs a GPU and perf/tune_dot2 (ninja perf/tune_dot2)")
        return
    run = subprocess.run([program, "512" if lab.quick else "4096", "3"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if run.returncode:
        raise UsageError(f"tune_dot2: {run.stderr.strip()}")
    rows, routine = [], ""
    for line in run.stdout.splitlines():
        routine = line.split(",")[0] if line.startswith(("dgemm,", "sgemm,")) else routine
        found = re.match(r"  (\S.*?) +([\d.]+) ms, ([\d.]+) of the limit, (\d+) registers", line)
        if found:
            shape, ms, share, registers = found.groups()
            rows.append({"routine": routine, "shape": shape.strip("{}"), "ms": float(ms), "share_of_limit": float(share),
                         "registers": int(registers)})
    if not rows:
        raise UsageError("tune_dot2: no figures")
    lab.write("003_tuner", rows)


def draw_tuner(lab):
    if not (lab.out / "003_tuner.csv").exists():
        return
    caption, rows = lab.read("003_tuner")
    panels = []
    for routine in dict.fromkeys(r["routine"] for r in rows):
        best = sorted((r for r in rows if r["routine"] == routine), key=lambda r: -r["share_of_limit"])[:BEST]
        panels.append((f"{routine}: kernels by their tiles", "share of the FP64 limit",
                       {r["shape"]: {"share of the limit": r["share_of_limit"]} for r in best}, "linear"))
    bars_picture(lab, "003_tuner", "The tuner's landscape of Dot2's GEMM", caption, panels, legend_width=0.1, panel_size=(6.5, 4.2), turned=True)


PARTS = {"speed": (measure_speed, draw_speed), "factorizations": (measure_factorizations, draw_factorizations),
         "tuner": (measure_tuner, draw_tuner)}
