/* Suite files to cases: read a file, bind what its keys say, expand, build each case, and see that ids are unique and
 * floors are met. */
#include "case_build.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_FILES = 1000 };

const at_limits at_default_limits = {
    .file_bytes = 1 << 20,
    .depth = 32,
    .aliases = 100,
    .nodes = 200000,
    .cases = 100000,
    .case_bytes = UINT64_C(64) << 30,
    .memory = (size_t)256 << 20,
};

struct at_cases {
    at_arena *arena;
    at_case *list;
    size_t count, room;
    const at_case **by_id; /* [count] sorted */
    at_suite *suite;
    size_t suites, suite_room;
    at_clause *clause;
    size_t clauses, clause_room;
    char **index; /* NULL-terminated, or NULL */
};

typedef struct {
    at_cases *cases;
    at_suite_file file;
    at_reader reader;  /* into the cases' arena        */
    at_reader scratch; /* what ends with the file      */
    at_bindings defaults;
} loader;

static at_status room_for_one(void **list, size_t *room, size_t count, size_t size, at_error *err) {
    if (count < *room) return AT_OK;
    size_t more = *room ? *room * 2 : 64;
    void *longer = realloc(*list, more * size);
    if (longer == NULL) return at_fail_memory(err, more * size);
    *list = longer;
    *room = more;
    return AT_OK;
}

static at_status load_case(loader *l, const at_yaml *map) {
    at_cases *cases = l->cases;
    at_bindings fixed = l->defaults;
    at_expansion *expansion = NULL;
    size_t left = l->reader.limits->cases - cases->count;
    at_status st = at_bind_map(&l->scratch, &fixed, AT_LEVEL_CASE, map);
    if (st == AT_OK)
        st = at_expansion_read(&expansion, &l->scratch, &fixed, at_yaml_get(map, "matrix"), at_yaml_get(map, "zip"),
                               left);
    if (st == AT_OK && left == 0)
        st =
            at_place_fail(l->reader.err, map->place, "more than %zu cases in all; take fewer", l->reader.limits->cases);
    for (size_t i = 0; st == AT_OK && i < at_expansion_count(expansion); i++) {
        at_bindings b = fixed;
        char label[AT_LONGEST_ID + 1];
        at_expansion_bind(expansion, i, &b);
        at_expansion_label(expansion, i, label, sizeof label);
        st = room_for_one((void **)&cases->list, &cases->room, cases->count, sizeof *cases->list, l->reader.err);
        if (st == AT_OK) st = at_case_build(&l->reader, &cases->list[cases->count], l->file.name, map, &b, label);
        cases->count += st == AT_OK;
    }
    return st;
}

static at_status check_floors(const loader *l, size_t first) {
    size_t cases = 0;
    for (int tier = 0; tier < AT_TIERS; tier++) {
        for (size_t i = first; i < l->cases->count; i++) cases += l->cases->list[i].tier == (at_tier)tier;
        if (cases < l->file.floor[tier])
            return at_place_fail(l->reader.err, l->file.floor_place[tier],
                                 "the floor of tier %s is %zu cases, but there are %zu; add the lost ones, or lower it",
                                 at_tier_name((at_tier)tier), l->file.floor[tier], cases);
    }
    return AT_OK;
}

static at_status keep_suite(const loader *l) {
    at_cases *cases = l->cases;
    const at_suite_file *f = &l->file;
    at_status st =
        room_for_one((void **)&cases->suite, &cases->suite_room, cases->suites, sizeof *cases->suite, l->reader.err);
    if (st != AT_OK) return st;
    at_suite *suite = &cases->suite[cases->suites++];
    *suite = (at_suite){.suite = f->name, .about = f->about, .file = f->file};
    /* A run of a tier holds the tiers below it, and their floors. */
    for (int t = 0; t < AT_TIERS; t++) {
        suite->floor[t] = f->floor[t];
        if (t > 0 && suite->floor[t - 1] > suite->floor[t]) suite->floor[t] = suite->floor[t - 1];
    }
    for (size_t i = 0; i < f->scope.clauses && st == AT_OK; i++) {
        const at_scope known = {.clause = cases->clause, .clauses = cases->clauses};
        if (at_clause_by_id(&known, f->scope.clause[i].id) != NULL) continue;
        st = room_for_one((void **)&cases->clause, &cases->clause_room, cases->clauses, sizeof *cases->clause,
                          l->reader.err);
        if (st == AT_OK) cases->clause[cases->clauses++] = f->scope.clause[i];
    }
    return st;
}

static at_status expand_suite(loader *l) {
    size_t first = l->cases->count;
    at_status st = AT_OK;
    if (l->file.defaults != NULL) st = at_bind_map(&l->scratch, &l->defaults, AT_LEVEL_DEFAULTS, l->file.defaults);
    for (size_t i = 0; st == AT_OK && i < l->file.cases->count; i++) st = load_case(l, l->file.cases->item[i]);
    if (st == AT_OK) st = check_floors(l, first);
    return st == AT_OK ? keep_suite(l) : st;
}

/* path lives as long as the cases. */
static at_status load_file(at_cases *cases, const char *path, const at_limits *limits, at_error *err) {
    loader l = {.cases = cases};
    at_arena *trees = at_arena_new(SIZE_MAX / 2);
    if (trees == NULL) return at_fail_memory(err, 1);
    l.reader = (at_reader){.arena = cases->arena, .scope = &l.file.scope, .limits = limits, .err = err};
    l.scratch = l.reader;
    l.scratch.arena = trees;
    at_status st = at_suite_read(&l.file, trees, cases->arena, path, limits, err);
    if (st == AT_OK && l.file.index != NULL) {
        if (cases->index != NULL) st = at_fail(err, AT_USAGE, "%s: a second index of this directory; keep one", path);
        cases->index = l.file.index;
    }
    if (st == AT_OK && l.file.cases != NULL) st = expand_suite(&l);
    at_arena_free(trees);
    return st;
}

static int wanted(const struct dirent *entry) {
    size_t n = strlen(entry->d_name);
    return entry->d_name[0] != '.' && n > 5 && strcmp(entry->d_name + n - 5, ".yaml") == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static at_status load_directory(at_cases *cases, const char *path, const at_limits *limits, at_error *err) {
    struct dirent **entry = NULL;
    at_status st = AT_OK;
    size_t directory = strlen(path);
    while (directory > 1 && path[directory - 1] == '/') directory--;
    int n = scandir(path, &entry, wanted, by_name);
    if (n < 0)
        return at_fail(err, AT_USAGE, "%s: cannot be listed: %s; give a suite file or a directory of them", path,
                       strerror(errno));
    if (n > MOST_FILES)
        st = at_fail(err, AT_USAGE, "%s: holds %d suites; more than %d are not taken", path, n, MOST_FILES);
    for (int i = 0; i < n && st == AT_OK; i++) {
        size_t size = directory + strlen(entry[i]->d_name) + 2;
        char *file = at_arena_get(cases->arena, size, 1);
        if (file == NULL) st = at_fail_memory(err, size);
        if (file != NULL) snprintf(file, size, "%.*s/%s", (int)directory, path, entry[i]->d_name);
        if (st == AT_OK) st = load_file(cases, file, limits, err);
    }
    for (int i = 0; i < n; i++) free(entry[i]);
    free(entry);
    return st;
}

static int by_id(const void *a, const void *b) {
    const at_case *x = *(const at_case *const *)a, *y = *(const at_case *const *)b;
    int order = strcmp(x->id, y->id);
    return order != 0 ? order : (x > y) - (x < y);
}

static at_status index_ids(at_cases *cases, at_error *err) {
    cases->by_id = calloc(cases->count + 1, sizeof *cases->by_id);
    if (cases->by_id == NULL) return at_fail_memory(err, cases->count);
    for (size_t i = 0; i < cases->count; i++) cases->by_id[i] = &cases->list[i];
    qsort(cases->by_id, cases->count, sizeof *cases->by_id, by_id);
    for (size_t i = 1; i < cases->count; i++) {
        const at_case *a = cases->by_id[i - 1], *b = cases->by_id[i];
        if (strcmp(a->id, b->id) == 0)
            return at_place_fail(err, b->place,
                                 "id '%s' again, first at line %d; rename the case, or take each value once", b->id,
                                 a->place.line);
    }
    return AT_OK;
}

at_status at_cases_load(at_cases **out, const char *path, const at_limits *limits, at_error *err) {
    struct stat facts;
    at_cases *cases = calloc(1, sizeof *cases);
    const at_limits *l = limits ? limits : &at_default_limits;
    at_status st = AT_OK;
    *out = NULL;
    if (cases == NULL || (cases->arena = at_arena_new(l->memory)) == NULL) {
        st = at_fail_memory(err, sizeof *cases);
        goto done;
    }
    char *kept = at_arena_text(cases->arena, path, strlen(path));
    if (kept == NULL) {
        st = at_fail_memory(err, strlen(path));
        goto done;
    }
    bool directory = stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
    st = directory ? load_directory(cases, kept, l, err) : load_file(cases, kept, l, err);
    if (st != AT_OK) goto done;
    if (cases->count == 0) {
        st = at_fail(err, AT_USAGE, "%s: holds no case; give a suite file or a directory of them", path);
        goto done;
    }
    st = index_ids(cases, err);
done:
    if (st == AT_OK)
        *out = cases;
    else
        at_cases_free(cases);
    return st;
}

void at_cases_free(at_cases *cases) {
    if (cases == NULL) return;
    at_arena_free(cases->arena);
    free(cases->list);
    free(cases->by_id);
    free(cases->suite);
    free(cases->clause);
    free(cases);
}

size_t at_cases_count(const at_cases *cases) {
    return cases->count;
}
const at_case *at_cases_at(const at_cases *cases, size_t i) {
    return &cases->list[i];
}
size_t at_cases_suites(const at_cases *cases) {
    return cases->suites;
}
const at_suite *at_cases_suite(const at_cases *cases, size_t i) {
    return &cases->suite[i];
}
char *const *at_cases_index(const at_cases *cases) {
    static char *const none[] = {NULL};
    return cases->index ? cases->index : none;
}
bool at_cases_has_suite(const at_cases *cases, const char *suite) {
    for (size_t i = 0; i < cases->suites; i++) {
        if (strcmp(cases->suite[i].suite, suite) == 0) return true;
    }
    return false;
}
size_t at_cases_clauses(const at_cases *cases) {
    return cases->clauses;
}
const at_clause *at_cases_clause(const at_cases *cases, size_t i) {
    return &cases->clause[i];
}

const at_case *at_cases_find(const at_cases *cases, const char *id) {
    size_t low = 0, high = cases->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(cases->by_id[middle]->id, id);
        if (order == 0) return cases->by_id[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
