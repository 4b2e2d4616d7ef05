"""In a process without cuBLAS the names of the drop-in return a status.

usage: none_loaded.py LIBACCUBLAS_CUBLAS
"""
import ctypes
import sys

NOT_INITIALIZED = 1
dropin = ctypes.CDLL(sys.argv[1])
none = [ctypes.c_void_p()] * 16
for name, arguments in {"cublasLtMatmul": 16, "cublasLtDestroy": 1, "cublasDestroy_v2": 1}.items():
    status = getattr(dropin, name)(*none[:arguments])
    if status != NOT_INITIALIZED:
        sys.exit(f"{name} returned {status}")
