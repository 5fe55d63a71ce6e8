/* A node and a call that no rule refuses, one change to them, and what a gate has to answer. No tensor may be touched.
 */
#ifndef PA_GOOD_CALL_H
#define PA_GOOD_CALL_H

#include "../rules.h"

enum { T = 3, B = 2, H = 2, HS = 32, VHS = 16, COLUMNS = 8, BLOCKS = 4, BS = 16, MAX_BLOCKS = 2, MOST_ATTRS = 16 };
enum { NODE_GATES = PA_SUPPORTS | PA_CREATE, INPUT_GATES = PA_SUPPORTS | PA_EXECUTE };

#define INT(n, v)                                                                                                      \
    { .name = n, .type = AT_INT, .i = v }
#define FLOAT(n, v)                                                                                                    \
    { .name = n, .type = AT_FLOAT, .f = v }
#define STRING(n, v)                                                                                                   \
    { .name = n, .type = AT_STRING, .s = v }
#define NODE AT_INVALID_NODE
#define CALL AT_INVALID_CALL
#define MAY AT_NOT_IMPLEMENTED
#define NONE AT_ACCEPTED

/* One change to a good node and call. */
typedef enum { NOTHING, LEAVE_OUT, GIVE, DTYPE, RANK, DIM, ELSEWHERE, CAPTURE } verb;
typedef struct {
    const char *id;
    unsigned gates;
    at_code code[PA_DIALECTS];
    at_attr set;      /* replaces the attribute of that name, or adds it */
    at_attr add;      /* adds it without looking                         */
    const char *drop; /* removes it                                      */
    verb verb;
    int tensor, axis; /* of the call                                     */
    int64_t value;
} change;

typedef struct {
    at_attr attr[MOST_ATTRS];
    at_node node;
    at_call call;
    int32_t metadata[2]; /* what attention_metadata holds */
} given;

void good_call(given *, pa_dialect, at_dtype);
void apply_change(given *, const change *);
/* The gate's answer with nothing warmed; `execute` with the node as create would have read it. */
at_code ask_gate(unsigned gate, const given *, at_refusal *why);
/* Fails the test where the gate answers otherwise; id: of the rule, or a word for the message where it accepts. */
void expect_answer(unsigned gate, const given *, at_code, const char *id);

#endif
