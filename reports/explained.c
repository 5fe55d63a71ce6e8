#include "explained.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_READINGS = 4, NAME = 32 };

bool at_is_explained(const at_record *r) {
    return r->explanation != NULL && r->explanation[0] != NULL;
}

bool at_is_explained_alone(const at_record *r) {
    return at_is_bad(r) && at_is_explained(r) && r->explanation[1] == NULL &&
           strncmp(r->explanation[0], "none of ", 8) != 0;
}

static const char *name_of(char name[NAME + 1], const char *reading) {
    snprintf(name, NAME + 1, "%.*s", (int)strcspn(reading, ":"), reading);
    return name;
}

static void put_name(FILE *f, const char *reading, at_put *put) {
    char name[NAME + 1];
    put(f, name_of(name, reading), 0);
}

static int by_first_reading(const at_record *a, const at_record *b) {
    char x[NAME + 1], y[NAME + 1];
    return strcmp(name_of(x, at_is_explained_alone(a) ? a->explanation[0] : ""),
                  name_of(y, at_is_explained_alone(b) ? b->explanation[0] : ""));
}

static int in_order(const at_group *a, const at_group *b) {
    return (a->first > b->first) - (a->first < b->first);
}

static int most_first(const void *a, const void *b) {
    const at_group *x = a, *y = b;
    const int order = (x->attempts < y->attempts) - (x->attempts > y->attempts);
    return order != 0 ? order : in_order(x, y);
}

static int explained_first(const void *a, const void *b) {
    const at_group *x = a, *y = b;
    const int order = at_is_explained_alone(y->first) - at_is_explained_alone(x->first);
    return order != 0 ? order : in_order(x, y);
}

void at_faults_explained_first(at_groups *g) {
    qsort(g->group, g->groups, sizeof *g->group, explained_first);
}

at_status at_readings_of(at_readings *out, const at_journal *j, at_error *err) {
    *out = (at_readings){0};
    for (size_t i = 0; i < j->records; i++)
        out->explained += at_is_bad(&j->record[i]) && at_is_explained(&j->record[i]);
    at_status st = at_groups_of(&out->alone, j, at_is_explained_alone, by_first_reading, err);
    if (st == AT_OK) qsort(out->alone.group, out->alone.groups, sizeof *out->alone.group, most_first);
    return st;
}

void at_readings_free(at_readings *r) {
    at_groups_free(&r->alone);
}

void at_put_readings(FILE *f, const at_readings *r, at_put *put) {
    for (size_t i = 0; i < r->alone.groups && i < MOST_READINGS; i++) {
        const at_group *g = &r->alone.group[i];
        if (i > 0) fputs(", ", f);
        put_name(f, g->first->explanation[0], put);
        fprintf(f, " in %" PRId64, g->attempts);
        if (i == 0) fprintf(f, " of %" PRId64, r->explained);
    }
    if (r->alone.groups > MOST_READINGS) fprintf(f, ", %zu more", r->alone.groups - MOST_READINGS);
}

void at_put_explanation(FILE *f, const at_record *r, size_t most, at_put *put) {
    size_t n = 1;
    fputs("agrees with ", f);
    put(f, r->explanation[0], most);
    for (; r->explanation[n] != NULL; n++) {
        if (n >= MOST_READINGS) continue;
        fputs(n == 1 ? "; or " : ", ", f);
        put_name(f, r->explanation[n], put);
    }
    if (n > MOST_READINGS) fprintf(f, ", %zu more", n - MOST_READINGS);
}
