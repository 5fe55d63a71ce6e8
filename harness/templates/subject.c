/* @name@: a subject for attest, com.microsoft::PagedAttention (LATENT) in plain C. It is right as it stands, and slow.
 *
 *     cc -std=c11 -O2 -shared -fPIC -I DIR -o @name@.so @name@.c -lm
 *     attest run --subject ./@name@.so --tier smoke
 *
 * DIR holds attest/subject.h: build/include of a checkout, or, once attest is installed, what pkg-config --cflags
 * attest says.
 *
 * Part 1 is the kernel: put yours in its place. Part 2 says which calls it takes; part 3 is what attest calls. Both can
 * stay as they are while the kernel takes the same calls.
 *
 * For CUDA: the file becomes @name@.cu (nvcc -shared -Xcompiler -fPIC), .device is AT_CUDA, call->stream is a
 * CUstream, pointers are device addresses, and execute launches `kernel<<<grid, block, shared, stream>>>(p)` where it
 * fills in an at_cpu_launch here. Load the module in create (cudaFuncSetAttribute will do it), so that no launch has to
 * while a graph is captured. attention_metadata alone lies on the host. */
#include <attest/subject.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- 1. the kernel ---- */

/* All that it looks at, by value: a launch is recorded with its arguments, what they point to is read at replay. */
typedef struct {
    bool bf16, interleaved;
    int64_t tokens, sequences, heads, head_size, v_head_size, blocks, block_size, columns; /* columns of block_table */
    int64_t rotary_offset, pairs, keys_before; /* pairs 0: no RoPE; keys_before < 0: no window */
    float scale, softcap;                      /* softcap <= 0: off */
    const uint16_t *query, *key, *cos, *sin;   /* [T, H*hs], [T, hs], [positions, pairs] */
    uint16_t *cache, *output;                  /* [blocks, block_size, hs], [T, H*vhs] */
    const int32_t *cumulative, *past, *table, *slots;
    float *sums; /* [vhs], the workspace */
} problem;

static float from_bits(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static float value(const problem *p, uint16_t h) {
    if (p->bf16) return from_bits((uint32_t)h << 16);
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, mantissa = h & 1023;
    if (exponent == 0) return (sign ? -0x1p-24f : 0x1p-24f) * (float)mantissa;
    return from_bits(sign | (exponent == 31 ? 255 : exponent + 112) << 23 | mantissa << 13);
}

/* The nearest, ties to even; a NaN stays one. */
static uint16_t rounded(const problem *p, float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000, size = bits & 0x7FFFFFFF;
    if (p->bf16) return (uint16_t)(size > 0x7F800000 ? sign | 0x7FC0 : (bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
    if (size > 0x7F800000) return (uint16_t)(sign | 0x7E00);
    if (size >= 0x477FF000) return (uint16_t)(sign | 0x7C00);
    if (size < 0x38800000) return (uint16_t)(sign | (uint32_t)lrintf(fabsf(f) * 0x1p24f)); /* subnormal */
    return (uint16_t)(sign | (size - (112u << 23) + 0xFFF + (size >> 13 & 1)) >> 13);
}

static bool is_rotated(const problem *p, int64_t c) {
    return c >= p->rotary_offset && c < p->rotary_offset + 2 * p->pairs;
}

/* Channel c of a row after RoPE: x cos - y sin for the first of a pair, y cos + x sin for the second. */
static float turned(const problem *p, const uint16_t *row, int64_t position, int64_t c) {
    if (!is_rotated(p, c)) return value(p, row[c]);
    int64_t r = c - p->rotary_offset, i = p->interleaved ? r / 2 : r % p->pairs;
    int64_t first = p->rotary_offset + (p->interleaved ? 2 * i : i), second = first + (p->interleaved ? 1 : p->pairs);
    float x = value(p, row[first]), y = value(p, row[second]);
    float cosine = value(p, p->cos[position * p->pairs + i]), sine = value(p, p->sin[position * p->pairs + i]);
    return c == first ? x * cosine - y * sine : y * cosine + x * sine;
}

/* A negative slot, or one past the cache, is nowhere. Channels that do not turn keep their bits. */
static void write_row(const problem *p, int64_t token, int64_t position) {
    int64_t slot = p->slots[token];
    if (slot < 0 || slot >= p->blocks * p->block_size) return;
    const uint16_t *row = p->key + token * p->head_size;
    uint16_t *kept = p->cache + slot * p->head_size;
    for (int64_t c = 0; c < p->head_size; c++)
        kept[c] = is_rotated(p, c) ? rounded(p, turned(p, row, position, c)) : row[c];
}

/* The cached row of a position, or NULL where no page is mapped. */
static const uint16_t *cached(const problem *p, int64_t sequence, int64_t j) {
    if (j / p->block_size >= p->columns) return NULL;
    int64_t block = p->table[sequence * p->columns + j / p->block_size];
    if (block < 0 || block >= p->blocks) return NULL;
    return p->cache + (block * p->block_size + j % p->block_size) * p->head_size;
}

static float score(const problem *p, const uint16_t *query, int64_t position, const uint16_t *row) {
    float dot = 0;
    for (int64_t c = 0; c < p->head_size; c++) dot += turned(p, query, position, c) * value(p, row[c]);
    float s = p->scale * dot;
    return p->softcap > 0 ? p->softcap * tanhf(s / p->softcap) : s;
}

/* o = sum_j p_j v_j over the visible j, p = softmax(scores), v_j the first channels of the row that is k_j. */
static void attend(const problem *p, int64_t token, int64_t head, int64_t sequence, int64_t position) {
    const uint16_t *query = p->query + (token * p->heads + head) * p->head_size, *row;
    uint16_t *output = p->output + (token * p->heads + head) * p->v_head_size;
    int64_t first = p->keys_before < 0 || p->keys_before > position ? 0 : position - p->keys_before;
    float top = -INFINITY, total = 0;
    bool any = false;
    for (int64_t c = 0; c < p->v_head_size; c++) p->sums[c] = 0;
    for (int64_t j = first; j <= position; j++) {
        if ((row = cached(p, sequence, j)) == NULL) continue;
        float s = score(p, query, position, row);
        any = true;
        if (s > top) top = s; /* a NaN is not, and its weight below is NaN */
    }
    for (int64_t j = first; j <= position; j++) {
        if ((row = cached(p, sequence, j)) == NULL) continue;
        float weight = expf(score(p, query, position, row) - top);
        total += weight;
        for (int64_t c = 0; c < p->v_head_size; c++) p->sums[c] += weight * value(p, row[c]);
    }
    for (int64_t c = 0; c < p->v_head_size; c++) output[c] = any ? rounded(p, p->sums[c] / total) : 0;
}

/* Every row is written before one is read. In CUDA that is two launches on one stream. */
static const char *run(const at_cpu_launch *launch, const at_cpu_how *how) {
    (void)how;
    const problem *p = launch->args;
    for (int reads = 0; reads < 2; reads++) {
        for (int64_t b = 0; b < p->sequences; b++) {
            for (int64_t t = p->cumulative[b]; t < p->cumulative[b + 1]; t++) {
                int64_t position = p->past[b] + t - p->cumulative[b];
                if (!reads) write_row(p, t, position);
                for (int64_t h = 0; reads && h < p->heads; h++) attend(p, t, h, b, position);
            }
        }
    }
    return NULL;
}

/* ---- 2. which calls it takes ---- */

static at_code refuse(at_refusal *why, at_code code, const char *sentence) {
    why->rule = NULL; /* or the id of the contract's rule */
    snprintf(why->text, sizeof why->text, "%s", sentence);
    return code;
}

static const at_attr *attribute(const at_node *node, const char *name, at_attr_type type) {
    for (size_t i = 0; i < node->attrs; i++)
        if (strcmp(node->attr[i].name, name) == 0 && node->attr[i].type == type) return &node->attr[i];
    return NULL;
}

static int64_t integer(const at_node *node, const char *name, int64_t absent) {
    const at_attr *a = attribute(node, name, AT_INT);
    return a ? a->i : absent;
}

static const char *string(const at_node *node, const char *name, const char *absent) {
    const at_attr *a = attribute(node, name, AT_STRING);
    return a ? a->s : absent;
}

static bool is_quantised(const at_node *node) {
    static const char *const names[] = {"k_quant_type", "v_quant_type", "k_cache_dtype", "v_cache_dtype"};
    static const char *const off[] = {"", "0", "none", "NONE", "None"};
    for (int i = 0; i < 4; i++) {
        const char *s = string(node, names[i], "");
        int k = 0;
        while (k < 5 && strcmp(s, off[k]) != 0) k++;
        if (k == 5) return true;
    }
    return false;
}

static at_code judge_node(const at_node *node, at_refusal *why) {
    const char *layout = string(node, "kv_cache_layout", "SEPARATE");
    if (strcmp(layout, "LATENT") != 0) {
        bool known = strcmp(layout, "SEPARATE") == 0;
        return refuse(why, known ? AT_NOT_IMPLEMENTED : AT_INVALID_NODE, "kv_cache_layout is not LATENT");
    }
    if (integer(node, "num_heads", 0) < 1) return refuse(why, AT_INVALID_NODE, "num_heads is below 1, or absent");
    if (integer(node, "kv_num_heads", 0) != 1) return refuse(why, AT_INVALID_NODE, "LATENT has one KV head");
    if (integer(node, "v_head_size", 0) < 0 || integer(node, "rotary_offset", 0) < 0)
        return refuse(why, AT_INVALID_NODE, "v_head_size or rotary_offset is negative");
    if (is_quantised(node)) return refuse(why, AT_NOT_IMPLEMENTED, "a quantised cache");
    if (integer(node, "is_causal", 1) == 0) return refuse(why, AT_NOT_IMPLEMENTED, "is_causal = 0");
    return AT_ACCEPTED;
}

static at_code judge_inputs(const at_dtype in[AT_INPUTS], at_refusal *why) {
    static const int not_done[] = {AT_HEAD_SINK, AT_Q_NORM_WEIGHT, AT_K_NORM_WEIGHT, AT_K_SCALE, AT_V_SCALE};
    at_dtype query = in[AT_QUERY];
    if (query != AT_ABSENT && query != AT_F16 && query != AT_BF16)
        return refuse(why, AT_INVALID_NODE, "query is neither float16 nor bfloat16");
    if (in[AT_VALUE] != AT_ABSENT || in[AT_VALUE_CACHE] != AT_ABSENT)
        return refuse(why, AT_INVALID_NODE, "LATENT has neither value nor value_cache");
    for (int i = 0; i < 5; i++)
        if (in[not_done[i]] != AT_ABSENT) return refuse(why, AT_NOT_IMPLEMENTED, "a sink, norm weights or scales");
    return AT_ACCEPTED;
}

struct at_kernel {
    int64_t heads, v_head_size, window, rotary_offset;
    bool scaled, rotates, interleaved;
    float scale, softcap;
    struct {
        at_dtype dtype;
        uint32_t rank;
        int64_t shape[AT_MAX_RANK];
    } warmed[AT_INPUTS + AT_OUTPUTS]; /* the call that ran last outside of a capture; rank 0 of query: none has */
};

/* What each tensor has to be. `type` AT_ABSENT: the type of query. */
enum { OPTIONAL, REQUIRED, ROTARY };
static const struct {
    int input; /* from AT_INPUTS on: outputs */
    uint32_t rank;
    at_dtype type;
    int need;
} tensors[] = {
    {AT_QUERY, 2, AT_ABSENT, REQUIRED},
    {AT_KEY, 2, AT_ABSENT, REQUIRED},
    {AT_KEY_CACHE, 4, AT_ABSENT, REQUIRED},
    {AT_CUMULATIVE_SEQUENCE_LENGTH, 1, AT_I32, REQUIRED},
    {AT_PAST_SEQLENS, 1, AT_I32, REQUIRED},
    {AT_BLOCK_TABLE, 2, AT_I32, REQUIRED},
    {AT_INPUTS + AT_OUTPUT, 2, AT_ABSENT, REQUIRED},
    {AT_SLOT_MAPPING, 1, AT_I32, REQUIRED},
    {AT_COS_CACHE, 2, AT_ABSENT, ROTARY},
    {AT_SIN_CACHE, 2, AT_ABSENT, ROTARY},
};
enum { TENSORS = sizeof tensors / sizeof *tensors };

static const at_tensor *tensor(const at_call *call, int i) {
    return i < AT_INPUTS ? &call->in[i] : &call->out[i - AT_INPUTS];
}

static at_code judge_tensors(const at_kernel *k, const at_call *call, at_refusal *why) {
    for (int i = 0; i < TENSORS; i++) {
        bool needed = tensors[i].need == REQUIRED || (tensors[i].need == ROTARY && k->rotates);
        if (needed && tensor(call, tensors[i].input)->dtype == AT_ABSENT)
            return refuse(why, AT_INVALID_NODE, "a required input or output is absent");
    }
    for (int i = 0; i < TENSORS; i++) {
        const at_tensor *t = tensor(call, tensors[i].input);
        if (tensors[i].need == ROTARY && !k->rotates) continue;
        if (t->dtype != (tensors[i].type == AT_ABSENT ? call->in[AT_QUERY].dtype : tensors[i].type))
            return refuse(why, AT_INVALID_CALL, "a tensor is not of the type of query, or an index not int32");
        if (t->rank != tensors[i].rank) return refuse(why, AT_INVALID_CALL, "a tensor has another rank than it must");
    }
    return AT_ACCEPTED;
}

static bool is_product(int64_t n, int64_t a, int64_t b) {
    return a > 0 && b > 0 && n % a == 0 && n / a == b;
}

static at_code judge_shapes(const at_kernel *k, const at_call *call, at_refusal *why) {
    const int64_t *query = call->in[AT_QUERY].shape, *key = call->in[AT_KEY].shape,
                  *cache = call->in[AT_KEY_CACHE].shape;
    const int64_t *cos = call->in[AT_COS_CACHE].shape, *sin = call->in[AT_SIN_CACHE].shape,
                  *out = call->out[AT_OUTPUT].shape;
    int64_t size = cache[3], v_size = k->v_head_size ? k->v_head_size : size,
            batch = call->in[AT_PAST_SEQLENS].shape[0];
    const struct {
        bool wrong;
        const char *sentence;
    } rules[] = {
        {cache[1] < 16 || (cache[1] & (cache[1] - 1)) != 0, "the block size is not a power of two from 16 on"},
        {cache[2] != 1, "key_cache has more than one head"},
        {!is_product(query[1], k->heads, size) || key[1] != size || key[0] != query[0],
         "query and key do not fit num_heads and key_cache"},
        {call->in[AT_CUMULATIVE_SEQUENCE_LENGTH].shape[0] != batch + 1,
         "cumulative_sequence_length has not one entry more than sequences"},
        {call->in[AT_BLOCK_TABLE].shape[0] != batch, "block_table has not a row for each sequence"},
        {call->in[AT_SLOT_MAPPING].shape[0] != query[0], "slot_mapping has not an entry for each token"},
        {v_size > size, "v_head_size is above head_size"},
        {!k->scaled && v_size != size, "scale is required where v_head_size is not head_size"},
        {k->rotates && (cos[0] != sin[0] || cos[1] != sin[1]), "cos_cache and sin_cache have not the same shape"},
        {k->rotary_offset > size || (k->rotates && cos[1] > (size - k->rotary_offset) / 2),
         "the rotated channels do not lie within the head"},
        {out[0] != query[0] || !is_product(out[1], k->heads, v_size),
         "output is not [tokens, num_heads * v_head_size]"},
        {call->out[AT_KEY_CACHE_OUT].dtype != AT_ABSENT &&
             call->out[AT_KEY_CACHE_OUT].data != call->in[AT_KEY_CACHE].data,
         "key_cache_out is another buffer than key_cache"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].wrong) return refuse(why, AT_INVALID_CALL, rules[i].sentence);
    return AT_ACCEPTED;
}

static bool is_warmed(const at_kernel *k, const at_call *call) {
    for (int i = 0; i < AT_INPUTS + AT_OUTPUTS; i++) {
        const at_tensor *t = tensor(call, i);
        if (t->dtype != k->warmed[i].dtype) return false;
        if (t->dtype == AT_ABSENT) continue;
        if (t->rank != k->warmed[i].rank || memcmp(t->shape, k->warmed[i].shape, t->rank * sizeof *t->shape) != 0)
            return false;
    }
    return true;
}

static void warm(at_kernel *k, const at_call *call) {
    for (int i = 0; i < AT_INPUTS + AT_OUTPUTS; i++) {
        const at_tensor *t = tensor(call, i);
        k->warmed[i].dtype = t->dtype, k->warmed[i].rank = t->rank;
        if (t->dtype != AT_ABSENT) memcpy(k->warmed[i].shape, t->shape, t->rank * sizeof *t->shape);
    }
}

/* Before the first access to any tensor: a call that has to be refused may carry addresses that fault. */
static at_code judge_call(const at_kernel *k, const at_call *call, at_refusal *why) {
    at_dtype in[AT_INPUTS];
    at_code code;
    for (int i = 0; i < AT_INPUTS; i++) in[i] = call->in[i].dtype;
    if ((code = judge_inputs(in, why)) != AT_ACCEPTED) return code;
    if (call->out[AT_VALUE_CACHE_OUT].dtype != AT_ABSENT)
        return refuse(why, AT_INVALID_NODE, "LATENT has no value_cache_out");
    if ((code = judge_tensors(k, call, why)) != AT_ACCEPTED) return code;
    if ((code = judge_shapes(k, call, why)) != AT_ACCEPTED) return code;
    if (call->capturing && !is_warmed(k, call))
        return refuse(why, AT_NOT_WARMED, "these shapes have not run outside of a capture");
    return AT_ACCEPTED;
}

/* ---- 3. what attest calls ---- */

static at_code supports(const at_node *node, const at_dtype in[AT_INPUTS], at_refusal *why) {
    at_code code = judge_node(node, why);
    return code == AT_ACCEPTED ? judge_inputs(in, why) : code;
}

static at_code create(const at_node *node, int device, at_kernel **out, at_refusal *why) {
    (void)device;
    *out = NULL;
    at_code code = judge_node(node, why);
    if (code != AT_ACCEPTED) return code;
    at_kernel *k = calloc(1, sizeof *k);
    if (k == NULL) return refuse(why, AT_OUT_OF_MEMORY, "no memory for a kernel");
    const at_attr *scale = attribute(node, "scale", AT_FLOAT), *softcap = attribute(node, "softcap", AT_FLOAT);
    k->heads = integer(node, "num_heads", 0), k->v_head_size = integer(node, "v_head_size", 0);
    k->window = integer(node, "local_window_size", -1), k->rotary_offset = integer(node, "rotary_offset", 0);
    k->rotates = integer(node, "do_rotary", 0) != 0, k->interleaved = integer(node, "rotary_interleaved", 0) != 0;
    k->scaled = scale != NULL, k->scale = scale ? scale->f : 0, k->softcap = softcap ? softcap->f : 0;
    *out = k;
    return AT_ACCEPTED;
}

/* From shapes alone. Say no more of the arithmetic than is true: the error budget follows from it, and what is left out
 * is judged by the widest of its set. */
static at_code prepare(at_kernel *k, const at_call *call, size_t *workspace_bytes, at_arithmetic *arithmetic,
                       at_refusal *why) {
    (void)why;
    int64_t size = k->v_head_size ? k->v_head_size : call->in[AT_KEY_CACHE].shape[3];
    *workspace_bytes = size > 0 && size < 1 << 20 ? (size_t)size * sizeof(float) : 0;
    *arithmetic = (at_arithmetic){.rope = AT_ROPE_EXACT,
                                  .dot = AT_DOT_F32,
                                  .exp = AT_EXP_LIBM,
                                  .tanh = AT_TANH_LIBM,
                                  .p = AT_F32,
                                  .partial = AT_F32,
                                  .splits = 1};
    return AT_ACCEPTED;
}

static problem problem_of(const at_kernel *k, const at_call *call) {
    const at_tensor *in = call->in, *cache = &in[AT_KEY_CACHE];
    problem p = {
        .bf16 = in[AT_QUERY].dtype == AT_BF16,
        .interleaved = k->interleaved,
        .tokens = in[AT_QUERY].shape[0],
        .sequences = in[AT_PAST_SEQLENS].shape[0],
        .heads = k->heads,
        .head_size = cache->shape[3],
        .v_head_size = k->v_head_size ? k->v_head_size : cache->shape[3],
        .blocks = cache->shape[0],
        .block_size = cache->shape[1],
        .columns = in[AT_BLOCK_TABLE].shape[1],
        .rotary_offset = k->rotary_offset,
        .pairs = k->rotates ? in[AT_COS_CACHE].shape[1] : 0,
        .keys_before = k->window,
        .softcap = k->softcap,
        .query = in[AT_QUERY].data,
        .key = in[AT_KEY].data,
        .cos = in[AT_COS_CACHE].data,
        .sin = in[AT_SIN_CACHE].data,
        .cache = cache->data,
        .output = call->out[AT_OUTPUT].data,
        .cumulative = in[AT_CUMULATIVE_SEQUENCE_LENGTH].data,
        .past = in[AT_PAST_SEQLENS].data,
        .table = in[AT_BLOCK_TABLE].data,
        .slots = in[AT_SLOT_MAPPING].data,
        .sums = call->workspace,
    };
    p.scale = k->scaled ? k->scale : 1 / sqrtf((float)p.head_size);
    return p;
}

static at_code execute(at_kernel *k, const at_call *call, at_refusal *why) {
    at_code code = judge_call(k, call, why);
    if (code != AT_ACCEPTED) return code;
    problem p = problem_of(k, call);
    at_cpu_stream *stream = call->stream;
    const at_cpu_launch launch = {
        .name = "@name@", .grid = {1, 1, 1}, .block = {1, 1, 1}, .args = &p, .args_bytes = sizeof p, .run = run};
    if (p.tokens > 0 && stream->launch(stream, &launch) != 0) return refuse(why, AT_DEVICE_ERROR, "the launch failed");
    if (!call->capturing) warm(k, call);
    return AT_ACCEPTED;
}

static at_code capture_ready(const at_kernel *k, const at_call *call, at_refusal *why) {
    return is_warmed(k, call) ? AT_ACCEPTED
                              : refuse(why, AT_NOT_WARMED, "these shapes have not run outside of a capture");
}

static void destroy(at_kernel *k) {
    free(k);
}

/* Add "onnxruntime" once windows, scales, slots and sizes are read as that dialect has them. */
static const char *const dialects[] = {"onnx-genai", NULL};

static const at_subject subject = {
    .abi = AT_SUBJECT_ABI,
    .bytes = sizeof(at_subject),
    .name = "@name@",
    .version = "1",
    .about = "a start",
    .device = AT_HOST,
    .dialects = dialects,
    .alignment = 16,
    .promises = AT_CAPTURE | AT_REPEATABLE | AT_ANY_PAGE_ORDER | AT_ANY_BATCH | AT_ANY_CHUNK,
    .supports = supports,
    .create = create,
    .prepare = prepare,
    .execute = execute,
    .capture_ready = capture_ready,
    .destroy = destroy,
};

const at_subject *at_subject_v1(uint32_t index) {
    return index == 0 ? &subject : NULL;
}
