"""Puts work on the simulated NPU, as a program that knows nothing of the profiler would."""

import ctypes
import os

from conftest import PYTHON_DIRECTORY


class Kernel(ctypes.Structure):
    """NpusimKernel of include/npuprof/npusim.h."""

    _fields_ = [("call", ctypes.c_char_p), ("name", ctypes.c_char_p), ("type", ctypes.c_char_p),
                ("attributes", ctypes.c_char_p), ("core", ctypes.c_int32),
                ("block_count", ctypes.c_uint32), ("mix_ratio", ctypes.c_uint32),
                ("math_type", ctypes.c_int32), ("cube_flops", ctypes.c_double),
                ("vector_operations", ctypes.c_double), ("bytes_read", ctypes.c_double),
                ("bytes_written", ctypes.c_double), ("tensors", ctypes.c_void_p),
                ("tensor_count", ctypes.c_uint32)]


_VECTOR_CORE = 1


class Device:
    """Device 0 of the simulated library that the package brings along."""

    def __init__(self):
        path = os.path.join(PYTHON_DIRECTORY, "npuprof", "lib", "libnpusim_cann.so")
        self._library = ctypes.CDLL(path)
        self._check("aclrtSetDevice", 0)

    def _check(self, name, *arguments):
        code = getattr(self._library, name)(*arguments)
        assert code == 0, f"{name} returned {code}"

    def stream(self):
        """The handle of a new stream."""
        handle = ctypes.c_void_p()
        self._check("aclrtCreateStream", ctypes.byref(handle))
        return handle.value

    def launch(self, name, stream=0):
        """Runs a small kernel and waits for it."""
        kernel = Kernel(call=b"aclnnAdd", name=name.encode(), type=b"Add", core=_VECTOR_CORE,
                        block_count=8, vector_operations=1000, bytes_read=4000, bytes_written=2000)
        self._check("npusimLaunchKernel", ctypes.byref(kernel), ctypes.c_void_p(stream))
        self._check("aclrtSynchronizeStream", ctypes.c_void_p(stream))
