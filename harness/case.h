/* A case after expansion: one scenario with a stable id. Data only; plan.h makes a call of it. */
#ifndef AT_CASE_H
#define AT_CASE_H

#include "../oracle/op.h"
#include "error.h"
#include "subject.h"
#include <stdbool.h>

typedef enum { AT_SMOKE, AT_QUICK, AT_FULL, AT_STRESS, AT_TIERS } at_tier;
typedef enum {
    AT_EXPECT_BUDGET, /* within the derived error budget                                         */
    AT_EXPECT_EXACT,  /* the bits of the rounded exact value                                     */
    AT_EXPECT_REFUSAL /* `rule` at each of `gates`                                               */
} at_expect;
typedef enum {
    AT_PAGES_IDENTITY, /* 0, 1, 2, ... in order of sequence                                      */
    AT_PAGES_REVERSED,
    AT_PAGES_RANDOM, /* by the seed                                                            */
    AT_PAGES_APART   /* no two neighbouring logical pages are neighbours in the cache          */
} at_page_order;
typedef enum {
    AT_POISON_ZERO,
    AT_POISON_NAN,
    AT_POISON_INF,
    AT_POISON_LARGEST,
    AT_POISON_NEIGHBOUR,
    AT_POISONS
} at_poison;

typedef struct {
    int64_t past, fresh; /* tokens in the cache before the call, and new ones; YAML: past, new */
    int64_t reserve; /* further tokens that pages, tables and angles have room for: the calls of a series share their
                        shapes */
    int64_t data; /* the data of sequence data - 1; 0: of its own place. Variants (variant.h) say both, files neither */
} at_sequence;

typedef struct {
    int64_t sequence, page; /* logical page of that sequence                         */
    int64_t entry;          /* what block_table holds there: negative or >= num_blocks */
} at_unmapped;

/* A change to one tensor of an otherwise plain call. */
typedef struct {
    bool output;
    int index; /* schema index                                                        */
    enum { AT_LEAVE_OUT, AT_PUT_IN, AT_SEPARATE } how; /* absent; present or changed; output not the input's buffer */
    at_dtype dtype; /* AT_ABSENT: as the plain call has it (or the node's type)              */
    bool shaped;    /* rank and shape are given                                            */
    uint32_t rank;
    int64_t shape[AT_MAX_RANK];
} at_override;

typedef struct {
    char *name; /* of the data design's own parameters (design.h) */
    double value;
} at_parameter;

typedef struct {
    const char *file; /* as given to the loader; lives as long as the cases */
    int line, column; /* from 1 */
} at_place;

typedef struct {
    char *id;      /* suite/name/axis=value,...: of [a-z0-9._=,/+-] alone                        */
    char hash[17]; /* of the content after expansion, hex: says when an id's content changed    */
    char *suite, *name, *why;
    at_place place;
    char **tags, **covers; /* NULL-terminated */
    at_tier tier;
    bool any_dialect; /* runs in the subject's first dialect; `dialect`, then OR_GENAI, plans it without a subject */
    or_dialect dialect;
    at_dtype dtype; /* AT_F16, AT_BF16; refusal cases may say others through overrides */
    char *geometry; /* its name, or "" */
    int64_t head_size, rotary_dim, block_size;
    at_attr *attr; /* [attrs] the node as a graph would list it; names and strings are owned */
    size_t attrs;
    at_sequence *sequence; /* [sequences] */
    size_t sequences;
    at_page_order page_order;
    int64_t shared_prefix; /* leading pages that every sequence shares with the first                   */
    int64_t spare_pages;   /* pages of nobody                                                           */
    int64_t spare_columns; /* columns of block_table past the longest sequence's last page; their entries are far out of
                              range */
    int64_t padded_tokens; /* tokens past cumseq[B]                                                     */
    int64_t *skip;         /* [skips] tokens whose slot is -1                                            */
    size_t skips;
    int64_t *beyond; /* [beyonds] tokens whose slot lies past the cache                            */
    size_t beyonds;
    at_unmapped *unmapped; /* [unmappeds] */
    size_t unmappeds;
    char *design;            /* name in design.h's table */
    at_parameter *parameter; /* [parameters] */
    size_t parameters;
    at_poison poison; /* what lies where nothing may be read */
    at_expect expect;
    char *rule;             /* AT_EXPECT_REFUSAL: the contract's id */
    unsigned gates;         /* OR_SUPPORTS | OR_CREATE | OR_EXECUTE */
    at_override *override_; /* [overrides] */
    size_t overrides;
    bool cold_capture;   /* the refused call comes while capturing, its signature never run */
    int64_t sample_rows; /* (token, head) rows to judge; 0: all */
    char **modes;        /* names of modes.h, NULL-terminated; empty: all that apply */
} at_case;

typedef struct at_cases at_cases; /* owns cases, strings and file names */

typedef struct {
    size_t file_bytes, depth, aliases, nodes; /* of one file           */
    size_t cases;                             /* of all                */
    uint64_t case_bytes;                      /* tensors of one case   */
    size_t memory;                            /* bytes that the loaded cases themselves may take */
} at_limits;
extern const at_limits at_default_limits;

/* Loads a suite file, or every *.yaml of a directory that holds cases, sorted by name. AT_USAGE with file:line:column
 * on bad input: nothing is half loaded. `limits` may be NULL. */
AT_MUST_USE at_status at_cases_load(at_cases **out, const char *path, const at_limits *limits, at_error *err);
void at_cases_free(at_cases *);

size_t at_cases_count(const at_cases *);
const at_case *at_cases_at(const at_cases *, size_t i);
const at_case *at_cases_find(const at_cases *, const char *id);

/* A suite and its floors: how many of its cases a run of a tier, which holds the tiers below it, must have executed to
 * count. */
typedef struct {
    const char *suite, *about;
    const char *file;
    size_t floor[AT_TIERS]; /* no less than that of the tier below */
} at_suite;
size_t at_cases_suites(const at_cases *);
const at_suite *at_cases_suite(const at_cases *, size_t i);
bool at_cases_has_suite(const at_cases *, const char *suite);
/* The suites that the directory's index asks for (a file with `suites:`), NULL-terminated; none where there is no
 * index. */
char *const *at_cases_index(const at_cases *);

/* What `covers` may name: a clause of the contract or a scenario, with its sentence. Each once, in the order of the
 * files. */
typedef struct {
    const char *id, *about;
} at_clause;
size_t at_cases_clauses(const at_cases *);
const at_clause *at_cases_clause(const at_cases *, size_t i);

/* An id, a whole leading part of ids ("window", "window/edge"), or a glob over ids ('*' crosses slashes, '?' is one
 * character). */
bool at_case_matches(const at_case *, const char *pattern);
int64_t at_case_tokens(const at_case *); /* new ones, of all sequences */
bool at_case_computes(const at_case *);  /* neither refused nor without tokens */
const char *at_tier_name(at_tier);
const char *at_poison_name(at_poison); /* "nan" */
bool at_tier_by_name(at_tier *out, const char *name);

#endif
