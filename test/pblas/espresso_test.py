"""Quantum ESPRESSO (Debian's) on 1, 2 and 4 ranks under the preloaded drop-ins for the PBLAS and for BLAS: the total energy has the digits
that it prints without them, and accublas computes its products.
usage: espresso_test.py MPIRUN PBLAS BLAS     exits with 77 where Debian's packages are missing"""
import gzip
import os
import re
import shutil
import sys
import tempfile

import under_mpirun

SILICON = "/usr/share/doc/quantum-espresso/examples/EPW/sic/pp/Si.pz-vbc.UPF.gz"  # in quantum-espresso-data
INPUT = """&control
  calculation = 'scf', prefix = 'si', pseudo_dir = './', outdir = './tmp/'
/
&system
  ibrav = 2, celldm = 10.2, nat = 2, ntyp = 1, ecutwfc = 18
/
&electrons
  conv_thr = 1d-10
/
ATOMIC_SPECIES
 Si 28.086 Si.UPF
ATOMIC_POSITIONS alat
 Si 0.00 0.00 0.00
 Si 0.25 0.25 0.25
K_POINTS automatic
 2 2 2 1 1 1
"""


def energy(mpirun, ranks, library, mode):
    """(the printed energy, whether ScaLAPACK solved, engines of ZGEMM)."""
    with tempfile.TemporaryDirectory() as directory:
        with open(os.path.join(directory, "si.in"), "w") as file:
            file.write(INPUT)
        with gzip.open(SILICON, "rb") as source, open(os.path.join(directory, "Si.UPF"), "wb") as file:
            shutil.copyfileobj(source, file)
        done = under_mpirun.run(mpirun, ranks, ["pw.x", "-ndiag", "4" if ranks == 4 else "1", "-in", "si.in"], library, directory,
                                ACCUBLAS_MODE=mode, ACCUBLAS_VERBOSE="summary", OMP_NUM_THREADS="1")
    found = re.findall(r"^! +total energy += +(\S+) Ry$", done.stdout, re.MULTILINE)
    if done.returncode or len(found) != 1:
        sys.exit(f"{ranks} ranks, {mode}: status {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    engines = set(re.findall(r"^accublas: zgemm backend=\w+ engine=(\w+)", done.stderr, re.MULTILINE))
    return found[0], "scalapack distributed-memory algorithm" in done.stdout.lower(), engines


def main():
    mpirun, pblas, blas = sys.argv[1:]
    if not shutil.which("pw.x") or not os.path.exists(SILICON) or under_mpirun.is_mpich(mpirun):
        print("quantum-espresso and quantum-espresso-data are not installed, or they are for another MPI")
        return 77
    alone = energy(mpirun, 1, None, "cr")[0]
    wrong = False
    for mode in ("dp", "cr", "dp:repro"):
        for ranks in (1, 2, 4):
            value, by_scalapack, engines = energy(mpirun, ranks, f"{pblas}:{blas}", mode)
            print(f"{mode} on {ranks}: {value} Ry, alone {alone}, ScaLAPACK {by_scalapack}, engines {sorted(engines)}", flush=True)
            wrong |= value != alone or by_scalapack != (ranks == 4) or not engines or (engines == {"native"}) != (mode == "dp")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
