"""netlib's BLAS and CBLAS test programs (Debian: libblas-test) under the preloaded drop-in, in every mode and engine.

usage: netlib.py LIBRARY PROGRAM, for instance netlib.py build/c_api/blas/libaccublas_blas.so xdcblat3
"""
import os
import re
import sys
import tempfile

import run_with_dropin as dropin

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
import engine_table  # noqa: E402

KIND = {1: "vector", 2: "vector", 3: "gemm"}  # of engine_table, by level
MODES = ("native", "dp", "dp:repro", "dot2", "cr", "fixed:60", "slices:8")
DEFAULT_ENGINE = {
    "native": ("native", "native"),  # mode: engines that may serve (DOT and GEMV, GEMM)
    "dp": ("native", "native"),
    "dp:repro": ("sums", dropin.SMALL_CR),  # as cr, because the programs' sums are short
    "dot2": ("dot2", "dot2"),
    "cr": ("sums", dropin.SMALL_CR),
    "fixed:60": ("sums", dropin.SMALL_FIXED),
    "slices:8": ("fp64", "fp64"),
}
NORM_ENGINE = {"native": "native", "dp": "native", "dp:repro": "sums", "dot2": "dot2", "cr": "sums",
               "fixed:60": "native", "slices:8": "native"}  # NRM2 and ASUM lack the last two: they keep the build's dp
BAD = re.compile(r"FAIL|\*\*\*\*|FATAL|SUSPECT|LESS THAN HALF|ERROR", re.IGNORECASE)


def names(program):
    """Routine of ours, level, input file and results file of one of netlib's programs."""
    cblas, level, precision = re.fullmatch(r"x(?:([cdsz])c)?blat([123])([cdsz])?", program).groups()
    letter, level = cblas or precision, int(level)
    routine = letter + {1: "dot", 2: "gemv", 3: "gemm"}[level]
    if level == 1:
        return routine, level, None, None
    if cblas:
        return routine, level, f"{letter}in{level}", None
    return routine, level, f"{letter}blat{level}.in", f"{letter}blat{level}.out"


def engines(routine, mode):
    """Engines of a routine in a mode, or in the build's dp where it lacks that."""
    return engine_table.serving(routine[1:], mode, "cpu") or engine_table.serving(routine[1:], "dp", "cpu")


def ours(routine, level, mode, engine):
    """The routines of a program that the drop-in serves, ours first; netlib's programs know no GEMMT. Not those that lack
    an engine that is asked for, which is an error."""
    of_complex = routine[0] in "cz"
    if level == 1:
        return [routine[0] + "dotu", routine[0] + "dotc"] if of_complex else [routine]
    if level == 2:
        kinds = ("hemv", "geru", "gerc", "her", "her2") if of_complex else ("symv", "ger", "syr", "syr2")
        kinds = ("gemv", "trmv", "trsv", *kinds)
    else:
        kinds = ("gemm", "symm", "syrk", "syr2k", "trmm", "trsm") + (("hemm", "herk", "her2k") if of_complex else ())
    every = [routine[0] + kind for kind in kinds]
    return every if engine == "auto" else [own for own in every if engine in engines(own, mode)]


def forced(routine, level):
    """Every engine of every mode but the one that serves where none is asked for. Programs of level 1 also call the norms: in the
    mode, or in dp where they lack it."""
    pairs = [(m, e) for m in MODES for e in engine_table.serving(KIND[level], m, "cpu")]
    norms = {m: engine_table.serving("norm", m, "cpu") or engine_table.serving("norm", "dp", "cpu") for m in MODES}
    return [(m, e) for m, e in pairs if e != DEFAULT_ENGINE[m][level == 3] and (level > 1 or e in norms[m])]


def adapted(source, routine, served_here):
    """netlib's input for our routines alone, with few sizes up to its largest, 65 (complex, slower by element: 17)."""
    with open(source) as file:
        text = file.read()
    sizes = "0 1 3 17" if routine[0] in "cz" else "0 1 65"
    text = re.sub(r"^6( +NUMBER OF VALUES OF N\n).*( VALUES OF N)$", rf"{len(sizes.split())}\1 {sizes} \2", text, flags=re.MULTILINE)
    return re.sub(rf"^(?!(?:cblas_)?(?:{'|'.join(served_here)})\b)(\w+ +)T PUT", r"\1F PUT", text, flags=re.MULTILINE | re.IGNORECASE)


def check(program, library, directory, mode, engine, extra=None):
    """None if all is well, else what is wrong."""
    routine, level, source, results = names(program)
    cblas = "cblat" in program
    served_here = ours(routine, level, mode, engine)
    env = dropin.environment(library, mode, engine, netlib=directory if cblas else None, extra=extra)
    with tempfile.TemporaryDirectory() as work:
        stdin = source and os.path.join(directory, source)
        if stdin and mode != "native":  # native: as netlib has it, all routines
            text = adapted(stdin, routine, served_here)
            stdin = os.path.join(work, "input")
            with open(stdin, "w") as file:
                file.write(text)
        done = dropin.run([os.path.join(directory, program)], env, work, stdin)
        output = done.stdout
        if results and os.path.exists(os.path.join(work, results)):
            with open(os.path.join(work, results)) as file:
                output += file.read()
    if done.returncode != 0:
        return f"exit status {done.returncode}\n{output}\n{done.stderr}"
    # Our routines' own lines: the others are the real BLAS's affair.
    judged = output if level == 1 else "\n".join(l for l in output.splitlines() if any(r.upper() in l.upper() for r in served_here))
    if BAD.search(re.sub(r"ERROR.EXITS|ERROR-EXITS", "", judged)) or "*****" in output:
        return output
    for own in served_here if level > 1 else ():
        name = own.upper() if not cblas else f"cblas_{own}"
        checked = re.sub("gerc$", "ger[uc]", name) if cblas else name  # as the program calls it there
        tests = output.count(f"{name}") and re.search(rf"{checked}\s+PASSED THE TESTS OF ERROR-EXITS", output)
        if not tests or not re.search(rf"{name}\s+PASSED THE[\w\s-]*COMPUTATIONAL TESTS", output):
            return f"no line of success of {name}\n{output}"
    served = dropin.counts(done.stderr)
    expected = {own: DEFAULT_ENGINE[mode][level == 3] if engine == "auto" else engine for own in served_here}
    if engine == "auto":
        expected |= {own: engines(own, mode)[0] for own in served_here if level == 2 or own.endswith("trsm")}
        if mode.startswith("fixed"):
            expected |= {own: "int8" for own in served_here if own.endswith("trmm")}  # residues serve it in all sizes
    if level == 1:
        for norm in ("nrm2", "asum"):
            expected[{"z": "dz", "c": "sc"}.get(routine[0], routine[0]) + norm] = NORM_ENGINE[mode] if engine == "auto" else engine
    for name, server in expected.items():
        mine = {e: n for (r, e), n in served.items() if r == name}
        if sum(mine.values()) < (4, 25, 100)[level - 1]:
            return f"{name} was not intercepted: {served}\n{done.stderr}"
        # A product of nothing is no call of cr.
        nothing = {dropin.RESIDUES} if (mode, engine, level) == ("dp:repro", "auto", 3) else set()
        if set(mine) - nothing != {server}:
            return f"{name} was served by {mine}, not by {server}\n{done.stderr}"
    return None


def main():
    library, program = os.path.abspath(sys.argv[1]), sys.argv[2]
    directory = dropin.blas_directory()
    if not directory or not os.path.exists(os.path.join(directory, program)):
        print(f"{program} is not installed (Debian: libblas-test)")
        return dropin.SKIP
    routine, level = names(program)[:2]
    failures = 0
    for mode, engine in [(m, "auto") for m in MODES] + forced(routine, level):
        wrong = check(program, library, directory, mode, engine)
        print(f"{program} {mode} {engine}: {'ok' if wrong is None else 'FAILED: ' + wrong}", flush=True)
        failures += wrong is not None
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
