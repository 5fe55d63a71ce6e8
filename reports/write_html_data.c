/* The journal as data for the page: {header, verdicts, fields, attempts, ..., pool}.
 *
 * Twenty thousand attempts have to stay under 8 MB, and most of what they say they share. So an attempt is a row of
 * numbers; its case, the way that it was run, its tensors and its texts are numbers of values in the pool, which comes
 * last. `fields` names the members of each row and what they are: text, list (of texts), number. */
#include "coverage.h"
#include "write_html.h"
#include "write_html_pool.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* A kernel that fails everywhere must not make the page as large as its journal: from here on only the first finding of
 * an attempt goes in. */
enum { MOST_FINDING_BYTES = 2 << 20 };

enum { SHORT = 3, WHOLE = 9 }; /* digits: of figures to compare; enough for the bits of 16 and 32 bit formats */
enum { DIGEST = 16 };          /* digits of a SHA-256: enough to tell, the journal has all */

typedef struct {
    FILE *f;
    at_pool *pool;
    size_t finding_bytes;
} page;

typedef struct {
    const char *name;
    size_t at;
} member;

#define MEMBER(name, m)                                                                                                \
    { name, offsetof(at_record, m) }

static const member case_text[] = {
    MEMBER("id", id),     MEMBER("hash", hash),       MEMBER("suite", suite),   MEMBER("name", name),
    MEMBER("why", why),   MEMBER("dialect", dialect), MEMBER("dtype", dtype),   MEMBER("geometry", geometry),
    MEMBER("tier", tier), MEMBER("design", design),   MEMBER("expect", expect), MEMBER("place", place),
};
static const member case_list[] = {MEMBER("tags", tags), MEMBER("covers", covers), MEMBER("attributes", attributes),
                                   MEMBER("shapes", shapes), MEMBER("sequences", sequences)};
static const member explanation = MEMBER("explanation", explanation);
static const member way_text[] = {
    MEMBER("subject", subject), MEMBER("mode", mode),     MEMBER("gate", gate),
    MEMBER("rule", rule),       MEMBER("device", device), MEMBER("arithmetic", arithmetic),
};
static const member way_list[] = {MEMBER("axes", axes)};
static const member way_number[] = {
    MEMBER("replays", replays),       MEMBER("replays_equal", replays_equal),
    MEMBER("kernels", graph_kernels), MEMBER("other_nodes", graph_other),
    MEMBER("worker", worker),
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* ---- values ---- */

/* nan, inf and -inf as strings, as the journal has them. */
static void put_figure(FILE *f, double value, int digits) {
    if (isnan(value))
        fputs("\"nan\"", f);
    else if (isinf(value))
        fputs(value < 0 ? "\"-inf\"" : "\"inf\"", f);
    else
        fprintf(f, "%.*g", digits, value);
}

static uint32_t text_of(page *p, const at_record *r, const member *m) {
    return at_pool_text(p->pool, *(char *const *)((const char *)r + m->at));
}

enum { LIST = 64 }; /* longer ones are cut, as the coverage's are */

static uint32_t list_of(page *p, const at_record *r, const member *m) {
    char **list = *(char **const *)((const char *)r + m->at);
    uint32_t number[LIST];
    size_t count = 0;
    for (; list != NULL && list[count] != NULL && count < LIST; count++)
        number[count] = at_pool_text(p->pool, list[count]);
    FILE *f = at_pool_begin(p->pool);
    putc('[', f);
    for (size_t i = 0; i < count; i++) fprintf(f, "%s%" PRIu32, i == 0 ? "" : ",", number[i]);
    putc(']', f);
    return at_pool_end(p->pool);
}

/* ---- rows of the pool ---- */

enum { ROW = 32 };
typedef struct {
    int64_t value[ROW];
    size_t count;
} row;

static void add(row *w, int64_t value) {
    w->value[w->count++] = value;
}

static void add_texts(row *w, page *p, const at_record *r, const member *m, size_t count) {
    for (size_t i = 0; i < count; i++) add(w, text_of(p, r, &m[i]));
}

static void add_lists(row *w, page *p, const at_record *r, const member *m, size_t count) {
    for (size_t i = 0; i < count; i++) add(w, list_of(p, r, &m[i]));
}

static void put_row(FILE *f, const row *w) {
    putc('[', f);
    for (size_t i = 0; i < w->count; i++) fprintf(f, "%s%" PRId64, i == 0 ? "" : ",", w->value[i]);
    putc(']', f);
}

static uint32_t row_of(page *p, const row *w) {
    put_row(at_pool_begin(p->pool), w);
    return at_pool_end(p->pool);
}

static uint32_t digest_of(page *p, const char *digest) {
    return digest == NULL ? 0 : at_pool_part(p->pool, digest, strnlen(digest, DIGEST));
}

static uint32_t case_of(page *p, const at_record *r) {
    row w = {.count = 0};
    add_texts(&w, p, r, case_text, COUNT(case_text));
    add(&w, digest_of(p, r->inputs_digest));
    add_lists(&w, p, r, case_list, COUNT(case_list));
    return row_of(p, &w);
}

/* The line that repeats an attempt, around the id: the same for many. Without the id in it, before is all of it. */
static void add_repro(row *w, page *p, const at_record *r) {
    const char *id = r->repro == NULL || r->id == NULL || r->id[0] == 0 ? NULL : strstr(r->repro, r->id);
    add(w, id == NULL ? at_pool_text(p->pool, r->repro) : at_pool_part(p->pool, r->repro, (size_t)(id - r->repro)));
    add(w, id == NULL ? 0 : at_pool_text(p->pool, id + strlen(r->id)));
}

static uint32_t way_of(page *p, const at_record *r) {
    row w = {.count = 0};
    add_texts(&w, p, r, way_text, COUNT(way_text));
    add_repro(&w, p, r);
    add_lists(&w, p, r, way_list, COUNT(way_list));
    for (size_t i = 0; i < COUNT(way_number); i++) add(&w, *(const int *)((const char *)r + way_number[i].at));
    return row_of(p, &w);
}

static uint32_t tensor_of(page *p, const at_tensor_report *t) {
    uint32_t name = at_pool_text(p->pool, t->tensor);
    const double figure[] = {t->excess, t->ratio, t->ratio_median, t->absolute, t->relative, t->fixed};
    const double element[] = {t->want, t->got, t->low, t->high};
    FILE *f = at_pool_begin(p->pool);
    fprintf(f, "[%" PRIu32 ",%" PRId64 ",%" PRId64 ",\"%" PRId64 "\",%" PRId64 ",%" PRId64 ",%" PRId64, name,
            t->elements, t->mismatches, t->ulps, t->token, t->head, t->channel);
    for (size_t i = 0; i < COUNT(figure); i++) putc(',', f), put_figure(f, figure[i], SHORT);
    for (size_t i = 0; i < COUNT(element); i++) putc(',', f), put_figure(f, element[i], WHOLE);
    putc(']', f);
    return at_pool_end(p->pool);
}

static const char tensor_fields[] =
    "[[\"tensor\",\"text\"],[\"elements\",\"number\"],[\"mismatches\",\"number\"],[\"ulps\",\"number\"],"
    "[\"token\",\"number\"],[\"head\",\"number\"],[\"channel\",\"number\"],[\"excess\",\"number\"],"
    "[\"ratio\",\"number\"],[\"ratio_median\",\"number\"],[\"absolute\",\"number\"],[\"relative\",\"number\"],"
    "[\"fixed\",\"number\"],[\"want\",\"number\"],[\"got\",\"number\"],[\"low\",\"number\"],[\"high\",\"number\"]]";

/* ---- attempts ---- */

static void put_tensors(page *p, const at_record *r) {
    row w = {.count = 0};
    for (int i = 0; i < r->tensors; i++) add(&w, tensor_of(p, &r->tensor[i]));
    put_row(p->f, &w);
}

/* Detector and sentence in turns. */
static void put_findings(page *p, const at_record *r) {
    row w = {.count = 0};
    for (int i = 0; i < r->findings && (i == 0 || p->finding_bytes < MOST_FINDING_BYTES); i++) {
        add(&w, at_pool_text(p->pool, r->finding[i].detector));
        add(&w, at_pool_text(p->pool, r->finding[i].text));
        p->finding_bytes += strlen(r->finding[i].text);
    }
    put_row(p->f, &w);
}

/* A message that the first finding says as well is left out. */
static uint32_t message_of(page *p, const at_record *r) {
    const at_finding *first = &r->finding[0];
    size_t detector = r->findings == 0 ? 0 : strlen(first->detector);
    const char *m = r->message;
    bool same = r->findings > 0 && m != NULL && strncmp(m, first->detector, detector) == 0 &&
                strncmp(m + detector, ": ", 2) == 0 && strcmp(m + detector + 2, first->text) == 0;
    return same ? 0 : at_pool_text(p->pool, m);
}

static void put_attempt(page *p, const at_record *r) {
    uint32_t of_case = case_of(p, r), way = way_of(p, r), message = message_of(p, r);
    uint32_t output = digest_of(p, r->output_digest), explained = list_of(p, r, &explanation);
    const double seconds[] = {r->seconds_oracle, r->seconds_subject, r->seconds};
    fprintf(p->f, "[%" PRIu32 ",%" PRIu32 ",%d,%" PRIu32 ",%" PRIu32 ",%" PRId64, of_case, way, (int)r->verdict,
            message, output, r->findings_all);
    for (size_t i = 0; i < COUNT(seconds); i++) putc(',', p->f), put_figure(p->f, seconds[i], SHORT);
    putc(',', p->f);
    put_tensors(p, r);
    putc(',', p->f);
    put_findings(p, r);
    fprintf(p->f, ",%" PRIu32 "]", explained);
}

static void put_members(FILE *f, const char *kind, const member *m, size_t count, bool first) {
    for (size_t i = 0; i < count; i++) fprintf(f, "%s[\"%s\",\"%s\"]", first && i == 0 ? "" : ",", m[i].name, kind);
}

static void put_fields(FILE *f) {
    fputs("\"fields\":{\"case\":[", f);
    put_members(f, "text", case_text, COUNT(case_text), true);
    fputs(",[\"inputs\",\"text\"]", f);
    put_members(f, "list", case_list, COUNT(case_list), false);
    fputs("],\n\"way\":[", f);
    put_members(f, "text", way_text, COUNT(way_text), true);
    fputs(",[\"before\",\"text\"],[\"after\",\"text\"]", f);
    put_members(f, "list", way_list, COUNT(way_list), false);
    put_members(f, "number", way_number, COUNT(way_number), false);
    fprintf(f, "],\n\"tensor\":%s},\n", tensor_fields);
}

/* ---- the run ---- */

static void put_header(page *p, const at_header *h) {
    char seed[24], planned[24];
    snprintf(seed, sizeof seed, "%" PRIu64, h->seed);
    snprintf(planned, sizeof planned, "%" PRId64, h->planned);
    const char *const line[][2] = {
        {"subject", h->subject},
        {"subject version", h->subject_version},
        {"subject file", h->subject_file},
        {"device", h->device},
        {"device kind", h->device_kind},
        {"architecture", h->arch},
        {"driver", h->driver},
        {"host", h->host},
        {"compiler", h->compiler},
        {"attest", h->attest_version},
        {"revision", h->revision},
        {"started", h->started},
        {"tier", h->tier},
        {"filter", h->filter},
        {"seed", seed},
        {"planned", planned},
        {"GPU required", h->require_gpu ? "yes" : NULL},
        {"command", h->command},
    };
    bool first = true;
    fputs("\"header\":[", p->f);
    for (size_t i = 0; i < COUNT(line); i++) {
        if (line[i][1] == NULL || line[i][1][0] == 0) continue;
        fprintf(p->f, "%s[\"%s\",", first ? "" : ",", line[i][0]);
        at_pool_put_string(p->pool, p->f, line[i][1]);
        putc(']', p->f);
        first = false;
    }
    fputs("],\n", p->f);
}

/* What a verdict means, so that the page has no table of its own. */
static void put_verdicts(FILE *f, const at_outcome *o) {
    fputs("\"verdicts\":[", f);
    for (int v = 0; v < AT_VERDICTS; v++) {
        const at_record any = {.verdict = (at_verdict)v};
        fprintf(f, "%s{\"name\":\"%s\",\"status\":%d,\"executed\":%s,\"attempts\":%" PRId64 "}", v == 0 ? "" : ",",
                at_verdict_name((at_verdict)v), at_verdict_status((at_verdict)v),
                at_is_executed(&any) ? "true" : "false", o->attempts[v]);
    }
    fputs("],\n", f);
}

static void put_faults(FILE *f, const at_report *r) {
    fputs("\"faults\":[", f);
    for (size_t i = 0; i < r->bad.groups; i++)
        fprintf(f, "%s[%td,%" PRId64 "]", i == 0 ? "" : ",", r->bad.group[i].first - r->journal->record,
                r->bad.group[i].attempts);
    fputs("],\n", f);
}

/* Pairs of values that no case can have, as the header's rules say. */
static void put_impossible(page *p, const at_coverage *c) {
    bool first = true;
    fputs("\"impossible\":[", p->f);
    for (size_t a = c->axis; a < c->axis + c->axes; a++) {
        for (size_t b = at_axis_end(c, a); b < c->axis + c->axes; b++) {
            if (!c->item[a].declared || !c->item[b].declared || at_is_valid(c, a, b)) continue;
            fputs(first ? "[" : ",[", p->f);
            at_pool_put_string(p->pool, p->f, at_item_name(&c->item[a]));
            putc(',', p->f);
            at_pool_put_string(p->pool, p->f, at_item_name(&c->item[b]));
            putc(']', p->f);
            first = false;
        }
    }
    fputs("],\n", p->f);
}

static at_status put_coverage(page *p, const at_journal *j, at_error *err) {
    at_coverage c;
    at_status st = at_coverage_of(&c, j, err);
    if (st != AT_OK) return st;
    fputs("\"items\":[", p->f);
    for (size_t i = 0; i < c.items; i++) {
        const at_item *item = &c.item[i];
        fputs(i == 0 ? "[" : ",\n[", p->f);
        at_pool_put_string(p->pool, p->f, item->key);
        fprintf(p->f, ",%d,%" PRId64 ",%" PRId64 ",%" PRId64 "]", item->declared, item->cases, item->attempts,
                item->passed);
    }
    fputs("],\n", p->f);
    put_impossible(p, &c);
    at_coverage_free(&c);
    return AT_OK;
}

at_status at_put_page_data(FILE *f, const at_report *r, at_error *err) {
    const at_journal *j = r->journal;
    at_pool pool;
    at_status st = at_pool_open(&pool, err);
    if (st != AT_OK) return st;
    page p = {.f = f, .pool = &pool};
    fprintf(f, "{\"complete\":%s,\"planned\":%" PRId64 ",\n", j->complete ? "true" : "false", j->header.planned);
    put_header(&p, &j->header);
    put_verdicts(f, &r->outcome);
    put_faults(f, r);
    put_fields(f);
    if ((st = put_coverage(&p, j, err)) != AT_OK) goto done;
    fputs("\"attempts\":[", f);
    for (size_t i = 0; i < j->records; i++) {
        fputs(i == 0 ? "\n" : ",\n", f);
        put_attempt(&p, &j->record[i]);
    }
    fputs("\n],\n\"pool\":", f);
    at_pool_put(f, &pool);
    putc('}', f);
    if (pool.st != AT_OK) st = at_fail_memory(err, pool.values * sizeof *pool.value);
done:
    at_pool_close(&pool);
    return st;
}
