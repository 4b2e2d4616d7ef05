"""NumPy's and SciPy's wheels from PyPI under the preloaded drop-in: today's, and those before NumPy 2, whose names differ.
The wheels since NumPy 2 must also pass NumPy's own tests of linear algebra, apart from the generalized ones, on stacks of matrices: these are slow, and
the tolerance of one, of pinv, is narrower than what dp:repro promises (docs/guide.md).

usage: wheels_test.py FOLDER LIBACCUBLAS_BLAS LIBACCUBLAS

FOLDER keeps what was installed. Skipped where there is no pip, or where wheels are missing and the index cannot be reached;
wheels that it has for this Python and that cannot be installed are a failure.
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import names
import numpy_test
import run_with_dropin as dropin

WHEELS = {"since-numpy-2": ["numpy>=2", "scipy", "pytest", "hypothesis"], "before-numpy-2": ["numpy<2", "scipy<1.13"]}
LAST_PYTHON = {"before-numpy-2": (3, 12)}  # for which there are such wheels
TESTS = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--pyargs", "numpy.linalg.tests.test_linalg", "-k", "not generalized"]
ROUTINES = {"dgemm", "zgemm", "dgetrf", "dgesv", "zgesv", "dpotrf", "dgeqrf", "dorgqr"}  # which the tests call
PIP = ["--disable-pip-version-check", "--only-binary=:all:", "--retries=1", "--timeout=20"]


def interpreter_with_pip():
    """This one, or the system's; None where neither has pip."""
    for python in dict.fromkeys([sys.executable, "/usr/bin/python3"]):
        if shutil.which(python) and subprocess.run([python, "-m", "pip", "--version"], capture_output=True).returncode == 0:
            return python
    return None


def version_of(python):
    """(3, 11), for instance."""
    done = subprocess.run([python, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, text=True, check=True)
    return tuple(map(int, done.stdout.split()))


def index_is_reached(python):
    """Whether the index answers for a package that it has."""
    return subprocess.run([python, "-m", "pip", "index", "versions", *PIP, "numpy"], capture_output=True).returncode == 0


def install(python, version, name, folder):
    """The folder with the wheels installed; None where that is impossible, with pip's last words on standard output."""
    version = ".".join(map(str, version))
    target = Path(folder) / f"python{version}-{name}"
    if target.is_dir():
        return target
    partial = target.with_name(target.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    done = subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-compile", *PIP, f"--target={partial}", *WHEELS[name]],
                          capture_output=True, text=True)
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


def numpy_tests(python, folder, blas, mode, extra):
    """Runs NumPy's tests in a mode. Returns 1 if one fails or a routine was not intercepted, and otherwise 0."""
    done = dropin.run([python, *TESTS], dropin.environment(blas, mode, extra=extra), folder)
    missing = ROUTINES - {routine for routine, _ in dropin.counts(done.stderr)}
    wrong = done.returncode != 0 or missing
    print(f"NumPy's tests of {folder.name}, {mode}: {done.stdout.strip().splitlines()[-1:]}" +
          (f"\nFAILED\nnot intercepted: {missing}\n{done.stdout}\n{done.stderr}" if wrong else ""), flush=True)
    return int(bool(wrong))


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
    if (folder / "pytest").is_dir():
        failed += sum(numpy_tests(python, folder, blas, mode, extra) for mode in ("cr", "dp:repro", "dot2"))
    return failed


def main():
    folder, blas, library = map(os.path.abspath, sys.argv[1:])
    python = interpreter_with_pip()
    if python is None:
        print("skipped: no pip")
        return dropin.SKIP
    version = version_of(python)
    targets = [install(python, version, name, folder) for name in WHEELS if version <= LAST_PYTHON.get(name, version)]
    failed = sum(check(python, target, blas, library) for target in targets if target)
    if None in targets and index_is_reached(python):
        print("FAILED: the index is reached, and has wheels that were not installed")
        failed += 1
    return 1 if failed else dropin.SKIP if None in targets else 0


if __name__ == "__main__":
    sys.exit(main())
