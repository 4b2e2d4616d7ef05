"""Isupov, Knyazkov 2020: multiple-precision matrix-vector multiplication on GPUs.

Tables 3 (share of each kernel), 4 (bandwidth) and 5 (time against precision) of the GEMV with a matrix of 1000 x 1000, here
with mantissas as wide as the precision, and beside MPFR, FLINT and GMP on the CPU."""

from pictures import Curve, Panel, bars_of, curves_of, mixed_picture

PHASES = {"ms_align_x": "x: exponents and residues", "ms_product": "products", "ms_finish": "reconstruction and rounding"}
PUBLISHED = {"MPRES-BLAS N": "tab:red", "MPRES-BLAS T": "tab:pink", "basic": "tab:brown", "CUMP": "tab:purple",
             "CAMPARY": "tab:olive", "GARPREC": "tab:cyan"}
OURS = {"accublas": "tab:blue", "mpfr": "black", "mpn": "0.5", "arb_dot": "tab:green"}
SHARED = 424  # bits of Tables 3 and 4


def measure(lab):
    n, bits = lab.sizes(100, 1000, 1000), lab.sizes([106, 424], [106, 212, 424, 848, 1696], [106, 212, 424, 848, 1696])
    rows = []
    for p in lab.progress(bits, "004 GEMV"):
        place = ["--gpu"] if lab.gpu else ["-t", lab.threads]
        rows += lab.bench("accublas-mp-bench", "-p", p, "-n", n, "-i", "full", "-s", 0, "--repetitions", lab.sizes(3, 10, 10), *place)
    for row in rows:
        row["share_of_bandwidth"] = row["bytes"] / row["bytes_a_second"] * 1e3 / row["ms"] if row["contender"] == "accublas" else ""
        row["gb_a_second"] = row["bytes"] / row["ms"] * 1e-6 if row["contender"] == "accublas" else ""
    lab.write("004_gemv", rows)


def draw(lab):
    caption, rows = lab.read("004_gemv")
    ours = [r for r in rows if r["contender"] == "accublas"]
    curves = []
    for contender, colour in OURS.items():
        for op, style in (("N", "measured"), ("T", "dotted")):
            points = [(r["bits"], r["ms"]) for r in rows if (r["contender"], r["op"]) == (contender, op)]
            if points and (contender == "accublas" or op == "N"):
                label = f"{contender} {op}" if contender == "accublas" else contender
                curves.append(Curve(label, *zip(*points), colour, style))
    for series, colour in PUBLISHED.items():
        told = [(float(r["case"]), r["value"]) for r in lab.published("004", "time", series=series)]
        curves.append(Curve(f"{series}, published", *zip(*told), colour, "published"))
    ticks = sorted({r["bits"] for r in ours} | {x for c in curves for x in c.x})
    times = Panel("Time (Table 5)", "bits", "ms", curves, x_ticks=ticks)
    shared = next(r for r in ours if (r["bits"], r["op"]) == (SHARED, "N"))
    total = sum(shared[phase] for phase in PHASES)
    shares = {"accublas": {label: 100 * shared[phase] / total for phase, label in PHASES.items()},
              "published": {f"{r['series']}, published": r["value"] for r in lab.published("004", "share")}}
    peak = lab.published("004", "bandwidth", series="peak")[0]["value"]
    bandwidth = {"accublas": {"": 100 * shared["share_of_bandwidth"]}}
    for r in lab.published("004", "bandwidth")[:2]:
        bandwidth[r["series"].replace(" ", "\n", 1) + "\n(published)"] = {"": 100 * r["value"] / peak}
    n = int(shared["n"])
    mixed_picture(lab, "004_gemv", f"Multiple-precision GEMV, {n} x {n}; published: 1000 x 1000, GTX 1080", caption,
                  [curves_of(times), bars_of(f"Share of the time, {SHARED} bits (Table 3)", "%", shares),
                   bars_of(f"Bandwidth, {SHARED} bits (Table 4)", "% of what the machine reads", bandwidth)])


PARTS = {"gemv": (measure, draw)}
