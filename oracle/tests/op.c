#include "../op.h"

#include <criterion/criterion.h>
#include <string.h>

Test(op, inputs_and_outputs_are_named_in_schema_order) {
    static const char *const inputs[] = {
        "query",         "key",           "value",     "key_cache", "value_cache",       "cumulative_sequence_length",
        "past_seqlens",  "block_table",   "cos_cache", "sin_cache", "slot_mapping",      "head_sink",
        "q_norm_weight", "k_norm_weight", "k_scale",   "v_scale",   "attention_metadata"};
    static const char *const outputs[] = {"output", "key_cache_out", "value_cache_out"};
    for (int i = 0; i < OR_INPUTS; i++) cr_assert_str_eq(or_input_name(i), inputs[i]);
    for (int i = 0; i < OR_OUTPUTS; i++) cr_assert_str_eq(or_output_name(i), outputs[i]);
}

Test(op, an_index_outside_the_schema_has_no_name) {
    cr_assert_null(or_input_name(-1));
    cr_assert_null(or_input_name(OR_INPUTS));
    cr_assert_null(or_output_name(-1));
    cr_assert_null(or_output_name(OR_OUTPUTS));
}

Test(op, dialects_are_found_by_their_names_alone) {
    or_dialect d = OR_DIALECTS;
    cr_assert(or_dialect_by_name(&d, "onnx-genai") && d == OR_GENAI);
    cr_assert(or_dialect_by_name(&d, "onnxruntime") && d == OR_ONNXRUNTIME);
    cr_assert_not(or_dialect_by_name(&d, "onnx"));
    cr_assert_eq(d, OR_ONNXRUNTIME, "an unknown name changes nothing");
    for (int i = 0; i < OR_DIALECTS; i++)
        cr_assert(or_dialect_by_name(&d, or_dialect_name((or_dialect)i)) && d == (or_dialect)i);
}

Test(op, the_schema_has_sixteen_attributes_each_of_one_type) {
    static const struct {
        const char *name;
        or_attr_type type;
    } rows[] = {
        {"num_heads", OR_INT},        {"kv_num_heads", OR_INT},       {"scale", OR_FLOAT},
        {"softcap", OR_FLOAT},        {"local_window_size", OR_INT},  {"is_causal", OR_INT},
        {"do_rotary", OR_INT},        {"rotary_interleaved", OR_INT}, {"qk_norm_epsilon", OR_FLOAT},
        {"k_quant_type", OR_STRING},  {"v_quant_type", OR_STRING},    {"k_cache_dtype", OR_STRING},
        {"v_cache_dtype", OR_STRING}, {"v_head_size", OR_INT},        {"kv_cache_layout", OR_STRING},
        {"rotary_offset", OR_INT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        or_attr_type type;
        cr_assert(or_schema_attribute(rows[i].name, &type), "%s", rows[i].name);
        cr_assert_eq(type, rows[i].type, "%s", rows[i].name);
    }
    or_attr_type type;
    cr_assert_not(or_schema_attribute("num_head", &type));
    cr_assert_not(or_schema_attribute("", &type));
}

Test(op, the_last_attribute_of_a_name_and_type_counts) {
    const or_attr attr[] = {{"scale", OR_FLOAT, 0, 0.5, NULL},
                            {"scale", OR_FLOAT, 0, 0.25, NULL},
                            {"scale", OR_INT, 7, 0, NULL},
                            {"softcap", OR_FLOAT, 0, 3, NULL}};
    const or_node node = {OR_GENAI, attr, 4};
    cr_assert_eq(or_attribute(&node, "scale", OR_FLOAT), &attr[1]);
    cr_assert_eq(or_attribute(&node, "scale", OR_INT), &attr[2]);
    cr_assert_null(or_attribute(&node, "scale", OR_STRING));
    cr_assert_null(or_attribute(&node, "num_heads", OR_INT));
}
