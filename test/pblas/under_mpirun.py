"""Runs programs under mpirun, with libaccublas_pblas preloaded where it is asked for."""
import os
import subprocess

# Variables of OpenMPI, since containers run as root and have fewer cores than ranks. MPICH ignores them.
OPENMPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
           "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_mpi_yield_when_idle": "1"}
THREADS = {"ACCUBLAS_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def is_mpich(mpirun):
    return "HYDRA" in subprocess.run([mpirun, "--version"], capture_output=True, text=True).stdout


def run(mpirun, ranks, command, library=None, directory="/", timeout=300, **variables):
    """Returns the finished process. The library is preloaded into the ranks alone, not into mpirun."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("ACCUBLAS_")}
    env.update(OPENMPI | THREADS | variables)
    start = ["env", f"LD_PRELOAD={library}"] if library else []
    return subprocess.run([mpirun, "-n", str(ranks), *start, *command], env=env, cwd=directory, capture_output=True, text=True, timeout=timeout)
