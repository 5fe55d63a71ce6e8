/* Where a buffer lies in its mapping, and the canaries around it: the same on every device.
 *
 *     unmapped | canaries, data, canaries | unmapped
 *
 * At the end edge the data end at the mapping's end, at most alignment - 1 bytes of slack between; at the start edge
 * they start with it. */
#ifndef AT_DEVICE_PLACE_H
#define AT_DEVICE_PLACE_H

#include "device.h"

/* Least width of the unmapped range on either side: a row or a page too far still lands in it. The untouchable address
 * is the middle of a larger one, so that its neighbours fault too. */
enum { AT_GUARD_BYTES = 1 << 20, AT_UNTOUCHABLE_BYTES = 1 << 30 };

/* bytes up to the next multiple of `unit`, which is a power of two. */
size_t at_round_up(size_t bytes, size_t unit);
/* How much of a slot's two unmapped ranges is to be mapped: nothing, or all `guard` bytes of it. */
typedef struct {
    size_t before, after;
} at_opened;
at_opened at_opened_of(at_guards, int slot, size_t guard);
/* What must be mapped for a buffer: a multiple of `page`. Refuses a slot or an alignment that device.h does not allow.
 */
AT_MUST_USE at_status at_place_bytes(size_t *out, int slot, size_t bytes, size_t alignment, size_t page, at_error *err);
/* The buffer in a mapping that is large enough for it, where an opened range counts as more of the mapping. */
void at_place_in(at_buffer *out, void *mapping, size_t mapped, at_opened, size_t bytes, size_t alignment, at_edge edge);

AT_MUST_USE at_status at_canaries_write(const at_device_ops *, at_device *, const at_buffer *, at_error *err);
AT_MUST_USE at_status at_canaries_check(const at_device_ops *, at_device *, const at_buffer *, bool *intact,
                                        int64_t *where, at_error *err);

#endif
