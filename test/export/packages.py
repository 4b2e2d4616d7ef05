"""Builds Debian's packages of a copy of the tree, unpacks them, and runs programs on the libblas.so.3 in them: netlib's testers,
NumPy and R, without a preloaded library. They are built by another compiler than the current one, and the bits compared.

usage: packages.py SOURCE DRIVER [OTHER_CXX] [--plain]

With --plain the library's sources are not optimised, but for its kernels. Nothing is installed. Skipped where dpkg-buildpackage or debhelper is missing.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "dropin"))
import netlib  # noqa: E402
import numpy_test  # noqa: E402
import run_with_dropin as dropin  # noqa: E402

SOURCES = ("c_api", "cuda", "debian", "docs", "examples", "fortran", "include", "lib", "perf", "pkgconfig", "proofs", "python", "meson.build", "meson_options.txt")
MODES = ("dp", "dp:repro", "cr", "dot2")
NETLIB = [name for level in "123" for t in "sd" for name in (f"xblat{level}{t}", f"x{t}cblat{level}")]
R_PROGRAM = """
a <- matrix(c(1e8, 1e8, 1, 1, -1e8, 1e8), 2)
product <- a %*% t(a[2:1, ])
cat(product[1, 1], solve(matrix(c(2, 1, 1, 3), 2), c(3, 5)), "\\n")
"""


def run(command, **arguments):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", **arguments)
    if done.returncode != 0:
        raise SystemExit(f"FAILED: {' '.join(map(str, command))}: status {done.returncode}\n{done.stdout[-8000:]}")
    return done.stdout


def expect(what, condition, seen=""):
    if not condition:
        raise SystemExit(f"FAILED: {what}\n{seen}")
    print("ok:", what, flush=True)


def build(source, compiler, plain, work):
    """The packages {name: file}, without debugging symbols."""
    tree = work / "accublas"
    tree.mkdir()
    for name in SOURCES:
        path = Path(source) / name
        (shutil.copytree if path.is_dir() else shutil.copy)(path, tree / name)
    env = {k: v for k, v in os.environ.items() if k not in ("CC", "CXX", "FC", "CFLAGS", "CXXFLAGS", "LDFLAGS", "DESTDIR")}
    # Fortran, which is compiled by no other compiler, in haste.
    # The flag -O0 of noopt would come behind the kernels' own.
    env.update(DEB_BUILD_OPTIONS="nocheck noautodbgsym parallel=2" + (" noopt" if plain else ""), DEB_FFLAGS_APPEND="-O0", DEB_FCFLAGS_APPEND="-O0",
               DEB_CFLAGS_STRIP="-g", DEB_CXXFLAGS_STRIP="-g -O0", DEB_FCFLAGS_STRIP="-g",
               DPKG_DEB_COMPRESSOR_TYPE="gzip", DPKG_DEB_COMPRESSOR_LEVEL="1",
               **({"CXX": compiler} if compiler else {}))
    run(["dpkg-buildpackage", "-us", "-uc", "-b"], cwd=tree, env=env)
    return {file.name.partition("_")[0]: file for file in work.glob("*.deb")}


def check_contents(packages, triplet, work):
    """Which file is in which package, and that installing the last one offers it as the system's BLAS."""
    expect("four packages", set(packages) == {"libaccublas0", "libaccublas-pblas0", "libaccublas-dev", "libaccublas-blas3"}, packages)
    library = f"usr/lib/{triplet}"
    wanted = {
        "libaccublas0": [f"{library}/libaccublas.so.0", f"{library}/libaccublas_blas.so.0", f"{library}/libaccublas_fortran.so.0"],
        "libaccublas-pblas0": [f"{library}/libaccublas_pblas.so.0"],
        "libaccublas-dev": ["usr/include/accublas.h", f"{library}/libaccublas.so", f"{library}/libaccublas.a",
                            f"{library}/pkgconfig/accublas.pc", "usr/share/accublas/accublas_module.f90"],
        "libaccublas-blas3": [f"{library}/accublas/libblas.so.3"],
    }
    for name, file in packages.items():
        run(["dpkg", "-x", file, work / name])
        missing = [path for path in wanted[name] if not (work / name / path).is_symlink() and not (work / name / path).exists()]
        expect(f"{name} has its files", not missing, missing)
    fields = run(["dpkg-deb", "-f", packages["libaccublas-blas3"], "Provides", "Depends"])
    expect("libaccublas-blas3 is a libblas.so.3 on libopenblas0", re.search(r"^Provides: libblas\.so\.3$", fields, re.M)
           and re.search(r"^Depends:.*\blibaccublas0 \(=.*\blibopenblas0\b", fields, re.M), fields)
    run(["dpkg", "-e", packages["libaccublas-blas3"], work / "control"])
    script = (work / "control" / "postinst").read_text()
    offered = re.sub(r"\s*\\\n\s*", " ", script)
    expect("it is an alternative for libblas.so.3", f"update-alternatives --install /{library}/libblas.so.3 "
           f"libblas.so.3-{triplet} /{library}/accublas/libblas.so.3 " in offered, script)


def check_development(root, triplet, source, work):
    """Programs by the package's pkg-config files and its Fortran module."""
    pkg_config = ["pkg-config", f"--define-variable=prefix={root}/usr"]
    env = {**os.environ, "PKG_CONFIG_PATH": f"{root}/usr/lib/{triplet}/pkgconfig"}
    for compiler, program, package, line in (("gcc", "first.c", "accublas", r"^cr +2$"),
                                             ("gfortran", "first.f90", "accublas-fortran", r"^cr +1\.0")):
        flags = run([*pkg_config, "--cflags", "--libs", package], env=env).split()
        run([compiler, f"{source}/examples/{program}", *flags, "-o", work / f"{package}.out"])
        output = run([work / f"{package}.out"], env={**os.environ, "LD_LIBRARY_PATH": f"{root}/usr/lib/{triplet}"})
        expect(f"{program} on the packages", re.search(line, output, re.M), output)


def check_netlib(on_libblas, work):
    directory = dropin.blas_directory()
    if not directory:
        print("left out: netlib's testers (Debian: libblas-test)")
        return
    # CBLAS's testers want a variable that OpenBLAS lacks: there netlib's library stands in for libopenblas.so.0.
    (work / "netlib").mkdir()
    (work / "netlib" / "libopenblas.so.0").symlink_to(f"{directory}/libblas.so.3")
    on_netlib = dropin.on_library_path(work / "netlib", on_libblas["LD_LIBRARY_PATH"])
    for program in NETLIB:
        for mode in MODES:
            wrong = netlib.check(program, None, directory, mode, "auto", extra=on_netlib if "cblat" in program else on_libblas)
            expect(f"{program} {mode}", wrong is None, wrong)


def check_numpy(on_libblas, library):
    """Debian's NumPy: others bring a BLAS of their own."""
    python = "/usr/bin/python3"
    if subprocess.run([python, "-c", "import numpy"], capture_output=True).returncode != 0:
        print("left out: NumPy (Debian: python3-numpy)")
        return
    for mode in MODES:
        failed, output = numpy_test.failures("the packages", "numpy_checks.py", mode, python, None, library, extra=on_libblas)
        others = [file for file in output.splitlines()[1:] if "/libopenblas" not in file]
        expect(f"NumPy {mode}, and no BLAS beside OpenBLAS", failed == 0 and not others, others)


def check_r(on_libblas):
    """R puts a search path of its own in front."""
    if not shutil.which("Rscript"):
        print("left out: R (Debian: r-base-core)")
        return
    for mode in MODES:
        env = dropin.environment(None, mode, extra={**on_libblas, "R_LD_LIBRARY_PATH": on_libblas["LD_LIBRARY_PATH"]})
        done = dropin.run(["Rscript", "--vanilla", "-e", R_PROGRAM], env, "/")
        served = dropin.counts(done.stderr)
        engines = {engine for routine, engine in served if routine == "dgemm"}
        product, *solution = map(float, done.stdout.split() or ["nan"])
        right = done.returncode == 0 and (product == 1 or mode == "dp") and all(abs(x - y) < 1e-12 for x, y in zip(solution, (0.8, 1.4)))
        expect(f"R {mode}", right and len(solution) == 2 and engines == {numpy_test.ENGINES[mode]}, done.stdout + done.stderr)


def main():
    plain = "--plain" in sys.argv
    source, driver, *compiler = (word for word in sys.argv[1:] if word != "--plain")
    source, driver, compiler = os.path.abspath(source), os.path.abspath(driver), compiler[0] if compiler else None
    if not shutil.which("dpkg-buildpackage") or not shutil.which("dh"):
        print("skipped: no dpkg-buildpackage, or no debhelper")
        return dropin.SKIP
    triplet = run(["dpkg-architecture", "-qDEB_HOST_MULTIARCH"]).strip()
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        packages = build(source, compiler, plain, work)
        check_contents(packages, triplet, work)
        root = work / "root"
        for file in packages.values():
            run(["dpkg", "-x", file, root])
        libraries = root / "usr/lib" / triplet
        check_development(root, triplet, source, work)
        if compiler:
            print(run([f"{source}/test/export/compare_bits.sh", driver, libraries / "libaccublas.so.0"]), end="")
        on_libblas = dropin.on_library_path(libraries / "accublas", libraries)
        check_netlib(on_libblas, work)
        check_numpy(on_libblas, str(libraries / "libaccublas.so.0"))
        check_r(on_libblas)
    return 0


if __name__ == "__main__":
    sys.exit(main())
