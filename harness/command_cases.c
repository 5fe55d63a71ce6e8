/* list and show: the cases without a subject. */
#include "commands.h"
#include "design.h"
#include "plan.h"
#include "select.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

static json_t *strings(char *const *list) {
    json_t *array = json_array();
    for (; *list != NULL; list++) json_array_append_new(array, json_string(*list));
    return array;
}

static json_t *case_json(const at_case *c) {
    json_t *object = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o}", "id", c->id, "hash", c->hash, "suite",
                               c->suite, "tier", at_tier_name(c->tier), "why", c->why, "file", c->place.file, "tags",
                               strings(c->tags), "covers", strings(c->covers));
    json_object_set_new(object, "line", json_integer(c->place.line));
    return object;
}

/* One line; takes the object. */
static void print_json(json_t *object) {
    json_dumpf(object, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(object);
}

at_status at_command_list(at_options *o, at_error *err) {
    at_cases *cases = NULL;
    at_selection selection = {0};
    at_status st = at_load_default_cases(&cases, o, err);
    for (size_t i = 0; st == AT_OK && i < o->words; i++)
        st = at_fail(err, AT_USAGE, "list takes no words; -k '%s' filters", o->word[i]);
    if (st == AT_OK) st = at_select(&selection, cases, o, err);
    for (size_t i = 0; i < selection.choices; i++) {
        const at_case *c = selection.choice[i].c;
        if (i > 0 && c == selection.choice[i - 1].c) continue;
        if (o->json)
            print_json(case_json(c));
        else
            puts(c->id);
    }
    at_selection_free(&selection);
    at_cases_free(cases);
    return st;
}

static void show_tensor(const char *name, const or_tensor *t, const char *digest) {
    if (t->dtype == OR_ABSENT) return;
    printf("  %-28s %-9s [", name, or_dtype_name(t->dtype));
    for (uint32_t i = 0; i < t->rank; i++) printf("%s%" PRId64, i ? ", " : "", t->shape[i]);
    printf("]%s%.16s\n", digest[0] ? "  sha256 " : "", digest);
}

static void show_attribute(const or_attr *a) {
    printf("  %-28s ", at_shown(a->name));
    if (a->type == OR_INT)
        printf("%" PRId64 "\n", a->i);
    else if (a->type == OR_FLOAT)
        printf("%.9g\n", a->f);
    else
        printf("\"%s\"\n", at_shown(a->s));
}

static void show_case(const at_case *c, const at_plan *plan) {
    size_t modes;
    const at_mode *mode = at_modes(&modes);
    printf("%s\n  %s\n  %s:%d, hash %s, tier %s, dialect %s%s\n", c->id, at_shown(c->why), at_shown(c->place.file),
           c->place.line, c->hash, at_tier_name(c->tier), or_dialect_name(plan->node.dialect),
           c->any_dialect ? " (any)" : "");
    printf("covers");
    for (char **v = c->covers; *v; v++) printf(" %s", *v);
    printf("\ntags");
    for (char **v = c->tags; *v; v++) printf(" %s", *v);
    printf("\nmodes");
    for (size_t i = 0; i < modes; i++) {
        if (at_mode_wanted(&mode[i], c)) printf(" %s", mode[i].name);
    }
    printf("\nattributes\n");
    for (size_t i = 0; i < plan->node.attrs; i++) show_attribute(&plan->node.attr[i]);
    printf("tensors\n");
    for (int i = 0; i < OR_INPUTS; i++) show_tensor(or_input_name(i), &plan->call.in[i], plan->digest[i]);
    for (int i = 0; i < OR_OUTPUTS; i++) show_tensor(or_output_name(i), &plan->call.out[i], "");
    printf("sequences\n");
    for (size_t i = 0; i < c->sequences; i++)
        printf("  past %" PRId64 ", new %" PRId64 "\n", c->sequence[i].past, c->sequence[i].fresh);
    if (c->expect == AT_EXPECT_REFUSAL) {
        printf("expected: refused by %s: %s\n", plan->rule->id, plan->rule->refused_when);
    } else {
        const at_design *design = at_design_by_name(c->design);
        printf("data: %s: %s\nexpected: %s on %" PRId64 " rows\ninputs %s\n", c->design, design ? design->about : "",
               c->expect == AT_EXPECT_EXACT ? "the bits of the rounded exact value" : "within the derived budget",
               plan->rows, plan->inputs_digest);
    }
}

static json_t *tensor_json(const or_tensor *t, const char *digest) {
    json_t *shape = json_array();
    for (uint32_t i = 0; i < t->rank; i++) json_array_append_new(shape, json_integer(t->shape[i]));
    json_t *object = json_pack("{s:s, s:o}", "dtype", or_dtype_name(t->dtype), "shape", shape);
    if (digest[0]) json_object_set_new(object, "sha256", json_string(digest));
    return object;
}

/* An array of these, since a name may come twice. */
static json_t *attribute_json(const or_attr *a) {
    json_t *value = a->type == OR_INT ? json_integer(a->i) : a->type == OR_FLOAT ? json_real(a->f) : json_string(a->s);
    return json_pack("{s:s, s:o*}", "name", a->name, "value", value);
}

/* The case and what it comes to in one dialect and with one seed: the same digests on every host, or inputs differ. */
static json_t *plan_json(const at_plan *plan) {
    json_t *object = case_json(plan->c), *inputs = json_object(), *outputs = json_object();
    json_t *attributes = json_array(), *sequences = json_array();
    for (size_t i = 0; i < plan->node.attrs; i++)
        json_array_append_new(attributes, attribute_json(&plan->node.attr[i]));
    for (const at_sequence *s = plan->c->sequence; s < plan->c->sequence + plan->c->sequences; s++)
        json_array_append_new(sequences,
                              json_pack("{s:I, s:I}", "past", (json_int_t)s->past, "new", (json_int_t)s->fresh));
    for (int i = 0; i < OR_INPUTS; i++) {
        const or_tensor *t = &plan->call.in[i];
        if (t->dtype != OR_ABSENT) json_object_set_new(inputs, or_input_name(i), tensor_json(t, plan->digest[i]));
    }
    for (int i = 0; i < OR_OUTPUTS; i++) {
        const or_tensor *t = &plan->call.out[i];
        if (t->dtype != OR_ABSENT) json_object_set_new(outputs, or_output_name(i), tensor_json(t, ""));
    }
    json_object_set_new(object, "dialect", json_string(or_dialect_name(plan->node.dialect)));
    json_object_set_new(object, "seed", json_integer((json_int_t)plan->seed));
    if (plan->inputs_digest[0]) json_object_set_new(object, "inputs_sha256", json_string(plan->inputs_digest));
    json_object_set_new(object, "attributes", attributes);
    json_object_set_new(object, "sequences", sequences);
    json_object_set_new(object, "inputs", inputs);
    json_object_set_new(object, "outputs", outputs);
    return object;
}

at_status at_command_show(at_options *o, at_error *err) {
    at_cases *cases = NULL;
    at_plan *plan = NULL;
    const at_case *c = NULL;
    at_status st;
    if (o->words != 1) return at_fail(err, AT_USAGE, "show needs one ID; attest list has them");
    if ((st = at_load_default_cases(&cases, o, err)) != AT_OK) return st;
    st = at_find_case(&c, cases, o->word[0], err);
    if (st == AT_OK) st = at_plan_make(&plan, c, c->dialect, o->seed, err);
    if (st == AT_OK) {
        if (o->json)
            print_json(plan_json(plan));
        else
            show_case(c, plan);
    }
    at_plan_free(plan);
    at_cases_free(cases);
    return st;
}
