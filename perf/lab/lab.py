#!@PYTHON@
"""accublas-lab, the laboratory: tables and figures of five documents on accurate GEMM, DOT and GEMV, measured again with accublas.

One command a document (docs/lab.md says what each gives): tables as CSV files, pictures as SVG, with the figures that the
document's text gives (published.csv) in them. Runs on a GPU where there is one, else on the CPU."""

import argparse
import importlib
import os
import shlex
import signal
import sys
import time
from pathlib import Path

SOURCES = Path("@SOURCES@")  # perf/
BUILD = Path(__file__).resolve().parent.parent
DOCUMENTS = ["000", "001", "002", "003", "004"]
OWN = ["data"]  # measurements that no document has


def interrupted(*_):
    os.write(2, b"\naccublas-lab: interrupted\n")
    os._exit(130)


def parse_arguments(argv, refused):
    """refused: the exception for what cannot be used."""

    class Parser(argparse.ArgumentParser):
        def error(self, message):
            raise refused(message)

    parser = Parser(prog="accublas-lab", description=__doc__.split("\n\n")[0].partition(": ")[2])
    parser.add_argument("document", nargs="+", choices=[*DOCUMENTS, *OWN, "all"])
    parser.add_argument("--out", type=Path, help="where tables and pictures go (default: lab in the build folder)")
    parser.add_argument("--only", metavar="PART", help="parts of a document, separated by commas")
    parser.add_argument("--data", metavar="NAMES", help="matrices of `data`, separated by commas: names that accublas-bench takes")
    parser.add_argument("--draw", action="store_true", help="draw again from the tables that are there")
    parser.add_argument("--quick", action="store_true", help="the least sizes: seconds, to see that it works")
    parser.add_argument("--cpu", action="store_true", help="on the CPU even where there is a GPU")
    parser.add_argument("--png", action="store_true", help="every picture as PNG, too")
    return parser.parse_args(argv)


def make_folder(path, refused):
    """Before anything is measured that could not be kept there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise refused(f"--out: cannot make {path}: {error.strerror}") from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise refused(f"--out: cannot write into {path}")


def main(argv):
    sys.path.append(str(SOURCES / "lab"))  # what it shares with accublas-compare lies beside this program
    from laboratory import Laboratory, UsageError, refuse

    try:
        args = parse_arguments(argv, UsageError)
    except UsageError as error:
        return refuse(error)
    data = args.data.split(",") if args.data else []
    shown = ["--quick"] * args.quick + ["--cpu"] * args.cpu + [word for word in ("--data", args.data) if data]
    documents = DOCUMENTS + OWN if "all" in args.document else args.document
    only = args.only.split(",") if args.only else []
    try:
        papers = {document: importlib.import_module(f"paper_{document}") for document in documents}
        known = {part for paper in papers.values() for part in paper.PARTS}
        if unknown := [part for part in only if part not in known]:
            raise UsageError(f"no part {unknown[0]}; known: {', '.join(sorted(known))}")
        out = args.out or BUILD / "lab"
        make_folder(out, UsageError)
        status = 0
        for document, paper in papers.items():
            command = shlex.join(["accublas-lab", document, *shown])
            lab = Laboratory(BUILD, out, args.quick, args.cpu, command, args.png, data)
            for part, (measure, draw) in paper.PARTS.items():
                if not only or part in only:
                    status = max(status, run(lab, f"{document} {part}", None if args.draw else measure, draw))
    except (UsageError, OSError) as error:
        return refuse(error)
    return status


def run(lab, name, measure, draw):
    """One part of a document; 2 where it fails, so that the others go on."""
    from laboratory import UsageError, refuse

    start = time.monotonic()
    try:
        if measure:
            measure(lab)
        draw(lab)
    except (UsageError, OSError) as error:
        return refuse(f"{name}: {error}")
    print(f"{name}: {time.monotonic() - start:.1f} s", flush=True)
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGINT, interrupted)
    sys.exit(main(sys.argv[1:]))
