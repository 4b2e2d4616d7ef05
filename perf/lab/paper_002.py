"""Valero-Lara, Jorquera, Liu, Vetter 2023: S/DGEMM as 1, 3 and 4 products of TF32 and TF64 words.

Figures 4 and 5: forward errors norm(C - AB) / (norm(A) norm(B)) in the norms 1, 2 and infinity against n. The document says
"random matrices": entries in [0, 1) give the magnitudes of its text, entries in [-0.5, 0.5) are measured beside them. Its FP16
GEMM is fp16x1, whose lines are scaled."""

import numpy as np
from scipy.sparse.linalg import svds

from laboratory import Calls, ExactProduct
from pictures import COLOURS, Curve, Panel, curves_picture



def spectral_norm(matrix):
    """The largest singular value, by Lanczos's method on the scaled matrix."""
    largest = np.abs(matrix).max()
    return largest * svds(matrix / largest, k=1, return_singular_vectors=False, random_state=0)[0] if largest else 0.0


NORMS = {"l1": lambda x: np.linalg.norm(x, 1), "l2": spectral_norm, "linf": lambda x: np.linalg.norm(x, np.inf)}
MODES = {"s": ["native", "fp16x1", "tf32x1", "fp16x3", "tf32x3", "tf32x4"], "d": ["native", "tf64x1", "tf64x3", "tf64x4"]}
THREE = {"s": "tf32x3", "d": "tf64x3"}
NAMES = {"s": "SGEMM", "d": "DGEMM"}
INPUTS = {"unit": 0.0, "centred": -0.5}


def measure_errors(lab):
    sizes = lab.sizes([16, 64], [64, 128, 256, 512, 1024], [128, 256, 512, 1024, 2048])
    rows = []
    for precision, kind, n in lab.progress([(p, i, n) for p in MODES for i in INPUTS for n in sizes], "002 errors"):
        rng = np.random.default_rng(n)
        dtype = np.float64 if precision == "d" else np.float32
        a, b = (np.asfortranarray(rng.random((n, n)) + INPUTS[kind], dtype=dtype) for _ in range(2))
        calls = Calls(lab, precision)
        exact = ExactProduct(calls, "gemm", a, b)
        scale = {name: norm(a.astype(np.float64)) * norm(b.astype(np.float64)) for name, norm in NORMS.items()}

        def record(mode, difference):
            errors = {name: float(norm(difference.astype(np.float64)) / scale[name]) for name, norm in NORMS.items()}
            rows.append({"routine": NAMES[precision], "input": kind, "n": n, "mode": mode} | errors)

        results = {mode: calls.product(mode, a, b) for mode in MODES[precision]}
        for mode, c in results.items():
            difference = exact.difference(c)
            exact.spot_check(c, difference, rng)
            record(mode, difference)
        record(f"native - {THREE[precision]}", results["native"] - results[THREE[precision]])
        if precision == "d":  # SGEMM on the rounded entries: what TF64 is to be better than
            single = Calls(lab, "s").product("native", a.astype(np.float32), b.astype(np.float32))
            record("SGEMM", exact.difference(single.astype(np.float64)))
    lab.write("002_errors", rows)


def draw_errors(lab):
    caption, rows = lab.read("002_errors")
    least, largest = (r["value"] for r in lab.published("002", "magnitude"))
    for kind in INPUTS:
        panels = []
        for routine, figure in (("SGEMM", "Figure 4"), ("DGEMM", "Figure 5")):
            chosen = [r for r in rows if (r["routine"], r["input"]) == (routine, kind)]
            for norm in NORMS:
                curves = []
                for mode in dict.fromkeys(r["mode"] for r in chosen):
                    points = [(r["n"], r[norm]) for r in chosen if r["mode"] == mode]
                    label = {"native": f"{routine} (native)", "SGEMM": "SGEMM (native)"}.get(mode, mode)
                    colour = "0.6" if mode == "SGEMM" else COLOURS.get(mode, "tab:olive")
                    curves.append(Curve(label, *zip(*points), colour))
                told = (routine, norm, kind) == ("SGEMM", "l2", "unit")
                span = ("published range\nof tf32x1 (l2)", least, largest) if told else ()
                panels.append(Panel(f"{routine}: {norm} ({figure})", "n", "forward error" if norm == "l1" else "", curves,
                                    errors=True, span=span, within=[r[name] for r in chosen for name in NORMS]))
        entries = {"unit": "[0, 1)", "centred": "[-0.5, 0.5)"}[kind]
        curves_picture(lab, f"002_errors_{kind}", f"Multiword GEMM, entries uniform in {entries}", caption, panels, 3)


def measure_speed(lab):
    if not lab.gpu and not lab.quick:
        print("002 speed: the words of the CPU are emulated; measured on a GPU only")
        return
    sizes = lab.sizes([32], [], [1024, 2048, 4096, 8192, 16384])
    rows = lab.gemm_times("sgemm", sizes, ["phi:0.5"], ["native", "tf32x1", "tf32x3", "tf32x4", "fp16x1", "fp16x3"], "002 speed")
    lab.write("002_speed", rows)


def draw_speed(lab):
    if not (lab.out / "002_speed.csv").exists():
        return
    caption, rows = lab.read("002_speed")
    speed = [Curve(mode, *zip(*[(r["n"], r["gflops"] / 1e3) for r in rows if r["mode"] == mode]), COLOURS[mode])
             for mode in dict.fromkeys(r["mode"] for r in rows)]
    ratio = [Curve(c.label, c.x, [1 / r["over_native"] for r in rows if r["mode"] == c.label], c.colour) for c in speed]
    told = {r["series"]: r["value"] for r in lab.published("002", "speed")}
    panels = [Panel("SGEMM as products of words", "n", "TFLOP/s", speed, levels=[("3xTF32 on an A100\n(published)", told["tf32x3"], "tab:gray", "published")]),
              Panel("Speed over native SGEMM", "n", "times", ratio, levels=[("3xTF32 over SGEMM\n(published)", told["tf32x3 / SGEMM"], "tab:blue", "published")])]
    curves_picture(lab, "002_speed", "Multiword SGEMM: speed", caption, panels, 2)


PARTS = {"errors": (measure_errors, draw_errors), "speed": (measure_speed, draw_speed)}
