"""Mukunoki 2020: OzBLAS and BLAS-DOT2, slides.

The accuracy table (GEMM, m = n = k = 1000, entries (rand - 0.5) exp(phi randn), largest error relative to the exact product
rounded to double precision), the reproducibility table (DOT, n = 10000: the bits on CPU and GPU) and the time of DOT, GEMV
and GEMM over the native ones."""

import os
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from multiprocessing import get_context

import numpy as np

from accublas_calls import random_matrix
from laboratory import Calls, ExactProduct
from pictures import COLOURS, Curve, Panel, curves_picture

SLICED = [f"slices:{d}{fast}" for d in (2, 3, 4, 6) for fast in (":fast", "")]
ACCURACY_MODES = ["native", *SLICED, "dp:repro", "dot2", "cr"]
BITS_MODES = ["native", "slices:1", "slices:2", "slices:3", "dp:repro", "dot2", "cr"]
SPREADS = [1, 4, 7, 10]


def measure_accuracy(lab):
    n = lab.sizes(50, 1000, 1000)
    calls, rows = Calls(lab, "d"), []
    with lab.progress([(phi, mode) for phi in SPREADS for mode in ACCURACY_MODES], "001 accuracy") as cases:
        exact = last = None
        for phi, mode in cases:
            rng = np.random.default_rng(phi)
            if phi != last:
                a, b = (random_matrix(rng, (n, n), phi, np.float64) for _ in range(2))
                exact, last = ExactProduct(calls, "gemm", a, b), phi
            c = calls.product(mode, a, b)
            report = calls.report()
            told = lab.published("001", "accuracy", series=mode, case=phi)
            rows.append({"n": n, "phi": phi, "mode": mode, "engine": report.engine.decode(), **exact.row(c, rng),
                         "published": told[0]["value"] if told else ""})
    lab.write("001_accuracy", rows)


def draw_accuracy(lab):
    caption, rows = lab.read("001_accuracy")

    def curve(mode, column, style, label):
        points = [(r["phi"], r[column]) for r in rows if r["mode"] == mode and r[column] != ""]
        return Curve(label, *zip(*points), COLOURS[mode.removesuffix(":fast")], style)

    panels = []
    for title, suffix in (("slices:D, the whole square", ""), ("slices:D:fast", ":fast")):
        curves = [curve("native", "error_rounded", "measured", "native"), curve("native", "published", "published", "cublasDgemm, published")]
        for d in (2, 3, 4, 6):
            curves += [curve(f"slices:{d}{suffix}", "error_rounded", "measured", f"D = {d}"),
                       curve(f"slices:{d}{suffix}", "published", "published", f"D = {d}, published")]
        panels.append(Panel(title, "phi", "largest relative error" if not suffix else "", curves, errors=True, x_scale="linear"))
    modes = [("native", "native"), ("dp:repro", "dp:repro"), ("dot2", "dot2"), ("cr", "cr")]
    panels.append(Panel("accublas's other modes", "phi", "", [curve(m, "error_rounded", "measured", label) for m, label in modes],
                        errors=True, x_scale="linear"))
    within = [v for r in rows for v in (r["error_rounded"], r["published"]) if v != ""]
    for panel in panels:
        panel.within = within
    n = int(rows[0]["n"])
    curves_picture(lab, "001_accuracy", f"GEMM, m = n = k = {n}: largest error relative to the exact product, rounded to FP64",
                   caption, panels, 3)


def dot_bits(lab, modes, x, y, threads):
    calls = Calls(lab, "d", threads)
    results = {mode: float(calls.product(mode, x, y, "dot")[0, 0]) for mode in modes}
    return calls.report().device.decode(), results


def bits_below(isa, lab, *arguments):
    """dot_bits in a process of its own, where the instruction set is capped (the environment is read once)."""
    before = os.environ.get("ACCUBLAS_ISA")
    os.environ["ACCUBLAS_ISA"] = isa
    try:
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            return pool.submit(dot_bits, lab, *arguments).result()
    finally:
        os.environ.pop("ACCUBLAS_ISA") if before is None else os.environ.update(ACCUBLAS_ISA=before)


def measure_bits(lab):
    n = lab.sizes(1000, 10000, 10000)
    rng = np.random.default_rng(1)
    x, y = random_matrix(rng, (1, n), 1.0, np.float64), random_matrix(rng, (n, 1), 1.0, np.float64)
    exact = float(sum(Fraction(float(p)) * Fraction(float(q)) for p, q in zip(x[0], y[:, 0])))
    on_cpu = lab.on(gpu=False)
    columns = {}
    for threads in dict.fromkeys((1, lab.threads)):
        device, results = dot_bits(on_cpu, BITS_MODES, x, y, threads)
        columns[f"{device}, {threads} thread{'s' * (threads > 1)}"] = results
    device, results = bits_below("baseline", on_cpu, BITS_MODES, x, y, 1)
    columns[f"{device}, 1 thread"] = results
    if lab.gpu:
        device, results = dot_bits(lab, BITS_MODES, x, y, 0)
        columns[device] = results
    rows = []
    for mode in ["exact", *BITS_MODES]:
        values = {name: exact if mode == "exact" else results[mode] for name, results in columns.items()}
        told = {f"published, {place}": next((r["value"] for r in lab.published("001", "bits", series=mode, case=place)), "")
                for place in ("cpu", "gpu")}
        rows.append({"n": n, "mode": mode, **{name: value.hex() for name, value in values.items()},
                     "same_bits": "yes" if len(set(values.values())) == 1 else "no", **told})
    lab.write("001_bits", rows)


def draw_bits(lab):
    """The table is its own picture."""
    caption, rows = lab.read("001_bits")
    names = [name for name in rows[0] if name not in ("n",)]
    widths = [max(len(str(r[name])) for r in [dict(zip(names, names)), *rows]) for name in names]
    for row in [dict(zip(names, names)), *rows]:
        print("  ".join(str(row[name]).ljust(width) for name, width in zip(names, widths)).rstrip())


ROUTINES = {"dot": ["ddot"], "gemv": ["dgemv:n", "dgemv:t"], "gemm": ["dgemm"]}
SPEED_MODES = ["native", "dot2", "cr"]


def measure_overhead(lab):
    sizes = {"dot": lab.sizes([1000], [10**3, 10**4, 10**5, 10**6, 10**7], []), "gemv": lab.sizes([50], [250, 1000, 4000], []),
             "gemm": lab.sizes([32], [64, 128, 256, 512, 1024], [1024, 2048, 4096, 8192])}
    rows = [{"routine": r["routine"], "n": r["n"], "mode": r["mode"], "ms": r["ms"], "over_native": r["over_native"],
             "rate": r["gflops"], "unit": "GFlop/s"}
            for r in lab.gemm_times("dgemm", sizes["gemm"], ["phi:1"], SPEED_MODES, "001 GEMM")]
    rows += lab.vector_times([r for kind in ("dot", "gemv") for r in ROUTINES[kind]],
                             {r: sizes[kind] for kind in ("dot", "gemv") for r in ROUTINES[kind]}, SPEED_MODES, "001 DOT, GEMV")
    lab.write("001_overhead", rows)


def draw_overhead(lab):
    caption, rows = lab.read("001_overhead")
    panels = []
    for kind, routines in ROUTINES.items():
        curves = []
        for routine in routines:
            for mode in SPEED_MODES[1:]:
                points = [(r["n"], r["over_native"]) for r in rows if (r["routine"], r["mode"]) == (routine, mode)]
                curves.append(Curve(mode + (" (transposed)" if routine.endswith(":t") else ""), *zip(*points), COLOURS[mode],
                                    "dotted" if routine.endswith(":t") else "measured"))
        levels = [(f"{name}, published{' (at the least)' * (mode == 'cr')}", r["value"], COLOURS[mode], "published")
                  for mode, name in (("dot2", "BLAS-DOT2"), ("cr", "OzBLAS"))
                  for r in lab.published("001", "overhead", series=mode, case=kind)]
        panels.append(Panel(kind.upper(), "n", "time over native" if kind == "dot" else "", curves, levels=levels))
    curves_picture(lab, "001_overhead", "Time of accurate routines over native ones, phi 1", caption, panels, 3, legend_width=0.8)


PARTS = {"accuracy": (measure_accuracy, draw_accuracy), "bits": (measure_bits, draw_bits),
         "overhead": (measure_overhead, draw_overhead)}
