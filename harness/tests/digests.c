/* Plans of committed cases still give the committed digests (digests.txt); digests.sh asks the same of a program on
 * another host. */
#include "../plan.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *beside(const char *name) {
    static char path[600];
    const char *up = strstr(__FILE__, "harness/tests/");
    cr_assert_not_null(up);
    snprintf(path, sizeof path, "%.*s%s", (int)(up - __FILE__), __FILE__, name);
    return path;
}

static at_cases *cases;

static void setup(void) {
    at_error err;
    cr_assert_eq(at_cases_load(&cases, beside("cases"), NULL, &err), AT_OK, "%s", err.text);
}

static void teardown(void) {
    at_cases_free(cases);
}

TestSuite(digests, .init = setup, .fini = teardown);

static void check(const char *id, uint64_t seed, const char *digest) {
    at_error err = {""};
    at_plan *plan = NULL;
    const at_case *c = at_cases_find(cases, id);
    cr_assert_not_null(c, "no case %s", id);
    cr_assert_eq(at_plan_make(&plan, c, c->dialect, seed, &err), AT_OK, "%s", err.text);
    cr_expect_str_eq(plan->inputs_digest, digest, "%s, seed %" PRIu64 ": %s", id, seed, plan->inputs_digest);
    at_plan_free(plan);
}

Test(digests, inputs_are_those_that_are_committed) {
    char line[600], id[400], digest[65];
    uint64_t seed;
    int checked = 0;
    FILE *f = fopen(beside("harness/tests/digests.txt"), "r");
    cr_assert_not_null(f);
    while (fgets(line, sizeof line, f) != NULL) {
        if (line[0] == '#') continue;
        cr_assert_eq(sscanf(line, "%399s %" SCNu64 " %64s", id, &seed, digest), 3, "%s", line);
        check(id, seed, digest);
        checked++;
    }
    fclose(f);
    cr_expect_geq(checked, 12);
}

Test(digests, another_seed_gives_other_inputs) {
    at_error err;
    at_plan *a = NULL, *b = NULL;
    const at_case *c = at_cases_find(cases, "relations/batch/dtype=bfloat16");
    cr_assert_not_null(c);
    cr_assert_eq(at_plan_make(&a, c, OR_GENAI, 3, &err), AT_OK);
    cr_assert_eq(at_plan_make(&b, c, OR_GENAI, 4, &err), AT_OK);
    cr_expect_str_neq(a->inputs_digest, b->inputs_digest);
    at_plan_free(a);
    at_plan_free(b);
}
