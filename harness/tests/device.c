/* What device.h promises of every device, on the CPU and on a fake CUDA driver. */
#define _DEFAULT_SOURCE 1
#include "device_test.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { SLOT = 3 };
static const size_t alignments[] = {1, 2, 16, 256};
static const size_t sizes[] = {0, 1, 2, 255, 256, 257, 4095, 4096, 4097, 100003};
static const at_device_kind kinds[] = {AT_HOST, AT_CUDA};
#define EACH(i, table) for (size_t i = 0; i < sizeof(table) / sizeof *(table); i++)

static at_error err;

static at_device *open_device(at_device_kind kind) {
    at_device *d;
    cr_assert_not_null(fake("fake_cuda"), "subjects/fake_cuda.so is not beside the test program");
    cr_assert_eq(at_device_for(kind)->open(&d, 0, &err), AT_OK, "%s", err.text);
    return d;
}

/* Guards and slack of a fresh mapping (or of one that is large enough already). */
static void check_edge(at_device_kind kind, size_t bytes, size_t alignment, at_edge edge) {
    const at_device_ops *ops = at_device_for(kind);
    at_device *d = open_device(kind);
    at_buffer b;
    cr_assert_eq(ops->place(d, &b, SLOT, bytes, alignment, edge, &err), AT_OK, "%s", err.text);
    char *data = b.data, *end = (char *)b.mapping + b.mapped;
    cr_expect_eq(b.bytes, bytes);
    cr_expect_eq((uintptr_t)data % alignment, 0);
    cr_expect(data >= (char *)b.mapping && data + bytes <= end && data < end);
    cr_expect_not(faults(data, true));
    cr_expect_not(faults(end - 1, true));
    cr_expect(faults(end, false) && faults(end, true), "%s: %zu bytes: one past the mapping is readable", ops->kind,
              bytes);
    cr_expect(faults((char *)b.mapping - 1, false), "%s: %zu bytes: one before the mapping is readable", ops->kind,
              bytes);
    if (edge == AT_EDGE_START)
        cr_expect_eq(data, b.mapping);
    else
        cr_expect_lt(end - data - (ptrdiff_t)bytes, bytes > 0 ? (ptrdiff_t)alignment : (ptrdiff_t)alignment + 1);
    ops->close(d);
}

Test(device, a_buffer_touches_the_unmapped_page_at_its_edge_up_to_the_alignment) {
    EACH(k, kinds) EACH(i, sizes) EACH(j, alignments) {
        check_edge(kinds[k], sizes[i], alignments[j], AT_EDGE_END);
        check_edge(kinds[k], sizes[i], alignments[j], AT_EDGE_START);
    }
}

Test(device, one_byte_past_the_end_faults_where_the_size_is_a_multiple_of_the_alignment) {
    EACH(k, kinds) {
        const at_device_ops *ops = at_device_for(kinds[k]);
        at_device *d = open_device(kinds[k]);
        at_buffer b;
        cr_assert_eq(ops->place(d, &b, 0, 5 * 256, 256, AT_EDGE_END, &err), AT_OK);
        cr_expect_not(faults((char *)b.data + b.bytes - 1, true));
        cr_expect(faults((char *)b.data + b.bytes, false));
        cr_assert_eq(ops->place(d, &b, 0, 5 * 256, 256, AT_EDGE_START, &err), AT_OK);
        cr_expect_not(faults(b.data, true));
        cr_expect(faults((char *)b.data - 1, false));
        ops->close(d);
    }
}

Test(device, an_opened_guard_is_mapped_and_marked_and_the_other_is_not) {
    EACH(k, kinds) {
        const at_device_ops *ops = at_device_for(kinds[k]);
        at_device *d = open_device(kinds[k]);
        at_buffer b;
        bool intact;
        int64_t where;
        ops->open_guards(d, (at_guards){.before = UINT64_C(1) << 5, .after = UINT64_C(1) << SLOT});
        cr_assert_eq(ops->place(d, &b, SLOT, 5 * 256, 256, AT_EDGE_END, &err), AT_OK);
        cr_expect_not(faults((char *)b.data + b.bytes, true));
        cr_assert_eq(ops->place(d, &b, SLOT, 5 * 256, 256, AT_EDGE_START, &err), AT_OK);
        cr_expect(faults((char *)b.data - 1, false));
        cr_assert_eq(ops->place(d, &b, 5, 5 * 256, 256, AT_EDGE_END, &err), AT_OK);
        cr_expect(faults((char *)b.data + b.bytes, false));
        cr_assert_eq(ops->place(d, &b, 5, 5 * 256, 256, AT_EDGE_START, &err), AT_OK);
        ((char *)b.data)[-2] = 0;
        cr_assert_eq(ops->check_canaries(d, &b, &intact, &where, &err), AT_OK);
        cr_expect(!intact && where == -2, "%lld", (long long)where);
        ops->close(d);
    }
}

Test(device, what_is_uploaded_comes_back_and_leaves_the_canaries_alone) {
    enum { BYTES = 70001 };
    static unsigned char sent[BYTES], got[BYTES];
    for (size_t i = 0; i < BYTES; i++) sent[i] = (unsigned char)(i * 31);
    EACH(k, kinds) {
        const at_device_ops *ops = at_device_for(kinds[k]);
        at_device *d = open_device(kinds[k]);
        at_buffer b;
        bool intact;
        int64_t where;
        cr_assert_eq(ops->place(d, &b, SLOT, BYTES, 16, AT_EDGE_END, &err), AT_OK);
        cr_assert_eq(ops->upload(d, &b, sent, &err), AT_OK);
        cr_assert_eq(ops->download(d, got, &b, &err), AT_OK);
        cr_expect_eq(memcmp(sent, got, BYTES), 0);
        cr_assert_eq(ops->fill(d, &b, 0x77, &err), AT_OK);
        cr_assert_eq(ops->download(d, got, &b, &err), AT_OK);
        cr_expect(got[0] == 0x77 && got[BYTES - 1] == 0x77);
        cr_assert_eq(ops->check_canaries(d, &b, &intact, &where, &err), AT_OK);
        cr_expect(intact);
        ops->close(d);
    }
}

/* Writes `byte` at an offset from data and says where the device then sees a lost canary; SIZE_MAX-like -> intact. */
static int64_t lost_after(at_device_kind kind, at_edge edge, size_t bytes, int64_t at, int byte, bool *intact) {
    const at_device_ops *ops = at_device_for(kind);
    at_device *d = open_device(kind);
    at_buffer b;
    int64_t where = INT64_MAX;
    cr_assert_eq(ops->place(d, &b, SLOT, bytes, 256, edge, &err), AT_OK);
    ((char *)b.data)[at] = (char)byte;
    cr_assert_eq(ops->check_canaries(d, &b, intact, &where, &err), AT_OK);
    ops->close(d);
    return where;
}

Test(device, a_lost_canary_is_reported_with_its_place) {
    static const struct {
        at_edge edge;
        size_t bytes;
        int64_t at;
    } table[] = {{AT_EDGE_END, 1000, 1000}, {AT_EDGE_END, 1000, 1023},   {AT_EDGE_END, 1000, -1},
                 {AT_EDGE_END, 300, -3000}, {AT_EDGE_START, 1000, 1000}, {AT_EDGE_START, 10, 4000},
                 {AT_EDGE_END, 0, 0},       {AT_EDGE_END, 0, 255},       {AT_EDGE_START, 0, 0},
                 {AT_EDGE_START, 257, 511}};
    EACH(k, kinds) EACH(i, table) {
        bool intact;
        int64_t where = lost_after(kinds[k], table[i].edge, table[i].bytes, table[i].at, 0, &intact);
        cr_expect_not(intact, "row %zu", i);
        cr_expect_eq(where, table[i].at, "row %zu: %lld", i, (long long)where);
    }
}

Test(device, a_canary_written_over_with_itself_and_the_data_themselves_are_no_loss) {
    EACH(k, kinds) {
        bool intact;
        lost_after(kinds[k], AT_EDGE_END, 1000, 1000, AT_CANARY, &intact);
        cr_expect(intact);
        lost_after(kinds[k], AT_EDGE_END, 1000, 0, 0, &intact);
        cr_expect(intact);
        lost_after(kinds[k], AT_EDGE_END, 1000, 999, 0, &intact);
        cr_expect(intact);
    }
}

Test(device, of_several_lost_canaries_the_nearest_past_the_end_is_reported) {
    EACH(k, kinds) {
        const at_device_ops *ops = at_device_for(kinds[k]);
        at_device *d = open_device(kinds[k]);
        at_buffer b;
        bool intact;
        int64_t where;
        cr_assert_eq(ops->place(d, &b, SLOT, 1000, 256, AT_EDGE_END, &err), AT_OK);
        char *data = b.data;
        data[-7] = data[-70] = data[1010] = data[1005] = 0;
        cr_assert_eq(ops->check_canaries(d, &b, &intact, &where, &err), AT_OK);
        cr_expect(!intact && where == 1005);
        data[1010] = data[1005] = (char)AT_CANARY;
        cr_assert_eq(ops->check_canaries(d, &b, &intact, &where, &err), AT_OK);
        cr_expect(!intact && where == -7);
        ops->close(d);
    }
}

Test(device, canaries_end_where_their_stretch_does) {
    EACH(k, kinds) {
        const at_device_ops *ops = at_device_for(kinds[k]);
        at_device *d = open_device(kinds[k]);
        at_buffer b;
        bool intact;
        int64_t where;
        cr_assert_eq(ops->place(d, &b, SLOT, 3 * AT_CANARY_STRETCH, 16, AT_EDGE_END, &err), AT_OK);
        cr_assert_eq(ops->place(d, &b, SLOT, 160, 16, AT_EDGE_END, &err), AT_OK);
        ((char *)b.data)[-AT_CANARY_STRETCH - 1] = 0;
        cr_assert_eq(ops->check_canaries(d, &b, &intact, &where, &err), AT_OK);
        cr_expect(intact);
        ((char *)b.data)[-AT_CANARY_STRETCH] = 0;
        cr_assert_eq(ops->check_canaries(d, &b, &intact, &where, &err), AT_OK);
        cr_expect(!intact && where == -AT_CANARY_STRETCH);
        ops->close(d);
    }
}

Test(device, a_slot_keeps_its_mapping_until_it_must_grow) {
    EACH(k, kinds) {
        const at_device_ops *ops = at_device_for(kinds[k]);
        at_device *d = open_device(kinds[k]);
        at_buffer small, again, large, other;
        cr_assert_eq(ops->place(d, &small, SLOT, 100, 16, AT_EDGE_END, &err), AT_OK);
        cr_assert_eq(ops->place(d, &again, SLOT, 100, 16, AT_EDGE_END, &err), AT_OK);
        cr_expect_eq(again.data, small.data);
        cr_assert_eq(ops->place(d, &large, SLOT, small.mapped + 1, 16, AT_EDGE_END, &err), AT_OK);
        cr_expect_gt(large.mapped, small.mapped);
        cr_assert_eq(ops->place(d, &small, SLOT, 100, 16, AT_EDGE_END, &err), AT_OK);
        cr_expect_eq(small.mapping, large.mapping);
        cr_expect(faults((char *)small.mapping + small.mapped, false));
        cr_assert_eq(ops->place(d, &other, AT_DEVICE_SLOTS - 1, 100, 16, AT_EDGE_END, &err), AT_OK);
        cr_expect_neq(other.mapping, small.mapping);
        ops->close(d);
    }
}

Test(device, the_untouchable_address_and_its_neighbours_fault) {
    EACH(k, kinds) {
        const at_device_ops *ops = at_device_for(kinds[k]);
        at_device *d = open_device(kinds[k]);
        char *address = ops->untouchable(d);
        cr_assert_not_null(address);
        cr_expect_eq((uintptr_t)address % 256, 0);
        cr_expect(faults(address, false) && faults(address + (1 << 28), false) && faults(address - (1 << 28), true));
        ops->close(d);
    }
}

Test(device, a_place_that_cannot_be_is_refused_in_words) {
    static const struct {
        int slot;
        size_t bytes, alignment;
        const char *words;
    } table[] = {{-1, 1, 1, "slot -1"},        {AT_DEVICE_SLOTS, 1, 1, "slots 0 to 63"},
                 {0, 1, 0, "alignment 0"},     {0, 1, 48, "alignment 48"},
                 {0, 1, 512, "alignment 512"}, {0, SIZE_MAX, 1, ""},
                 {0, SIZE_MAX / 2, 1, ""}};
    EACH(k, kinds) {
        at_device *d = open_device(kinds[k]);
        EACH(i, table) {
            at_buffer b;
            at_status st = at_device_for(kinds[k])->place(d, &b, table[i].slot, table[i].bytes, table[i].alignment,
                                                          AT_EDGE_END, &err);
            cr_expect_eq(st, AT_INFRASTRUCTURE, "row %zu", i);
            cr_expect_not_null(strstr(err.text, table[i].words), "row %zu: %s", i, err.text);
        }
        at_device_for(kinds[k])->close(d);
    }
}

Test(device, time_runs_between_the_two_calls) {
    EACH(k, kinds) {
        const at_device_ops *ops = at_device_for(kinds[k]);
        at_device *d = open_device(kinds[k]);
        double seconds = -1;
        cr_assert_eq(ops->time_begin(d, &err), AT_OK);
        usleep(5000);
        cr_assert_eq(ops->time_end(d, &seconds, &err), AT_OK);
        cr_expect(seconds >= 0.004 && seconds < 5, "%g s", seconds);
        ops->close(d);
    }
}

Test(device, facts_name_the_device) {
    at_device_facts cpu, cuda;
    at_device *d = open_device(AT_HOST);
    uint64_t unused = 0;
    at_cpu_device.facts(d, &cpu);
    cr_assert_eq(at_cpu_device.free_memory(d, &unused, &err), AT_OK);
    cr_expect(unused > 0 && unused <= cpu.memory);
    at_cpu_device.close(d);
    cr_expect_str_eq(cpu.kind, "cpu");
    cr_expect_str_eq(cpu.name, "CPU execution");
    cr_expect(cpu.multiprocessors > 0 && cpu.arch[0] != 0);
    d = open_device(AT_CUDA);
    at_cuda_device.facts(d, &cuda);
    cr_assert_eq(at_cuda_device.free_memory(d, &unused, &err), AT_OK);
    at_cuda_device.close(d);
    cr_expect_eq(unused, FAKE_CUDA_MEMORY);
    cr_expect_str_eq(cuda.kind, "cuda");
    cr_expect_str_eq(cuda.name, "Fake GPU 0");
    cr_expect_str_eq(cuda.arch, "sm_90");
    cr_expect_not_null(strstr(cuda.driver, "CUDA 12.0"), "%s", cuda.driver);
    cr_expect(cuda.memory == FAKE_CUDA_MEMORY && cuda.multiprocessors == 132);
}

Test(device, memory_that_is_held_is_what_was_taken_beside_the_arenas) {
    const size_t bytes = (size_t)16 << 20;
    EACH(k, kinds) {
        const at_device_ops *ops = at_device_for(kinds[k]);
        at_device *d = open_device(kinds[k]), *another = open_device(kinds[k]);
        at_buffer b;
        uint64_t before = 0, placed = 0, taken = 0;
        cr_assert_eq(ops->held_memory(d, &before, &err), AT_OK);
        cr_assert_eq(ops->place(d, &b, 0, bytes, 16, AT_EDGE_END, &err), AT_OK);
        cr_assert_eq(ops->held_memory(d, &placed, &err), AT_OK);
        cr_expect_lt(placed - before, (uint64_t)1 << 16, "%s", ops->kind);
        void *volatile heap = kinds[k] == AT_HOST ? malloc(bytes) : NULL;
        if (kinds[k] == AT_CUDA) cr_assert_eq(ops->place(another, &b, 0, bytes, 16, AT_EDGE_END, &err), AT_OK);
        cr_assert_eq(ops->held_memory(d, &taken, &err), AT_OK);
#ifndef __SANITIZE_ADDRESS__ /* it has a heap of its own */
        cr_expect_geq(taken - placed, bytes, "%s", ops->kind);
#endif
        free(heap);
        ops->close(d);
        ops->close(another);
    }
}

Test(device, an_index_beyond_the_devices_is_refused) {
    at_device *d;
    cr_assert_not_null(fake("fake_cuda"));
    EACH(k, kinds) {
        static const int beyond[] = {-1, 7};
        EACH(i, beyond) {
            cr_expect_eq(at_device_for(kinds[k])->open(&d, beyond[i], &err), AT_UNVALIDATED);
            cr_expect_null(d);
            cr_expect_not_null(strstr(err.text, i == 0 ? "device -1" : "device 7"), "%s", err.text);
        }
    }
}

Test(device, closing_nothing_is_fine) {
    EACH(k, kinds) {
        at_device_for(kinds[k])->close(NULL);
        at_device_for(kinds[k])->graph_free(NULL, NULL);
    }
    cr_expect_eq(at_device_for(AT_CUDA), &at_cuda_device);
}
