/* What a good file becomes. */
#include "../attributes.h"
#include "../design.h"
#include "../../oracle/rules.h"
#include "cases_scratch.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

TestSuite(cases_load, .init = scratch_open, .fini = scratch_close);

static const at_case *first(const at_cases *cases) {
    return at_cases_at(cases, 0);
}

Test(cases_load, what_a_case_does_not_say_has_its_default) {
    at_cases *cases = scratch_load(PLAIN_CASE "}\n");
    const at_case *c = first(cases);
    cr_expect_eq(at_cases_count(cases), 1);
    cr_expect_str_eq(c->id, "suite/one");
    cr_expect_str_eq(c->why, "A reason.");
    cr_expect_str_eq(c->geometry, "tiny");
    cr_expect_str_eq(c->design, "normal");
    cr_expect(c->tier == AT_QUICK && c->any_dialect && c->dtype == AT_F16 && c->block_size == 16);
    cr_expect(c->head_size == 32 && c->rotary_dim == 16 && c->poison == AT_POISON_NAN && c->expect == AT_EXPECT_BUDGET);
    cr_expect(c->sequences == 1 && c->sequence[0].past == 4 && c->sequence[0].fresh == 1);
    cr_expect(c->tags[0] == NULL && c->covers[0] == NULL && c->modes[0] == NULL, "lists are empty, not NULL");
    at_cases_free(cases);
}

Test(cases_load, a_plain_node_lists_what_a_graph_would) {
    at_cases *cases = scratch_load(PLAIN_CASE "}\n");
    static const char *const names[] = {"num_heads", "kv_num_heads", "kv_cache_layout", "v_head_size",
                                        "scale",     "do_rotary",    "rotary_offset"};
    const at_case *c = first(cases);
    cr_assert_eq(c->attrs, sizeof names / sizeof *names);
    for (size_t i = 0; i < c->attrs; i++) cr_expect_str_eq(c->attr[i].name, names[i]);
    cr_expect(c->attr[0].i == 2 && c->attr[1].i == 1 && c->attr[3].i == 16 && c->attr[5].i == 1 && c->attr[6].i == 16);
    cr_expect_str_eq(c->attr[2].s, "LATENT");
    cr_expect_eq(c->attr[4].f, (float)(1 / sqrt(32)));
    at_cases_free(cases);
}

Test(cases_load, absent_leaves_an_attribute_out_and_a_value_replaces_it) {
    at_cases *cases =
        scratch_load(PLAIN_CASE ", node: {scale: absent, num_heads: -7, kv_cache_layout: SEPARATE}, softcap: 2.5}\n");
    const at_case *c = first(cases);
    cr_expect_null(at_attribute_of(c, "scale", AT_FLOAT));
    cr_expect_eq(at_attribute_of(c, "num_heads", AT_INT)->i, -7);
    cr_expect_str_eq(at_attribute_of(c, "kv_cache_layout", AT_STRING)->s, "SEPARATE");
    cr_expect_eq(at_attribute_of(c, "softcap", AT_FLOAT)->f, 2.5f);
    at_cases_free(cases);
}

Test(cases_load, a_scale_is_listed_only_where_v_is_narrower) {
    at_cases *cases =
        scratch_load("cases:\n"
                     "  - {name: as-wide, why: A reason., geometry: tiny, past: 4, new: 1, v_head_size: 32}\n"
                     "  - {name: zero, why: A reason., geometry: tiny, past: 4, new: 1, v_head_size: 0}\n"
                     "  - {name: given, why: A reason., geometry: tiny, past: 4, new: 1, v_head_size: 0, scale: 1}\n");
    cr_expect_null(at_attribute_of(at_cases_at(cases, 0), "scale", AT_FLOAT));
    cr_expect_null(at_attribute_of(at_cases_at(cases, 1), "scale", AT_FLOAT));
    cr_expect_eq(at_attribute_of(at_cases_at(cases, 2), "scale", AT_FLOAT)->f, 1.0f);
    at_cases_free(cases);
}

Test(cases_load, a_geometry_without_rotation_lists_none) {
    at_cases *cases = scratch_load(
        "cases:\n  - {name: one, why: A reason., geometry: {head_size: 40, v_head_size: 40, num_heads: 3}, past: 2, "
        "new: 3}\n");
    const at_case *c = first(cases);
    cr_expect_str_eq(c->geometry, "");
    cr_expect(c->head_size == 40 && c->rotary_dim == 0);
    cr_expect_null(at_attribute_of(c, "do_rotary", AT_INT));
    cr_expect_null(at_attribute_of(c, "rotary_offset", AT_INT));
    at_cases_free(cases);
}

Test(cases_load, special_floats_can_be_said) {
    at_cases *cases = scratch_load(PLAIN_CASE ", softcap: .nan, node: {scale: -.inf}}\n");
    cr_expect(isnan(at_attribute_of(first(cases), "softcap", AT_FLOAT)->f));
    cr_expect_eq(at_attribute_of(first(cases), "scale", AT_FLOAT)->f, -INFINITY);
    at_cases_free(cases);
}

Test(cases_load, unknown_mistyped_and_repeated_attributes_can_be_said) {
    at_cases *cases = scratch_load(
        PLAIN_CASE
        ", attributes: [{name: colour, string: blue}, {name: softcap, int: 3}, {name: num_heads, int: 2}]}\n");
    const at_case *c = first(cases);
    const at_attr *last = &c->attr[c->attrs - 3];
    cr_expect(strcmp(last[0].name, "colour") == 0 && last[0].type == AT_STRING && strcmp(last[0].s, "blue") == 0);
    cr_expect(strcmp(last[1].name, "softcap") == 0 && last[1].type == AT_INT && last[1].i == 3);
    cr_expect(strcmp(last[2].name, "num_heads") == 0 && last[2].type == AT_INT);
    at_cases_free(cases);
}

Test(cases_load, past_new_and_copies_apply_to_every_sequence) {
    at_cases *cases = scratch_load(
        "cases:\n  - {name: one, why: A reason., geometry: tiny, sequences: [{past: 3}, {past: 5, new: 9}], new: 2, "
        "copies: 2}\n");
    static const int64_t past[] = {3, 5, 3, 5};
    const at_case *c = first(cases);
    cr_assert_eq(c->sequences, 4);
    for (size_t i = 0; i < 4; i++) cr_expect(c->sequence[i].past == past[i] && c->sequence[i].fresh == 2);
    at_cases_free(cases);
}

Test(cases_load, no_sequence_at_all_can_be_said) {
    at_cases *cases = scratch_load("cases:\n  - {name: one, why: A reason., geometry: tiny, sequences: []}\n");
    cr_expect_eq(first(cases)->sequences, 0);
    at_cases_free(cases);
}

Test(cases_load, placement_and_slots_are_read) {
    at_cases *cases = scratch_load(
        "cases:\n  - {name: one, why: A reason., geometry: tiny, sequences: [{past: 40, new: 4}, {past: 33, new: 2}], "
        "page_order: apart, shared_prefix: 2, spare_pages: 3, spare_columns: 1, padded_tokens: 2, skip: [0, 5], "
        "beyond: [1], unmapped: [{sequence: 1, page: 2, entry: -7}], poison: largest}\n");
    const at_case *c = first(cases);
    cr_expect(c->page_order == AT_PAGES_APART && c->shared_prefix == 2 && c->spare_pages == 3 && c->spare_columns == 1);
    cr_expect(c->padded_tokens == 2 && c->skips == 2 && c->skip[1] == 5 && c->beyonds == 1 && c->beyond[0] == 1);
    cr_expect(c->unmappeds == 1 && c->unmapped[0].sequence == 1 && c->unmapped[0].page == 2 &&
              c->unmapped[0].entry == -7);
    cr_expect_eq(c->poison, AT_POISON_LARGEST);
    at_cases_free(cases);
}

Test(cases_load, tensors_can_be_left_out_changed_and_put_elsewhere) {
    at_cases *cases =
        scratch_load(PLAIN_CASE ", inputs: {slot_mapping: absent, attention_metadata: {shape: [2]}, value: present}, "
                                "outputs: {key_cache_out: separate}}\n");
    const at_case *c = first(cases);
    cr_assert_eq(c->overrides, 4);
    const at_override *o = c->override_; /* in the schema's order, whatever the file's */
    cr_expect(o[0].how == AT_PUT_IN && !o[0].shaped && o[0].index == AT_VALUE && !o[0].output);
    cr_expect(o[1].how == AT_LEAVE_OUT && o[1].index == AT_SLOT_MAPPING);
    cr_expect(o[2].how == AT_PUT_IN && o[2].shaped && o[2].rank == 1 && o[2].shape[0] == 2 && o[2].dtype == AT_ABSENT);
    cr_expect(o[3].how == AT_SEPARATE && o[3].output && o[3].index == AT_KEY_CACHE_OUT);
    at_cases_free(cases);
}

Test(cases_load, every_type_of_the_oracle_can_be_said) {
    for (int t = AT_F16; t <= AT_I64; t++) {
        char text[256];
        snprintf(text, sizeof text, PLAIN_CASE ", inputs: {query: {dtype: %s}}}\n", or_dtype_name((or_dtype)t));
        at_cases *cases = scratch_load(text);
        cr_expect_eq((int)first(cases)->override_[0].dtype, t);
        at_cases_free(cases);
    }
}

Test(cases_load, words_mean_what_the_oracle_and_the_abi_call_so) {
    at_cases *cases = scratch_load(
        "cases:\n  - {name: one, why: A reason., geometry: tiny, past: 1, new: 1, matrix: {dialect: [onnx-genai, "
        "onnxruntime], dtype: [float16, bfloat16]}}\n");
    for (size_t i = 0; i < at_cases_count(cases); i++) {
        const at_case *c = at_cases_at(cases, i);
        cr_expect(!c->any_dialect);
        cr_expect_not_null(strstr(c->id, or_dialect_name(c->dialect)));
        cr_expect_not_null(strstr(c->id, or_dtype_name((or_dtype)c->dtype)));
    }
    at_cases_free(cases);
}

Test(cases_load, a_refusal_names_rule_and_gates) {
    at_cases *cases =
        scratch_load(PLAIN_CASE ", kv_num_heads: 2, expect: {refuse: kv-heads, gates: [supports, create]}}\n");
    const at_case *c = first(cases);
    cr_expect_eq(c->expect, AT_EXPECT_REFUSAL);
    cr_expect_str_eq(c->rule, "kv-heads");
    cr_expect_eq(c->gates, (unsigned)(OR_SUPPORTS | OR_CREATE));
    at_cases_free(cases);
}

Test(cases_load, a_case_wins_over_the_defaults_key_by_key) {
    at_cases *cases = scratch_load("defaults: {tier: full, softcap: 2, node: {scale: 3}, data: one_hot}\n" PLAIN_CASE
                                   ", tier: smoke, node: {softcap: 4}}\n");
    const at_case *c = first(cases);
    cr_expect_eq(c->tier, AT_SMOKE);
    cr_expect_str_eq(c->design, "one_hot");
    cr_expect_eq(at_attribute_of(c, "softcap", AT_FLOAT)->f, 4.0f);
    cr_expect_eq(at_attribute_of(c, "scale", AT_FLOAT)->f, 3.0f);
    at_cases_free(cases);
}

Test(cases_load, anchors_share_a_value) {
    at_cases *cases =
        scratch_load("cases:\n  - {name: one, why: A reason., geometry: tiny, past: 1, new: 1, matrix: {dtype: &both "
                     "[float16, bfloat16]}}\n"
                     "  - {name: two, why: A reason., geometry: tiny, past: 1, new: 1, matrix: {dtype: *both}}\n");
    cr_expect_eq(at_cases_count(cases), 4);
    cr_expect_str_eq(at_cases_at(cases, 3)->id, "suite/two/dtype=bfloat16");
    at_cases_free(cases);
}

Test(cases_load, a_reason_over_several_lines_becomes_one) {
    at_cases *cases = scratch_load("cases:\n  - name: one\n    why: |\n      A reason\n        that is   long.\n    "
                                   "geometry: tiny\n    past: 1\n    new: 1\n");
    cr_expect_str_eq(first(cases)->why, "A reason that is long.");
    cr_expect(first(cases)->place.column == 5);
    at_cases_free(cases);
}

Test(cases_load, data_takes_parameters_of_the_design) {
    at_cases *cases = scratch_load(PLAIN_CASE ", data: {design: saturate, high: 1e3, low: -40}}\n");
    const at_case *c = first(cases);
    cr_assert_eq(c->parameters, 2);
    cr_expect_str_eq(c->parameter[0].name, "high");
    cr_expect(c->parameter[0].value == 1000 && c->parameter[1].value == -40);
    at_cases_free(cases);
}

Test(cases_load, each_design_and_each_rule_can_be_named) {
    size_t designs, rules;
    const at_design *const *design = at_designs(&designs);
    const or_rule *rule = or_rules(&rules);
    for (size_t i = 0; i < designs; i++) {
        char text[256];
        snprintf(text, sizeof text, PLAIN_CASE ", data: %s}\n", design[i]->name);
        at_cases_free(scratch_load(text));
    }
    for (size_t i = 0; i < rules; i++) {
        char text[256];
        snprintf(text, sizeof text, PLAIN_CASE ", %s expect: {refuse: %s, gates: [%s]}}\n",
                 strcmp(rule[i].id, "not-warmed") ? "" : "capture: cold,", rule[i].id,
                 rule[i].gates & OR_EXECUTE ? "execute" : "supports");
        at_cases_free(scratch_load(text));
    }
}

Test(cases_load, a_directory_is_its_suites_by_name_without_its_libraries) {
    static const char suite[] = "schema: 1\nsuite: %s\nabout: For a test.\ninclude: [shared.yaml]\ncases:\n"
                                "  - {name: one, why: A reason., covers: [S1], geometry: wide, past: 1, new: 1}\n";
    char text[512];
    snprintf(text, sizeof text, suite, "b");
    scratch_write("b.yaml", text);
    snprintf(text, sizeof text, suite, "a");
    scratch_write("a.yaml", text);
    scratch_write("shared.yaml", "schema: 1\nabout: Shared.\nclauses: {S1: A scenario.}\n"
                                 "geometries: {wide: {head_size: 64, v_head_size: 64, num_heads: 1}}\n");
    scratch_write("notes.txt", "no YAML: [");
    at_cases *cases = NULL;
    at_error err;
    cr_assert_eq(at_cases_load(&cases, scratch_path(""), NULL, &err), AT_OK, "%s", err.text);
    cr_expect_eq(at_cases_count(cases), 2);
    cr_expect_str_eq(at_cases_at(cases, 0)->id, "a/one");
    cr_expect_str_eq(at_cases_at(cases, 1)->id, "b/one");
    cr_expect_str_eq(at_cases_at(cases, 1)->covers[0], "S1");
    cr_assert_eq(at_cases_suites(cases), 2);
    cr_expect_str_eq(at_cases_suite(cases, 0)->suite, "a");
    cr_expect_str_eq(at_cases_suite(cases, 0)->about, "For a test.");
    cr_assert_eq(at_cases_clauses(cases), 1);
    cr_expect_str_eq(at_cases_clause(cases, 0)->about, "A scenario.");
    at_cases_free(cases);
}

Test(cases_load, a_floor_counts_the_tiers_below) {
    at_cases *cases = scratch_load("floor: {smoke: 1, quick: 2}\ncases:\n"
                                   "  - {name: one, why: A reason., geometry: tiny, past: 1, new: 1, tier: smoke}\n"
                                   "  - {name: two, why: A reason., geometry: tiny, past: 1, new: 1}\n");
    cr_expect_eq(at_cases_suite(cases, 0)->floor[AT_QUICK], 2);
    cr_expect_eq(at_cases_suite(cases, 0)->floor[AT_FULL], 2, "a run of full holds quick");
    at_cases_free(cases);
    cr_expect_str_eq(scratch_refusal("floor: {quick: 3}\ncases:\n"
                                     "  - {name: one, why: A reason., geometry: tiny, past: 1, new: 1, tier: smoke}\n"
                                     "  - {name: two, why: A reason., geometry: tiny, past: 1, new: 1, tier: full}\n"),
                     "1:16: the floor of tier quick is 3 cases, but there are 1; add the lost ones, or lower it");
}

Test(cases_load, a_case_is_found_by_its_id_alone) {
    at_cases *cases = scratch_load(
        "cases:\n  - {name: one, why: A reason., geometry: tiny, past: 1, new: 1, matrix: {softcap: 1..300}}\n");
    for (size_t i = 0; i < at_cases_count(cases); i++)
        cr_expect_eq(at_cases_find(cases, at_cases_at(cases, i)->id), at_cases_at(cases, i));
    cr_expect_null(at_cases_find(cases, "suite/one"));
    cr_expect_null(at_cases_find(cases, "suite/one/softcap=301"));
    at_cases_free(cases);
}

Test(cases_load, tiers_have_names) {
    at_tier tier;
    for (int t = 0; t < AT_TIERS; t++)
        cr_expect(at_tier_by_name(&tier, at_tier_name((at_tier)t)) && tier == (at_tier)t);
    cr_expect_not(at_tier_by_name(&tier, "fast"));
}

Test(cases_load, the_attributes_are_those_of_the_operator) {
    or_attr_type type;
    const char *name;
    for (size_t i = 0; (name = at_word_of_attributes(NULL, i)) != NULL; i++) {
        char text[256];
        cr_assert(or_schema_attribute(name, &type), "%s", name);
        snprintf(text, sizeof text, PLAIN_CASE ", node: {%s: '7'}}\n", name);
        bool takes_text = strstr(scratch_refusal(text), "give a") == NULL;
        cr_expect_eq(takes_text, type == OR_STRING, "%s", name);
    }
    cr_expect_eq(at_attribute_row("no_such"), -1);
}
