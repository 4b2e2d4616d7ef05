"""accublas for Spack: builds the clone of accublas in which this recipe lies."""

from pathlib import Path

from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.meson import MesonPackage

from spack.package import *


class Accublas(MesonPackage, CudaPackage):
    """A BLAS that states how accurate its answer is: DGEMM, SGEMM, DOT, GEMV, NRM2 and ASUM in accuracy modes whose
    answers are defined, most of them bit for bit, and multiple-precision arrays."""

    git = Path(__file__).resolve().parents[6].as_uri()

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("fortran", default=True, description="Fortran module accublas")
    variant("mpi", default=False, description="Drop-in for ScaLAPACK's PBLAS")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("meson@1.0:1.7,1.8.1:", type="build")
    depends_on("cuda@12:", when="+cuda")
    # Loaded at run time by its name, which the run path of the library leads to.
    depends_on("openblas+shared~ilp64", type=("build", "link", "run"))
    depends_on("mpfr@4:")
    depends_on("mpi", when="+mpi")

    conflicts("%gcc@:11", msg="C++20")
    conflicts("%clang@:13", msg="C++20")
    requires("platform=linux")

    def meson_args(self):
        def feature(name, enabled):
            return f"-D{name}={'enabled' if enabled else 'disabled'}"

        arguments = [feature(name, False) for name in ("docs", "perf", "proofs", "tests")]
        arguments += [feature(name, f"+{name}" in self.spec) for name in ("cuda", "fortran", "mpi")]
        arguments += [feature("libblas", True), feature("mpfr", True)]
        # Without a choice: the build's own, a kernel for every GPU from 8.0 on.
        if "+cuda" in self.spec and "cuda_arch=none" not in self.spec:
            arguments.append(f"-Dgpu_arch={','.join(self.spec.variants['cuda_arch'].value)}")
        return arguments
