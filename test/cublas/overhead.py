"""Measures the time that the drop-in adds to a call that the real cuBLAS computes: overhead.py LIBACCUBLAS_CUBLAS, the
host's time for a small product of torch with and without it; and the time of products in each mode."""
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "dropin"))
import run_with_dropin as dropin  # noqa: E402

if os.environ.get("ACCUBLAS_TEST_CLIENT"):
    import time
    import torch
    if os.environ["ACCUBLAS_TEST_CLIENT"] == "host":
        x = torch.ones(1, 16, 16, dtype=torch.float64, device="cuda")[0]
        out = torch.empty_like(x)
        for _ in range(2000):
            torch.mm(x, x, out=out)
        torch.cuda.synchronize()
        best = 1e9
        for _ in range(20):
            start = time.perf_counter()
            for _ in range(500):
                torch.mm(x, x, out=out)
            best = min(best, time.perf_counter() - start)
            torch.cuda.synchronize()
        print("host time of a product of order 16: %.2f us" % (best / 500 * 1e6))
    else:
        for dtype in (torch.float64, torch.complex128, torch.float32):
            for n in (512, 2048, 8192 if dtype != torch.complex128 else 4096):
                a, b = (torch.randn(n, n, dtype=dtype, device="cuda") for _ in "ab")
                for _ in range(2):
                    a @ b
                times = []
                for _ in range(5):
                    start, end = (torch.cuda.Event(enable_timing=True) for _ in "ab")
                    start.record()
                    a @ b
                    end.record()
                    torch.cuda.synchronize()
                    times.append(start.elapsed_time(end))
                print(str(dtype)[6:], n, "%.3f ms" % sorted(times)[2])
    sys.exit()

for what, modes in (("host", ("", "native", "dp")), ("device", ("", "dp", "dp:repro", "cr"))):
    for mode in modes:
        env = dict(os.environ, ACCUBLAS_TEST_CLIENT=what, ACCUBLAS_MODE=mode or "native")
        if mode:
            env.update(dropin.preload(os.path.abspath(sys.argv[1])))
        done = subprocess.run([sys.executable, sys.argv[0]], env=env, capture_output=True, text=True)
        print(mode or "without", done.stdout.replace("\n", "; "), done.stderr[-800:] if done.returncode else "", flush=True)
