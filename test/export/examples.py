"""Builds and runs the example of one build tool in examples/ on the installed package, from a copy of its folder alone.

usage: examples.py TOOL BUILD SOURCE PREFIX LIBDIR MESON TOOLS [FC]

TOOL is make, cmake, meson or fpm; TOOLS keeps an fpm that is fetched. Skipped where the tool is missing.
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "dropin"))
import run_with_dropin as dropin  # noqa: E402
import wheels_test as wheels  # noqa: E402

PROGRAMS = {"first": ("cr", "2"), "first_fortran": ("cr", "1.0000000000000000"), "plain_dgemm": ("C(1,1)", "= 1")}
FPM = "fpm==0.12.0"


def run(command, env, folder):
    print("$", " ".join(map(str, command)), flush=True)
    done = subprocess.run(command, env=env, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"FAILED with status {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


def find_fpm(folder):
    """The program of the Fortran package manager: of the system, else of its wheel; None where it cannot be had."""
    found = shutil.which("fpm")
    if found and "fpm(1)" in subprocess.run([found, "--version"], capture_output=True, text=True).stdout:
        return found  # there is another program of that name
    python = wheels.interpreter_with_pip()
    if python is None:
        return None
    target = Path(folder) / FPM
    if not target.is_dir():
        partial = target.with_name(target.name + ".partial")
        shutil.rmtree(partial, ignore_errors=True)
        done = subprocess.run([python, "-m", "pip", "install", "--quiet", *wheels.PIP, f"--target={partial}", FPM],
                              capture_output=True, text=True)
        if done.returncode != 0:
            if wheels.index_is_reached(python):
                raise SystemExit(f"FAILED: the index is reached, and {FPM} was not installed: {done.stderr}")
            return None
        partial.rename(target)
    return str(target / "fpm" / "fpm")


def build(tool, program, fc, env, folder):
    """Builds as the example says, and returns {program: its file}."""
    if tool == "make":
        run([program, f"FC={fc}"], env, folder)
        return {name: folder / name for name in PROGRAMS}
    if tool == "cmake":
        run([program, "-B", "build", f"-DCMAKE_Fortran_COMPILER={fc}"], env, folder)
        run([program, "--build", "build"], env, folder)
    elif tool == "meson":
        run([program, "setup", "build"], env, folder)
        run(["ninja", "-C", "build"], env, folder)
    else:
        flags = {option: subprocess.run(["pkg-config", option, "accublas-fortran"], env=env, capture_output=True, text=True,
                                        check=True).stdout.strip() for option in ("--cflags", "--libs-only-L")}
        run([program, "install", "--prefix", folder / "build", "--bindir", ".", "--compiler", fc, "--flag", flags["--cflags"],
             "--link-flag", flags["--libs-only-L"]], env, folder)
        return {"first_fortran": folder / "build" / "first"}
    return {name: folder / "build" / name for name in PROGRAMS}


def main():
    tool, build_folder, source, prefix, libdir, meson, tools = sys.argv[1:8]
    fc = sys.argv[8] if len(sys.argv) > 8 else None
    program = {"meson": lambda: meson, "fpm": lambda: find_fpm(tools)}.get(tool, lambda: shutil.which(tool))()
    if not program or not fc:
        print(f"skipped: no {tool}" if not program else "skipped: the library has no Fortran module")
        return dropin.SKIP
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        run([meson, "install", "-C", build_folder, "--no-rebuild", "--quiet"], {**os.environ, "DESTDIR": str(work / "root")}, work)
        installed = Path(f"{work}/root{prefix}")
        shutil.copytree(Path(source) / "examples" / tool, work / tool, symlinks=True)  # a link to elsewhere leads nowhere
        # pkg-config as if the package lay where it was installed to.
        wrapper = work / "bin" / "pkg-config"
        wrapper.parent.mkdir()
        wrapper.write_text(f'#!/bin/sh\nexec {shutil.which("pkg-config")} --define-variable=prefix={installed} "$@"\n')
        wrapper.chmod(0o755)
        env = {k: v for k, v in os.environ.items() if not k.startswith("ACCUBLAS_") and k != "DESTDIR"}
        env.update(PATH=f"{wrapper.parent}:{env['PATH']}", PKG_CONFIG_PATH=str(installed / libdir / "pkgconfig"),
                   LD_LIBRARY_PATH=str(installed / libdir), ACCUBLAS_MODE="cr")
        env.pop("PKG_CONFIG", None)
        for name, file in build(tool, program, fc, env, work / tool).items():
            output = run([file], env, work).stdout
            if tuple(output.splitlines()[-1 if name != "first_fortran" else 1].split(maxsplit=1)) != PROGRAMS[name]:
                raise SystemExit(f"FAILED: {name} printed\n{output}")
            print(f"ok: {name} by {tool}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
