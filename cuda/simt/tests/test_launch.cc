/* test_launch.cc: what a recorded launch keeps, what a warp and the two-byte types compute. */
#include <criterion/criterion.h>

#include "kernels.h"
#include "stream.h"

#include "../half.h"

#include <math.h>

Test(launch, a_recorded_launch_keeps_its_arguments_and_reads_contents_at_replay) {
    std::vector<int> in(128, 5), out(128, 0);
    Stream stream;
    int value = 2;
    stream.capturing = 1;
    cr_assert_null(launch_add(&stream, in.data(), value, out.data()));
    value = 1000;
    cr_assert_eq(stream.nodes(), 1u);
    cr_assert_eq(out[7], 0, "a launch ran while it was recorded");
    stream.capturing = 0;
    cr_assert(stream.replay());
    cr_assert_eq(out[7], 7);
    in.assign(128, 30);
    cr_assert(stream.replay());
    cr_assert_eq(out[7], 7 + 32);
    cr_assert_null(launch_add(&stream, in.data(), value, out.data()));
    cr_assert_eq(out[7], 7 + 32 + 1030);
}

Test(launch, a_replay_can_take_another_order) {
    Stream stream;
    std::vector<int> out(1024);
    stream.capturing = 1;
    cr_assert_null(launch_order(&stream, out.data()));
    stream.how = {AT_BACKWARD, 0, 1, 48 * 1024};
    cr_assert(stream.replay());
    cr_assert_eq(out[1], 11009);
}

Test(launch, a_stream_that_is_missing_or_of_another_abi_is_refused) {
    int in[128] = {0}, out[128] = {0};
    cr_assert_not_null(launch_add(nullptr, in, 1, out));
    Stream stream;
    stream.abi++;
    cr_assert_not_null(launch_add(&stream, in, 1, out));
    cr_assert_eq(out[0], 0);
}

Test(launch, shared_memory_is_nan_and_minus_one_until_it_is_written) {
    std::vector<int> out(128);
    Stream stream;
    cr_assert_null(launch_unwritten(&stream, out.data()));
    for (int x : out) cr_assert_eq(x, -1);
    float f;
    memcpy(&f, &out[0], sizeof f);
    cr_assert(isnan(f) && isnan(__half2float(__half{0xffff})) && isnan(__bfloat162float(__nv_bfloat16{0xffff})));
}

Test(launch, warp_operations_give_what_the_ptx_isa_says) {
    for (const Way &way : ways) {
        std::vector<int> out(32 * WARP_FACTS);
        Stream stream(way.order, way.seed);
        const char *said = launch_warp(&stream, out.data());
        cr_assert_null(said, "%s", said);
        for (int lane = 0; lane < 32; lane++) {
            const int in16 = lane % 16, me = 100 + lane;
            const int want[WARP_FACTS] = {105,
                                          101 + lane / 8 * 8,
                                          in16 < 3 ? me : me - 3,
                                          in16 > 12 ? me : me + 3,
                                          100 + (lane ^ 12),
                                          lane / 8 % 2 ? me - 8 : me,
                                          0x49249249,
                                          1,
                                          1,
                                          496,
                                          31,
                                          100 + (lane ^ (lane < 16 ? 1 : 2))};
            for (int i = 0; i < WARP_FACTS; i++)
                cr_assert_eq(out[size_t(lane * WARP_FACTS + i)], want[i], "lane %d, fact %d: %d, not %d", lane, i,
                             out[size_t(lane * WARP_FACTS + i)], want[i]);
        }
    }
}

Test(launch, two_byte_types_are_read_and_rounded_by_kernels) {
    __half f16[64];
    __nv_bfloat16 bf16[64];
    for (int i = 0; i < 64; i++) {
        f16[i] = __float2half_rn(float(i - 30) / 8);
        bf16[i] = __float2bfloat16_rn(float(i - 30) * 4);
    }
    float out[128];
    Stream stream;
    cr_assert_null(launch_types(&stream, f16, bf16, out));
    for (int i = 0; i < 64; i++) {
        cr_assert_eq(out[i], __half2float(__float2half_rn(float(i - 30) / 8 * 1.001f)));
        cr_assert_eq(out[64 + i], float(i - 30) * 4, "bf16 keeps 8 bits: a factor of 1.001 is rounded off");
    }
}

Test(launch, atomics_bits_and_vectors_do_what_cuda_says) {
    struct alignas(16) Row {
        float x, y, z, w;
    } in[64];
    for (int i = 0; i < 64; i++) in[i] = {float(i), 0.25f, 0, 0};
    for (const Way &way : ways) {
        int whole[6] = {0};
        float real[4] = {0};
        Stream stream(way.order, way.seed);
        cr_assert_null(launch_names(&stream, in, whole, real));
        const int want[6] = {2016, 2016, 63, 42, -27, -2000 + 200 + 30 + 32};
        for (int i = 0; i < 6; i++) cr_assert_eq(whole[i], want[i], "[%d]: %d, not %d", i, whole[i], want[i]);
        const double near[4] = {16, exp(1), 8, tanh(0.5)};
        for (int i = 0; i < 4; i++) cr_assert_float_eq(real[i], near[i], 1e-6, "[%d]: %g", i, double(real[i]));
    }
}
