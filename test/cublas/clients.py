"""Runs PyTorch, CuPy, JAX and a program that opens cuBLAS by ctypes under the preloaded drop-in. Counters prove that calls were intercepted, and
cr's products have the bits of the CPU.

usage: clients.py LIBACCUBLAS LIBACCUBLAS_CUBLAS [client ...]    skipped (77) if no client is installed
"""
import ctypes
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "dropin"))
import run_with_dropin as dropin  # noqa: E402

COLUMN_MAJOR, NO_TRANS, CPU = 102, 111, 1


def cpu_product(accublas, a, b):
    """The product of NumPy's matrices by accublas's CPU, in the mode of the environment."""
    import numpy
    a, b = numpy.asfortranarray(a), numpy.asfortranarray(b)
    c = numpy.zeros((a.shape[0], b.shape[1]), a.dtype, order="F")
    one, zero = numpy.ones(1, a.dtype), numpy.zeros(1, a.dtype)
    pointer = lambda x: ctypes.c_void_p(x.ctypes.data)
    size = ctypes.c_int64
    assert accublas.accublas_set_backend(None, CPU) == 0
    gemm = getattr(accublas, f"accublas_{ {'d': 'd', 'D': 'z', 'f': 's', 'F': 'c'}[a.dtype.char] }gemm")
    status = gemm(None, COLUMN_MAJOR, NO_TRANS, NO_TRANS, size(a.shape[0]), size(b.shape[1]), size(a.shape[1]), pointer(one), pointer(a),
                  size(a.shape[0]), pointer(b), size(b.shape[0]), pointer(zero), pointer(c), size(a.shape[0]))
    assert status == 0, status
    return c


def operands(dtype, *shape):
    import numpy
    rng = numpy.random.default_rng(1)
    x = rng.standard_normal(shape) * numpy.exp2(rng.integers(-20, 20, shape))
    return (x + 1j * rng.standard_normal(shape) if numpy.dtype(dtype).kind == "c" else x).astype(dtype)


def compare(accublas, product):
    """`product` multiplies NumPy's matrices by the client."""
    for dtype in ("float64", "complex128", "float32"):
        a, b = operands(dtype, 150, 130), operands(dtype, 130, 110)
        same = (product(a, b) == cpu_product(accublas, a, b)).all()
        print(dtype, "product:", "the CPU's bits" if same else "OTHER BITS")


def torch_client(accublas):
    import torch
    on_gpu = lambda x: torch.from_numpy(x).cuda()
    bits = os.environ["ACCUBLAS_MODE"] == "cr"
    if bits:
        compare(accublas, lambda a, b: (on_gpu(a) @ on_gpu(b)).cpu().numpy())
    a, b = on_gpu(operands("float64", 4, 96, 96)), on_gpu(operands("float64", 4, 96, 96))
    batch = torch.bmm(a, b)
    if bits:
        print("batch:", "the CPU's bits" if all(
            (batch[i].cpu().numpy() == cpu_product(accublas, a[i].cpu().numpy(), b[i].cpu().numpy())).all() for i in range(4)) else "OTHER BITS")
    torch.einsum("bij,bjk->bik", a, b)
    x = torch.linalg.solve(a[0], b[0])
    print("solve: residual %.1e" % float((a[0] @ x - b[0]).abs().max() / (a[0].abs() @ x.abs()).max()))
    w = a[0].clone().requires_grad_()
    (w @ b[0]).sum().backward()
    print("gradient:", bool(torch.allclose(w.grad, b[0].sum(1).expand(96, 96))))
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        c = a[0] @ b[0]
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        captured = a[0] @ b[0]
    graph.replay()
    torch.cuda.synchronize()
    print("graph:", bool((captured == c).all()))


def linear_client(accublas):
    """Compares torch.nn.Linear with a bias, which PyTorch computes by cublasLt, with the CPU's product plus the bias, without and with ReLU."""
    import torch
    torch.backends.cuda.matmul.allow_tf32 = False
    for dtype in ("float64", "float32"):
        x, w, b = operands(dtype, 150, 130), operands(dtype, 110, 130), operands(dtype, 110)
        layer = torch.nn.Linear(130, 110, dtype=getattr(torch, dtype), device="cuda")
        with torch.no_grad():
            layer.weight.copy_(torch.from_numpy(w))
            layer.bias.copy_(torch.from_numpy(b))
            out = layer(torch.from_numpy(x).cuda()).cpu().numpy()
            relu = torch._addmm_activation(layer.bias, torch.from_numpy(x).cuda(), layer.weight.t()).cpu().numpy()
        if os.environ["ACCUBLAS_MODE"] == "cr":
            wanted = cpu_product(accublas, x, w.T) + b
            print(dtype, "linear:", "the CPU's bits" if (out == wanted).all() else "OTHER BITS")
            print(dtype, "linear and ReLU:", "the CPU's bits" if (relu == wanted.clip(0)).all() else "OTHER BITS")


def jax_client(accublas):
    """Compares products of JAX with the CPU's. JAX computes them by cublasLt if Triton's kernels are off."""
    os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_gpu_enable_triton_gemm=false"
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import jax
    import numpy
    jax.config.update("jax_enable_x64", True)
    product = jax.jit(lambda a, b: jax.numpy.dot(a, b, precision=jax.lax.Precision.HIGHEST))
    compare(accublas, lambda a, b: numpy.asarray(product(a, b)))
    a, b = operands("float64", 4, 96, 80), operands("float64", 4, 80, 96)
    batch = numpy.asarray(jax.jit(lambda a, b: jax.numpy.matmul(a, b, precision=jax.lax.Precision.HIGHEST))(a, b))
    same = all((batch[i] == cpu_product(accublas, a[i], b[i])).all() for i in range(4))
    print("batch:", "the CPU's bits" if same else "OTHER BITS")


def cupy_client(accublas):
    import cupy
    compare(accublas, lambda a, b: cupy.asnumpy(cupy.asarray(a) @ cupy.asarray(b)))


def ctypes_client(accublas):
    """Opens libcublas and looks its functions up."""
    import cupy
    cublas = ctypes.CDLL("libcublas.so.13")
    handle, one, zero = ctypes.c_void_p(), ctypes.c_double(1), ctypes.c_double(0)
    assert cublas.cublasCreate_v2(ctypes.byref(handle)) == 0
    host = [operands("float64", 64, 64) for _ in "ab"]
    a, b = (cupy.asarray(x, order="F") for x in host)
    c = cupy.zeros((64, 64), order="F")
    pointer = lambda x: ctypes.c_void_p(x.data.ptr)
    assert cublas.cublasDgemm_v2(handle, 0, 0, 64, 64, 64, ctypes.byref(one), pointer(a), 64, pointer(b), 64, ctypes.byref(zero), pointer(c), 64) == 0
    print("product:", "the CPU's bits" if (cupy.asnumpy(c) == cpu_product(accublas, *host)).all() else "OTHER BITS")
    assert cublas.cublasDestroy_v2(handle) == 0


def cusolver_client(accublas):
    """Runs only a factorization, whose panels and updates cuSOLVER computes by cuBLAS."""
    import torch
    for dtype in (torch.float64, torch.complex128):
        a = torch.from_numpy(operands("float64", 1500, 1500)).to(dtype).cuda()
        lu, pivots = torch.linalg.lu_factor(a)
        again, _ = torch.linalg.lu_factor(a)
        p, l, u = (x.cpu() for x in torch.lu_unpack(lu, pivots))
        print("lu_factor, %s: residual %.1e" % (str(dtype)[6:], float((p @ l @ u - a.cpu()).abs().max() / (l.abs() @ u.abs()).max())))
        if os.environ["ACCUBLAS_MODE"] != "dp":
            print("the same bits again:", bool((lu == again).all()))


def samples_client(accublas):
    """PyTorch's own samples of its products against its CPU's results in double precision, within its relative tolerance of
    the largest element: sums of the samples' numbers cancel, in single precision beyond its tolerance of an element."""
    import torch
    from torch.testing._internal.common_methods_invocations import op_db
    names = ("matmul", "__rmatmul__", "mm", "bmm", "mv", "addmm", "addmv", "addbmm", "baddbmm", "einsum", "inner", "dot", "vdot", "tensordot",
             "linalg.multi_dot", "linalg.solve", "linalg.solve_triangular")
    torch.backends.cuda.matmul.allow_tf32 = False
    wide = {torch.float32: torch.float64, torch.complex64: torch.complex128}
    on_cpu = lambda x: x.cpu().to(wide.get(x.dtype, x.dtype)) if isinstance(x, torch.Tensor) else x
    tried = {}
    for op in op_db:
        for dtype in (torch.float32, torch.float64, torch.complex64, torch.complex128):
            if op.name not in names or not op.supports_dtype(dtype, "cuda"):
                continue
            for sample in op.sample_inputs("cuda", dtype):
                reference = sample.transform(on_cpu)
                wanted = op(reference.input, *reference.args, **reference.kwargs)
                relative = 1.3e-6 if dtype in wide else 1e-7  # torch.testing.assert_close's own
                largest = float(wanted.abs().nan_to_num().max()) if wanted.numel() else 0
                torch.testing.assert_close(on_cpu(op(sample.input, *sample.args, **sample.kwargs)), wanted, rtol=0,
                                           atol=relative * largest, equal_nan=True)
                tried[op.name] = tried.get(op.name, 0) + 1
    print("PyTorch's samples as its CPU has them:", ", ".join(f"{name} {count}" for name, count in tried.items()))


def fork_client(accublas):
    """Forked before CUDA is used, both processes compute."""
    child = os.fork()
    ctypes_client(accublas)
    if child == 0:
        sys.stdout.flush()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


# Each client, and the package that must be installed for it.
CLIENTS = {"torch": (torch_client, "torch"), "linear": (linear_client, "torch"), "jax": (jax_client, "jax"),
           "samples": (samples_client, "torch"), "cusolver": (cusolver_client, "torch"),
           "cupy": (cupy_client, "cupy"), "ctypes": (ctypes_client, "cupy"), "fork": (fork_client, "cupy")}
EVERY_MODE = ("torch", "linear", "samples", "cusolver")

if __name__ == "__main__":
    if os.environ.get("ACCUBLAS_TEST_CLIENT"):
        CLIENTS[os.environ["ACCUBLAS_TEST_CLIENT"]][0](ctypes.CDLL(sys.argv[1]))
        sys.exit()
    clients = [c for c in sys.argv[3:] or CLIENTS if importlib.util.find_spec(CLIENTS[c][1])]
    if not clients:
        sys.exit(77)
    wrong = []
    for client in clients:
        for mode in ("cr", "dp:repro", "dp") if client in EVERY_MODE else ("cr",):
            env = {**os.environ, **dropin.preload(sys.argv[2]), "ACCUBLAS_TEST_CLIENT": client, "ACCUBLAS_MODE": mode,
                   "ACCUBLAS_VERBOSE": "summary"}
            done = subprocess.run([sys.executable, *sys.argv[:2]], env=env, capture_output=True, text=True)
            served = re.findall(r"^accublas: (\w+) backend=cuda", done.stderr, re.MULTILINE)
            print(f"{client}, {mode}: exit {done.returncode}", done.stdout, *[line for line in done.stderr.splitlines()
                  if line.startswith("accublas:")], "" if done.returncode == 0 else done.stderr[-1500:], sep="\n", flush=True)
            if done.returncode or "OTHER BITS" in done.stdout or "False" in done.stdout or "dgemm" not in served:
                wrong.append((client, mode))
    sys.exit(f"not served as they should be: {wrong}" if wrong else 0)
