#include "group.h"

#include <stdlib.h>
#include <string.h>

int at_compare(const char *a, const char *b) {
    return strcmp(a == NULL ? "" : a, b == NULL ? "" : b);
}

int at_by_id(const at_record *a, const at_record *b) {
    return at_compare(a->id, b->id);
}
int at_by_suite(const at_record *a, const at_record *b) {
    return at_compare(a->suite, b->suite);
}
int at_by_arithmetic(const at_record *a, const at_record *b) {
    return at_compare(a->arithmetic, b->arithmetic);
}
int at_by_reason(const at_record *a, const at_record *b) {
    return at_compare(a->message, b->message);
}

/* One fault is one case of a suite, before its expansion, seen by one detector. */
int at_by_fault(const at_record *a, const at_record *b) {
    int order = at_by_suite(a, b);
    if (order == 0) order = at_compare(a->name, b->name);
    if (order == 0) order = (int)a->verdict - (int)b->verdict;
    if (order == 0)
        order = at_compare(a->findings ? a->finding[0].detector : "", b->findings ? b->finding[0].detector : "");
    return order;
}

bool at_is_bad(const at_record *r) {
    at_status st = at_verdict_status(r->verdict);
    return st == AT_FAILED || st == AT_INFRASTRUCTURE;
}
bool at_is_not_run(const at_record *r) {
    return r->verdict == AT_NOT_RUN;
}
bool at_has_arithmetic(const at_record *r) {
    return r->arithmetic != NULL && r->arithmetic[0] != 0;
}
bool at_is_executed(const at_record *r) {
    return r->verdict != AT_UNSUPPORTED && r->verdict != AT_NOT_RUN && r->verdict != AT_HARNESS_ERROR;
}
bool at_is_good(const at_record *r) {
    return r->verdict == AT_PASS || r->verdict == AT_MARGINAL;
}

static int compare_pointers(const void *a, const void *b, void *order) {
    const at_record *x = *(const at_record *const *)a, *y = *(const at_record *const *)b;
    int by = (*(at_order **)order)(x, y);
    return by != 0 ? by : (x > y) - (x < y);
}

const at_record **at_sorted(const at_journal *j, at_order *order) {
    const at_record **sorted = malloc((j->records + 1) * sizeof *sorted);
    if (sorted == NULL) return NULL;
    for (size_t i = 0; i < j->records; i++) sorted[i] = &j->record[i];
    qsort_r(sorted, j->records, sizeof *sorted, compare_pointers, &order);
    return sorted;
}

size_t at_run_end(const at_record *const *sorted, size_t from, size_t records, at_order *order) {
    size_t end = from + 1;
    while (end < records && order(sorted[from], sorted[end]) == 0) end++;
    return end;
}

static int compare_groups(const void *a, const void *b) {
    const at_group *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

at_status at_groups_of(at_groups *out, const at_journal *j, at_choice *chosen, at_order *order, at_error *err) {
    *out = (at_groups){0};
    const at_record **sorted = at_sorted(j, order);
    at_group *group = calloc(j->records + 1, sizeof *group);
    if (sorted == NULL || group == NULL) {
        free(sorted);
        free(group);
        return at_fail_memory(err, j->records * sizeof *group);
    }
    for (size_t i = 0, end; i < j->records; i = end) {
        end = at_run_end(sorted, i, j->records, order);
        at_group *g = &group[out->groups];
        for (size_t k = i; k < end; k++) {
            if (!chosen(sorted[k])) continue;
            if (g->attempts++ == 0) g->first = sorted[k];
        }
        out->attempts += g->attempts;
        out->groups += g->attempts > 0;
    }
    free(sorted);
    qsort(group, out->groups, sizeof *group, compare_groups);
    out->group = group;
    return AT_OK;
}

void at_groups_free(at_groups *g) {
    free(g->group);
    *g = (at_groups){0};
}
