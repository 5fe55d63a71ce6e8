#include "../warmed.h"
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static at_call decode(int64_t tokens, at_dtype dtype) {
    at_call call = {0};
    call.in[AT_QUERY] = (at_tensor){.dtype = dtype, .rank = 2, .shape = {tokens, 64}};
    call.in[AT_KEY_CACHE] = (at_tensor){.dtype = dtype, .rank = 4, .shape = {8, 16, 1, 32}};
    call.out[AT_OUTPUT] = (at_tensor){.dtype = dtype, .rank = 2, .shape = {tokens, 32}};
    return call;
}

Test(warmed, nothing_is_warmed_before_the_first_run) {
    pa_warmed w = {0};
    at_call call = decode(1, AT_F16);
    cr_assert(not(pa_warmed_has(&w, &call)));
}

Test(warmed, every_signature_that_ran_counts_and_not_only_the_last) {
    enum { MANY = 1000 };
    pa_warmed w = {0};
    for (int64_t t = 0; t < MANY; ++t) {
        at_call call = decode(t, AT_F16);
        pa_warmed_add(&w, &call);
    }
    for (int64_t t = 0; t < 2 * MANY; ++t) {
        at_call call = decode(t, AT_F16);
        cr_assert(eq(int, pa_warmed_has(&w, &call), t < MANY), "tokens %d", (int)t);
    }
    pa_warmed_free(&w);
}

Test(warmed, a_signature_is_kept_once) {
    pa_warmed w = {0};
    at_call call = decode(4, AT_BF16);
    for (int i = 0; i < 100; ++i) pa_warmed_add(&w, &call);
    cr_assert(eq(sz, w.used, 1));
    pa_warmed_free(&w);
}

/* Each differs from the warmed call in one dtype, rank, dimension or presence. */
Test(warmed, any_difference_in_dtype_rank_shape_or_presence_is_another_signature) {
    pa_warmed w = {0};
    at_call warm = decode(4, AT_F16), other[6];
    pa_warmed_add(&w, &warm);
    for (int i = 0; i < 6; ++i) other[i] = warm;
    other[0].in[AT_QUERY].dtype = AT_BF16;
    other[1].in[AT_KEY_CACHE].rank = 3;
    other[2].in[AT_KEY_CACHE].shape[0] = 9;
    other[3].out[AT_OUTPUT].shape[1] = 33;
    other[4].out[AT_OUTPUT].dtype = AT_ABSENT;
    other[5].out[AT_KEY_CACHE_OUT] = other[5].in[AT_KEY_CACHE];
    for (int i = 0; i < 6; ++i) cr_expect(not(pa_warmed_has(&w, &other[i])), "difference %d", i);
    pa_warmed_free(&w);
}

Test(warmed, a_tensor_in_another_place_is_another_signature) {
    pa_warmed w = {0};
    at_call key = {0}, value = {0};
    key.in[AT_KEY] = value.in[AT_VALUE] = (at_tensor){.dtype = AT_F16, .rank = 2, .shape = {4, 32}};
    pa_warmed_add(&w, &key);
    cr_assert(pa_warmed_has(&w, &key));
    cr_assert(not(pa_warmed_has(&w, &value)));
    pa_warmed_free(&w);
}

Test(warmed, addresses_contents_and_what_absent_tensors_hold_do_not_count) {
    pa_warmed w = {0};
    int here;
    at_call warm = decode(4, AT_F16), same = warm;
    pa_warmed_add(&w, &warm);
    same.in[AT_QUERY].data = &here;
    same.in[AT_QUERY].shape[2] = 77; /* past its rank */
    same.in[AT_VALUE].shape[0] = 5;  /* absent        */
    same.workspace = &here;
    same.capturing = 1;
    cr_assert(pa_warmed_has(&w, &same));
    pa_warmed_free(&w);
}

Test(warmed, what_is_kept_is_bounded_and_the_first_ones_stay) {
    pa_warmed w = {0};
    for (int64_t t = 0; t <= PA_WARMED_MOST; ++t) {
        at_call call = decode(t, AT_F16);
        pa_warmed_add(&w, &call);
    }
    at_call first = decode(0, AT_F16), last = decode(PA_WARMED_MOST, AT_F16);
    cr_assert(eq(sz, w.used, PA_WARMED_MOST));
    cr_assert(pa_warmed_has(&w, &first));
    cr_assert(not(pa_warmed_has(&w, &last)));
    pa_warmed_free(&w);
    cr_assert(not(pa_warmed_has(&w, &first)));
}
