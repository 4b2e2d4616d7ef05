"""NumPy's and SciPy's wheels from PyPI under the preloaded drop-in: today's, and those before NumPy 2, whose names differ.

usage: wheels_test.py FOLDER LIBACCUBLAS_BLAS LIBACCUBLAS

FOLDER keeps what was installed. Skipped where nothing can be installed (no pip, no network).
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import names
import numpy_test
import run_with_dropin as dropin

WHEELS = {"today": ["numpy>=2", "scipy"], "before-numpy-2": ["numpy<2", "scipy<1.13"]}


def interpreter_with_pip():
    """This one, or the system's; None where neither has pip."""
    for python in dict.fromkeys([sys.executable, "/usr/bin/python3"]):
        if shutil.which(python) and subprocess.run([python, "-m", "pip", "--version"], capture_output=True).returncode == 0:
            return python
    return None


def install(python, name, folder):
    """The folder with the wheels installed; None where that is impossible, with pip's last words on standard output."""
    version = subprocess.run([python, "-c", "import sys; print(*sys.version_info[:2], sep='.')"], capture_output=True,
                             text=True, check=True).stdout.strip()
    target = Path(folder) / f"python{version}-{name}"
    if target.is_dir():
        return target
    partial = target.with_name(target.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    done = subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:",
                           "--retries=1", "--timeout=20", f"--target={partial}", *WHEELS[name]], capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{' '.join(WHEELS[name])} cannot be installed for Python {version}: {done.stderr.strip().splitlines()[-1:]}", flush=True)
        return None
    partial.rename(target)
    return target


def unserved(folder):
    """Imports of the wheels' modules that name a routine of ours in a spelling that the drop-in lacks."""
    modules = [str(file) for file in Path(folder).rglob("*.so")]
    table = subprocess.run(["nm", "-D", "--undefined-only", *modules], capture_output=True, text=True, check=True).stdout
    imported = {line.split()[-1].partition("@")[0] for line in table.splitlines() if " U " in line}
    named = {symbol for symbol in imported if names.routine_of(symbol)}
    if len(named) < 10:
        raise SystemExit(f"{folder}: the modules import no BLAS: {sorted(named)}")
    return named - names.SERVED


def check(python, folder, blas, library):
    extra = {"PYTHONPATH": str(folder), "PYTHONNOUSERSITE": "1"}
    missing = unserved(folder)
    if missing:
        print(f"FAILED: {folder} imports {sorted(missing)}, which the drop-in lacks")
    failed = len(missing)
    for mode in ("cr", "native"):
        for script in ("numpy_checks.py", "scipy_checks.py"):
            wrong, output = numpy_test.failures(folder.name, script, mode, python, blas, library, extra=extra)
            # The real BLAS is the wheels' own: no other came into the process.
            libraries = output.splitlines()[1:]
            foreign = [file for file in libraries if not file.startswith(str(folder))]
            if foreign or not libraries:
                print(f"FAILED: BLAS libraries in the process: {libraries}")
            failed += wrong or bool(foreign) or not libraries
    return failed


def main():
    folder, blas, library = map(os.path.abspath, sys.argv[1:])
    python = interpreter_with_pip()
    if python is None:
        print("skipped: no pip")
        return dropin.SKIP
    installed = list(filter(None, (install(python, name, folder) for name in WHEELS)))
    failed = sum(check(python, target, blas, library) for target in installed)
    return 1 if failed else 0 if installed else dropin.SKIP


if __name__ == "__main__":
    sys.exit(main())
