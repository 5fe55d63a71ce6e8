/* The contract's typed refusals: which node or call must, or may, be refused, at which gate, and by which rule. */
#ifndef OR_RULES_H
#define OR_RULES_H

#include "op.h"

typedef enum { OR_SUPPORTS = 1, OR_CREATE = 2, OR_EXECUTE = 4 } or_gate;
typedef enum {
    OR_NO_RULE, /* this dialect has no such rule                                        */
    OR_MUST,    /* illegal                                                              */
    OR_MAY,     /* legal, but a subject may answer NOT_IMPLEMENTED; doing it right is as good */
    OR_OURS     /* attest's own subjects must; others are not judged                    */
} or_duty;
typedef enum { OR_CODE_NOT_IMPLEMENTED, OR_CODE_INVALID_NODE, OR_CODE_INVALID_CALL, OR_CODE_NOT_WARMED } or_code;

/* What a call's tensors do not say. */
typedef struct {
    bool capturing, warmed; /* the stream records; this signature ran eagerly on the kernel          */
    bool cache_aliased;     /* key_cache_out is key_cache's buffer; read only where it is given      */
    int64_t grid_limit;     /* most blocks of a launch                                               */
} or_moment;

typedef struct or_rule or_rule;
typedef struct or_question or_question; /* what a predicate is asked: private to rules*.c */
struct or_rule {
    const char *id;
    unsigned gates; /* OR_SUPPORTS | ...              */
    or_duty duty[OR_DIALECTS];
    or_code code[OR_DIALECTS];
    const char *refused_when; /* the contract's sentence        */
    bool (*broken)(const or_question *);
    int argument;     /* the predicate's own: an input index, ... */
    const char *name; /* the predicate's own: an attribute */
};

const or_rule *or_rules(size_t *count); /* in the contract's order: the first broken one is the answer */
const or_rule *or_rule_by_id(const char *id);

/* The first rule that is broken at the gate, or NULL: legal there. The call may be NULL at create, the moment
 * everywhere but at execute. Data are never read, attention_metadata's excepted, which lie on the host; NULL there
 * passes metadata-negative. */
const or_rule *or_refusal(or_gate, const or_node *, const or_call *, const or_moment *);

/* Whether a legal call breaks this rule, even if its dialect does not have it or another gate asks it. */
bool or_is_broken(const or_rule *, const or_node *, const or_call *, const or_moment *);

#endif
