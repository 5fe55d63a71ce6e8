/* test_order.cc: what the order of threads is, that right kernels do not feel it, and that kernels without a barrier
 * do. */
#include <criterion/criterion.h>

#include "kernels.h"
#include "stream.h"

#include <algorithm>
#include <math.h>

typedef std::vector<float> Floats;

/* Small integers, so that sums are exact; scores of the attention kernels stay within a few units. */
static Floats inputs() {
    Floats in(4096);
    for (size_t i = 0; i < in.size(); i++) in[i] = float((i * 7 + i / 13) % 5) - 2;
    return in;
}

static Floats result(const Family &f, int without, Way way) {
    const Floats in = inputs();
    Floats out(1024, -77);
    Stream stream(way.order, way.seed);
    const char *said = f.launch(&stream, without, in.data(), out.data());
    cr_assert_null(said, "%s without %d: %s", f.name, without, said);
    out.resize(size_t(f.outputs));
    return out;
}

static bool same_bits(const Floats &a, const Floats &b) {
    return a.size() == b.size() && memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

static double attention(const Floats &in, int keys, int channel) {
    double total = 0, o = 0;
    for (int j = 0; j < keys; j++) {
        const float *row = &in[size_t(8 + j * 8)];
        double dot = 0;
        for (int d = 0; d < 8; d++) dot += double(in[size_t(d)]) * row[d];
        total += exp(dot);
        o += exp(dot) * row[channel];
    }
    return o / total;
}

static double expected(const std::string &name, const Floats &in, int i) {
    const size_t at = size_t(i);
    double sum = 0;
    if (name == "tree")
        for (size_t j = at / 256 * 256; j < at / 256 * 256 + 256; j++) sum += in[j];
    if (name == "scan")
        for (size_t j = 0; j <= at; j++) sum += in[j];
    if (name == "warp_tree")
        for (size_t j = at / 32 * 32; j < at / 32 * 32 + 32; j++) sum += in[j];
    if (name == "transpose") sum = in[at / 256 * 256 + at % 16 * 16 + at % 256 / 16];
    if (name == "thread_tile") sum = attention(in, 300, i % 8);
    if (name == "warp_tile") sum = attention(in, 96, i % 8);
    return sum;
}

Test(order, right_kernels_compute_what_they_should) {
    const Floats in = inputs();
    for (size_t k = 0; k < families_count; k++) {
        const Floats out = result(families[k], 0, ways[0]);
        for (int i = 0; i < families[k].outputs; i++) {
            const double want = expected(families[k].name, in, i);
            cr_assert(fabs(out[size_t(i)] - want) <= 1e-5 * (1 + fabs(want)), "%s [%d]: %g, not %g", families[k].name,
                      i, double(out[size_t(i)]), want);
        }
    }
}

Test(order, right_kernels_give_the_same_bits_in_every_order) {
    for (size_t k = 0; k < families_count; k++) {
        const Floats first = result(families[k], 0, ways[0]);
        for (const Way &way : ways)
            cr_assert(same_bits(first, result(families[k], 0, way)), "%s differs in order %d, seed %d",
                      families[k].name, way.order, int(way.seed));
    }
}

Test(order, each_barrier_left_out_is_found) {
    int faults = 0;
    for (size_t k = 0; k < families_count; k++) {
        const Floats right = result(families[k], 0, ways[0]);
        for (int without = 1; without <= families[k].barriers; without++, faults++) {
            bool found = false;
            for (const Way &way : ways) found = found || !same_bits(right, result(families[k], without, way));
            cr_expect(found, "%s without barrier %d passes in every order", families[k].name, without);
        }
    }
    cr_assert_eq(faults, 18);
}

static std::vector<int> order_of(Way way) {
    std::vector<int> out(1 + 120);
    Stream stream(way.order, way.seed);
    cr_assert_null(launch_order(&stream, out.data()));
    cr_assert_eq(out[0], 120);
    return std::vector<int>(out.begin() + 1, out.end());
}

Test(order, forward_and_backward_mirror_each_other_in_threads_and_blocks) {
    std::vector<int> forward = order_of(ways[0]);
    for (int i = 0; i < 120; i++) cr_assert_eq(forward[size_t(i)], i / 10 * 1000 + i % 10);
    const std::vector<int> backward = order_of(ways[1]);
    std::reverse(forward.begin(), forward.end());
    cr_assert(forward == backward);
}

Test(order, a_seed_is_an_order_of_all_blocks_and_threads_and_another_seed_another) {
    const std::vector<int> forward = order_of(ways[0]);
    std::vector<int> last = forward;
    for (uint64_t seed = 0; seed < 20; seed++) {
        std::vector<int> now = order_of({AT_RANDOM, seed}), threads(10), sorted = now;
        cr_assert(now == order_of({AT_RANDOM, seed}), "seed %d is not one order", int(seed));
        cr_assert(now != last);
        for (size_t i = 0; i < 10; i++) threads[i] = now[i] % 1000;
        cr_assert_not(std::is_sorted(threads.begin(), threads.end()), "the threads of a block go forward");
        std::sort(sorted.begin(), sorted.end());
        cr_assert(sorted == forward, "seed %d leaves something out", int(seed));
        last = now;
    }
}
