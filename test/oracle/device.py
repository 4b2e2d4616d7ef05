"""Memory of the first CUDA device through the driver alone, in the context that the CUDA runtime uses."""

import ctypes
from ctypes import byref, c_int, c_size_t, c_uint64, c_void_p


class Device:
    def __init__(self):
        self.driver = ctypes.CDLL("libcuda.so.1")
        number, context = c_int(), c_void_p()
        self._need(self.driver.cuInit(0))
        self._need(self.driver.cuDeviceGet(byref(number), 0))
        self._need(self.driver.cuDevicePrimaryCtxRetain(byref(context), number))
        self._need(self.driver.cuCtxSetCurrent(context))

    def _need(self, status):
        if status:
            raise RuntimeError(f"CUDA driver: {status}")

    def copy_in(self, buffer):
        """Address of a copy of a numpy array."""
        address = c_uint64()
        self._need(self.driver.cuMemAlloc_v2(byref(address), c_size_t(max(buffer.nbytes, 1))))
        if buffer.nbytes:
            self._need(self.driver.cuMemcpyHtoD_v2(address, c_void_p(buffer.ctypes.data), c_size_t(buffer.nbytes)))
        return address.value

    def copy_out(self, address, buffer):
        self._need(self.driver.cuCtxSynchronize())
        self._need(self.driver.cuMemcpyDtoH_v2(c_void_p(buffer.ctypes.data), c_uint64(address), c_size_t(buffer.nbytes)))

    def managed(self, size):
        """Address of memory that the host and the device address alike."""
        address = c_uint64()
        self._need(self.driver.cuMemAllocManaged(byref(address), c_size_t(size), 1))
        return address.value

    def free(self, address):
        self._need(self.driver.cuMemFree_v2(c_uint64(address)))
