/* v1: the plain kernel, to be read beside the equations it computes:
 *
 *   L_j = cap(scale <q, k_j>),  p = softmax over visible j,  o = sum_j p_j v_j,  v_j = the first vhs channels of k_j
 *
 * q [T,H,hs]  cache [blocks,bs,hs]  out [T,H,vhs]  shared memory 4 (hs + vhs) + 2 K bytes
 *
 * write_rows: a block per token, a thread per channel.
 *
 * attend: a block of 128 threads per (token, head) takes the visible keys in tiles of 128. In a tile a thread scores
 * one key, then sums every 128th channel. The first tile starts at the first visible position, so the bits of a row
 * hang on its own positions alone: not on the batch, the pages or the chunk that it came in.
 *
 * Cost: each head reads each latent row twice, the first time thread by thread, uncoalesced.
 */
#include "v1.h"
#include "simt/simt.h"
#include <math.h>
#include <stdio.h>

static constexpr int TILE = 128, LANES = 8;
static constexpr size_t STATIC_SHARED = TILE * (sizeof(int64_t) + 2 * sizeof(float));
static constexpr int64_t MOST_FLOATS = (SIMT_SHARED_UNASKED - STATIC_SHARED) / sizeof(float); /* of q and o together */

/* A token's sequence and position; sequence -1 for a token at or past cumulative_sequence_length[B]. */
struct Place {
    int64_t sequence, position;
};

/* The first b with token < cumulative_sequence_length[b + 1]: sequences without a new token are passed over. */
static __device__ Place place_of(const pa_problem &p, int64_t token) {
    int64_t low = 0, high = p.sequences;
    while (low < high) {
        const int64_t b = low + (high - low) / 2;
        if (token < p.cumulative_sequence_length[b + 1])
            high = b;
        else
            low = b + 1;
    }
    if (low == p.sequences) return {-1, -1};
    return {low, p.past_seqlens[low] + token - p.cumulative_sequence_length[low]};
}

/* Where position j of a sequence lies in the cache, or -1 where its table does not map it. */
static __device__ int64_t slot_of(const pa_problem &p, int64_t sequence, int64_t j) {
    if (j < 0 || j / p.block_size >= p.max_blocks) return -1;
    const int64_t block = p.block_table[sequence * p.max_blocks + j / p.block_size];
    return block < 0 || block >= p.blocks ? -1 : block * p.block_size + j % p.block_size;
}

/* Where a token's row is written, or a negative number: nowhere. */
static __device__ int64_t write_slot(const pa_problem &p, int64_t token, Place at) {
    if (at.sequence < 0) return -1;
    const int64_t slot = p.slot_mapping ? p.slot_mapping[token] : slot_of(p, at.sequence, at.position);
    return slot < p.blocks * p.block_size ? slot : -1;
}

static __device__ bool is_rotated(const pa_problem &p, int64_t channel) {
    return channel >= p.rotary_offset && channel < p.rotary_offset + 2 * p.rotary_half;
}

/* A rotated channel of a row: x cos - y sin where it is the first of its pair, y cos + x sin where it is the second. */
template <class T>
static __device__ float rotated(const pa_problem &p, const T *row, int64_t position, int64_t channel) {
    const int64_t r = channel - p.rotary_offset, half = p.rotary_half;
    const int64_t pair = p.interleaved ? r / 2 : r % half;
    const int64_t first = p.rotary_offset + (p.interleaved ? 2 * pair : pair),
                  second = first + (p.interleaved ? 1 : half);
    const float x = to_f32(row[first]), y = to_f32(row[second]);
    const float cosine = to_f32(static_cast<const T *>(p.cos_cache)[position * half + pair]);
    const float sine = to_f32(static_cast<const T *>(p.sin_cache)[position * half + pair]);
    return channel == first ? x * cosine - y * sine : y * cosine + x * sine;
}

template <class T> __global__ void __launch_bounds__(TILE) write_rows(const pa_problem p) {
    const int64_t token = blockIdx.x;
    const Place at = place_of(p, token);
    const int64_t slot = write_slot(p, token, at);
    if (slot < 0) return;
    const T *row = static_cast<const T *>(p.key) + token * p.head_size;
    T *kept = static_cast<T *>(p.key_cache) + slot * p.head_size;
    for (int64_t c = threadIdx.x; c < p.head_size; c += TILE) {
        if (is_rotated(p, c))
            put(kept[c], rotated(p, row, at.position, c));
        else
            kept[c] = row[c]; /* bits, not values: a NaN keeps its payload */
    }
}

template <class T> struct alignas(16) Eight { T of[LANES]; };

/* Channels [c, c + 8) of a row, zeros past its end; one load where every row starts on 16 bytes. */
template <class T> static __device__ Eight<T> eight_of(const T *row, int c, int channels) {
    if (channels % LANES == 0) return *reinterpret_cast<const Eight<T> *>(row + c);
    Eight<T> x = {};
    for (int i = 0; i < LANES; ++i)
        if (c + i < channels) x.of[i] = row[c + i];
    return x;
}

/* <q, row> in eight sums side by side. q is padded with zeros to a multiple of eight. */
template <class T> static __device__ float dot(const float *q, const T *row, int channels) {
    float sum[LANES] = {};
    for (int c = 0; c < channels; c += LANES) {
        const Eight<T> k = eight_of(row, c, channels);
        for (int i = 0; i < LANES; ++i) sum[i] += q[c + i] * to_f32(k.of[i]);
    }
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

/* exp(logit - top). A logit of -inf weighs 0 even while there is no better one; if there never is, the row ends as 0 /
 * 0, the NaN that is due. NaN and +inf give NaN. */
static __device__ float weigh(float logit, float top) {
    return logit == -INFINITY ? 0.0f : expf(logit - top);
}

static __host__ __device__ int64_t padded(int64_t channels) {
    return (channels + LANES - 1) / LANES * LANES;
}

/* q in f32, rotated where it is to be, and zeros up to a multiple of eight. */
template <class T> static __device__ void load_query(float *q, const pa_problem &p, const T *query, int64_t position) {
    for (int64_t c = threadIdx.x; c < padded(p.head_size); c += TILE)
        q[c] = c >= p.head_size ? 0.0f : is_rotated(p, c) ? rotated(p, query, position, c) : to_f32(query[c]);
}

template <class T> static __device__ float score(const pa_problem &p, const float *q, const T *row) {
    const float s = p.scale * dot(q, row, static_cast<int>(p.head_size));
    return p.softcap > 0.0f ? p.softcap * tanhf(s / p.softcap) : s;
}

template <class T> __global__ void __launch_bounds__(TILE) attend(const pa_problem p) {
    SHARED_DYNAMIC(dynamic);
    SHARED_ARRAY(int64_t, slot, TILE); /* of each key of the tile; -1: hidden */
    SHARED_ARRAY(float, logit, TILE);
    SHARED_ARRAY(float, weight, TILE);
    const int t = static_cast<int>(threadIdx.x), hs = static_cast<int>(p.head_size),
              vhs = static_cast<int>(p.v_head_size);
    float *q = reinterpret_cast<float *>(dynamic), *o = q + padded(hs);
    const T *cache = static_cast<const T *>(p.key_cache);

    const Place at = place_of(p, blockIdx.x / p.heads);
    const int64_t end = at.position + 1; /* 0 for a padded token, which sees nothing */
    const int64_t first = p.keys_before < 0 ? 0 : max(int64_t{0}, at.position - p.keys_before);
    if (end > 0) load_query(q, p, static_cast<const T *>(p.query) + blockIdx.x * p.head_size, at.position);
    for (int d = t; d < vhs; d += TILE) o[d] = 0.0f;

    bool any = false;
    float top = -INFINITY, total = 0.0f;
    for (int64_t tile = first; tile < end; tile += TILE) {
        const int keys = static_cast<int>(min(int64_t{TILE}, end - tile));
        __syncthreads(); /* q is there, and nobody reads the last tile any more */
        if (t < keys) {
            slot[t] = slot_of(p, at.sequence, tile + t);
            if (slot[t] >= 0) logit[t] = score(p, q, cache + slot[t] * hs);
        }
        __syncthreads(); /* every score is there */
        const float top_before = top;
        for (int i = 0; i < keys; ++i) {
            if (slot[i] < 0) continue;
            any = true;
            top = logit[i] > top ? logit[i] : top; /* a NaN is passed over here: its weight is NaN and tells */
        }
        if (t < keys) weight[t] = slot[t] < 0 ? 0.0f : weigh(logit[t], top);
        __syncthreads(); /* every weight is there */
        const float keep = weigh(top_before, top);
        float sum = 0.0f;
        for (int i = 0; i < keys; ++i) sum += weight[i];
        total = total * keep + sum;
        for (int d = t; d < vhs; d += TILE) {
            float part = 0.0f;
            for (int i = 0; i < keys; ++i) /* a hidden row is not touched: 0 x NaN would be NaN */
                if (slot[i] >= 0) part += weight[i] * to_f32(cache[slot[i] * hs + d]);
            o[d] = o[d] * keep + part;
        }
    }
    T *output = static_cast<T *>(p.output) + blockIdx.x * p.v_head_size;
    for (int d = t; d < vhs; d += TILE) put(output[d], any ? o[d] / total : 0.0f);
}

template <class T> static const char *load() {
    const char *wrong = allow_shared(write_rows<T>, 0);
    return wrong ? wrong : allow_shared(attend<T>, MOST_FLOATS * sizeof(float));
}

extern "C" const char *pa_v1_load(void) {
    const char *wrong = load<__half>();
    return wrong ? wrong : load<__nv_bfloat16>();
}

template <class T> static const char *launch(const pa_problem &p, Stream_t stream) {
    const unsigned tokens = static_cast<unsigned>(p.tokens), rows = tokens * static_cast<unsigned>(p.heads);
    const size_t shared = static_cast<size_t>(padded(p.head_size) + p.v_head_size) * sizeof(float);
    const char *wrong = LAUNCH(write_rows<T>, tokens, TILE, 0, stream, p);
    return wrong ? wrong : LAUNCH(attend<T>, rows, TILE, shared, stream, p);
}

/* What no rule of the contract forbids, and this kernel cannot launch. */
static bool too_large(const pa_problem &p, at_refusal *why) {
    const long long hs = p.head_size, vhs = p.v_head_size, most = MOST_FLOATS, tokens = p.tokens, heads = p.heads;
    if (hs > most || padded(hs) + vhs > most)
        snprintf(why->text, sizeof why->text,
                 "head_size %lld + v_head_size %lld is more than the %lld floats that v1 can keep in shared memory", hs,
                 vhs, most);
    else if (tokens > SIMT_MAX_GRID_X / heads)
        snprintf(why->text, sizeof why->text,
                 "%lld tokens x %lld heads are more than the %d blocks that a grid can have", tokens, heads,
                 SIMT_MAX_GRID_X);
    else
        return false;
    return true;
}

extern "C" at_code pa_v1_launch(const pa_problem *p, void *stream, at_refusal *why) {
    if (too_large(*p, why)) return AT_NOT_IMPLEMENTED;
    const Stream_t on = stream_of(stream);
    const char *wrong = p->dtype == AT_F16 ? launch<__half>(*p, on) : launch<__nv_bfloat16>(*p, on);
    if (wrong) snprintf(why->text, sizeof why->text, "v1 could not be launched: %s", wrong);
    return wrong ? AT_DEVICE_ERROR : AT_ACCEPTED;
}
