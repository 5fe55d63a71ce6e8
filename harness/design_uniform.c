/* q = 0: every visible key weighs 1/n, so the answer is the mean of what is seen, and that is known exactly. */
#include "designs.h"

static const at_design_parameter angles_alone[] = {AT_ANGLE_PARAMETERS, {0}};

const at_design at_uniform_codes = {
    .name = "uniform_codes",
    .about =
        "all keys weigh the same and values are codes of their position: one key more, less or another is seen exactly",
    .parameter = angles_alone,
    .row = at_position_code,
    .fresh = at_wished_fresh,
    .cached = at_wished_cached,
};

enum { P_MARKER = AT_P_OWN };
static const at_design_parameter marker_parameters[] = {
    AT_ANGLE_PARAMETERS,
    {"marker", 4096, "size of the least marker; the largest is 4 times that"},
    {0},
};

/* From the last position hidden from the sequence's first new token to the first that its last one sees; where the last
 * page begins; both ends. */
static bool is_marked(const at_fill *f, int64_t sequence, int64_t j) {
    const int64_t before = f->problem->window_before, bs = f->problem->block_size;
    const int64_t past = f->c->sequence[sequence].past, length = f->length[sequence], page = (length - 1) / bs * bs;
    const bool window = before >= 0 && j >= past - before - 1 && j <= length - 1 - before;
    return window || j == 0 || j == page - 1 || j == page || j >= length - 2;
}

/* Neighbours get other sizes, neighbouring channels other signs. */
static double marked(const at_fill *f, at_spot at) {
    if (!is_marked(f, at.sequence, at.position)) return at_position_code(f, at);
    return f->value[P_MARKER] * (double)(at.position % 4 + 1) * (at.channel % 2 ? 1 : -1);
}

const at_design at_edge_markers = {
    .name = "edge_markers",
    .about = "uniform_codes with big values on both sides of each window and page edge: seen in long contexts too, and "
             "where a mask leaks",
    .marks_hidden = true,
    .parameter = marker_parameters,
    .row = marked,
    .fresh = at_wished_fresh,
    .cached = at_wished_cached,
};

enum { P_VALUE = AT_P_OWN };
static const at_design_parameter large_parameters[] = {
    AT_ANGLE_PARAMETERS, {"value", 60000, "size of the values"}, {0}};

/* Not in the rotated span: x cos + y sin would overflow there. */
static double large(const at_fill *f, at_spot at) {
    if (at_is_rotated(f, at.channel)) return at_position_code(f, at);
    const bool half = at.channel < 16 && at_position_code(f, at) < 0;
    return f->value[P_VALUE] * (half ? 0.5 : 1);
}

const at_design at_large_values = {
    .name = "large_values",
    .about = "means near the end of float16, halves where uniform_codes has minus: sums kept in the type overflow",
    .parameter = large_parameters,
    .row = large,
    .fresh = at_wished_fresh,
    .cached = at_wished_cached,
};
