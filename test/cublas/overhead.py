"""Measures what the drop-in costs PyTorch: overhead.py LIBACCUBLAS_CUBLAS [WHAT ...]. WHAT is `host`, the host's time for a small product that the real
cuBLAS computes; `device`, the time of products in each mode; or `linear`, the time of a layer forward and backward in each mode. By default it measures all."""
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "dropin"))
import run_with_dropin as dropin  # noqa: E402


def median(call):
    """Returns the median of five times of a call in milliseconds. CUDA's events measure them, after two calls that do not count."""
    import torch
    times = []
    for _ in range(7):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in "ab")
        start.record()
        call()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end))
    return sorted(times[2:])[2]


def host():
    import torch
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


def device():
    import torch
    for dtype in (torch.float64, torch.complex128, torch.float32):
        for n in (512, 2048, 8192 if dtype != torch.complex128 else 4096):
            a, b = (torch.randn(n, n, dtype=dtype, device="cuda") for _ in "ab")
            print(str(dtype)[6:], n, "%.3f ms" % median(lambda: a @ b))


def linear():
    """Measures a square layer with a bias. The backward pass computes the gradients of the input, the weights and the bias."""
    import torch
    for dtype in (torch.float64, torch.float32):
        for width in (1024, 4096):
            layer = torch.nn.Linear(width, width, dtype=dtype, device="cuda")
            for batch in (1, 8, 64, 512, 4096):
                x, gradient = (torch.randn(batch, width, dtype=dtype, device="cuda") for _ in "xg")
                x.requires_grad_()
                y = layer(x)
                forward = median(lambda: layer(x))
                backward = median(lambda: torch.autograd.grad(y, (x, layer.weight, layer.bias), gradient, retain_graph=True))
                print(str(dtype)[6:], width, batch, "%.3f %.3f ms" % (forward, backward))


MEASURED = {host: ("", "native", "dp"), device: ("", "dp", "dp:repro", "cr"), linear: ("", "cr", "dot2", "fixed:53", "fixed:24")}

if __name__ == "__main__":
    if os.environ.get("ACCUBLAS_TEST_CLIENT"):
        globals()[os.environ["ACCUBLAS_TEST_CLIENT"]]()
        sys.exit()
    for measure, modes in MEASURED.items():
        if sys.argv[2:] and measure.__name__ not in sys.argv[2:]:
            continue
        for mode in modes:
            env = dict(os.environ, ACCUBLAS_TEST_CLIENT=measure.__name__, ACCUBLAS_MODE=mode or "native")
            if mode:
                env.update(dropin.preload(os.path.abspath(sys.argv[1])))
            done = subprocess.run([sys.executable, sys.argv[0]], env=env, capture_output=True, text=True)
            print(mode or "without", done.stdout.replace("\n", "; "), done.stderr[-800:] if done.returncode else "", flush=True)
