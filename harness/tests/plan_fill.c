/* What lies where before a call. */
#include "plan_case.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Is a row nothing but what poison puts there? */
static bool is_poisoned(const at_plan *plan, int64_t slot) {
    const int64_t hs = plan->problem.head_size;
    const uint16_t *row = (const uint16_t *)plan->call.in[OR_KEY_CACHE].data + slot * hs;
    for (int64_t d = 0; d < hs; d++) {
        if (row[d] != at_poison_bits(plan->c->poison, plan->problem.dtype, (uint64_t)(slot * hs + d))) return false;
    }
    return true;
}

static const int real_poisons[] = {AT_POISON_ZERO, AT_POISON_NAN, AT_POISON_INF, AT_POISON_LARGEST};
enum { REAL_POISONS = sizeof real_poisons / sizeof *real_poisons };

Test(plan, poison_lies_everywhere_but_in_rows_that_a_token_sees) {
    for (int k = 0; k < REAL_POISONS; k++) {
        plan_case x;
        plan_case_crowd(&x);
        x.c.poison = real_poisons[k];
        at_plan *plan = plan_made(&x, OR_GENAI);
        const or_problem *p = &plan->problem;
        bool seen[200] = {false};
        for (int64_t b = 0; b < 2; b++) {
            for (int64_t j = 0; j < x.sequence[b].past; j++) seen[or_slot_of(p, b, j)] = j >= x.sequence[b].past - 17;
        }
        for (int64_t slot = 0; slot < p->blocks * p->block_size; slot++) {
            cr_expect_eq(is_poisoned(plan, slot), !seen[slot], "poison %d, slot %d", k, (int)slot);
        }
        at_plan_free(plan);
    }
}

Test(plan, the_answer_does_not_depend_on_the_poison) {
    plan_case x;
    double *first[5] = {0};
    for (int poison = 0; poison < AT_POISONS; poison++) {
        answer a;
        plan_case_crowd(&x);
        x.c.poison = poison;
        at_plan *plan = plan_made(&x, OR_GENAI);
        answer_open(&a, plan);
        for (int64_t t = 0; t < 5; t++) {
            const or_row *r = answer_row(&a, t, 1);
            if (poison == 0) first[t] = malloc(16 * sizeof(double)), memcpy(first[t], r->o, 16 * sizeof(double));
            cr_expect_eq(memcmp(first[t], r->o, 16 * sizeof(double)), 0, "poison %d, token %d", poison, (int)t);
        }
        answer_close(&a);
        at_plan_free(plan);
    }
    for (int t = 0; t < 5; t++) free(first[t]);
}

Test(plan, the_neighbour_s_rows_are_real_rows_of_another_sequence) {
    plan_case x;
    plan_case_crowd(&x);
    x.c.poison = AT_POISON_NEIGHBOUR, x.sequence[2].fresh = 1;
    plan_case_set(&x, "angle", 2); /* cached rows are then the fresh ones */
    x.c.design = "uniform_codes";
    at_plan *plan = plan_made(&x, OR_GENAI);
    const or_problem *p = &plan->problem;
    const uint16_t *cache = plan->call.in[OR_KEY_CACHE].data;
    for (int64_t b = 0; b < 3; b++) {
        const int64_t tail = or_slot_of(p, b, x.sequence[b].past + x.sequence[b].fresh);
        const uint16_t *row = cache + tail * 32;
        int64_t j = 0, code = (int64_t)or_decode(OR_F16, row[0]) + 128;
        for (int bit = 0; bit < 15; bit++) j |= (int64_t)(or_decode(OR_F16, row[1 + bit]) > 0) << bit;
        const int64_t shift = ((code - 37 * j) % 256 + 256) % 256; /* 101 times the sequence */
        cr_expect(shift == 0 || shift == 101 || shift == 202, "%d", (int)shift);
        cr_expect_neq(shift, 101 * b, "the tail of sequence %d holds a row of another", (int)b);
        cr_expect_lt(j, 43);
    }
    at_plan_free(plan);
}

Test(plan, table_entries_past_a_sequence_are_far_out_of_range_or_stale) {
    for (int poison = AT_POISON_NAN; poison <= AT_POISON_NEIGHBOUR; poison += AT_POISON_NEIGHBOUR - AT_POISON_NAN) {
        plan_case x;
        plan_case_crowd(&x);
        x.c.poison = poison;
        at_plan *plan = plan_made(&x, OR_GENAI);
        const or_problem *p = &plan->problem;
        const int64_t pages[] = {3, 2, 2};
        for (int64_t b = 0; b < 3; b++) {
            for (int64_t i = 0; i < p->max_blocks; i++) {
                const int32_t entry = p->block_table[b * p->max_blocks + i];
                const bool valid = entry >= 0 && entry < p->blocks;
                cr_expect_eq(valid, i < pages[b] || poison == AT_POISON_NEIGHBOUR);
                if (!valid) cr_expect_gt(entry, 1000000);
            }
        }
        at_plan_free(plan);
    }
}

Test(plan, slots_follow_the_table_and_skipped_tokens_have_none) {
    plan_case x;
    int64_t skip[] = {1}, beyond[] = {3, 4};
    plan_case_crowd(&x);
    x.c.skip = skip, x.c.skips = 1, x.c.beyond = beyond, x.c.beyonds = 2, x.c.padded_tokens = 2;
    at_plan *plan = plan_made(&x, OR_GENAI);
    const or_problem *p = &plan->problem;
    const int32_t *slot = p->slot_mapping;
    cr_assert_eq(p->tokens, 7);
    cr_expect_eq(slot[0], or_slot_of(p, 0, 40));
    cr_expect_eq(slot[1], -1);
    cr_expect_eq(slot[2], or_slot_of(p, 0, 42));
    cr_expect_eq(slot[3], p->blocks * 16, "the first slot past the cache");
    cr_expect_gt(slot[4], 1000000);
    cr_expect(slot[5] >= 0 && slot[5] < p->blocks * 16 && slot[6] == -1, "what a larger batch left");
    for (int64_t t = 0; t < 5; t++) cr_expect_neq(slot[t], slot[5], "token %d writes there", (int)t);
    for (int64_t t = 0; t < 7; t++) {
        const bool written = t == 0 || t == 2;
        for (int64_t d = 0; d < 32; d++)
            cr_expect_eq(or_class(OR_F16, p->key[t * 32 + d]), written ? OR_FINITE : OR_NAN, "key of token %d", (int)t);
        for (int64_t d = 0; d < 64; d++)
            cr_expect_eq(or_class(OR_F16, p->query[t * 64 + d]), t < 5 ? OR_FINITE : OR_NAN, "query of token %d",
                         (int)t);
    }
    at_plan_free(plan);
}

/* Reading the fresh key would show: it is NaN, and the cache has the row that the design gives that position. */
Test(plan, the_cache_holds_a_row_already_where_a_token_writes_none) {
    for (int kind = 0; kind < 2; kind++) {
        plan_case x;
        int64_t token[] = {1};
        plan_case_crowd(&x);
        x.c.poison = AT_POISON_NAN;
        *(kind ? &x.c.skip : &x.c.beyond) = token, *(kind ? &x.c.skips : &x.c.beyonds) = 1;
        at_plan *plan = plan_made(&x, OR_GENAI);
        answer a;
        answer_open(&a, plan);
        cr_expect(is_poisoned(plan, or_slot_of(&plan->problem, 0, 40)), "is written");
        cr_expect_not(is_poisoned(plan, or_slot_of(&plan->problem, 0, 41)), "is not");
        for (int64_t t = 0; t < 3; t++) cr_expect_eq(answer_row(&a, t, 0)->classes[0], OR_FINITE);
        answer_close(&a);
        at_plan_free(plan);
    }
}

Test(plan, an_unmapped_page_hides_its_positions_and_is_not_written) {
    plan_case x;
    at_unmapped hole[] = {{0, 2, 1 << 20}, {1, 0, -1}};
    plan_case_crowd(&x);
    x.c.unmapped = hole, x.c.unmappeds = 2, x.c.poison = AT_POISON_NAN;
    at_plan *plan = plan_made(&x, OR_GENAI);
    answer a;
    answer_open(&a, plan);
    cr_expect_eq(plan->problem.block_table[2], 1 << 20);
    for (int64_t t = 0; t < 3; t++) cr_expect_eq(plan->problem.slot_mapping[t], -1);
    cr_expect_eq(answer_row(&a, 0, 0)->keys, 9, "23 to 31 of 23 to 40");
    cr_expect_eq(answer_row(&a, 3, 0)->keys, 1);
    cr_expect_eq(answer_row(&a, 3, 0)->classes[0], OR_FINITE);
    answer_close(&a);
    at_plan_free(plan);
}

Test(plan, a_shared_prefix_holds_the_first_sequence_s_rows) {
    plan_case x;
    plan_case_start(&x, tiny, "uniform_codes");
    x.sequence[0] = (at_sequence){.past = 0, .fresh = 33}, x.sequence[1] = (at_sequence){.past = 35, .fresh = 1},
    x.c.sequences = 2, x.c.shared_prefix = 2;
    x.c.poison = AT_POISON_NAN;
    at_plan *plan = plan_made(&x, OR_GENAI);
    answer a;
    answer_open(&a, plan);
    cr_expect_eq(plan->problem.block_table[1], plan->problem.block_table[3 + 1]);
    cr_expect_eq(or_decode(OR_F16, cached_row(&a, 1, 20)[0]), (37 * 20) % 256 - 128,
                 "written by sequence 0 in this call");
    cr_expect_eq(or_decode(OR_F16, cached_row(&a, 1, 33)[0]), (37 * 33 + 101) % 256 - 128, "its own");
    cr_expect_eq(answer_row(&a, 33, 0)->classes[0], OR_FINITE);
    answer_close(&a);
    at_plan_free(plan);
}

Test(plan, a_shared_page_holds_what_any_of_its_sequences_sees) {
    plan_case x;
    plan_case_start(&x, tiny, "normal");
    x.sequence[0] = (at_sequence){.past = 60, .fresh = 1}, x.sequence[1] = (at_sequence){.past = 35, .fresh = 1};
    x.c.sequences = 2, x.c.shared_prefix = 2, x.c.poison = AT_POISON_NAN, x.attr[WINDOW].i = 17;
    at_plan *plan = plan_made(&x, OR_GENAI);
    for (int64_t j = 0; j < 61; j++) {
        const bool seen = (j >= 18 && j < 32) || (j >= 43 && j < 60);
        cr_expect_eq(is_poisoned(plan, or_slot_of(&plan->problem, 0, j)), !seen, "position %d", (int)j);
    }
    at_plan_free(plan);
}

/* What a series of calls needs: the shapes stay while the tokens grow, and nothing that was there changes. */
Test(plan, a_reserve_makes_room_and_moves_nothing) {
    plan_case x;
    at_plan *plan[2];
    plan_case_start(&x, tiny, "normal");
    x.sequence[0] = (at_sequence){.past = 20, .fresh = 1, .reserve = 20};
    plan[0] = plan_made(&x, OR_GENAI);
    x.sequence[0] = (at_sequence){.past = 40, .fresh = 1};
    plan[1] = plan_made(&x, OR_GENAI);
    for (int i = 0; i < OR_INPUTS; i++) {
        cr_expect_eq(at_tensor_bytes(&plan[0]->call.in[i]), at_tensor_bytes(&plan[1]->call.in[i]));
    }
    for (int i = OR_COS_CACHE; i <= OR_SIN_CACHE; i++) cr_expect_str_eq(plan[0]->digest[i], plan[1]->digest[i]);
    const uint16_t *small = plan[0]->call.in[OR_KEY_CACHE].data, *large = plan[1]->call.in[OR_KEY_CACHE].data;
    for (int64_t j = 0; j < 20; j++) cr_expect_arr_eq(small + j * 32, large + j * 32, 64, "position %d", (int)j);
    at_plan_free(plan[0]), at_plan_free(plan[1]);
}

Test(plan, a_sequence_alone_may_hold_the_data_that_it_has_in_a_batch) {
    static const char *const designs[] = {"normal", "one_hot", "uniform_codes", "rope_retrieval"};
    for (size_t d = 0; d < sizeof designs / sizeof *designs; d++) {
        plan_case x;
        answer batch, alone;
        plan_case_start(&x, glm, designs[d]);
        x.sequence[1] = (at_sequence){.past = 20, .fresh = 2}, x.c.sequences = 2;
        plan_and_open(&batch, &x);
        x.sequence[0] = (at_sequence){.past = 20, .fresh = 2, .data = 2}, x.c.sequences = 1;
        plan_and_open(&alone, &x);
        for (int64_t j = 0; j < 22; j++) cr_expect_arr_eq(cached_row(&alone, 0, j), cached_row(&batch, 1, j), 384);
        cr_expect_arr_eq(alone.problem.query, batch.problem.query + 3 * 384, 2 * 384 * 2, "%s", designs[d]);
        close_all(&batch), close_all(&alone);
    }
}

Test(plan, nothing_to_do_is_a_plan_too) {
    static const at_sequence none[] = {{.past = 0}, {.past = 33}, {.fresh = 5}};
    for (size_t sequences = 0; sequences <= 3; sequences++) {
        plan_case x;
        plan_case_start(&x, tiny, "normal");
        memcpy(x.sequence, none, sizeof none);
        x.c.sequences = sequences, x.c.poison = AT_POISON_NEIGHBOUR;
        at_plan *plan = plan_made(&x, OR_GENAI);
        cr_expect_eq(plan->problem.tokens, sequences == 3 ? 5 : 0);
        cr_expect_eq(plan->rows, plan->problem.tokens * 2);
        cr_expect_eq(plan->problem.sequences, (int64_t)sequences);
        at_plan_free(plan);
    }
}
