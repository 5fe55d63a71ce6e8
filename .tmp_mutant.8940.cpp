













#include "v1.h"
#include "simt/simt.h"
#include <math.h>
#include <stdio.h>

static constexpr int TILE = 128, LANES = 8;
static constexpr size_t STATIC_SHARED = TILE * (sizeof(int64_t) + 2 * sizeof(float));
static constexpr int64_t MOST_FLOATS = (SIMT_SHARED_UNASKED - STATIC_SHARED) / sizeof(float); 


struct Place {
    int64_t sequence, position;
};


static __device__ Place place_of(const pa_problem &p, int64_t token) {
    int64_t low = 0, high = p.sequences;
    while (low < high) {
        const int64_t b = low + (high - low) / 2;
        if (token < p.cumulative_sequence_length[b + 1])
            high = b;
        else
            low = b + 1;
    }
    if (low == p.sequences) return { -1, -1};
    return {low, p.past_seqlens[low] + token - p.cumulative_sequence_length[low]};
}


static __device__ int64_t slot_of(const pa_problem &p, int64_t sequence, int64_t j) {
    if (j < 0 || j / p.block_size >= p.max_blocks) return -1;
    const int64_t block = p.block_table[sequence * p.max_blocks + j / p.block_size];
    return block < 0 || block >= p.blocks ? -1 : block * p.block_size + j % p.block_size;
}


static __device__ int64_t write_slot(const pa_problem &p, int64_t token, Place at) {
    if (at.sequence < 0) return -1;
    const int64_t slot = p.slot_mapping ? p.slot_mapping[token] : slot_of(p, at.sequence, at.position);
    return slot < p.blocks * p.block_size ? slot : -1;
}

static __device__ bool is_rotated(const pa_problem &p, int64_t channel) {
    return channel >= p.rotary_offset && channel < p.rotary_offset + 2 * p.rotary_half;
}


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
            kept[c] = row[c]; 
    }
}

template <class T>= struct alignas(16) Eight { T of[LANES]; };


template <class T> static __device__ Eight<T> eight_of(const T *row, int c, int channels) {
    if (channels % LANES == 0) return *reinterpret_cast<const Eight<T> *>(row + c);
    Eight<T> x = {};
    for (int i = 0; i < LANES; ++i)
        if (c + i < channels) x.of[i] = row[c + i];
    return x;
}


template <class T> static __device__ float dot(const float *q, const T *row, int channels) {
    float sum[LANES] = {};
    for (int c = 0; c < channels; c += LANES) {
        const Eight<T> k = eight_of(row, c, channels);
        for (int i = 0; i < LANES; ++i) sum[i] += q[c + i] * to_f32(k.of[i]);
    }
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}



static __device__ float weigh(float logit, float top) {
    return logit == -INFINITY ? 0.0f : expf(logit - top);
}

static __host__ __device__ int64_t padded(int64_t channels) {
    return (channels + LANES - 1) / LANES * LANES;
}


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
    SHARED_ARRAY(int64_t, slot, TILE); 
    SHARED_ARRAY(float, logit, TILE);
    SHARED_ARRAY(float, weight, TILE);
    const int t = static_cast<int>(threadIdx.x), hs = static_cast<int>(p.head_size),
              vhs = static_cast<int>(p.v_head_size);
    float *q = reinterpret_cast<float *>(dynamic), *o = q + padded(hs);
    const T *cache = static_cast<const T *>(p.key_cache);

    const Place at = place_of(p, blockIdx.x / p.heads);
    const int64_t end = at.position + 1; 
    const int64_t first = p.keys_before < 0 ? 0 : max(int64_t{0}, at.position - p.keys_before);
    if (end > 0) load_query(q, p, static_cast<const T *>(p.query) + blockIdx.x * p.head_size, at.position);
    for (int d = t; d < vhs; d += TILE) o[d] = 0.0f;

    bool any = false;
    float top = -INFINITY, total = 0.0f;
    for (int64_t tile = first; tile < end; tile += TILE) {
        const int keys = static_cast<int>(min(int64_t{TILE}, end - tile));
        __syncthreads(); 
        if (t < keys) {
            slot[t] = slot_of(p, at.sequence, tile + t);
            if (slot[t] >= 0) logit[t] = score(p, q, cache + slot[t] * hs);
        }
        __syncthreads(); 
        const float top_before = top;
        for (int i = 0; i < keys; ++i) {
            if (slot[i] < 0) continue;
            any = true;
            top = logit[i] > top ? logit[i] : top; 
        }
        if (t < keys) weight[t] = slot[t] < 0 ? 0.0f : weigh(logit[t], top);
        __syncthreads(); 
        const float keep = weigh(top_before, top);
        float sum = 0.0f;
        for (int i = 0; i < keys; ++i) sum += weight[i];
        total = total * keep + sum;
        for (int d = t; d < vhs; d += TILE) {
            float part = 0.0f;
            for (int i = 0; i < keys; ++i) 
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
