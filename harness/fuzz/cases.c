#include "../plan.h"
#include "fuzz.h"

#include <string.h>

enum { MOST_PLANS = 3 };

static void check_id(const at_cases *cases, size_t i) {
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789._=,/+-";
    const at_case *c = at_cases_at(cases, i);
    AT_FUZZ_DUE(c->id[0] != 0 && c->id[strspn(c->id, allowed)] == 0);
    AT_FUZZ_DUE(strlen(c->hash) == 16);
    AT_FUZZ_DUE(at_cases_find(cases, c->id) == c);
    AT_FUZZ_DUE(at_case_matches(c, c->id));
}

/* Planned, or refused in words; twice the same inputs. */
static void check_plan(const at_case *c) {
    at_plan *first = NULL, *second = NULL;
    at_error err = {0};
    or_dialect dialect = c->dialect;
    at_status st = at_plan_make(&first, c, dialect, 1, &err);
    AT_FUZZ_DUE(st == AT_OK ? first != NULL : first == NULL && err.text[0] != 0 && at_fuzz_plain(err.text));
    if (st == AT_OK && at_plan_make(&second, c, dialect, 1, &err) == AT_OK) {
        AT_FUZZ_DUE(strcmp(first->inputs_digest, second->inputs_digest) == 0);
    }
    at_plan_free(first);
    at_plan_free(second);
}

int at_fuzz_cases(const uint8_t *data, size_t size) {
    at_limits limits = at_default_limits;
    at_cases *cases = NULL;
    at_error err = {0};
    limits.file_bytes = 1 << 16, limits.nodes = 5000, limits.cases = 200, limits.case_bytes = 1 << 16,
    limits.memory = 1 << 24;
    at_status st = at_cases_load(&cases, at_fuzz_file("fuzz.yaml", data, size), &limits, &err);
    if (st != AT_OK) {
        AT_FUZZ_DUE(st == AT_USAGE);
        AT_FUZZ_DUE(cases == NULL && err.text[0] != 0 && at_fuzz_plain(err.text));
        return 0;
    }
    for (size_t i = 0; i < at_cases_count(cases); i++) {
        check_id(cases, i);
        if (i < MOST_PLANS) check_plan(at_cases_at(cases, i));
    }
    at_cases_free(cases);
    return 0;
}

AT_FUZZ_MAIN(at_fuzz_cases)
