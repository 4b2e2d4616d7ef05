"""Nath, Tomov, Dongarra 2010: an improved MAGMA GEMM for Fermi GPUs.

Figure 3 (GEMM against n), for the tuned Dot2 kernel beside the native one; Figures 4 and 5 (LU, QR and Cholesky's factorization
against n); and the landscape that the tuner of Dot2's kernels sees (GPU alone)."""

import re
import subprocess

from laboratory import UsageError
from pictures import COLOURS, Curve, Panel, bars_picture, curves_picture

BEST = 24  # candidates of the tuner that are drawn
# Name, and operations over n^3.
FACTORIZATIONS = {"dgetrf": ("LU", 2 / 3), "dgeqrf": ("QR", 4 / 3), "dpotrf": ("Cholesky", 1 / 3)}


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


def measure_factorizations(lab):
    """On the CPU beside OpenBLAS's LAPACK; on a GPU beside cuSOLVER, and OpenBLAS's on the host."""
    rows = []
    if lab.gpu:
        sizes = ",".join(map(str, lab.sizes([32], [], [512, 1024, 2048, 4096, 8192, 16384])))
        for routine in lab.progress(FACTORIZATIONS, "003 factorizations"):
            found = lab.bench("accublas-gpu-bench", "factor", routine, "-n", sizes, "--repetitions", 3)
            rows += [factorization_row(routine, r["n"], {"cusolver": "cuSOLVER"}.get(r["by"], r["by"]), r["ms"]) for r in found]
    sizes = ",".join(map(str, lab.sizes([32], [64, 128, 256, 512, 1024, 2048], [512, 1024, 2048, 4096])))
    modes = "native" if lab.gpu else "native,dp:repro,cr"
    for routine in lab.progress(factorizations_of(lab.build / "perf" / "accublas-bench"), "003 factorizations of the CPU"):
        found = lab.bench("accublas-bench", "-r", routine, "-n", sizes, "-d", "phi:1", "-m", modes, "-t", lab.threads,
                          "-s", 0 if lab.quick else 0.3)
        rows += [factorization_row(routine, r["k"], r["mode"], 1e3 * r["seconds"]) for r in found if not r["error"]]
    if not rows:
        raise UsageError("003 factorizations: accublas-bench has none, or is not built")
    native = {(r["routine"], r["n"]): r["ms"] for r in rows if r["mode"] == "native"}
    for r in rows:
        r["over_native"] = r["ms"] / native[r["routine"], r["n"]] if (r["routine"], r["n"]) in native else ""
    lab.write("003_factorizations", rows)


def draw_factorizations(lab):
    caption, rows = lab.read("003_factorizations")
    levels = [(f"{r['series']}\n(n about {r['case']}, C2050, published)", r["value"], colour, "published")
              for r, colour in zip((r for r in lab.published("003", "speed") if r["series"].endswith(" LU")), ("tab:blue", "tab:gray"))]
    panels = []
    for routine in dict.fromkeys(r["routine"] for r in rows):
        modes = dict.fromkeys(r["mode"] for r in rows if r["routine"] == routine)
        curves = [Curve({"native": "OpenBLAS"}.get(mode, mode),
                        *zip(*[(r["n"], r["gflops"]) for r in rows if (r["routine"], r["mode"]) == (routine, mode)]), COLOURS[mode])
                  for mode in modes]
        lu = routine == "dgetrf"
        panels.append(Panel(f"{FACTORIZATIONS[routine][0]} ({'Figures 4, 5' if lu else 'Figure 4'})", "n", "GFlop/s", curves,
                            levels=levels if lu else []))
    curves_picture(lab, "003_factorizations", "Factorizations against n", caption, panels, len(panels), panel_size=(3.8, 3.6))


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
