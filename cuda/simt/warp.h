/* warp.h: warp-wide operations for a host compiler. Each is one meeting: every lane of the mask leaves a pointer to a
 * struct on its own stack and stops; the last one in computes all results and the lanes go on. Lanes bring the same
 * operation, mask and line. */
#ifndef SIMT_WARP_H
#define SIMT_WARP_H

#include <stdint.h>

namespace simt {

enum { ALL_LANES = 32 };
constexpr uint32_t FULL_MASK = 0xffffffffu;

/* `run` gets what each lane brought, NULL for lanes that are not in the mask; no `run`: nothing but the meeting. */
struct Operation {
    const char *name;
    bool orders_memory; /* a fence among the lanes, to the race detector */
    void (*run)(void *const lane[ALL_LANES], uint32_t mask);
};
void meet(const Operation &, uint32_t mask, void *mine, Site);

/* For a running operation whose lane reads another that the mask does not name. */
[[noreturn]] void fault_from_outside(unsigned lane, unsigned source);

/* Operations touch other lanes' stacks on their behalf: no access of the kernel's, so the race detector is not to see
 * it. */
#define SIMT_UNSEEN __attribute__((no_sanitize("thread")))

template <class T> struct Shuffle {
    T value, got;
    unsigned source;
    SIMT_UNSEEN static void run(void *const lane[ALL_LANES], uint32_t mask) {
        for (unsigned i = 0; i < ALL_LANES; i++) {
            if (!(mask >> i & 1)) continue;
            Shuffle *to = static_cast<Shuffle *>(lane[i]);
            if (!(mask >> to->source & 1)) fault_from_outside(i, to->source);
            to->got = static_cast<const Shuffle *>(lane[to->source])->value;
        }
    }
    static T meet(const Operation &op, uint32_t mask, T value, unsigned source, Site at) {
        static_assert(std::is_trivially_copyable<T>::value, "lanes exchange bytes");
        Shuffle s = {value, value, source};
        simt::meet(op, mask, &s, at);
        return s.got;
    }
};

struct Vote {
    bool yes;
    uint32_t ballot;
    SIMT_UNSEEN static void run(void *const lane[ALL_LANES], uint32_t mask) {
        uint32_t ballot = 0;
        for (unsigned i = 0; i < ALL_LANES; i++)
            if (mask >> i & 1 && static_cast<const Vote *>(lane[i])->yes) ballot |= 1u << i;
        for (unsigned i = 0; i < ALL_LANES; i++)
            if (mask >> i & 1) static_cast<Vote *>(lane[i])->ballot = ballot;
    }
    static uint32_t meet(const Operation &op, uint32_t mask, bool yes, Site at) {
        Vote v = {yes, 0};
        simt::meet(op, mask, &v, at);
        return v.ballot;
    }
};

/* The pairs and the order of five xor shuffles (16, 8, 4, 2, 1): an addition gives both its lanes the same bits, so one
 * half of the butterfly is the whole. */
template <float (*two)(float, float)> struct Fold {
    SIMT_UNSEEN static void run(void *const lane[ALL_LANES], uint32_t) {
        float x[ALL_LANES];
        for (unsigned i = 0; i < ALL_LANES; i++) x[i] = *static_cast<const float *>(lane[i]);
        for (unsigned half = ALL_LANES / 2; half > 0; half /= 2)
            for (unsigned i = 0; i < half; i++) x[i] = two(x[i], x[i + half]);
        for (unsigned i = 0; i < ALL_LANES; i++) *static_cast<float *>(lane[i]) = x[0];
    }
    static float meet(const Operation &op, float x, Site at) {
        simt::meet(op, FULL_MASK, &x, at);
        return x;
    }
};
SIMT_UNSEEN inline float add(float a, float b) {
    return a + b;
}
SIMT_UNSEEN inline float larger(float a, float b) {
    return fmaxf(a, b);
}

} // namespace simt

inline void __syncwarp(unsigned mask = simt::FULL_MASK, simt::Site at = simt::Site::here()) {
    static const simt::Operation op = {"__syncwarp", true, nullptr};
    simt::meet(op, mask, nullptr, at);
}

/* Source lanes as the PTX ISA defines them for shfl: a segment is `width` lanes; a source outside it is the lane
 * itself, but xor reaches into earlier segments. */
template <class T>
inline T __shfl_sync(unsigned mask, T value, int source, int width = 32, simt::Site at = simt::Site::here()) {
    static const simt::Operation op = {"__shfl_sync", false, simt::Shuffle<T>::run};
    const unsigned lane = simt::self->lane, last = static_cast<unsigned>(width) - 1;
    return simt::Shuffle<T>::meet(op, mask, value, (lane & ~last) | (static_cast<unsigned>(source) & last), at);
}
template <class T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, simt::Site at = simt::Site::here()) {
    static const simt::Operation op = {"__shfl_up_sync", false, simt::Shuffle<T>::run};
    const unsigned lane = simt::self->lane, last = static_cast<unsigned>(width) - 1;
    return simt::Shuffle<T>::meet(op, mask, value, (lane & last) < delta ? lane : lane - delta, at);
}
template <class T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, simt::Site at = simt::Site::here()) {
    static const simt::Operation op = {"__shfl_down_sync", false, simt::Shuffle<T>::run};
    const unsigned lane = simt::self->lane, last = static_cast<unsigned>(width) - 1;
    return simt::Shuffle<T>::meet(op, mask, value, (lane & last) + delta > last ? lane : lane + delta, at);
}
template <class T>
inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32, simt::Site at = simt::Site::here()) {
    static const simt::Operation op = {"__shfl_xor_sync", false, simt::Shuffle<T>::run};
    const unsigned lane = simt::self->lane, end = lane | (static_cast<unsigned>(width) - 1);
    const unsigned source = lane ^ static_cast<unsigned>(bits);
    return simt::Shuffle<T>::meet(op, mask, value, source > end ? lane : source, at);
}

inline unsigned __ballot_sync(unsigned mask, int yes, simt::Site at = simt::Site::here()) {
    static const simt::Operation op = {"__ballot_sync", false, simt::Vote::run};
    return simt::Vote::meet(op, mask, yes != 0, at);
}
inline int __any_sync(unsigned mask, int yes, simt::Site at = simt::Site::here()) {
    static const simt::Operation op = {"__any_sync", false, simt::Vote::run};
    return simt::Vote::meet(op, mask, yes != 0, at) != 0;
}
inline int __all_sync(unsigned mask, int yes, simt::Site at = simt::Site::here()) {
    static const simt::Operation op = {"__all_sync", false, simt::Vote::run};
    return simt::Vote::meet(op, mask, yes != 0, at) == mask;
}

inline float warp_sum(float x, simt::Site at = simt::Site::here()) {
    static const simt::Operation op = {"warp_sum", false, simt::Fold<simt::add>::run};
    return simt::Fold<simt::add>::meet(op, x, at);
}
inline float warp_max(float x, simt::Site at = simt::Site::here()) {
    static const simt::Operation op = {"warp_max", false, simt::Fold<simt::larger>::run};
    return simt::Fold<simt::larger>::meet(op, x, at);
}

#endif
