#include "device.h"

const at_device_ops *at_device_for(at_device_kind kind) {
    static const at_device_ops *const table[] = {[AT_HOST] = &at_cpu_device, [AT_CUDA] = &at_cuda_device};
    return table[kind];
}
