/* A stand-in for NVIDIA's libcuda.so.1, for machines without one: device memory is host memory, and the kernel "scale"
 * is this file's own.  Modules are accepted by what their bytes say, as the CUDA Programming Guide has it.
 *
 * FAKE_CAPABILITY is the device's, as 90 for 9.0, or empty for none; FAKE_VERSION the driver's, as 12040; FAKE_FAULT
 * may be "lenient" (every module loads) or "wrong" (the kernel computes something else); FAKE_LOG is a file that gets
 * the name of every call. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, INVALID_VALUE = 1, NO_DEVICE = 100, INVALID_IMAGE = 200, NO_BINARY_FOR_GPU = 209, NOT_FOUND = 500 };
typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct { int magic; } Object;
static Object context = {1}, module_object = {2}, function = {3};
static void *current;

static void record(const char *call)
{
    const char *path = getenv("FAKE_LOG");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file) {
        fprintf(file, "%s\n", call);
        fclose(file);
    }
}

static int number(const char *name)
{
    const char *text = getenv(name);
    return text ? atoi(text) : 0;
}

static int fault(const char *word)
{
    const char *text = getenv("FAKE_FAULT");
    return text && !strcmp(text, word);
}

CUresult cuInit(unsigned flags)
{
    record(__func__);
    return flags ? INVALID_VALUE : number("FAKE_CAPABILITY") ? SUCCESS : NO_DEVICE;
}

CUresult cuDriverGetVersion(int *version) { record(__func__); *version = number("FAKE_VERSION"); return SUCCESS; }
CUresult cuDeviceGetCount(int *count) { record(__func__); *count = 1; return SUCCESS; }
CUresult cuDeviceGet(CUdevice *device, int ordinal) { record(__func__); *device = 7; return ordinal ? INVALID_VALUE : SUCCESS; }

CUresult cuDeviceGetName(char *name, int size, CUdevice device)
{
    record(__func__);
    snprintf(name, size, "Stand-in GPU");
    return device == 7 ? SUCCESS : INVALID_VALUE;
}

CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device)
{
    record(__func__);
    if (device != 7 || (attribute != 75 && attribute != 76))
        return INVALID_VALUE;
    *value = attribute == 75 ? number("FAKE_CAPABILITY") / 10 : number("FAKE_CAPABILITY") % 10;
    return SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(void **result, CUdevice device)
{
    record(__func__);
    *result = &context;
    return device == 7 ? SUCCESS : INVALID_VALUE;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) { record(__func__); return device == 7 ? SUCCESS : INVALID_VALUE; }
CUresult cuCtxSetCurrent(void *wanted) { record(__func__); current = wanted; return SUCCESS; }
CUresult cuCtxSynchronize(void) { record(__func__); return current == &context ? SUCCESS : INVALID_VALUE; }

static CUresult cubin(const unsigned char *image)
{
    uint32_t flags;
    memcpy(&flags, image + 48, sizeof flags);
    int is_new = image[8] == 8, sm = is_new ? flags >> 8 & 0xff : flags & 0xff, has_a = !is_new && flags & 0x800;
    int there = number("FAKE_CAPABILITY");
    return (has_a ? sm == there : sm / 10 == there / 10 && sm <= there) ? SUCCESS : NO_BINARY_FOR_GPU;
}

static CUresult ptx(const char *image)
{
    const char *target = strstr(image, ".target sm_");
    if (!target)
        return INVALID_IMAGE;
    char *end;
    int sm = strtol(target + strlen(".target sm_"), &end, 10), there = number("FAKE_CAPABILITY");
    return (*end == 'a' ? sm == there : sm <= there) ? SUCCESS : NO_BINARY_FOR_GPU;
}

CUresult cuModuleLoadData(void **result, const void *image)
{
    record(__func__);
    if (current != &context)
        return INVALID_VALUE;
    *result = &module_object;
    if (fault("lenient"))
        return SUCCESS;
    return memcmp(image, "\x7f" "ELF", 4) ? ptx(image) : cubin(image);
}

CUresult cuModuleUnload(void *wanted) { record(__func__); return wanted == &module_object ? SUCCESS : INVALID_VALUE; }

CUresult cuModuleGetFunction(void **result, void *wanted, const char *name)
{
    record(__func__);
    *result = &function;
    return wanted != &module_object ? INVALID_VALUE : strcmp(name, "scale") ? NOT_FOUND : SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr *result, size_t size)
{
    record(__func__);
    *result = (CUdeviceptr)(uintptr_t)malloc(size);
    return SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr there) { record(__func__); free((void *)(uintptr_t)there); return SUCCESS; }

CUresult cuMemcpyHtoD_v2(CUdeviceptr there, const void *host, size_t size)
{
    record(__func__);
    memcpy((void *)(uintptr_t)there, host, size);
    return SUCCESS;
}

CUresult cuMemcpyDtoH_v2(void *host, CUdeviceptr there, size_t size)
{
    record(__func__);
    memcpy(host, (void *)(uintptr_t)there, size);
    return SUCCESS;
}

CUresult cuLaunchKernel(void *wanted, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                        unsigned block_z, unsigned shared, void *stream, void **parameters, void **extra)
{
    record(__func__);
    if (wanted != &function || grid_y != 1 || grid_z != 1 || block_y != 1 || block_z != 1 || shared || stream || extra)
        return INVALID_VALUE;
    float *numbers = (float *)(uintptr_t) * (CUdeviceptr *)parameters[0], factor = *(float *)parameters[1];
    int n = *(int *)parameters[2];
    for (unsigned i = 0; i < grid_x * block_x && (int)i < n; i++)
        numbers[i] *= fault("wrong") ? factor + 1 : factor;
    return SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char **text)
{
    *text = error == NO_BINARY_FOR_GPU ? "CUDA_ERROR_NO_BINARY_FOR_GPU"
          : error == NO_DEVICE         ? "CUDA_ERROR_NO_DEVICE"
          : error == INVALID_IMAGE     ? "CUDA_ERROR_INVALID_IMAGE"
                                       : NULL;
    return *text ? SUCCESS : INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
    *text = error == NO_BINARY_FOR_GPU ? "no kernel image is available" : NULL;
    return *text ? SUCCESS : INVALID_VALUE;
}
