#include "../design.h"
#include "../draw_table.h"

#include <Random123/philox.h>
#include <criterion/criterion.h>
#include <math.h>

/* The three known answers that Random123 publishes for philox4x32 with 10 rounds. */
static const struct {
    uint32_t counter[4], key[2], answer[4];
} known[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

Test(draw, the_generator_gives_the_published_answers) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        philox4x32_ctr_t counter;
        philox4x32_key_t key;
        for (int w = 0; w < 4; w++) counter.v[w] = known[i].counter[w];
        for (int w = 0; w < 2; w++) key.v[w] = known[i].key[w];
        const philox4x32_ctr_t got = philox4x32(counter, key);
        for (int w = 0; w < 4; w++) cr_expect_eq(got.v[w], known[i].answer[w], "vector %zu, word %d", i, w);
    }
}

Test(draw, a_draw_is_the_first_half_of_the_block_at_element_and_stream) {
    cr_expect_eq(at_draw(0, 0, 0), 0xe169c58d6627e8d5, "the published answer for zeros");
    const philox4x32_ctr_t counter = {{0x89abcdef, 0x01234567, 42, 0}};
    const philox4x32_key_t key = {{0x76543210, 0xfedcba98}};
    const philox4x32_ctr_t block = philox4x32(counter, key);
    cr_expect_eq(at_draw(0xfedcba9876543210, 42, 0x0123456789abcdef), (uint64_t)block.v[1] << 32 | block.v[0]);
}

/* The deviation exceeds x in size with probability erfc(x / sqrt 2), which falls as x rises. */
static bool quantile_is_right(int i, double x) {
    const double unit = 0x1p-28, v = ldexp(16 + i % AT_STEPS, i / AT_STEPS - (AT_OCTAVES - 1) - 5);
    return erfc((x - unit) / sqrt(2)) >= v && erfc((x + unit) / sqrt(2)) <= v;
}

Test(draw, every_quantile_of_the_table_is_right_to_its_last_unit) {
    for (int i = 0; i <= AT_OCTAVES * AT_STEPS; i++) {
        cr_expect(quantile_is_right(i, at_quantile[i] * 0x1p-28), "entry %d", i);
        cr_expect_not(quantile_is_right(i, at_quantile[i] * 0x1p-28 + 0x3p-28), "entry %d, three units more", i);
    }
}

Test(draw, normals_have_the_moments_of_the_normal_distribution) {
    enum { N = 1000000 };
    double sum[5] = {0};
    for (uint64_t i = 0; i < N; i++) {
        const double x = at_normal(7, 3, i);
        for (int k = 1; k <= 4; k++) sum[k] += pow(x, k) / N;
    }
    /* four standard errors of each sample moment: sqrt(1, 2, 15, 96) / 1000 */
    cr_expect_lt(fabs(sum[1]), 4e-3, "mean %g", sum[1]);
    cr_expect_lt(fabs(sum[2] - 1), 5.7e-3, "variance %g", sum[2]);
    cr_expect_lt(fabs(sum[3]), 15.5e-3, "third moment %g", sum[3]);
    cr_expect_lt(fabs(sum[4] - 3), 39e-3, "kurtosis %g", sum[4]);
}

Test(draw, normals_have_the_tails_of_the_normal_distribution) {
    enum { N = 2000000 };
    int beyond[5] = {0};
    for (uint64_t i = 0; i < N; i++) {
        for (int k = 1; k <= 4; k++) beyond[k] += fabs(at_normal(11, 3, i)) > k;
    }
    for (int k = 1; k <= 4; k++) {
        const double expected = N * erfc(k / sqrt(2));
        cr_expect_lt(fabs(beyond[k] - expected), 5 * sqrt(expected), "%d of %g beyond %d deviations", beyond[k],
                     expected, k);
    }
}

Test(draw, the_farthest_normals_reach_5_42_deviations_and_no_farther) {
    /* elements of stream 2, seed 1, whose words begin with 22, 23 and 28 zeros */
    cr_expect_float_eq(fabs(at_normal(1, 2, 7418963)), 5.19, 0.01);
    cr_expect_float_eq(fabs(at_normal(1, 2, 5482148)), 5.33, 0.01);
    cr_expect_eq(at_normal(1, 2, 14924216), at_quantile[0] * 0x1p-28);
}

Test(draw, neighbouring_elements_streams_and_seeds_are_independent) {
    enum { N = 100000 };
    double element = 0, stream = 0, seed = 0;
    for (uint64_t i = 0; i < N; i++) {
        const double x = at_normal(1, 1, i);
        element += x * at_normal(1, 1, i + 1) / N;
        stream += x * at_normal(1, 2, i) / N;
        seed += x * at_normal(2, 1, i) / N;
    }
    cr_expect_lt(fabs(element), 4 / sqrt(N));
    cr_expect_lt(fabs(stream), 4 / sqrt(N));
    cr_expect_lt(fabs(seed), 4 / sqrt(N));
}

Test(draw, normals_are_the_same_bits_on_every_host) {
    static const double expected[] = {-0x1.31bf508p-1, -0x1.74ea358p-3, -0x1.daffa0cp-1, 0x1.af806e2p-1};
    for (uint64_t i = 0; i < 4; i++)
        cr_expect_eq(at_normal(1, 2, i), expected[i], "element %d: %a", (int)i, at_normal(1, 2, i));
}
