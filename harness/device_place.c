#include "device_place.h"

enum { GREATEST_ALIGNMENT = 256 };

size_t at_round_up(size_t bytes, size_t unit) {
    return (bytes + unit - 1) & ~(unit - 1);
}

/* Even an empty buffer has an address of its own inside the mapping. */
static size_t room(size_t bytes, size_t alignment) {
    return at_round_up(bytes > 0 ? bytes : 1, alignment);
}

at_status at_place_bytes(size_t *out, int slot, size_t bytes, size_t alignment, size_t page, at_error *err) {
    if (slot < 0 || slot >= AT_DEVICE_SLOTS) {
        return at_fail(err, AT_INFRASTRUCTURE, "slot %d: a device has slots 0 to %d", slot, AT_DEVICE_SLOTS - 1);
    }
    if (alignment == 0 || alignment > GREATEST_ALIGNMENT || (alignment & (alignment - 1)) != 0) {
        return at_fail(err, AT_INFRASTRUCTURE, "slot %d: alignment %zu is not a power of two from 1 to %d", slot,
                       alignment, GREATEST_ALIGNMENT);
    }
    if (bytes > SIZE_MAX / 2) return at_fail_memory(err, bytes);
    *out = at_round_up(room(bytes, alignment), page);
    return AT_OK;
}

at_opened at_opened_of(at_guards guards, int slot, size_t guard) {
    return (at_opened){.before = guards.before >> slot & 1 ? guard : 0, .after = guards.after >> slot & 1 ? guard : 0};
}

void at_place_in(at_buffer *out, void *mapping, size_t mapped, at_opened opened, size_t bytes, size_t alignment,
                 at_edge edge) {
    size_t start = edge == AT_EDGE_START ? 0 : mapped - room(bytes, alignment);
    *out = (at_buffer){.data = (char *)mapping + start,
                       .bytes = bytes,
                       .mapping = (char *)mapping - opened.before,
                       .mapped = opened.before + mapped + opened.after};
}

/* The canaries before and after a buffer, as buffers. */
static void sides(at_buffer *before, at_buffer *after, const at_buffer *b) {
    char *data = b->data;
    size_t front = (size_t)(data - (char *)b->mapping), back = b->mapped - front - b->bytes;
    *before = *after = *b;
    before->bytes = front < AT_CANARY_STRETCH ? front : AT_CANARY_STRETCH;
    before->data = data - before->bytes;
    after->bytes = back < AT_CANARY_STRETCH ? back : AT_CANARY_STRETCH;
    after->data = data + b->bytes;
}

at_status at_canaries_write(const at_device_ops *ops, at_device *device, const at_buffer *buffer, at_error *err) {
    at_buffer before, after;
    sides(&before, &after, buffer);
    at_status st = ops->fill(device, &before, AT_CANARY, err);
    return st == AT_OK ? ops->fill(device, &after, AT_CANARY, err) : st;
}

at_status at_canaries_check(const at_device_ops *ops, at_device *device, const at_buffer *buffer, bool *intact,
                            int64_t *where, at_error *err) {
    at_buffer before, after;
    uint8_t byte[AT_CANARY_STRETCH];
    at_status st;
    *intact = false;
    sides(&before, &after, buffer);
    if ((st = ops->download(device, byte, &after, err)) != AT_OK) return st;
    for (size_t i = 0; i < after.bytes; i++) {
        if (byte[i] == AT_CANARY) continue;
        *where = (int64_t)(buffer->bytes + i);
        return AT_OK;
    }
    if ((st = ops->download(device, byte, &before, err)) != AT_OK) return st;
    for (size_t i = before.bytes; i > 0; i--) {
        if (byte[i - 1] == AT_CANARY) continue;
        *where = (int64_t)i - 1 - (int64_t)before.bytes;
        return AT_OK;
    }
    *intact = true;
    return AT_OK;
}
