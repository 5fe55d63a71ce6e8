/* The three gates of a subject: which nodes and calls it refuses, by which rule of the operator contract, and why. Host
 * only; of the tensors only attention_metadata, which lies on the host, is ever read.
 *
 * Each gate is asked by itself: what supports refuses is not taken for granted by create, nor the other way round. */
#ifndef PA_GATES_H
#define PA_GATES_H

#include "node.h"
#include "warmed.h"

/* AT_ACCEPTED, or the first broken rule's code with its id and a sentence in *why. */
at_code pa_gate_supports(const at_node *, const at_dtype in[AT_INPUTS], at_refusal *why);
at_code pa_gate_create(const at_node *, at_refusal *why);
/* node: what create accepted. */
at_code pa_gate_execute(const pa_node *node, const pa_warmed *, const at_call *, at_refusal *why);

/* Writes the sentence of a refusal. True, so that a question can end with it. */
__attribute__((format(printf, 2, 3))) bool pa_say(at_refusal *why, const char *format, ...);

#endif
