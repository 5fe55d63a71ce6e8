#include "plan_case.h"

#include "../../oracle/write.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const geometry tiny = {32, 16, 16, 16, 2}, glm = {192, 128, 128, 64, 2}, mla = {576, 512, 512, 64, 16},
               overlapping = {64, 64, 0, 64, 2}, unrotated = {40, 40, 0, 0, 3};
const geometry geometries[GEOMETRIES] = {
    {32, 16, 16, 16, 2},    {192, 128, 128, 64, 2}, {576, 512, 512, 64, 16}, {96, 64, 64, 32, 4},
    {64, 48, 32, 32, 3},    {40, 40, 0, 0, 1},      {72, 64, 64, 8, 6},      {136, 128, 128, 8, 1},
    {320, 256, 256, 64, 3}, {64, 64, 0, 64, 2},     {192, 160, 128, 64, 2},
};

void plan_case_start(plan_case *x, geometry g, const char *design) {
    static char *none[] = {NULL};
    *x = (plan_case){0};
    x->c = (at_case){.id = "suite/case",
                     .suite = "suite",
                     .name = "case",
                     .place = {"suite.yaml", 7, 5},
                     .geometry = "",
                     .rule = ""};
    x->c.tags = x->c.covers = x->c.modes = none;
    x->c.dtype = AT_F16;
    x->c.head_size = g.head_size, x->c.rotary_dim = g.rotary_dim, x->c.block_size = 16;
    x->attr[HEADS] = (at_attr){.name = "num_heads", .i = g.heads};
    x->attr[KV_HEADS] = (at_attr){.name = "kv_num_heads", .i = 1};
    x->attr[V_HEAD_SIZE] = (at_attr){.name = "v_head_size", .i = g.v_head_size};
    x->attr[LAYOUT] = (at_attr){.name = "kv_cache_layout", .type = AT_STRING, .s = "LATENT"};
    x->attr[SCALE] = (at_attr){.name = "scale", .type = AT_FLOAT, .f = 1 / sqrtf((float)g.head_size)};
    x->attr[DO_ROTARY] = (at_attr){.name = "do_rotary", .i = g.rotary_dim > 0};
    x->attr[OFFSET] = (at_attr){.name = "rotary_offset", .i = g.rotary_offset};
    x->attr[WINDOW] = (at_attr){.name = "local_window_size", .i = -1};
    x->attr[SOFTCAP] = (at_attr){.name = "softcap", .type = AT_FLOAT, .f = 0};
    x->attr[INTERLEAVED] = (at_attr){.name = "rotary_interleaved", .i = 0};
    x->c.attr = x->attr, x->c.attrs = PLAIN_ATTRIBUTES;
    x->sequence[0] = (at_sequence){.past = 40, .fresh = 3};
    x->c.sequence = x->sequence, x->c.sequences = 1;
    x->c.design = (char *)design;
    x->c.parameter = x->parameter, x->c.override_ = x->override_;
}

void plan_case_crowd(plan_case *x) {
    plan_case_start(x, tiny, "normal");
    x->sequence[0] = (at_sequence){.past = 40, .fresh = 3}, x->sequence[1] = (at_sequence){.past = 16, .fresh = 2},
    x->sequence[2] = (at_sequence){.past = 20, .fresh = 0};
    x->c.sequences = 3, x->c.spare_pages = 2, x->c.spare_columns = 1, x->c.page_order = AT_PAGES_RANDOM;
    x->attr[WINDOW].i = 17;
}

void plan_case_set(plan_case *x, const char *parameter, double value) {
    x->parameter[x->c.parameters++] = (at_parameter){(char *)parameter, value};
}

at_override *plan_case_override(plan_case *x, bool output, int index, int how) {
    at_override *o = &x->override_[x->c.overrides++];
    o->output = output, o->index = index, o->how = how;
    return o;
}

at_plan *plan_made(const plan_case *x, or_dialect dialect) {
    at_plan *plan;
    at_error err = {""};
    cr_assert_eq(at_plan_make(&plan, &x->c, dialect, 1, &err), AT_OK, "%s", err.text);
    return plan;
}

const char *plan_complaint(const plan_case *x, or_dialect dialect) {
    static at_error err;
    static const char place[] = "suite.yaml:7:5: ";
    at_plan *plan;
    err.text[0] = 0;
    const at_status st = at_plan_make(&plan, &x->c, dialect, 1, &err);
    at_plan_free(plan);
    if (st == AT_OK) return "";
    cr_assert_eq(st, AT_USAGE, "%s", err.text);
    cr_assert_eq(strncmp(err.text, place, sizeof place - 1), 0, "no place: %s", err.text);
    const char *id = "suite/case: ", *text = err.text + sizeof place - 1;
    return strncmp(text, id, strlen(id)) == 0 ? text + strlen(id) : text;
}

void answer_open(answer *a, const at_plan *plan) {
    static const or_arithmetic unsaid = {0};
    const size_t bytes = at_tensor_bytes(&plan->call.in[OR_KEY_CACHE]);
    *a = (answer){.plan = plan, .problem = plan->problem, .cache = malloc(bytes)};
    memcpy(a->cache, plan->call.in[OR_KEY_CACHE].data, bytes);
    or_write_all(a->cache, &a->problem);
    a->attention = or_attention_new(&a->problem, a->cache, &unsaid);
}

void answer_close(answer *a) {
    or_attention_free(a->attention);
    free(a->cache);
}

void plan_and_open(answer *a, const plan_case *x) {
    answer_open(a, plan_made(x, OR_GENAI));
}

void close_all(answer *a) {
    at_plan *plan = (at_plan *)a->plan;
    answer_close(a);
    at_plan_free(plan);
}

const or_row *answer_row(answer *a, int64_t token, int64_t head) {
    return or_attend(a->attention, token, head);
}

double *right_row(answer *a, int64_t token, int64_t head) {
    const size_t bytes = (size_t)a->problem.v_head_size * sizeof(double);
    double *copy = malloc(bytes);
    memcpy(copy, answer_row(a, token, head)->o, bytes);
    return copy;
}

double distance(const double *a, const double *b, int64_t n) {
    double most = 0;
    for (int64_t i = 0; i < n; i++) most = fmax(most, isnan(a[i]) != isnan(b[i]) ? INFINITY : fabs(a[i] - b[i]));
    return most;
}

const uint16_t *cached_row(const answer *a, int64_t sequence, int64_t position) {
    const int64_t slot = or_slot_of(&a->plan->problem, sequence, position);
    cr_assert_geq(slot, 0);
    return a->cache + slot * a->plan->problem.head_size;
}
