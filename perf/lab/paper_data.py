"""Costs of structured and decaying data: GEMM in dot2, cr and dp:repro over the native routine, on the data of --data."""

from pictures import bars_picture

MODES = ("dot2", "cr", "dp:repro")
DATA = ("phi:0.5", "banded:5", "block-diagonal:64", "triangular", "gauss:0.05", "gauss:0.02", "decay:0.9", "decay:0.1")


def measure(lab):
    sizes = lab.sizes([32], [512], [1024, 4096])
    lab.write("data_costs", lab.gemm_times("dgemm", sizes, lab.data or DATA, ["native", *MODES], "data"))


def draw(lab):
    caption, rows = lab.read("data_costs")
    n = max(r["n"] for r in rows)
    panels = []
    for mode in MODES:
        chosen = [r for r in rows if (r["n"], r["mode"]) == (n, mode)]
        panels.append((mode, "time over native", {r["data"].replace(":", "\n"): {"": r["over_native"]} for r in chosen}, "log"))
    bars_picture(lab, "data_costs", f"DGEMM on structured and decaying data, n = {int(n)}", caption, panels, panel_size=(6.0, 3.2))


PARTS = {"costs": (measure, draw)}
