/* The hash says when what an id asks of a subject has changed. */
#include "../content.h"
#include "cases_scratch.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

TestSuite(cases_content, .init = scratch_open, .fini = scratch_close);

#define REFUSAL ", node: {scale: absent}, capture: cold, expect: {refuse: not-warmed, gates: [execute]}"

static void hash_of(char out[17], const char *rest) {
    at_cases *cases = scratch_load(rest);
    memcpy(out, at_cases_at(cases, 0)->hash, 17);
    at_cases_free(cases);
}

Test(cases_content, it_is_16_hex_digits_and_the_same_on_every_host) {
    char hash[17];
    hash_of(hash, PLAIN_CASE "}\n");
    cr_expect_str_eq(hash, "e0751d4d8aa8ad22");
}

/* Each line alone changes the plain case. */
Test(cases_content, every_key_that_a_subject_can_notice_changes_it) {
    static const char *const change[] = {
        ", dialect: onnxruntime",
        ", dialect: onnx-genai",
        ", dtype: bfloat16",
        ", block_size: 32",
        ", softcap: 1",
        ", softcap: 2",
        ", softcap: -0.0",
        ", softcap: 0.0",
        ", scale: absent",
        ", scale: 1",
        ", page_order: reversed",
        ", page_order: apart",
        ", spare_pages: 1",
        ", spare_columns: 1",
        ", padded_tokens: 1",
        ", copies: 2, skip: [0]",
        ", copies: 2, skip: [1]",
        ", copies: 2, beyond: [0]",
        ", unmapped: [{sequence: 0, page: 0, entry: -1}]",
        ", unmapped: [{sequence: 0, page: 0, entry: -2}]",
        ", data: one_hot",
        ", data: {design: normal, amplitude: 1}",
        ", data: {design: normal, deviation: 1}",
        ", poison: zero",
        ", expect: exact",
        ", inputs: {slot_mapping: absent}",
        ", inputs: {slot_mapping: present}",
        ", inputs: {slot_mapping: {dtype: int64}}",
        ", inputs: {slot_mapping: {shape: []}}",
        ", inputs: {slot_mapping: {shape: [1]}}",
        ", outputs: {key_cache_out: separate}",
        ", copies: 2",
        ", rows: {sample: 3}",
        ", attributes: [{name: a, int: 1}]",
        ", attributes: [{name: a, float: 1}]",
        ", attributes: [{name: a, string: '1'}]",
        ", attributes: [{name: b, int: 1}]",
        REFUSAL,
        ", node: {num_heads: 0}, expect: {refuse: num-heads, gates: [create]}",
        ", node: {num_heads: 0}, expect: {refuse: num-heads, gates: [supports]}",
    };
    enum { CHANGES = sizeof change / sizeof *change };
    char hash[CHANGES + 1][17], text[512];
    hash_of(hash[CHANGES], PLAIN_CASE "}\n");
    for (size_t i = 0; i < CHANGES; i++) {
        snprintf(text, sizeof text, "%s%s}\n", PLAIN_CASE, change[i]);
        hash_of(hash[i], text);
    }
    for (size_t i = 0; i <= CHANGES; i++) {
        for (size_t k = 0; k < i; k++)
            cr_expect_str_neq(hash[i], hash[k], "%s and %s", i < CHANGES ? change[i] : "nothing", change[k]);
    }
}

Test(cases_content, words_about_the_case_and_its_place_leave_it_alone) {
    static const char *const same[] = {
        "cases:\n  - {name: two, why: A reason., geometry: tiny, past: 4, new: 1}\n",
        "cases:\n  - {name: one, why: Another., geometry: tiny, past: 4, new: 1, tags: [slow], tier: stress, modes: "
        "[eager]}\n",
        "clauses: {S1: One.}\ncases:\n\n  - {new: 1, past: 4, covers: [S1], geometry: tiny, why: A reason., name: "
        "one}\n",
        "defaults: {geometry: tiny, past: 4}\ncases:\n  - {name: one, why: A reason., sequences: [{new: 1}], matrix: "
        "{block_size: [16]}}\n",
    };
    char plain[17], other[17];
    hash_of(plain, PLAIN_CASE "}\n");
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        hash_of(other, same[i]);
        cr_expect_str_eq(plain, other, "%s", same[i]);
    }
}

Test(cases_content, lists_that_read_alike_when_joined_are_told_apart) {
    char a[17], b[17];
    hash_of(a, PLAIN_CASE ", attributes: [{name: ab, string: c}]}\n");
    hash_of(b, PLAIN_CASE ", attributes: [{name: a, string: bc}]}\n");
    cr_expect_str_neq(a, b);
}
