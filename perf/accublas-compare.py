#!@PYTHON@
"""accublas-compare: a user's own matrices through the accuracy modes.

Reads one or two Matrix Market files (or makes the seeds' random inputs (rand - 0.5) exp(phi randn)), runs GEMM, GEMV, DOT or
another routine of level 3 in the modes asked for, and prints for each: engine, time, ratio to native, componentwise error against the exact
result, error in units of u (abs(A) abs(B)), the rigorous bound that the call reported, and a checksum of the bits.

The error is exact to half an ulp: exact - C is one correctly rounded call, RN(A B - C), of accublas itself, and a few
entries of it are checked against rational arithmetic in every run. Complex numbers are judged by their components, solutions of
trsm against the exact one (accublas_routines.py).
"""

import os
import signal
import sys


def interrupted(*_):
    """Ends the program at once, also in the middle of an import, whose own handlers might not let an exception pass."""
    os.write(2, (b"\n" if os.isatty(2) else b"") + b"accublas-compare: interrupted\n")  # below the bar of progress
    os._exit(130)


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader that has seen enough (head) ends the program quietly
    signal.signal(signal.SIGINT, interrupted)

import argparse
import hashlib
import math
import shlex
import time
from pathlib import Path

import numpy as np
from tqdm import tqdm

sys.path.append(str(Path(__file__).resolve().parent.parent / "@DATADIR@" / "accublas"))  # beside this file in a build
import accublas_advice
import accublas_spectrum
from accublas_calls import BACKENDS, DTYPE, Library, UsageError, one_line, require_address_space
from accublas_operands import operands, precision_of
from accublas_routines import ROUTINES, TRIANGULAR, UPLO, Call

DEFAULT_MODES = {
    "double": ["native", "dp:repro", "fixed:60", "slices:4", "slices:4:fast", "dot2", "cr"],
    "single": ["native", "sp:repro", "fixed:32", "slices:2", "dot2", "cr"],
}


def default_modes(args):
    modes = DEFAULT_MODES["single" if args.precision in "sc" else "double"]
    return [mode for mode in modes if args.op != "trsm" or not mode.startswith(("fixed", "slices"))]


def timed_modes(library, args, modes, call, progress):
    """Interleaved runs; per mode the times, the result, the report."""
    times, results, reports = {mode: [] for mode in modes}, {}, {}
    for repeat in range(args.repeat + 1):  # the first round warms up
        for mode in modes:
            library.set_mode(args.op, mode)
            library.set_engine("auto" if mode == "native" else args.engine)
            c = call.start()
            start = time.perf_counter()
            call.run(library, c)
            elapsed = time.perf_counter() - start
            progress.update()
            if repeat or args.repeat == 0:
                times[mode].append(elapsed * 1e3)
            results[mode], reports[mode] = c, library.report()
    return times, results, reports


def other_times(library, args, modes, call, reports, progress):
    """{mode: {backend: times}} of the backends that did not run a mode in the table, where there is a GPU; without those that
    lack the mode."""
    times = {mode: {} for mode in modes}
    for backend in BACKENDS if library.has_device() else ():
        library.set_backend(backend)
        for mode in modes:
            if reports[mode].backend.decode() != backend:
                try:
                    times[mode][backend] = timed_modes(library, args, [mode], call, progress)[0][mode]
                except UsageError:
                    pass
    return times


def bound_text(op, report, stray):
    """stray: what voids the bound, of accublas_advice.out_of_range."""
    if stray:
        return f"none ({', '.join(stray)})"
    if op == "trsm" and np.isfinite(report.bound_componentwise):  # each unknown once rounded bounds the residual
        return f"{report.bound_relative:.1e} |A||X|"
    parts = [f"{value:.1e} {what}" for value, what in
             [(report.bound_relative, "|c|"), (report.bound_componentwise, "|A||B|")] if value]
    if any(np.isinf([report.bound_relative, report.bound_componentwise])):
        return "none"
    return " + ".join(parts) or "0"


def plot(path, title, rows):
    import accublas_plot

    try:
        accublas_plot.draw(title, rows).savefig(path)
    except OSError as error:
        raise UsageError(f"--plot: cannot write {path}: {error.strerror}") from None


def report_page(argv, title, rows, reports, times, call, reference, notes):
    """The page, of the table's rows and what it shows beyond them. times: {mode: {backend: times}}."""
    import accublas_report
    from accublas_modes import bit_defined

    a, b, places = reference.a, reference.b, {"cpu": "CPU", "cuda": "GPU"}
    for row in rows:
        report = reports[row["mode"]]
        row["promised"], row["promised_scaled"] = accublas_advice.promised_errors(report, reference.value, reference.scale)
        if row["stray"]:
            row["promised"] = row["promised_scaled"] = math.inf
        row["bits_defined"] = bit_defined(report.mode.decode())
        row["rounded_once"] = accublas_advice.rounded_once(report, a.dtype)
        measured = times[row["mode"]]
        row["times"], row["slowest"] = ({places[backend]: of(measured[backend]) for backend in BACKENDS if backend in measured}
                                        for of in (min, max))
    facts = accublas_advice.Facts(
        u=float(np.finfo(a.dtype).eps) / 2, k=a.shape[1] + (4 if call.complex else 0),
        cancelling=accublas_advice.cancelling_share(reference.value, reference.scale),
        special=not (np.isfinite(a).all() and np.isfinite(b).all()),
        out_of_range=rows[0]["stray"], result=accublas_advice.census(reference.value, reference.scale))
    last = reports[rows[-1]["mode"]]
    m, n = call.shape
    other = "its transpose" if call.op == "syrk" else "its conjugate transpose" if call.op == "herk" else "B"
    details = [("Matrices", f"A is {m} x {call.terms}, {other} is {call.terms} x {n}"),
               ("Command", one_line(shlex.join(["accublas-compare", *argv]))),
               ("Date", time.strftime("%Y-%m-%d %H:%M")),
               ("Machine", f"{last.device.decode()}, {last.threads} threads"),
               ("Exact result", "correctly rounded by accublas; some of its entries checked against rational arithmetic in this run")]
    spans = accublas_advice.line_spans(a[:m]), accublas_advice.line_spans(b.T)
    return accublas_report.page(title, rows, facts, spans, details, notes)


def write_page(path, page):
    try:
        Path(path).write_text(page, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--report: cannot write {path}: {error.strerror}") from None


def print_table(rows):
    head = ["mode", "engine", "T", "parts", "ms", "/native", "max rel", "median rel", "max/u|A||B|", "undecided", "checksum",
            "rigorous bound"]
    lines = [head]
    for r in rows:
        lines.append([r["mode"], r["engine"], str(r["bits"] or "-"), str(r["parts"] or "-"), f"{r['ms']:.3f}",
                      f"{r['ratio']:.2f}" if r["ratio"] else "-", f"{r['max']:.2e}", f"{r['median']:.2e}",
                      f"{r['scaled']:.2e}", str(r["undecided"]), r["checksum"], r["bound"]])
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    for line in lines:
        print("  ".join(t.ljust(w) if i in (0, 1, 11) else t.rjust(w) for i, (t, w) in enumerate(zip(line, widths))).rstrip())


def parse_arguments(argv):
    class Parser(argparse.ArgumentParser):
        def error(self, message):
            raise UsageError(message)

    parser = Parser(prog="accublas-compare", description=__doc__.split("\n\n")[0].partition(": ")[2].capitalize())
    parser.add_argument("files", nargs="*", metavar="FILE.mtx",
                        help="A and B in Matrix Market form; one file: A A (A A^T if A is not square), gemv: A times a "
                        "random vector; syrk, herk: A A^T, A A^H")
    parser.add_argument("--op", "--routine", choices=ROUTINES, default="gemm", help="the routine (default gemm), of level 3 with A on "
                        "the left; trsm: A X = B, errors against the exact X, /u|A||B| the residual over u |A||X|")
    parser.add_argument("--uplo", choices=list(UPLO), default="lower", help="the triangle that symm, hemm, trmm and trsm read of A, "
                        "and that syrk and herk write (default lower)")
    parser.add_argument("--unit", action="store_true", help="trmm, trsm: a diagonal of ones, whatever is stored")
    parser.add_argument("--random", nargs=3, type=int, metavar=("M", "N", "K"),
                        help="random A (M x K) and B (K x N) in place of files; symm, hemm, trmm, trsm: A is K x K, for trsm with a "
                        "dominant diagonal")
    parser.add_argument("--phi", type=float, default=1.0, help="spread of random entries (default 1)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--precision", choices=list(DTYPE), help="d, s, z or c, as in the routines' names (default: z for complex "
                        "files, else d)")
    parser.add_argument("--modes", help="mode words separated by commas; native is always run as the yardstick")
    parser.add_argument("--engine", default="auto", help="engine to force in every mode but native")
    parser.add_argument("--trans-a", action="store_true", help="use the transpose of the first file")
    parser.add_argument("--trans-b", action="store_true", help="use the transpose of the second file")
    parser.add_argument("--threads", type=int, default=0, help="threads of accublas's pool (default: all)")
    parser.add_argument("--repeat", type=int, default=3, help="timed runs of each mode; the fastest counts")
    parser.add_argument("--spectrum", action="store_true", help="print proved eigenvalues of A if it is symmetric or Hermitian, else its "
                        "singular values, and bounds of its condition number")
    parser.add_argument("--plot", metavar="FILE", help="draw accuracy against time into FILE.png or FILE.svg")
    parser.add_argument("--report", metavar="FILE.html",
                        help="write a page of pictures of these matrices and of each mode, with a recommendation")
    args = parser.parse_intermixed_args(argv)
    args.precision = args.precision or precision_of(args.files)
    if args.random and args.files:
        raise UsageError("give files or --random, not both")
    if args.random and min(args.random) < 1:
        raise UsageError("--random takes three positive sizes")
    if (args.trans_a or args.trans_b) and (args.random or args.op == "dot"):
        raise UsageError("--trans-a and --trans-b go with files, and not with dot")
    if args.trans_b and len(args.files) < 2:
        raise UsageError("--trans-b goes with a second file")
    if args.op in ("herk", "hemm") and args.precision in "ds":
        raise UsageError(f"{args.op} goes with complex matrices (--precision z or c)")
    if args.unit and args.op not in TRIANGULAR:
        raise UsageError("--unit goes with trmm and trsm")
    if args.report is not None and args.op == "trsm":
        raise UsageError("--report goes with products")
    if not 0 <= args.phi < math.inf:
        raise UsageError("--phi takes a number from 0 on")
    if args.modes is not None and "" in (word.strip() for word in args.modes.split(",")):
        raise UsageError(f"--modes takes words separated by commas, not '{args.modes}'")
    if args.plot and Path(args.plot).suffix not in (".png", ".svg"):
        raise UsageError(f"--plot takes a .png or .svg file, not {args.plot}")
    if args.report is not None and Path(args.report).suffix not in (".html", ".htm"):
        raise UsageError(f"--report takes an .html file, not {args.report}")
    for option, path in ("--plot", args.plot), ("--report", args.report):
        if path and not Path(path).resolve().parent.is_dir():
            raise UsageError(f"{option}: no folder {Path(path).parent}")
    if min(args.repeat, args.threads, args.seed) < 0:
        raise UsageError("--repeat, --threads and --seed must not be negative")
    if args.threads > 2**31 - 1:
        raise UsageError(f"--threads {args.threads} is too many")
    return args


def compare(args, argv):
    dtype = DTYPE[args.precision]
    modes = [word.strip().lower() for word in args.modes.split(",")] if args.modes else default_modes(args)
    modes = ["native"] + [m for m in dict.fromkeys(modes) if m != "native"]
    library = Library(args.precision, args.threads, Path(__file__).resolve().parent)
    for mode in modes:
        library.set_mode(args.op, mode)  # an unknown word fails here, before anything is read
    library.set_engine(args.engine)
    a, b, title, notes = operands(args, dtype)
    require_address_space(a.shape[0], a.shape[0] if b is None else b.shape[1], dtype)
    call = Call(args.op, a, b, args.uplo, args.unit)
    name, title = f"{args.precision}{args.op}", one_line(title)
    for note in notes:
        print(f"accublas-compare: {note}", file=sys.stderr)
    print(f"{name}: {title}; m = {call.shape[0]}, n = {call.shape[1]}, k = {call.terms}")
    rng = np.random.default_rng(args.seed)
    rounds = args.repeat + 2 + (args.repeat + 1 if args.report and library.has_device() else 0)
    with tqdm(total=rounds * len(modes), unit="run", leave=False, delay=1.0, disable=None) as progress:
        times, results, reports = timed_modes(library, args, modes, call, progress)
        for mode in modes:
            if (ran := reports[mode].mode.decode()).partition(":")[0] != mode.partition(":")[0]:
                raise UsageError(f"{name} lacks {mode} (it would run {ran})")
        library.set_engine("auto")
        reference = call.reference(library)
        rows = []
        for mode in modes:
            largest, median, scaled = reference.errors(call.components(results[mode]), rng)
            report, ms = reports[mode], min(times[mode])
            engine = report.engine.decode()
            depth = accublas_advice.CONDITIONAL.get(engine)
            stray = () if depth is None else accublas_advice.out_of_range(call.left, reference.b, reference.scale, depth)
            rows.append({
                "mode": mode, "engine": engine, "bits": report.bits, "parts": report.parts,
                "ms": ms, "ratio": ms / min(times["native"]), "max": largest, "median": median,
                "scaled": scaled, "undecided": report.undecided, "stray": stray, "bound": bound_text(args.op, report, stray),
                "checksum": hashlib.sha256(results[mode].tobytes(order="F")).hexdigest()[:12],
            })
            progress.update()
        if args.report:
            others = other_times(library, args, modes, call, reports, progress)
            measured = {mode: {reports[mode].backend.decode(): times[mode]} | others[mode] for mode in modes}
            page = report_page(argv, f"{name}: {title}", rows, reports, measured, call, reference, notes)
    print_table(rows)
    print(f"device {reports[modes[-1]].device.decode()}, threads {reports[modes[-1]].threads}")
    if args.spectrum:
        print("\n".join(accublas_spectrum.text(library, a)))
    if args.plot:
        plot(args.plot, f"{name}: {title}", rows)
        print(f"picture: {args.plot}")
    if args.report:
        write_page(args.report, page)
        print(f"report: {args.report}")


def main(argv):
    sys.stdout = sys.stdout or open(os.devnull, "w")  # None where the caller has closed it
    sys.stdout.reconfigure(errors="backslashreplace")
    try:
        compare(parse_arguments(argv), argv)
        sys.stdout.flush()
    except UsageError as error:
        return refuse(error)
    except MemoryError as error:
        return refuse(f"out of memory: {error}")
    except OSError as error:  # files and libraries have their own messages
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nor can the rest be written at exit
        return refuse(f"cannot write the results: {error.strerror}")
    return 0


def refuse(why):
    print(f"accublas-compare: {one_line(why)}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
