#include "dump.h"
#include "../oracle/write.h"
#include "finding.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void dump_output(FILE *file, const at_question *q, const at_answer *answer, or_attention *attention,
                        or_budget *budget, double *bound) {
    const or_problem *p = q->problem;
    fputs("token\thead\tchannel\twant\tbudget\tgot\tbits\texcess\n", file);
    for (int64_t i = 0; i < q->rows; i++) {
        int64_t token = q->row[i] / p->heads, head = q->row[i] % p->heads;
        const or_row *row = or_attend(attention, token, head);
        or_budget_row(budget, row, token, head, bound);
        for (int64_t d = 0; d < p->v_head_size; d++) {
            uint16_t got = answer->output[q->row[i] * p->v_head_size + d];
            or_opinion opinion = or_judge(p->dtype, row->o[d], bound[d], row->classes[d], got);
            fprintf(file, "%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%.17g\t%.3g\t%.9g\t0x%04x\t%.3g\n", token, head, d,
                    row->o[d], bound[d], or_decode(p->dtype, got), got, opinion.excess);
        }
    }
}

static void dump_cache(FILE *file, const at_question *q, const at_answer *answer, or_written *row) {
    const or_problem *p = q->problem;
    fputs("token\tslot\tchannel\twant\tbits\tgot\tbits\taccepted\n", file);
    for (int64_t token = 0; token < p->tokens; token++) {
        int64_t slot = or_write_slot(p, token);
        if (slot < 0) continue;
        or_written_row(row, p, &q->arithmetic, token);
        for (int64_t c = 0; c < p->head_size; c++) {
            uint16_t got = answer->key_cache[slot * p->head_size + c];
            fprintf(file, "%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%.17g\t0x%04x\t%.9g\t0x%04x\t%d\n", token, slot, c,
                    row[c].exact, row[c].bits, or_decode(p->dtype, got), got,
                    or_written_accepts(&row[c], p->dtype, got));
        }
    }
}

static at_status open_in(FILE **out, const char *directory, const char *name, at_error *err) {
    char *path = at_text("%s/%s", directory, name);
    *out = path ? fopen(path, "w") : NULL;
    at_status st = *out ? AT_OK : at_fail(err, AT_INFRASTRUCTURE, "%s/%s: %s", directory, name, strerror(errno));
    free(path);
    return st;
}

at_status at_dump(const char *directory, const at_question *q, const at_answer *answer, at_error *err) {
    const or_problem *p = q->problem;
    FILE *output = NULL, *cache = NULL;
    double *bound = calloc((size_t)p->v_head_size, sizeof *bound);
    or_written *row = calloc((size_t)p->head_size, sizeof *row);
    or_attention *attention = or_attention_new(p, answer->key_cache, &q->arithmetic);
    or_budget *budget = or_budget_new(p, answer->key_cache, &q->arithmetic, q->mode);
    at_status st = AT_OK;
    if (bound == NULL || row == NULL || attention == NULL || budget == NULL) {
        st = at_fail_memory(err, (size_t)p->head_size);
    } else if (mkdir(directory, 0777) != 0 && errno != EEXIST) {
        st = at_fail(err, AT_INFRASTRUCTURE, "%s: %s", directory, strerror(errno));
    } else if ((st = open_in(&output, directory, "output.tsv", err)) == AT_OK &&
               (st = open_in(&cache, directory, "key_cache.tsv", err)) == AT_OK) {
        dump_output(output, q, answer, attention, budget, bound);
        dump_cache(cache, q, answer, row);
    }
    if (output != NULL && fclose(output) != 0 && st == AT_OK)
        st = at_fail(err, AT_INFRASTRUCTURE, "%s: %s", directory, strerror(errno));
    if (cache != NULL && fclose(cache) != 0 && st == AT_OK)
        st = at_fail(err, AT_INFRASTRUCTURE, "%s: %s", directory, strerror(errno));
    or_budget_free(budget);
    or_attention_free(attention);
    free(row);
    free(bound);
    return st;
}
