/* What the refusal table asks of attributes, and of which inputs are there. */
#define _POSIX_C_SOURCE 200809L
#include "rules.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

const char *const pa_tensor_names[PA_TENSORS] = {
    [AT_QUERY] = "query",
    [AT_KEY] = "key",
    [AT_VALUE] = "value",
    [AT_KEY_CACHE] = "key_cache",
    [AT_VALUE_CACHE] = "value_cache",
    [AT_CUMULATIVE_SEQUENCE_LENGTH] = "cumulative_sequence_length",
    [AT_PAST_SEQLENS] = "past_seqlens",
    [AT_BLOCK_TABLE] = "block_table",
    [AT_COS_CACHE] = "cos_cache",
    [AT_SIN_CACHE] = "sin_cache",
    [AT_SLOT_MAPPING] = "slot_mapping",
    [AT_HEAD_SINK] = "head_sink",
    [AT_Q_NORM_WEIGHT] = "q_norm_weight",
    [AT_K_NORM_WEIGHT] = "k_norm_weight",
    [AT_K_SCALE] = "k_scale",
    [AT_V_SCALE] = "v_scale",
    [AT_ATTENTION_METADATA] = "attention_metadata",
    [PA_OUTPUT] = "output",
    [PA_KEY_CACHE_OUT] = "key_cache_out",
    [PA_VALUE_CACHE_OUT] = "value_cache_out",
};

const char *const pa_dtype_names[AT_I64 + 1] = {
    [AT_ABSENT] = "absent", [AT_F16] = "float16", [AT_BF16] = "bfloat16", [AT_F32] = "float32",
    [AT_F64] = "float64",   [AT_I8] = "int8",     [AT_U8] = "uint8",      [AT_F8E4M3FN] = "float8e4m3fn",
    [AT_I32] = "int32",     [AT_I64] = "int64",
};

const at_tensor *pa_tensor(const pa_facts *f, int tensor) {
    return tensor < AT_INPUTS ? &f->call->in[tensor] : &f->call->out[tensor - AT_INPUTS];
}

bool pa_given(const pa_facts *f, int tensor) {
    return pa_tensor(f, tensor)->dtype != AT_ABSENT;
}

bool pa_looked_at(const pa_facts *f, int tensor) {
    bool rotary = tensor == AT_COS_CACHE || tensor == AT_SIN_CACHE;
    return pa_given(f, tensor) && (!rotary || pa_rotates(f->node) || f->node->dialect == PA_ONNXRUNTIME);
}

static bool is_latent(const pa_facts *f) {
    return strcmp(f->node->kv_cache_layout, "LATENT") == 0;
}

static bool is_separate(const pa_facts *f) {
    return strcmp(f->node->kv_cache_layout, "SEPARATE") == 0;
}

bool pa_layout_value(const pa_facts *f, at_refusal *why) {
    if (is_latent(f) || is_separate(f)) return false;
    return pa_say(why, "kv_cache_layout \"%.100s\" is neither SEPARATE nor LATENT", f->node->kv_cache_layout);
}

bool pa_layout(const pa_facts *f, at_refusal *why) {
    if (!is_separate(f)) return false;
    return pa_say(why, "kv_cache_layout is SEPARATE, which is also its default; only LATENT is implemented here");
}

bool pa_attribute_unknown(const pa_facts *f, at_refusal *why) {
    at_attr_type type;
    for (size_t i = 0; i < f->listed->attrs; ++i) {
        if (pa_schema_has(&type, f->listed->attr[i].name)) continue;
        return pa_say(why, "PagedAttention has no attribute \"%.100s\"", f->listed->attr[i].name);
    }
    return false;
}

bool pa_attribute_type(const pa_facts *f, at_refusal *why) {
    static const char *const names[] = {[AT_INT] = "an integer", [AT_FLOAT] = "a float", [AT_STRING] = "a string"};
    at_attr_type type;
    for (size_t i = 0; i < f->listed->attrs; ++i) {
        const at_attr *a = &f->listed->attr[i];
        if (!pa_schema_has(&type, a->name) || a->type == type) continue;
        return pa_say(why, "attribute %s is %s, and must be %s", a->name, names[a->type], names[type]);
    }
    return false;
}

bool pa_attribute_twice(const pa_facts *f, at_refusal *why) {
    for (size_t i = 1; i < f->listed->attrs; ++i) {
        for (size_t j = 0; j < i; ++j) {
            if (strcmp(f->listed->attr[i].name, f->listed->attr[j].name) != 0) continue;
            return pa_say(why, "attribute %.100s is listed twice, as number %zu and %zu", f->listed->attr[i].name,
                          j + 1, i + 1);
        }
    }
    return false;
}

bool pa_num_heads(const pa_facts *f, at_refusal *why) {
    if (f->node->num_heads >= 1) return false;
    return pa_say(why, "num_heads is %" PRId64 " or absent, and must be at least 1", f->node->num_heads);
}

bool pa_kv_heads(const pa_facts *f, at_refusal *why) {
    if (!is_latent(f) || f->node->kv_num_heads == 1) return false;
    return pa_say(why, "kv_num_heads is %" PRId64 " (0: absent), and must be 1 with kv_cache_layout LATENT",
                  f->node->kv_num_heads);
}

bool pa_quant(const pa_facts *f, at_refusal *why) {
    static const char *const names[] = {"k_quant_type", "v_quant_type", "k_cache_dtype", "v_cache_dtype"};
    const char *value = f->node->quant[f->about];
    if (*value == '\0' || strcmp(value, "0") == 0 || strcasecmp(value, "none") == 0) return false;
    return pa_say(why, "%s is \"%.100s\"; quantised caches are not implemented here, so it must be \"NONE\"",
                  names[f->about], value);
}

bool pa_v_head_size_negative(const pa_facts *f, at_refusal *why) {
    if (f->node->v_head_size >= 0) return false;
    return pa_say(why, "v_head_size is %" PRId64 ", and must be positive, or 0 for head_size", f->node->v_head_size);
}

bool pa_rotary_offset(const pa_facts *f, at_refusal *why) {
    bool in_eights = f->node->dialect == PA_ONNXRUNTIME;
    if (f->node->rotary_offset >= 0 && !(in_eights && f->node->rotary_offset % 8 != 0)) return false;
    return pa_say(why, "rotary_offset is %" PRId64 ", and must not be negative%s", f->node->rotary_offset,
                  in_eights ? " and be a multiple of 8" : "");
}

bool pa_scale_range(const pa_facts *f, at_refusal *why) {
    if (isfinite(f->node->scale)) return false;
    return pa_say(why, "scale is %g, and must be finite", (double)f->node->scale);
}

bool pa_softcap_range(const pa_facts *f, at_refusal *why) {
    if (isfinite(f->node->softcap)) return false;
    return pa_say(why, "softcap is %g, and must be finite; 0 turns it off", (double)f->node->softcap);
}

bool pa_not_causal(const pa_facts *f, at_refusal *why) {
    if (!is_latent(f) || f->node->is_causal != 0) return false;
    return pa_say(why, "is_causal is 0, and must be 1 with kv_cache_layout LATENT");
}

bool pa_query_dtype(const pa_facts *f, at_refusal *why) {
    at_dtype got = pa_tensor(f, f->about)->dtype;
    if (got == AT_ABSENT || got == AT_F16 || got == AT_BF16) return false;
    return pa_say(why, "query is %s, and must be float16 or bfloat16", pa_dtype_names[got]);
}

/* Scales would be legal beside a quantised cache, and that is refused by itself. */
bool pa_forbidden(const pa_facts *f, at_refusal *why) {
    if (!is_latent(f) || !pa_given(f, f->about)) return false;
    return pa_say(why, "%s is given (%s), and must be left out with kv_cache_layout LATENT", pa_tensor_names[f->about],
                  pa_dtype_names[pa_tensor(f, f->about)->dtype]);
}

bool pa_required(const pa_facts *f, at_refusal *why) {
    if (pa_given(f, f->about)) return false;
    return pa_say(why, "%s is missing, and is required", pa_tensor_names[f->about]);
}

bool pa_required_rotary(const pa_facts *f, at_refusal *why) {
    bool alone =
        f->node->dialect == PA_ONNXRUNTIME && pa_given(f, f->about == AT_COS_CACHE ? AT_SIN_CACHE : AT_COS_CACHE);
    if (pa_given(f, f->about) || !(pa_rotates(f->node) || alone)) return false;
    return pa_say(why, "%s is missing, and is required %s", pa_tensor_names[f->about],
                  alone ? "beside the other rotary table" : "where do_rotary is set");
}
