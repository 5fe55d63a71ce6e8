#include "merge.h"
#include "finding.h"
#include "same.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const at_record *record;
    const at_part *part;
} entry;

static int compare(const char *a, const char *b) {
    return strcmp(a ? a : "", b ? b : "");
}

static int by_attempt(const void *a, const void *b) {
    const entry *x = a, *y = b;
    int order = compare(x->record->id, y->record->id);
    if (order == 0) order = compare(x->record->mode, y->record->mode);
    return order ? order : (x->part > y->part) - (x->part < y->part);
}

static bool same_attempt(const entry *a, const entry *b) {
    return compare(a->record->id, b->record->id) == 0 && compare(a->record->mode, b->record->mode) == 0;
}

/* Numbers may differ where devices do; what was run and what came of it may not. */
static bool agree(const at_record *a, const at_record *b) {
    bool outputs =
        a->output_digest == NULL || b->output_digest == NULL || strcmp(a->output_digest, b->output_digest) == 0;
    return a->verdict == b->verdict && compare(a->hash, b->hash) == 0 &&
           compare(a->inputs_digest, b->inputs_digest) == 0 && (outputs || compare(a->device, b->device) != 0);
}

static at_status append(char ***list, char *text, at_error *err) {
    size_t n = 0;
    while (*list != NULL && (*list)[n] != NULL) n++;
    char **longer = text ? realloc(*list, (n + 2) * sizeof *longer) : NULL;
    if (longer == NULL) {
        free(text);
        return at_fail_memory(err, n);
    }
    longer[n] = text, longer[n + 1] = NULL;
    *list = longer;
    return AT_OK;
}

static void free_list(char **list) {
    for (size_t i = 0; list != NULL && list[i] != NULL; i++) free(list[i]);
    free(list);
}

/* ---- header ---- */

/* "NVIDIA A100 and NVIDIA H200": every value once. */
static char *all_of(const at_part *part, size_t parts, size_t offset) {
    char *text = NULL;
    for (size_t i = 0; i < parts; i++) {
        const char *value = *(char *const *)(const void *)((const char *)&part[i].journal->header + offset);
        size_t k = 0;
        while (k < i &&
               compare(*(char *const *)(const void *)((const char *)&part[k].journal->header + offset), value) != 0)
            k++;
        if (k < i || value == NULL) continue;
        char *longer = text ? at_text("%s and %s", text, value) : at_text("%s", value);
        free(text);
        text = longer;
    }
    return text;
}

static void replace(char **field, char *text) {
    free(*field);
    *field = text;
}

static at_status make_header(at_header *out, const at_part *part, size_t parts, at_error *err) {
    char *text = NULL;
    at_status st = at_header_to_json(&text, &part[0].journal->header, err);
    if (st == AT_OK) st = at_header_from_json(out, text, strlen(text), err);
    free(text);
    if (st != AT_OK) return st;
    replace(&out->device, all_of(part, parts, offsetof(at_header, device)));
    replace(&out->device_id, all_of(part, parts, offsetof(at_header, device_id)));
    replace(&out->arch, all_of(part, parts, offsetof(at_header, arch)));
    replace(&out->driver, all_of(part, parts, offsetof(at_header, driver)));
    replace(&out->host, all_of(part, parts, offsetof(at_header, host)));
    for (size_t i = 0; i < parts; i++) out->require_gpu |= part[i].journal->header.require_gpu;
    out->planned = out->whole, out->planned_cases = out->whole_cases;
    if (out->floors == NULL) out->floors = out->whole_floors, out->whole_floors = NULL;
    out->shard = out->shards = 1;
    return AT_OK;
}

static at_status check_parts(const at_part *part, size_t parts, at_error *err) {
    const at_header *first = &part[0].journal->header;
    for (size_t i = 0; i < parts; i++) {
        const at_header *h = &part[i].journal->header;
        if (h->plan == NULL || h->shards < 1 || h->shard < 1 || h->shard > h->shards) {
            return at_fail(err, AT_USAGE,
                           "%s does not say which part of which run it is; it was not made by attest run",
                           part[i].path);
        }
        at_status st = at_same(first, part[0].path, h, part[i].path, AT_SAME_SUBJECT | AT_SAME_PLAN, err);
        if (st != AT_OK) return st;
        if (compare(first->device_kind, h->device_kind) != 0) {
            return at_fail(err, AT_USAGE,
                           "%s was judged on %s and %s on %s; a CPU's answer does not stand in for a GPU's",
                           part[0].path, first->device_kind, part[i].path, h->device_kind);
        }
    }
    return AT_OK;
}

/* ---- gaps ---- */

/* Of the journals of a shard that were cut short, the fullest. */
static at_status find_gap(at_merged *out, const at_part *part, size_t parts, int64_t shard, int64_t shards,
                          at_error *err) {
    const at_part *fullest = NULL;
    for (size_t i = 0; i < parts; i++) {
        if (part[i].journal->header.shard != shard) continue;
        if (part[i].journal->complete) return AT_OK;
        if (fullest == NULL || part[i].journal->records > fullest->journal->records) fullest = &part[i];
    }
    if (fullest == NULL)
        return append(&out->gap, at_text("shard %" PRId64 " of %" PRId64 ": no journal of it is here", shard, shards),
                      err);
    return append(&out->gap,
                  at_text("shard %" PRId64 " of %" PRId64 ": %s was cut short after %zu of %" PRId64
                          " attempts; --resume goes on there",
                          shard, shards, fullest->path, fullest->journal->records, fullest->journal->header.planned),
                  err);
}

static at_status find_gaps(at_merged *out, const at_part *part, size_t parts, at_error *err) {
    int64_t shards = part[0].journal->header.shards, whole = part[0].journal->header.whole;
    at_status st = AT_OK;
    for (int64_t shard = 1; shard <= shards && st == AT_OK; shard++)
        st = find_gap(out, part, parts, shard, shards, err);
    if (st == AT_OK && out->gap == NULL && (int64_t)out->whole.records != whole) {
        st = append(
            &out->gap,
            at_text("%zu of %" PRId64 " attempts stand in the journals of all shards", out->whole.records, whole), err);
    }
    return st;
}

/* ---- records ---- */

static entry *all_entries(const at_part *part, size_t parts, size_t *count) {
    *count = 0;
    for (size_t i = 0; i < parts; i++) *count += part[i].journal->records;
    entry *list = calloc(*count + 1, sizeof *list), *next = list;
    for (size_t i = 0; list != NULL && i < parts; i++) {
        for (size_t k = 0; k < part[i].journal->records; k++) *next++ = (entry){&part[i].journal->record[k], &part[i]};
    }
    if (list != NULL) qsort(list, *count, sizeof *list, by_attempt);
    return list;
}

/* The attempt once: from its first part, or FLAKY where another part contradicts. */
static at_status add_attempt(at_merged *out, const entry *list, size_t entries, at_error *err) {
    at_record *r = &out->whole.record[out->whole.records++];
    *r = *list[0].record;
    for (size_t i = 1; i < entries; i++) {
        if (agree(list[0].record, list[i].record)) continue;
        const at_record *other = list[i].record;
        char *text = at_text("%s [%s]: %s in %s, %s in %s%s", r->id, r->mode ? r->mode : "",
                             at_verdict_name(list[0].record->verdict), list[0].part->path,
                             at_verdict_name(other->verdict), list[i].part->path,
                             list[0].record->verdict == other->verdict ? ", of other content or digests" : "");
        if (at_verdict_status(r->verdict) == AT_OK) *r = *other;
        r->verdict = AT_FLAKY;
        r->message = text;
        return append(&out->contradiction, text, err);
    }
    out->duplicates += entries > 1;
    return AT_OK;
}

static at_status join(at_merged *out, const at_part *part, size_t parts, at_error *err) {
    size_t count, end;
    entry *list = all_entries(part, parts, &count);
    at_status st = AT_OK;
    out->whole.record = calloc(count + 1, sizeof *out->whole.record);
    if (list == NULL || out->whole.record == NULL) st = at_fail_memory(err, count * sizeof *out->whole.record);
    for (size_t i = 0; i < count && st == AT_OK; i = end) {
        for (end = i + 1; end < count && same_attempt(&list[i], &list[end]);) end++;
        st = add_attempt(out, list + i, end - i, err);
    }
    free(list);
    return st;
}

at_status at_merge(at_merged *out, const at_part *part, size_t parts, at_error *err) {
    *out = (at_merged){0};
    at_status st = check_parts(part, parts, err);
    if (st == AT_OK) st = make_header(&out->whole.header, part, parts, err);
    if (st == AT_OK) st = join(out, part, parts, err);
    if (st == AT_OK) st = find_gaps(out, part, parts, err);
    out->whole.complete = out->gap == NULL;
    if (st != AT_OK) at_merged_free(out);
    return st;
}

void at_merged_free(at_merged *m) {
    free(m->whole.record); /* what they point to is the parts', or a contradiction's text */
    at_header_clear(&m->whole.header);
    free_list(m->gap);
    free_list(m->contradiction);
    *m = (at_merged){0};
}

at_status at_merged_write(const at_merged *m, const char *path, at_error *err) {
    at_journal_writer *w = NULL;
    at_status st = at_journal_create(&w, path, &m->whole.header, err);
    if (st != AT_OK) return st;
    for (size_t i = 0; i < m->whole.records && st == AT_OK; i++) st = at_journal_append(w, &m->whole.record[i], err);
    if (st == AT_OK && m->whole.complete) return at_journal_end(w, err);
    if (st == AT_OK) st = at_journal_sync(w, err);
    at_journal_abandon(w);
    return st;
}
