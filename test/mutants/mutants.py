"""Every deliberate defect of the hooks library must be caught by the oracle's sharp cases, which the library that is
installed passes on every instruction set: mutants.py HOOKS_LIBRARY [--sound LIBRARY].

The names come from the library (accublas_test_mutant_name); those of the multiple-precision arrays, mp_*, of certified
solutions, certified_*, and of the CUDA backend, gpu_*, are left to suite_mutants.py. The calls that catch a defect must pass without it (all others are the
oracle's own test), and all cases with every element left undecided. The oracle works once; each variant is a process of its
own, forked where all is imported and no library loaded, and stops at the first mismatch. It starts with the case that caught the defect
before (caught_by.json, which --remember writes), and tries all others if that one does not.
"""

import argparse
import concurrent.futures
import itertools
import json
import multiprocessing
import multiprocessing.connection
import os
import pickle
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "oracle"))

import binding  # noqa: E402
import cases  # noqa: E402
import check  # noqa: E402
import expected  # noqa: E402
import factorization_cases  # noqa: E402
import inverse_cases  # noqa: E402
import level2_cases  # noqa: E402
import level3_cases  # noqa: E402
import orthogonal_cases  # noqa: E402
import sharp  # noqa: E402
import worker  # noqa: E402
from names import names  # noqa: E402
from values import generator  # noqa: E402

CAUGHT_BY = HERE / "caught_by.json"  # the name of a case for each defect
RANDOM_PER_GROUP = 6
# Operands and results with a structure, of which one or two in a hundred cases are of a kind of data.
STRUCTURED = ("dsymm", "zsymm", "zhemm", "chemm", "dsyrk", "zherk", "dtrmm", "ztrmm", "strmm", "zgemmt", "dsymv", "zhemv", "dtrmv", "ztrmv",
             "dger", "sger", "zgeru", "zgerc", "zher", "dsyr2", "ssyr2", "zher2", "cher2")
SHARP_KINDS, STRUCTURED_CASES = ("special", "halfway"), 60


def all_cases():
    yield from sharp.sharp_cases()
    for routine in ("dgemm", "sgemm", "dgemv", "sgemv", "ddot", "sdot", "zgemm", "cgemm", "zgemv", "cgemv", "zdotu", "cdotc"):
        for group in ("cr", "fixed", "repro", "slices", "dot2"):
            for index in range(RANDOM_PER_GROUP):
                yield index, cases.from_name(f"{routine}:{group}:{index}:mutants")
    for routine, group in itertools.product(("dgemm", "sgemm", "zgemm", "dsyrk", "dtrsm", "dgetrf", "dpotrf", "dgeqrf"), ("cr", "repro")):
        for index in range(RANDOM_PER_GROUP):
            yield index, check.case_of(f"{routine}:{group}:{index}:matrices")
    for prefix in "dszc":
        for index in range(3 * RANDOM_PER_GROUP):
            yield index, level3_cases.make(f"{prefix}trsm:cr:{index}", prefix, "cr", "trsm")
    for name, index in itertools.product(STRUCTURED, range(STRUCTURED_CASES)):
        maker, named = level2_cases.make if name[1:] in level2_cases.ROUTINES else level3_cases.make, f"{name}:cr:{index}:mutants"
        if index >= RANDOM_PER_GROUP and cases.mode_and_kind(generator(named), named, "cr", name[0])[1] not in SHARP_KINDS:
            continue
        case = maker(named, name[0], "cr", name[1:])
        if index < RANDOM_PER_GROUP or work(case) < 20000:
            yield index, case
    for prefix, routine in itertools.product("dszc", ("potrf", "getrf")):
        for index in range(3 * RANDOM_PER_GROUP):
            yield index, factorization_cases.make(f"{prefix}{routine}:cr:{index}", prefix, "cr", routine)
    for prefix, routine in itertools.product("dz", ("trtri", "lauum", "getri")):
        for index in range(3 * RANDOM_PER_GROUP):
            yield index, inverse_cases.make(f"{prefix}{routine}:cr:{index}", prefix, "cr", routine)
    for routine in ("dgeqrf", "zgeqrf", "dorgqr"):
        for index in range(3 * RANDOM_PER_GROUP):
            yield index, orthogonal_cases.make(f"{routine}:cr:{index}", routine[0], "cr", routine[1:])
    for routine in ("dgemm", "sgemm"):
        for index in range(RANDOM_PER_GROUP):
            yield index, cases.from_name(f"{routine}:multiword:{index}:mutants")


def work(case):
    """Terms that a case sums: the cheap cases come first, since most defects stop a variant early."""
    return case.a.size * case.b.shape[1]


def prepare(path, group):
    """Writes cases with what they must give into a file that all variants read. Returns {name: (number, offset in the file)}."""
    places = {}
    with open(path, "wb") as file:
        for index, case in sorted(all_cases(), key=lambda numbered: work(numbered[1])):
            if group and group not in case.name:
                continue
            bits, facts = expected.expected_bits(case)
            answer = bits, facts.exceptions, check.reported_bits(case, facts)
            if case.name in places:
                raise SystemExit(f"two cases have the name {case.name}")
            places[case.name] = len(places), file.tell()
            pickle.dump((case, answer, check.configurations(case, index)), file, pickle.HIGHEST_PROTOCOL)
    return places


def stored(file, first):
    """Yields (number, case with what it must give) of a file of prepare(): that of the place `first`, if there is one, and then all."""
    if first:
        file.seek(first[1])
        yield first[0], pickle.load(file)
        file.seek(0)
    for number in itertools.count():
        try:
            yield number, pickle.load(file)
        except EOFError:
            return


def run_one(library_path, path, stop, calls, first):
    """In a variant's process: mismatches as [[case, configuration], text], all of them or the first; of these calls alone
    unless there are none. The case at the place `first` comes first."""
    library = binding.Library(library_path)
    found = []
    with open(path, "rb") as file:
        for number, (case, answer, configurations) in stored(file, first):
            for which, configuration in enumerate(configurations):
                if calls and [number, which] not in calls:
                    continue
                status, got, raised = worker.run(library, case, configuration)
                if status:
                    text = f"status {status}: {library.last_error()}"
                else:
                    text = worker.judge(library, case, answer, got, raised)
                if text:
                    found.append([[number, which], f"{case.describe()} {configuration}: {text}"])
                    if stop or len(found) > 20:
                        return found
    return found


CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["mutants"])
# To start a process polls all others. Two threads that poll one at a time read its exit code twice, and the second gets 255.
POLLING = threading.Lock()


def run_variant(sender, environment, *arguments):
    os.environ.update(environment)
    sender.send(run_one(*arguments))


def variant(library, path, environment, stop=False, calls=(), first=None):
    """Starts a variant's process; (return code, list of mismatches)."""
    receiver, sender = CONTEXT.Pipe(duplex=False)
    process = CONTEXT.Process(target=run_variant, args=(sender, environment, library, path, stop, list(calls), first))
    with POLLING:
        process.start()
    sender.close()
    try:
        found = receiver.recv()
    except EOFError:
        found = None
    multiprocessing.connection.wait([process.sentinel])
    with POLLING:
        process.join()
    if found is None:
        return process.exitcode or 1, [[None, f"ended with {process.exitcode}"]]
    return process.exitcode, found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library")
    parser.add_argument("--sound", metavar="LIBRARY", help="must pass all cases on every instruction set that the CPU has")
    parser.add_argument("--only", action="append", help="these mutants only")
    parser.add_argument("--group", help="cases whose name holds this word only, for instance :dot2:")
    parser.add_argument("--remember", action="store_true", help="write caught_by.json")
    options = parser.parse_args()
    start = time.time()
    caught_by = json.loads(CAUGHT_BY.read_text())
    for variable in ("ACCUBLAS_TEST_MUTANT", "ACCUBLAS_TEST_HOOK"):
        os.environ.pop(variable, None)
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "cases")
        places = prepare(path, options.group)
        names_of = dict(enumerate(places))
        mutants = options.only or [name for name in names(options.library) if not name.startswith(("mp_", "gpu_", "certified_", "quad_"))]
        with concurrent.futures.ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
            complete = {"every element undecided": pool.submit(variant, options.library, path, {"ACCUBLAS_TEST_HOOK": "undecided"})}
            if options.sound:
                complete |= {f"the library on {level}": pool.submit(variant, options.sound, path, {"ACCUBLAS_ISA": level})
                             for level in check.isa_levels()}
            runs = {name: pool.submit(variant, options.library, path, {"ACCUBLAS_TEST_MUTANT": name}, True, first=places.get(caught_by.get(name)))
                    for name in mutants}
            catching = []
            for name, run in runs.items():
                code, found = run.result()
                if code:
                    failures.append(f"{name}: {found[0][1]}")
                elif not found:
                    failures.append(f"{name}: survives")
                else:
                    print(f"{name}: caught by {found[0][1]}")
                    catching.append(found[0][0])
                    caught_by[name] = names_of[found[0][0][0]]
            sound = {label: run.result() for label, run in complete.items()}
            if catching:
                sound["no defect"] = variant(options.library, path, {}, calls=catching)
            for label, (code, found) in sound.items():
                if code or found:
                    failures.append(f"{label}: must pass, but " + "\n  ".join(text for _, text in found[:8]))
    if options.remember:
        CAUGHT_BY.write_text(json.dumps(dict(sorted(caught_by.items())), indent=0) + "\n")
    for text in failures:
        print("FAILED " + text)
    print(f"{len(mutants)} mutants on {len(places)} cases, {len(failures)} failures, {time.time() - start:.1f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
