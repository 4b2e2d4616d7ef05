"""Checks the proofs: extracts the definitions from the headers, compiles what changed, and compares the axioms of every theorem with the list of allowed ones.

prove.py ROOT OUT [--coqc COQC] [--report FILE], or --libraries, which only tells by its status whether Flocq is there. The order of the files is the list ORDER. A theorem
that docs/internals/proofs.md does not name is an error too.
"""
import argparse
import concurrent.futures
import fcntl
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import extract

HERE = pathlib.Path(__file__).parent
# Each file after what it uses; NAMESource is the one that extract.py makes.
ORDER = ["Semantics", "Facts", "ModuliSource", "Moduli", "RnsSource", "Rns", "PrimesSource", "Primes", "Division", "Tables", "CrtSource", "Reconstruction", "Crt", "Mp",
         "CapacitySource", "Capacity", "WidthSource", "Width", "QuotientSource", "Quotient", "ShippedSource", "Shipped",
         "ZivSource", "Floats", "Eft", "Ziv", "Triple", "Dot2Source", "Dot2", "Dot2Bound", "TreeSource", "Tree", "DotFloat", "NormsSource", "Norms", "Fixed", "CertificateSource", "Certificate", "SumsSource", "Sums", "ErrorsSource", "Errors", "CopiesSource", "Copies", "FitSource", "Fit", "AcceptSource", "Accept", "Lines",
         "RoundSource", "Rounding", "IntervalSource", "Interval", "Within", "FullSource", "Full", "PowersSource", "Powers", "WideSource", "Wide", "BetweenSource", "Between", "LanesSource", "Lanes", "Careful", "Divide", "GeneralSource", "General", "CombineSource", "Combine", "Extended", "OutwardSource", "Outward", "Linear", "CertifiedSource", "Certified", "Definite", "Ball", "Euclid", "ColumnsSource", "Columns", "EigenSource", "Eigen", "SpectrumSource", "Spectrum", "Rayleigh", "Angle"]
# Files that lead to those that take longest begin as soon as they can.
LONG = ["Semantics", "Facts", "ModuliSource", "Moduli", "Division", "Tables", "CrtSource", "Reconstruction", "Crt", "QuotientSource", "Quotient", "ShippedSource", "Shipped"]
# The axioms of Coq's real numbers, and classical logic, which Flocq uses.
ALLOWED = {"ClassicalDedekindReals.sig_not_dec", "ClassicalDedekindReals.sig_forall_dec", "FunctionalExtensionality.functional_extensionality_dep", "Classical_Prop.classic"}


class Refused(Exception):
    """A proof fails, or rests on what it may not."""


def order():
    """The files that are there."""
    return [n for n in ORDER if (HERE / f"{n}.v").exists() or (n.endswith("Source") and (HERE / f"{n[:-6].lower()}_source.py").exists())]


def uses(text):
    """The files of this folder that a file requires."""
    return re.findall(r"\w+", " ".join(re.findall(r"From Proofs Require Import ([\w\s]+)\.", text)))


def compile_file(coqc, out, name):
    return subprocess.run([coqc, "-q", "-R", str(out), "Proofs", str(out / f"{name}.v")], capture_output=True, text=True, cwd=out)


def compile_all(coqc, root, out):
    """Returns the seconds of each file that was compiled. Two programs with one folder take turns."""
    out.mkdir(parents=True, exist_ok=True)
    with open(out / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return compile_changed(coqc, root, out)


def compile_changed(coqc, root, out):
    """Two files at a time, each after those that it requires."""
    extract.extract(root, out)
    version = subprocess.run([coqc, "--version"], capture_output=True, text=True).stdout
    keys, needs, pending = {}, {}, []
    for name in order():
        if not name.endswith("Source"):
            text = (HERE / f"{name}.v").read_text()
            if re.search(r"\b(Admitted|admit|Axiom|Parameter|Conjecture)\b", re.sub(r"\(\*.*?\*\)", "", text, flags=re.S)):
                raise Refused(f"{name}.v assumes something")
            if not (out / f"{name}.v").exists() or (out / f"{name}.v").read_text() != text:
                (out / f"{name}.v").write_text(text)
        text = (out / f"{name}.v").read_text()
        needs[name] = uses(text)
        keys[name] = hashlib.sha256("\n".join([version, text] + [keys[u] for u in needs[name]]).encode()).hexdigest()
        stamp = out / f"{name}.key"
        if not (stamp.exists() and stamp.read_text() == keys[name] and (out / f"{name}.vo").exists()):
            stamp.unlink(missing_ok=True)
            pending.append(name)

    def compile_one(name):
        begin = time.monotonic()
        done = compile_file(coqc, out, name)
        if done.returncode:
            raise Refused(f"{name}.v does not compile:\n{done.stdout}{done.stderr}")
        (out / f"{name}.key").write_text(keys[name])
        return name, time.monotonic() - begin

    seconds, running = {}, {}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        while pending or running:
            ready = [n for n in pending if not set(needs[n]) & (set(pending) | set(running))]
            for name in sorted(ready, key=lambda n: n not in LONG)[:2 - len(running)]:
                pending.remove(name)
                running[name] = pool.submit(compile_one, name)
            done, _ = concurrent.futures.wait(running.values(), return_when=concurrent.futures.FIRST_COMPLETED)
            for name, took in [future.result() for future in done]:
                seconds[name] = took
                del running[name]
    return seconds


def theorems():
    return [(name, theorem) for name in order() if not name.endswith("Source")
            for theorem in re.findall(r"^Theorem (\w+)", (HERE / f"{name}.v").read_text(), flags=re.M)]


def axioms_of(coqc, out, found, number):
    """Returns {theorem: axioms} of some theorems."""
    name = f"Assumptions{os.getpid()}_{number}"  # a file of this process
    lines = [f"From Proofs Require Import {' '.join(n for n in order())}."]
    for _, theorem in found:
        lines += [f'Check "{theorem}"%string.', f"Print Assumptions {theorem}."]
    (out / f"{name}.v").write_text("From Coq Require Import String.\n" + "\n".join(lines) + "\n")
    done = compile_file(coqc, out, name)
    for file in [*out.glob(f"{name}.*"), *out.glob(f".{name}.*")]:
        file.unlink()
    if done.returncode:
        raise Refused(done.stdout + done.stderr)
    result, current = {}, None
    for line in done.stdout.splitlines():
        begin = re.match(r'"(\w+)"(%string)?$', line)
        if begin:
            current = result.setdefault(begin[1], set())
        elif current is not None and re.match(r"[\w.']+($| :)", line) and not line.startswith(("Axioms:", "Closed under")):
            current.add(re.match(r"[\w.']+", line)[0])
    if set(result) != {t for _, t in found}:
        raise Refused("the axioms of some theorem are not printed:\n" + done.stdout)
    return result


def axioms(coqc, out):
    """Returns {theorem: axioms}. Two programs print those of every second theorem each."""
    found = theorems()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        halves = pool.map(lambda n: axioms_of(coqc, out, found[n::2], n), range(2))
        return {theorem: names for half in halves for theorem, names in half.items()}


def libraries(coqc):
    """Whether Flocq is there."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "Libraries.v").write_text("From Flocq Require Import Core.\n")
        return compile_file(coqc, pathlib.Path(folder), "Libraries").returncode == 0


def check(coqc, root, out):
    """Compiles the proofs and returns a line with the axioms of each theorem; the program ends if a proof fails."""
    try:
        seconds = compile_all(coqc, root, out)
        page = (root / "docs/internals/proofs.md").read_text()
        report = []
        for theorem, names in sorted(axioms(coqc, out).items()):
            if names - ALLOWED:
                raise Refused(f"{theorem} rests on {', '.join(sorted(names - ALLOWED))}")
            if f"`{theorem}`" not in page:
                raise Refused(f"docs/internals/proofs.md does not name the theorem {theorem}")
            report.append(f"{theorem}: {', '.join(sorted(names)) or 'no axiom'}")
    except (Refused, extract.cpp.Unreadable) as problem:
        sys.exit(f"proofs: {problem}")
    print("\n".join(report))
    print(f"{len(report)} theorems; compiled " + (", ".join(f"{n} {s:.1f} s" for n, s in seconds.items()) or "nothing"), flush=True)
    return report


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path, nargs="?")
    parser.add_argument("out", type=pathlib.Path, nargs="?")
    parser.add_argument("--coqc", default="coqc")
    parser.add_argument("--report", type=pathlib.Path)
    parser.add_argument("--libraries", action="store_true")
    parser.add_argument("--quick", action="store_true", help="mutations.py: one change alone")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="mutations.py: the changes of these sources, as in rns for rns_source.py")
    return parser.parse_args()


def main():
    options = arguments()
    if options.libraries:
        sys.exit(not libraries(options.coqc))
    report = check(options.coqc, options.root.resolve(), options.out.resolve())
    if options.report:
        options.report.write_text("\n".join(report) + "\n")


if __name__ == "__main__":
    main()
