/* Which sequence a token is of, where a position lies, where a row goes. */
#include "../problem.h"

#include "scene.h"

#include <criterion/criterion.h>

static const int32_t past[] = {7, 30, 0, 15, 9}, fresh[] = {0, 3, 0, 2, 0};
static const shape busy = {OR_F16, 1, 8, 0, 16, 3, 5, past, fresh};

static scene *busy_scene(void) {
    scene *s = scene_new(&busy, 3);
    RESOLVE(s, OR_GENAI, FLOAT("scale", 1));
    return s;
}

Test(paging, sequences_without_new_tokens_are_passed_over) {
    static const int64_t sequence[] = {1, 1, 1, 3, 3}, position[] = {30, 31, 32, 15, 16};
    scene *s = busy_scene();
    for (int64_t t = 0; t < 5; t++) {
        cr_assert_eq(or_sequence_of(&s->p, t), sequence[t], "token %ld", (long)t);
        cr_assert_eq(or_position_of(&s->p, t), position[t], "token %ld", (long)t);
    }
    scene_free(s);
}

Test(paging, a_token_past_the_last_sequence_is_of_none) {
    scene *s = busy_scene();
    cr_assert_eq(or_sequence_of(&s->p, 5), -1);
    cr_assert_eq(or_position_of(&s->p, 5), -1);
    cr_assert_eq(or_write_slot(&s->p, 5), -1);
    s->p.sequences = 0;
    cr_assert_eq(or_sequence_of(&s->p, 0), -1);
    scene_free(s);
}

Test(paging, a_position_lies_in_its_sequences_row_of_the_table) {
    scene *s = busy_scene();
    for (int64_t b = 0; b < 5; b++)
        for (int64_t j = 0; j < 48; j++)
            cr_assert_eq(or_slot_of(&s->p, b, j), s->table[3 * b + j / 16] * 16 + j % 16, "%ld %ld", (long)b, (long)j);
    scene_free(s);
}

Test(paging, what_the_table_does_not_hold_is_not_mapped) {
    scene *s = busy_scene();
    cr_assert_eq(or_slot_of(&s->p, 0, -1), -1);
    cr_assert_eq(or_slot_of(&s->p, 0, 48), -1, "beyond the columns");
    cr_assert_eq(or_slot_of(&s->p, 4, INT64_MAX), -1);
    s->table[1] = -1;
    cr_assert_eq(or_slot_of(&s->p, 0, 16), -1);
    s->table[1] = INT32_MIN;
    cr_assert_eq(or_slot_of(&s->p, 0, 31), -1);
    s->table[1] = (int32_t)s->blocks;
    cr_assert_eq(or_slot_of(&s->p, 0, 20), -1, "a page that does not exist");
    s->table[1] = (int32_t)s->blocks - 1;
    cr_assert_eq(or_slot_of(&s->p, 0, 20), (s->blocks - 1) * 16 + 4);
    s->p.max_blocks = 0;
    cr_assert_eq(or_slot_of(&s->p, 0, 0), -1, "a table without columns hides everything");
    scene_free(s);
}

Test(paging, slots_past_2_to_the_31_elements_do_not_wrap) {
    const int32_t table[] = {INT32_MAX - 1};
    const or_problem p = {
        .sequences = 1, .block_size = 512, .blocks = INT32_MAX, .max_blocks = 1, .block_table = table};
    cr_assert_eq(or_slot_of(&p, 0, 511), (int64_t)(INT32_MAX - 1) * 512 + 511);
}

Test(paging, a_row_goes_to_its_slot_or_nowhere) {
    static const struct {
        int32_t slot;
        bool written;
    } rows[] = {{0, true}, {255, true}, {-1, false}, {-7, false}, {256, false}, {INT32_MAX, false}, {INT32_MIN, false}};
    scene *s = busy_scene();
    cr_assert_eq(s->blocks * 16, 256);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        s->slots[2] = rows[i].slot;
        cr_assert_eq(or_write_slot(&s->p, 2), rows[i].written ? rows[i].slot : -1, "slot %d", rows[i].slot);
    }
    scene_free(s);
}

Test(paging, slots_that_are_not_given_come_from_the_table) {
    scene *s = busy_scene();
    s->p.slot_mapping = NULL;
    for (int64_t t = 0; t < 5; t++) cr_assert_eq(or_write_slot(&s->p, t), s->slots[t]);
    s->table[3 * 3] = -1;
    cr_assert_eq(or_write_slot(&s->p, 3), -1, "position 15 of sequence 3 has no page");
    cr_assert_eq(or_write_slot(&s->p, 4), s->slots[4]);
    scene_free(s);
}
