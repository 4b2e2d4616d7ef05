"""Mukunoki, Ozaki, Ogita, Imamura 2020: DGEMM using Tensor Cores, and its accurate and reproducible versions.

Figures 3 and 8 (largest relative error against n and phi), 4, 6, 9 and Table 1 (speed), 5 and 7 (time of the phases, number of
slices, here of moduli or digits, products, and their rate). DGEMM-TC in DP-mode is dp:repro here, in CR-mode cr; SGEMM-TC is
sp:repro."""

import numpy as np

from accublas_calls import random_matrix
from laboratory import Calls, ExactProduct
from pictures import COLOURS, Curve, Panel, bars_picture, curves_picture

SPREADS = [0.1, 1, 2]
MODES = {"d": ["native", "dp:repro", "cr"], "s": ["native", "sp:repro", "cr"]}
NAMES = {"d": "DGEMM", "s": "SGEMM"}
PHASES = {"ms_convert": "conversion", "ms_product": "products", "ms_reconstruct": "reconstruction", "ms_exact": "exact elements"}
PUBLISHED = {"titan-rtx": "Titan RTX", "v100": "Tesla V100"}


def inputs(rng, n, phi, precision):
    return (random_matrix(rng, (n, n), phi, np.float64 if precision == "d" else np.float32) for _ in range(2))


def measure_accuracy(lab):
    sizes = lab.sizes([32, 64], [128, 256, 512, 1024], [256, 512, 1024, 2048, 4096])
    rows = []
    for precision, n, phi in lab.progress([(p, n, phi) for p in MODES for n in sizes for phi in SPREADS], "000 accuracy"):
        rng = np.random.default_rng(n)
        calls = Calls(lab, precision)
        a, b = inputs(rng, n, phi, precision)
        exact = ExactProduct(calls, "gemm", a, b)
        for mode in MODES[precision]:
            c = calls.product(mode, a, b)
            rows.append({"routine": NAMES[precision], "n": n, "phi": phi, "mode": mode, **exact.row(c, rng)})
    lab.write("000_accuracy", rows)


def draw_accuracy(lab):
    caption, rows = lab.read("000_accuracy")
    panels = []
    for routine, figure in (("DGEMM", "Figure 3"), ("SGEMM", "Figure 8")):
        chosen = [r for r in rows if r["routine"] == routine]
        for phi in SPREADS:
            curves = [Curve(mode, *zip(*[(r["n"], r["error_rounded"]) for r in chosen if (r["mode"], r["phi"]) == (mode, phi)]),
                            COLOURS[mode]) for mode in dict.fromkeys(r["mode"] for r in chosen)]
            if routine == "DGEMM":
                told = lab.published("000", "accuracy")[0]["value"]
                curves.append(Curve("cr, published", curves[0].x, [told] * len(curves[0].x), COLOURS["cr"], "published"))
            panels.append(Panel(f"{routine}, phi = {phi:g} ({figure})", "n", "largest relative error" if phi == SPREADS[0] else "",
                                curves, errors=True, within=[r["error_rounded"] for r in chosen]))
    curves_picture(lab, "000_accuracy", "Largest error relative to the exact product, rounded", caption, panels, 3)


def measure_speed(lab):
    sizes = lab.sizes([32], [128, 256, 512, 1024], [1024, 2048, 4096, 8192, 16384])
    data = [f"phi:{phi:g}" for phi in SPREADS]
    rows = [row for precision, modes in MODES.items()
            for row in lab.gemm_times(f"{precision}gemm", sizes, data, modes, f"000 {NAMES[precision]}")]
    lab.write("000_speed", rows)


def draw_speed(lab):
    caption, rows = lab.read("000_speed")
    rate, over = [], []
    for routine, figures in (("dgemm", "Figures 4 and 6"), ("sgemm", "Figure 9")):
        speed, ratio = [], []
        for phi, style in zip(SPREADS, ("measured", "dotted", "dash-dotted")):
            for mode in dict.fromkeys(r["mode"] for r in rows if r["routine"] == routine):
                chosen = [r for r in rows if (r["routine"], r["data"], r["mode"]) == (routine, f"phi:{phi:g}", mode)]
                label, x = f"{mode}, phi {phi:g}", [r["n"] for r in chosen]
                if mode != "native" or phi == 1:
                    speed.append(Curve(label if mode != "native" else mode, x, [r["gflops"] for r in chosen], COLOURS[mode], style))
                if mode != "native":
                    ratio.append(Curve(label, x, [1 / r["over_native"] for r in chosen], COLOURS[mode], style))
        rate.append(Panel(f"{routine.upper()} ({figures})", "n", "GFlop/s (2 n^3 / t)", speed))
        over.append(Panel(f"{routine.upper()} over native", "n", "speed over native", ratio))
    levels = []
    for (place, name), line in zip(PUBLISHED.items(), ("published", "dotted")):
        told = {(r["series"], r["case"]): r["value"] for r in lab.published("000", place)}
        for mode, label, colour in (("dp", "DP-mode", "tab:blue"), ("cr", "CR-mode", "tab:green")):
            levels.append((f"{label}, {name},\nphi 1 (Table 1)", told[mode, "1"] / told["native", "1"], colour, line))
    over[0].levels = levels
    curves_picture(lab, "000_speed", "Speed of reproducible and correctly rounded GEMM", caption, [rate[0], over[0], rate[1], over[1]], 2,
                   legend_width=0.8, panel_size=(3.8, 4.0))


def measure_details(lab):
    n = lab.sizes(64, 1024, 4096)
    rows = []
    for precision, phi in lab.progress([(p, phi) for p in MODES for phi in SPREADS], "000 details"):
        calls = Calls(lab, precision)
        a, b = inputs(np.random.default_rng(n), n, phi, precision)
        calls.set_engine("int8")
        for mode in MODES[precision][1:]:
            for _ in range(2):  # the first warms up
                calls.product(mode, a, b)
            report = calls.report()
            rows.append({"routine": NAMES[precision], "n": n, "phi": phi, "mode": mode, "engine": report.engine.decode(),
                         "T": report.bits, "parts": report.parts, "rejected": report.rejected, "undecided": report.undecided,
                         **{phase: getattr(report, phase) for phase in PHASES},
                         "product_gops": 2e-6 * n**3 * report.parts / max(report.ms_product, 1e-6)})
    lab.write("000_details", rows)


def draw_details(lab):
    caption, rows = lab.read("000_details")
    chosen = [r for r in rows if r["routine"] == "DGEMM"]
    name = lambda r: f"{'DP' if r['mode'] == 'dp:repro' else 'CR'}\n{r['phi']:g}"
    shares = {}
    for r in chosen:
        total = sum(r[phase] for phase in PHASES) or 1
        shares[name(r)] = {label: 100 * r[phase] / total for phase, label in PHASES.items()}
    told = {r["series"]: r["value"] for r in lab.published("000", "details")}
    shares["paper,\nDP"] = {"products": told["share of cublasGemmEx"], "the rest (published)": 100 - told["share of cublasGemmEx"]}
    counts = {name(r): {"moduli": r["parts"]} for r in chosen} | {"paper,\nDP": {"FP16 products (published)": told["GEMM calls"]}}
    rates = {name(r): {"INT8 products, Tera-op/s": r["product_gops"] / 1e3} for r in chosen}
    rates["paper,\nDP"] = {"FP16 products, TFlop/s (published)": told["Tensor Core rate"]}
    bars_picture(lab, "000_details", f"DGEMM on engine int8, n = {int(chosen[0]['n'])}: phases, products, their rate (Figures 5 and 7); phi below the bars",
                 caption, [("Share of the time", "%", shares, "linear"), ("Products", "number", counts, "linear"), ("Rate of the products", "Tera-op/s", rates, "log")])


PARTS = {"accuracy": (measure_accuracy, draw_accuracy), "speed": (measure_speed, draw_speed), "details": (measure_details, draw_details)}
