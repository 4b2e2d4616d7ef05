#!/usr/bin/env bash
# accublas on a fresh Debian 12 or Ubuntu 24.04: installs what is missing, builds, and runs.
#   ./setup.sh demo   the demonstration on real matrices: a Fortran program and accublas-compare; builds what they need
#   ./setup.sh test   builds everything, and runs the demonstration and all tests but the suite long
#   ./setup.sh long   builds everything, and runs the suite long, which takes hours: it emulates other architectures, among other things
# Packages come from apt, through sudo only when needed. BUILD_DIR (default: build) names the build folder.
set -euo pipefail
cd "$(dirname "$0")"
build=${BUILD_DIR:-build}

packages=(g++ gfortran meson ninja-build pkg-config libopenblas-dev python3 python3-numpy python3-scipy
  python3-matplotlib python3-tqdm libcli11-dev)
test_packages=(clang g++-aarch64-linux-gnu qemu-user libgtest-dev libmpfr-dev libgmp-dev libblas3 libblas-test liblapack-test liblapack3 python3-pip python3-venv python3-mpmath python3-gmpy2 build-essential debhelper
  cmake libopenmpi-dev openmpi-bin libscalapack-openmpi-dev scalapack-test-common scalapack-mpi-test hpcc coq libcoq-flocq)

# Compilers of architectures that only the suite long has.
long_packages=(g++-powerpc64le-linux-gnu g++-riscv64-linux-gnu g++-s390x-linux-gnu)

install_missing() {
  local missing=() package sudo=()
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  command -v apt-get >/dev/null || { echo "setup.sh: needs ${missing[*]}; install them by hand (no apt-get here)" >&2; exit 1; }
  [ "$(id -u)" -eq 0 ] || sudo=(sudo)
  echo "Installing ${missing[*]}"
  "${sudo[@]}" apt-get update -qq
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# Compute capabilities of the GPUs that are here.
gpus() {
  nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d '. ' | sort -u | sed 's/^90$/90a/' | paste -sd,
}

# Where nvcc is installed: kernels for the GPUs that are here, which the tests then require; without any, PTX of one architecture
# that compiles every kernel, in half the time.
configure() {
  local found require=false
  found=$(gpus) || true
  [ -z "$found" ] || require=true
  set -- "-Dgpu_arch=${found:-90a-virtual}" "-Drequire_gpu=$require" -Ddebug=false "$@"
  if [ -f "$build/build.ninja" ]; then
    meson configure "$build" "$@"
  else
    meson setup "$build" "$@"
  fi
}

# Kernels that no GPU runs here: the compiler's checks are wanted, not their speed. Sources are compiled together, in half of the time,
# some at a time: a number that divides none of sources, where Meson 1.0 asks for a file that is not there.
build_tests() {
  configure -Dtests=enabled "-Dgpu_fast_compile=$([ -n "$(gpus)" ] && echo false || echo true)" -Dunity=on -Dunity_size=17
  ninja -C "$build"
}

demo() {
  local data=data
  for matrix in 1138_bus west0479 mahindas lund_a pores_1; do
    "$build/examples/demo" "$data/$matrix.mtx"
  done
  "$build/perf/accublas-compare" "$data/lund_a.mtx"
  "$build/perf/accublas-compare" "$data/west0479.mtx" --plot "$build/west0479.png"
}

# One line with the totals of meson's log, whatever the number of suites.
totals() {
  python3 - "$build/meson-logs/testlog.json" <<'PYTHON'
import json, sys
results = [json.loads(line)["result"] for line in open(sys.argv[1])]
passed = sum(r in ("OK", "EXPECTEDFAIL") for r in results)
skipped = results.count("SKIP")
print(f"{passed} passed, {len(results) - passed - skipped} failed, {skipped} skipped")
PYTHON
}

case "${1:-}" in
  demo)
    install_missing "${packages[@]}"
    configure -Dgpu_fast_compile=false
    ninja -C "$build" demonstration
    demo
    ;;
  test)
    install_missing "${packages[@]}" "${test_packages[@]}"
    build_tests
    # Half of the demonstration is by one thread: beside the tests.
    demo >"$build/demo.txt" 2>&1 &
    status=0
    # The suite long is not for every change. One test more than cores, for those that wait. OpenBLAS's idle threads look for work for 25 ms otherwise, on the cores of
    # other tests.
    OPENBLAS_THREAD_TIMEOUT=4 meson test -C "$build" --no-suite long --print-errorlogs --num-processes $(($(nproc) + 1)) || status=$?
    wait $! || status=$?
    cat "$build/demo.txt"
    totals
    exit "$status"
    ;;
  long)
    install_missing "${packages[@]}" "${test_packages[@]}" "${long_packages[@]}"
    build_tests
    meson test -C "$build" --suite long --print-errorlogs
    ;;
  *)
    sed -n '2,6s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
esac
