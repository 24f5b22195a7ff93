"""The few calls of the CUDA driver that run.py needs, by ctypes: libcuda alone, no toolkit.

Signatures are those of the CUDA Driver API's manual.  Calls with ``_v2`` are the ones that cuda.h gives under the plain
name: the plain symbols are older forms, with 32-bit sizes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ctypes import POINTER, byref, c_char_p, c_float, c_int, c_size_t, c_uint, c_uint64, c_void_p

LIBRARY = "libcuda.so.1"
COMPUTE_CAPABILITY_MAJOR = 75  # CU_DEVICE_ATTRIBUTE_...
COMPUTE_CAPABILITY_MINOR = 76
THREADS = 256

DEVICE_POINTER = c_uint64  # CUdeviceptr
HANDLE = c_void_p  # CUcontext, CUmodule, CUfunction, CUstream: pointers
SIGNATURES = {
    "cuInit": (c_uint,),
    "cuDriverGetVersion": (POINTER(c_int),),
    "cuDeviceGetCount": (POINTER(c_int),),
    "cuDeviceGet": (POINTER(c_int), c_int),
    "cuDeviceGetName": (c_char_p, c_int, c_int),
    "cuDeviceGetAttribute": (POINTER(c_int), c_int, c_int),
    "cuDevicePrimaryCtxRetain": (POINTER(HANDLE), c_int),
    "cuDevicePrimaryCtxRelease_v2": (c_int,),
    "cuCtxSetCurrent": (HANDLE,),
    "cuCtxSynchronize": (),
    "cuModuleLoadData": (POINTER(HANDLE), c_void_p),
    "cuModuleUnload": (HANDLE,),
    "cuModuleGetFunction": (POINTER(HANDLE), HANDLE, c_char_p),
    "cuMemAlloc_v2": (POINTER(DEVICE_POINTER), c_size_t),
    "cuMemFree_v2": (DEVICE_POINTER,),
    "cuMemcpyHtoD_v2": (DEVICE_POINTER, c_void_p, c_size_t),
    "cuMemcpyDtoH_v2": (c_void_p, DEVICE_POINTER, c_size_t),
    # function, grid x y z, block x y z, shared bytes, stream, parameters, extra
    "cuLaunchKernel": (HANDLE, *[c_uint] * 6, c_uint, HANDLE, POINTER(c_void_p), POINTER(c_void_p)),
    "cuGetErrorName": (c_int, POINTER(c_char_p)),
    "cuGetErrorString": (c_int, POINTER(c_char_p)),
}


class NoGpuError(Exception):
    """There is no driver, or no device that it can use."""


class DriverError(Exception):
    """A call that the driver answered with an error; ``name`` is such as CUDA_ERROR_NO_BINARY_FOR_GPU."""

    def __init__(self, call: str, name: str, text: str) -> None:
        super().__init__(f"{call}: {name} ({text})")
        self.name = name


class Driver:
    """The driver, ready to be called; raises NoGpuError that says what is missing."""

    def __init__(self) -> None:
        try:
            self._library = ctypes.CDLL(LIBRARY)
            for name, arguments in SIGNATURES.items():
                function = getattr(self._library, name)
                function.argtypes, function.restype = arguments, c_int
        except (OSError, AttributeError) as error:
            raise NoGpuError(f"{LIBRARY} cannot be used ({error}); it comes with NVIDIA's driver") from None
        try:
            self.call("cuInit", 0)
        except DriverError as error:
            raise NoGpuError(f"the driver finds no device to use: {error}") from None
        if self.number("cuDeviceGetCount") == 0:
            raise NoGpuError("the driver is there, but no device")

    def call(self, name: str, *arguments: object) -> None:
        """One call; raises DriverError where the driver does not answer CUDA_SUCCESS."""
        code = getattr(self._library, name)(*arguments)
        if code != 0:
            raise DriverError(name, self._text("cuGetErrorName", code), self._text("cuGetErrorString", code))

    def number(self, name: str, *arguments: object) -> int:
        """The int that a call writes to its first argument."""
        value = c_int()
        self.call(name, byref(value), *arguments)
        return value.value

    def handle(self, name: str, *arguments: object) -> c_void_p:
        """The handle that a call writes to its first argument."""
        value = HANDLE()
        self.call(name, byref(value), *arguments)
        return value

    @property
    def version(self) -> tuple[int, int]:
        """The newest CUDA that the driver knows: major, minor."""
        number = self.number("cuDriverGetVersion")
        return number // 1000, number % 1000 // 10

    def _text(self, name: str, code: int) -> str:
        text = c_char_p()
        known = getattr(self._library, name)(code, byref(text)) == 0 and text.value
        return text.value.decode() if known else f"error {code}"


class Gpu:
    """The first device; everything but its name and capability needs ``current``."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self._device = driver.number("cuDeviceGet", 0)
        name = ctypes.create_string_buffer(256)
        driver.call("cuDeviceGetName", name, len(name), self._device)
        self.name = name.value.decode(errors="replace")
        major, minor = (
            driver.number("cuDeviceGetAttribute", attribute, self._device)
            for attribute in (COMPUTE_CAPABILITY_MAJOR, COMPUTE_CAPABILITY_MINOR)
        )
        self.capability = f"{major}.{minor}"

    @contextmanager
    def current(self) -> Iterator[None]:
        """Holds the device's primary context, the one that CUDA's runtime uses too."""
        context = self.driver.handle("cuDevicePrimaryCtxRetain", self._device)
        try:
            self.driver.call("cuCtxSetCurrent", context)
            yield
            self.driver.call("cuCtxSetCurrent", None)
        finally:
            self.driver.call("cuDevicePrimaryCtxRelease_v2", self._device)

    def scale(self, image: bytes, numbers: Sequence[float], factor: float) -> list[float]:
        """Loads an image, runs its kernel ``scale`` over the numbers, and unloads it again."""
        # The driver is not told the size: PTX ends with the NUL that the buffer adds, a cubin knows its own end.
        content = ctypes.create_string_buffer(image)
        module = self.driver.handle("cuModuleLoadData", content)
        try:
            kernel = self.driver.handle("cuModuleGetFunction", module, b"scale")
            return self._run(kernel, numbers, factor)
        finally:
            self.driver.call("cuModuleUnload", module)

    def _run(self, kernel: c_void_p, numbers: Sequence[float], factor: float) -> list[float]:
        host = (c_float * len(numbers))(*numbers)
        size = ctypes.sizeof(host)
        there = DEVICE_POINTER()
        self.driver.call("cuMemAlloc_v2", byref(there), size)
        try:
            self.driver.call("cuMemcpyHtoD_v2", there, host, size)
            self._launch(kernel, there, c_float(factor), c_int(len(numbers)))
            self.driver.call("cuMemcpyDtoH_v2", host, there, size)
        finally:
            self.driver.call("cuMemFree_v2", there)
        return list(host)

    def _launch(self, kernel: c_void_p, numbers: c_uint64, factor: c_float, count: c_int) -> None:
        values = (numbers, factor, count)
        parameters = (c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        blocks = -(-count.value // THREADS)
        self.driver.call("cuLaunchKernel", kernel, blocks, 1, 1, THREADS, 1, 1, 0, None, parameters, None)
        self.driver.call("cuCtxSynchronize")
