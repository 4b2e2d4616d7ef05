"""Compares the library with the oracle, bit by bit: check.py LIBRARY GROUP... [--scale X] [--case NAME]
[--also LIBRARY VARIABLE=VALUE] [--backend cuda].

A group is routine:mode, for instance dgemm:cr, dgemm_batched:cr or sdot:dot2, or the word sharp: the cases of sharp.py. Every case runs on several of the instruction sets that this CPU
has (ACCUBLAS_ISA, one process each), the highest among them, and on every engine that serves its mode. Counts are multiplied by
ACCUBLAS_TEST_SCALE (default 1). With --also another library computes the same cases in another environment; the oracle works once. With --backend cuda (or ACCUBLAS_BACKEND=cuda) one process copies all operands to the GPU; exit
status 77 where there is none.
"""

import argparse
import ctypes
import json
import os
import pickle
import queue
import struct
import sys
import threading
import time
import traceback
from pathlib import Path

import batches
import binding
import cases
import expected
import factorization_cases
import factorizations
import inverse_cases
import inverses
import level2_cases
import level3
import level3_cases
import orthogonal
import orthogonal_cases
import sharp
import worker
from values import COMPLEX

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import engine_table  # noqa: E402
from isa_levels import isa_levels  # noqa: E402

# Cases per group at scale 1.
COUNTS = {"gemm": 130, "gemm_batched": 60, "gemv": 80, "dot": 110, "dotu": 110, "dotc": 110, "nrm2": 150, "asum": 120}
LEVEL3 = level3.REAL_ROUTINES + level3.HERMITIAN_ROUTINES + ("trsm",)
COUNTS |= dict.fromkeys(LEVEL3, 70)
COUNTS |= dict.fromkeys(level2_cases.ROUTINES, 40)
COUNTS |= dict.fromkeys(factorizations.ROUTINES, 60) | dict.fromkeys(inverses.ROUTINES, 30)
COUNTS |= dict.fromkeys(orthogonal.ROUTINES, 32)
MATRICES_SHARE = 6  # a case of named matrices for so many of the others
COMPLEX_SHARE = 0.4  # of them for complex types, whose elements are four real products


def backend():
    return os.environ.get("ACCUBLAS_BACKEND", "auto")


class Worker:
    """A process with the library in one environment, forked where all is imported and no library loaded; answers are
    collected by a thread, from start() on. `others` are the workers before this one."""

    def __init__(self, library, label, environment, others=()):
        self.label = label
        self.pending = queue.Queue()
        self.failures = []
        self.done = 0
        (read_jobs, write_jobs), (read_answers, write_answers) = os.pipe(), os.pipe()
        self.process = os.fork()
        if self.process == 0:
            # Who holds an end of another's jobs would keep it waiting for more.
            for descriptor in (write_jobs, read_answers, *(other.jobs.fileno() for other in others)):
                os.close(descriptor)
            os.environ.update(environment)
            try:
                worker.serve(library, os.fdopen(read_jobs, "rb"), os.fdopen(write_answers, "w"))
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            ctypes.CDLL(None).exit(0)  # as a program ends, with what the library does then
        os.close(read_jobs)
        os.close(write_answers)
        self.jobs, self.answers = os.fdopen(write_jobs, "wb"), os.fdopen(read_answers)
        self.slots = threading.Semaphore(32)
        self.gone = False
        self.thread = threading.Thread(target=self._collect, daemon=True)

    def start(self):
        self.thread.start()

    def send(self, case, data):
        self.slots.acquire()
        if self.gone:
            self.slots.release()
        self.pending.put(case)
        try:
            self.jobs.write(struct.pack("<q", len(data)) + data)
            self.jobs.flush()
        except BrokenPipeError:
            pass

    def _collect(self):
        try:
            for line in self.answers:
                case = self.pending.get()
                self.slots.release()
                self.done += 1
                for configuration, status, text, *_ in json.loads(line):
                    if status or text:
                        what = f"status {status}: {text}" if status else text
                        self.failures.append(f"{case.describe()}\n    {self.label} {configuration}: {what}")
        finally:  # also where a line breaks off
            self.gone = True  # nobody may wait for the process: who takes this slot gives it back
            self.slots.release()

    def finish(self):
        try:
            self.jobs.close()
        except BrokenPipeError:
            pass
        self.thread.join()
        code = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
        if code or not self.pending.empty():
            left = self.pending.get().describe() if not self.pending.empty() else "the end"
            self.failures.append(f"{left}\n    {self.label}: worker ended with {code}")
        return self.failures


def case_of(name):
    if name.endswith(":sharp"):
        return sharp.from_name(name)
    if name.split(":")[0][1:] in LEVEL3:
        routine, group = name.split(":")[:2]
        return level3_cases.make(name, routine[0], group, routine[1:])
    if name.split(":")[0][1:] in factorizations.ROUTINES:
        routine, group = name.split(":")[:2]
        return factorization_cases.make(name, routine[0], group, routine[1:])
    if name.split(":")[0][1:] in inverses.ROUTINES:
        routine, group = name.split(":")[:2]
        return inverse_cases.make(name, routine[0], group, routine[1:])
    if name.split(":")[0][1:] in orthogonal.ROUTINES:
        routine, group = name.split(":")[:2]
        return orthogonal_cases.make(name, routine[0], group, routine[1:])
    if name.split(":")[0][1:] in level2_cases.ROUTINES:
        routine, group = name.split(":")[:2]
        return level2_cases.make(name, routine[0], group, routine[1:])
    return (batches if name.split(":")[0].endswith("_batched") else cases).from_name(name)


def configurations(case, index):
    """How a case is called: automatic choice, every serving engine, threads and small workspaces in turn."""
    result = [{"engine": "auto"}]
    where = "cuda" if backend() == "cuda" else "cpu"
    serving = engine_table.serving(case.routine, case.mode, where)
    if where == "cuda" and case.prefix in COMPLEX and (complex(case.alpha).imag != 0 or complex(case.beta).imag != 0):
        # Some of a GPU's engines lack them: host operands are the CPU's then, where that has the engine.
        serving = [e for e in serving if e in engine_table.serving(case.routine, case.mode, "cpu")]
    for engine in serving:
        result.append({"engine": engine})
        if index % 3 == 0:
            result.append({"engine": engine, "threads": 2 + index % 2})
        if index % 4 == 1:
            result.append({"engine": engine, "workspace": 1 << 20, "threads": (1, 16)[index // 4 % 2]})
    if index % 4 == 2:
        result.append({"engine": "auto", "workspace": 1 << 20, "threads": 3})
    if backend() == "cuda" and case.routine == "gemm_batched":
        # Kernels of batches serve operands in device memory; others are copied matrix by matrix.
        result = [{**c, "device": True} for c in result if "workspace" not in c] + result[:1]
    return result


def reported_bits(case, facts):
    """T* where the report must show it: elements that the certificate rejects may be computed with more bits."""
    return facts.call_bits if case.mode.endswith(":repro") and facts.call_bits and facts.all_accepted else None


def run_cases(stream, libraries, engines=None):
    """Sends (index, case) to the workers of all libraries, a list each by level; the oracle works once per case. Returns failures."""
    workers = [one for levels in libraries for one in levels]
    count = 0
    for index, case in stream:
        bits, facts = expected.expected_bits(case)
        answer = bits, facts.exceptions, reported_bits(case, facts)
        wanted = [c for c in configurations(case, index) if engines is None or c["engine"] in engines]
        data = pickle.dumps((case, answer, wanted), pickle.HIGHEST_PROTOCOL)
        for levels in libraries:
            for number, one in enumerate(levels):
                # The highest level always, two of the others in turn; at most three levels: all.
                if number == len(levels) - 1 or len(levels) <= 3 or (index + number) % (len(levels) - 1) < 2:
                    one.send(case, data)
        count += 1
        if sum(len(w.failures) for w in workers) > 200:
            break
    failures = []
    for one in workers:
        failures += one.finish()
    return count, failures


def report(title, count, failures, start):
    if failures:
        print(f"{title}: {len(failures)} mismatches; the first ones:")
        for text in failures[:12]:
            print("  " + text)
    print(f"{title}: {count} cases, {len(failures)} mismatches, {time.time() - start:.1f} s")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library")
    parser.add_argument("groups", nargs="*")
    parser.add_argument("--scale", type=float, default=float(os.environ.get("ACCUBLAS_TEST_SCALE", "1")))
    parser.add_argument("--case", action="append", default=[], help="run these cases only")
    parser.add_argument("--first", type=int, default=0, help="number of the first case of every group")
    parser.add_argument("--isa", help="comma-separated levels instead of all that the CPU has")
    parser.add_argument("--also", nargs=2, metavar=("LIBRARY", "VARIABLE=VALUE"), action="append", default=[],
                        help="another library with this in its environment")
    parser.add_argument("--engine", action="append", help="these engines only")
    parser.add_argument("--backend", choices=["auto", "cpu", "cuda"], help="as ACCUBLAS_BACKEND")
    options = parser.parse_args()
    start = time.time()
    if options.backend:
        os.environ["ACCUBLAS_BACKEND"] = options.backend
    if backend() == "cuda":
        levels = ["cuda"]
    else:
        levels = options.isa.split(",") if options.isa else isa_levels()
    workers = []
    for library, *variables in [[options.library], *options.also]:
        for level in levels:
            environment = dict([variable.split("=", 1) for variable in variables], **{} if level == "cuda" else {"ACCUBLAS_ISA": level})
            workers.append(Worker(library, " ".join([level, *variables]), environment, workers))
    libraries = [workers[i : i + len(levels)] for i in range(0, len(workers), len(levels))]
    if levels == ["cuda"] and binding.device_count(options.library) == 0:
        print("no CUDA device")
        return 1 if os.environ.get("ACCUBLAS_TEST_REQUIRE_GPU") == "1" else 77
    for one in workers:
        one.start()

    def stream():
        for name in options.case:
            yield int(name.split(":")[2]), case_of(name)
        for group in options.groups:
            if group == "sharp":
                yield from sharp.sharp_cases()
                continue
            share = COMPLEX_SHARE if group[0] in COMPLEX else 1
            count = max(1, round(COUNTS[group.split(":")[0][1:]] * share * options.scale))
            for index in range(options.first, options.first + count):
                yield index, case_of(f"{group}:{index}")
            for index in range(options.first, options.first + max(1, count // MATRICES_SHARE)):
                yield index, case_of(f"{group}:{index}:matrices")

    count, failures = run_cases(stream(), libraries, options.engine)
    title = " ".join(options.groups + options.case) + " on " + ", ".join(one.label for one in workers)
    return report(title, count, failures, start)


if __name__ == "__main__":
    sys.exit(main())
