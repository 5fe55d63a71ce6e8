#include "waivers.h"
#include "finding.h"
#include "glob.h"
#include "schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_WAIVERS = 1000, MOST_MEMORY = 1 << 24 };

typedef struct {
    char *cases, *device, *owner, *reason, *url;
    int expires; /* YYYYMMDD */
    at_place place;
} waiver;

struct at_waivers {
    at_arena *arena;
    waiver *list;
    size_t count;
    char digest[AT_DIGEST_TEXT];
};

/* ---- reading ---- */

static bool days_of(int year, int month, int *out) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (month < 1 || month > 12) return false;
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    *out = days[month - 1] + (month == 2 && leap);
    return true;
}

static at_status read_date(const at_reader *r, void *out, const at_yaml *value) {
    static const char shape[] = "dddd-dd-dd";
    const char *text = value->kind == AT_YAML_SCALAR ? value->text : "";
    bool fits = strlen(text) == sizeof shape - 1;
    for (size_t i = 0; fits && text[i] != 0; i++)
        fits = shape[i] == 'd' ? text[i] >= '0' && text[i] <= '9' : text[i] == shape[i];
    int year = 0, month = 0, day = 0, days = 0;
    if (fits) year = atoi(text), month = atoi(text + 5), day = atoi(text + 8);
    if (!fits || !days_of(year, month, &days) || day < 1 || day > days)
        return at_wrong_type(r, "expires", value, "a day as 2026-03-31");
    *(int *)out = year * 10000 + month * 100 + day;
    return AT_OK;
}

static at_status read_url(const at_reader *r, void *out, const at_yaml *value) {
    if (value->kind != AT_YAML_SCALAR || strncmp(value->text, "https://", 8) != 0) {
        return at_wrong_type(r, "url", value, "the https:// address where the failure is followed up");
    }
    char *text = at_arena_text(r->arena, value->text, strlen(value->text));
    *(char **)out = text;
    return text != NULL ? AT_OK : at_arena_fail(r->err, r->arena, value->place);
}

#define TEXT(name_, field, about_)                                                                                     \
    {                                                                                                                  \
        .name = name_, .type = AT_KEY_TEXT, .about = about_, .at = offsetof(waiver, field), .most = 300,               \
        .required = true                                                                                               \
    }
static const at_key waiver_keys[] = {
    TEXT("case", cases, "an id, a leading part of ids, or a glob over them"),
    TEXT("device", device, "a glob over device names; '*' for all"),
    TEXT("owner", owner, "who looks after it"),
    TEXT("reason", reason, "what is wrong"),
    {.name = "url",
     .type = AT_KEY_OTHER,
     .read = read_url,
     .about = "an address",
     .at = offsetof(waiver, url),
     .required = true},
    {.name = "expires",
     .type = AT_KEY_OTHER,
     .read = read_date,
     .about = "a day",
     .at = offsetof(waiver, expires),
     .required = true},
    {0},
};

static at_status read_list(const at_reader *r, void *out, const at_yaml *list) {
    at_waivers *w = out;
    at_status st = AT_OK;
    if (list->kind != AT_YAML_LIST || list->count > MOST_WAIVERS)
        return at_wrong_type(r, "waivers", list, "a list of at most 1000 waivers");
    if ((w->list = at_arena_get(r->arena, list->count, sizeof *w->list)) == NULL)
        return at_arena_fail(r->err, r->arena, list->place);
    for (size_t i = 0; i < list->count && st == AT_OK; i++) {
        w->list[i].place = list->item[i]->place;
        st = at_map_read(r, waiver_keys, "a waiver", &w->list[i], list->item[i]);
        w->count++;
    }
    return st;
}

static at_status read_schema(const at_reader *r, void *out, const at_yaml *value) {
    int64_t version = 0;
    (void)out;
    return at_yaml_integer(value, &version) && version == 1 ? AT_OK : at_wrong_type(r, "schema", value, "1");
}

static const at_key file_keys[] = {
    {.name = "schema", .type = AT_KEY_OTHER, .read = read_schema, .about = "1", .required = true},
    {.name = "waivers", .type = AT_KEY_OTHER, .read = read_list, .about = "a list of waivers", .required = true},
    {0},
};

static at_status digest(at_waivers *w, at_error *err) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    if (f == NULL) return at_fail_memory(err, 1);
    for (size_t i = 0; i < w->count; i++)
        fprintf(f, "%s\n%s\n%d\n", w->list[i].cases, w->list[i].device, w->list[i].expires);
    at_status st = fclose(f) == 0 ? at_digest(w->digest, text, bytes, err) : at_fail_memory(err, bytes);
    free(text);
    return st;
}

at_status at_waivers_load(at_waivers **out, const char *path, at_error *err) {
    at_status st = AT_OK;
    const at_yaml *root = NULL;
    at_waivers *w = calloc(1, sizeof *w);
    *out = NULL;
    if (w == NULL || (w->arena = at_arena_new(MOST_MEMORY)) == NULL) {
        st = at_fail_memory(err, sizeof *w);
        goto done;
    }
    char *file = at_arena_text(w->arena, path, strlen(path)); /* places name it */
    if (file == NULL) {
        st = at_fail_memory(err, strlen(path));
        goto done;
    }
    const at_reader r = {.arena = w->arena, .limits = &at_default_limits, .err = err};
    if ((st = at_yaml_read(&root, w->arena, file, NULL, &at_default_limits, err)) != AT_OK) goto done;
    if ((st = at_map_read(&r, file_keys, "a file of waivers", w, root)) != AT_OK) goto done;
    st = digest(w, err);
done:
    if (st == AT_OK)
        *out = w;
    else
        at_waivers_free(w);
    return st;
}

void at_waivers_free(at_waivers *w) {
    if (w == NULL) return;
    at_arena_free(w->arena);
    free(w);
}

const char *at_waivers_digest(const at_waivers *w) {
    return w->digest;
}

/* ---- use ---- */

at_status at_waivers_check(const at_waivers *w, const at_cases *cases, at_error *err) {
    size_t n = at_cases_count(cases);
    for (size_t k = 0; k < w->count; k++) {
        size_t i = 0;
        while (i < n && !at_case_matches(at_cases_at(cases, i), w->list[k].cases)) i++;
        if (i == n) {
            return at_place_fail(
                err, w->list[k].place,
                "the waiver of '%s' matches none of %zu cases; remove it, or follow its case's new name",
                w->list[k].cases, n);
        }
    }
    return AT_OK;
}

static bool concerns(const waiver *w, const char *device, const at_record *r) {
    const at_case named = {.id = r->id};
    return at_case_matches(&named, w->cases) && at_glob(w->device, device ? device : "");
}

static void expired(const waiver *w, at_record *r) {
    char text[sizeof r->finding[0].text];
    snprintf(text, sizeof text,
             "the waiver of '%.80s' on '%.40s' by %.60s ended on %04d-%02d-%02d: mend it, or renew it where it is "
             "followed up: %.120s",
             w->cases, w->device, w->owner, w->expires / 10000, w->expires / 100 % 100, w->expires % 100, w->url);
    at_find_besides(r, "waiver", text);
}

static void waive(const waiver *w, at_record *r) {
    char *message = at_text("waived by %s until %04d-%02d-%02d (%s): %s; it was %s: %s", w->owner, w->expires / 10000,
                            w->expires / 100 % 100, w->expires % 100, w->url, w->reason, at_verdict_name(r->verdict),
                            r->message ? r->message : "");
    free(r->message);
    r->message = message;
    r->verdict = AT_WAIVED;
}

void at_waivers_apply(const at_waivers *w, const char *device, int today, at_record *r) {
    const waiver *valid = NULL;
    for (size_t i = 0; i < w->count; i++) {
        if (!concerns(&w->list[i], device, r)) continue;
        if (w->list[i].expires < today) {
            expired(&w->list[i], r);
            return;
        }
        if (valid == NULL) valid = &w->list[i];
    }
    if (valid != NULL && at_verdict_status(r->verdict) == AT_FAILED) waive(valid, r);
}

int at_today(void) {
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    return (utc.tm_year + 1900) * 10000 + (utc.tm_mon + 1) * 100 + utc.tm_mday;
}
