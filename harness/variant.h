/* Cases derived from a case: the same operator on other lengths, pages or data. What relations and series of calls are
 * made of. */
#ifndef AT_VARIANT_H
#define AT_VARIANT_H

#include "session.h"

typedef struct {
    at_case c;             /* a copy that shares all but what stands here */
    at_sequence *sequence; /* [c.sequences], the variant's own            */
    at_attr *attr;         /* [c.attrs], likewise, with room for four     */
    at_parameter *parameter;
} at_variant;

/* A copy with room for `more` further sequences. Judged within the budget, whatever the case asks, since other data
 * need not be exact. */
AT_MUST_USE at_status at_variant_of(at_variant *out, const at_case *, size_t more, at_error *err);
void at_variant_free(at_variant *);
void at_variant_set_integer(at_variant *, const char *attribute, int64_t value); /* of an attribute that is there */
/* The attribute of that name; where there is none it is added, with the value 0. Up to four can be. */
at_attr *at_variant_attribute(at_variant *, const char *name, at_attr_type);
void at_variant_set_parameter(at_variant *, const char *name, double value); /* of the data design           */

/* A plan of the variant, which has to outlive it; its cache replaced by `cache` where that is not NULL. A variant that
 * is no legal case is the harness's fault: AT_INFRASTRUCTURE. */
AT_MUST_USE at_status at_variant_plan(at_plan **out, const at_variant *, or_dialect, uint64_t seed,
                                      const uint16_t *cache, at_error *err);

/* One eager answer to a plan, with all detectors, judged. kernel NULL: a new one. *going is false where the subject
 * refused. */
AT_MUST_USE at_status at_answer_to(at_traces *out, const at_host *, at_kernel *kernel, const at_plan *, at_record *,
                                   bool *going, at_error *err);

/* One finding where rows of the two outputs differ: `count` tokens from `got_token` and `want_token` on. */
bool at_rows_equal(at_record *, const char *detector, const char *what, const or_problem *, const at_traces *got,
                   int64_t got_token, const at_traces *want, int64_t want_token, int64_t count);

#endif
