#include "tensors.h"
#include "group.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool at_is_worse(double a, double b) {
    return isnan(a) ? !isnan(b) : a > b;
}

static int file_order(const at_measured *a, const at_measured *b) {
    return (a->tensor > b->tensor) - (a->tensor < b->tensor);
}

static int worst_first(const void *x, const void *y) {
    const at_measured *a = x, *b = y;
    if (at_is_worse(a->tensor->excess, b->tensor->excess)) return -1;
    if (at_is_worse(b->tensor->excess, a->tensor->excess)) return 1;
    return file_order(a, b);
}

static int by_kind(const at_measured *a, const at_measured *b) {
    int order = at_by_suite(a->record, b->record);
    if (order == 0) order = at_compare(a->record->dtype, b->record->dtype);
    return order == 0 ? strcmp(a->tensor->tensor, b->tensor->tensor) : order;
}

static int kind_first(const void *a, const void *b) {
    int order = by_kind(a, b);
    return order == 0 ? file_order(a, b) : order;
}

at_status at_tensors_of(at_tensors *out, const at_journal *j, at_error *err) {
    size_t count = 0, filled = 0;
    for (size_t i = 0; i < j->records; i++) count += (size_t)j->record[i].tensors;
    *out = (at_tensors){calloc(count + 1, sizeof *out->worst), calloc(count + 1, sizeof *out->grouped), count};
    if (out->worst == NULL || out->grouped == NULL) {
        at_tensors_free(out);
        return at_fail_memory(err, count * sizeof *out->worst);
    }
    for (size_t i = 0; i < j->records; i++) {
        for (int k = 0; k < j->record[i].tensors; k++)
            out->worst[filled++] = (at_measured){&j->record[i], &j->record[i].tensor[k]};
    }
    memcpy(out->grouped, out->worst, count * sizeof *out->worst);
    qsort(out->worst, count, sizeof *out->worst, worst_first);
    qsort(out->grouped, count, sizeof *out->grouped, kind_first);
    return AT_OK;
}

void at_tensors_free(at_tensors *t) {
    free(t->worst);
    free(t->grouped);
    *t = (at_tensors){0};
}

size_t at_tensors_end(const at_tensors *t, size_t from) {
    size_t end = from + 1;
    while (end < t->count && by_kind(&t->grouped[from], &t->grouped[end]) == 0) end++;
    return end;
}

void at_put_place(FILE *f, const at_tensor_report *t, at_put *put) {
    put(f, t->tensor, 0);
    if (t->token >= 0) fprintf(f, " token %" PRId64, t->token);
    if (t->head >= 0) fprintf(f, " head %" PRId64, t->head);
    if (t->channel >= 0) fprintf(f, " channel %" PRId64, t->channel);
}
