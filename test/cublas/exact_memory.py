"""Where the operands of exact.py lie."""
import ctypes
import os
import sys


class HostMemory:
    on_device = False

    def __init__(self):
        self.kept = []

    def put(self, data):
        self.kept.append(ctypes.create_string_buffer(len(data) + 16))
        address = (ctypes.addressof(self.kept[-1]) + 15) // 16 * 16
        ctypes.memmove(address, bytes(data), len(data))
        return address

    def take(self, address, count):
        return ctypes.string_at(address, count)

    def clear(self):
        self.kept = []


class DeviceMemory:
    on_device = True

    def __init__(self):
        try:
            self.cuda = ctypes.CDLL("libcuda.so.1")
            found = self.cuda.cuInit(0) == 0
        except OSError:
            found = False
        if not found:
            sys.exit("no GPU" if os.environ.get("ACCUBLAS_TEST_REQUIRE_GPU") == "1" else 77)
        self.used = 0
        context, device, base = ctypes.c_void_p(), ctypes.c_int(), ctypes.c_uint64()
        for status in (self.cuda.cuDeviceGet(ctypes.byref(device), 0),
                       self.cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), self.cuda.cuCtxSetCurrent(context),
                       self.cuda.cuMemAlloc_v2(ctypes.byref(base), ctypes.c_size_t(1 << 24))):
            assert status == 0, status
        self.base = base.value

    def put(self, data):
        address = self.base + self.used
        self.used += (len(data) + 271) // 256 * 256
        assert self.used < 1 << 24
        assert self.cuda.cuMemcpyHtoD_v2(ctypes.c_uint64(address), bytes(data), ctypes.c_size_t(len(data))) == 0
        return address

    def take(self, address, count):
        buffer = ctypes.create_string_buffer(count)
        assert self.cuda.cuMemcpyDtoH_v2(buffer, ctypes.c_uint64(address), ctypes.c_size_t(count)) == 0
        return buffer.raw

    def clear(self):
        self.used = 0
