/* Two journals side by side: were both asked the same, and did both answer the same?
 *
 * Attempts are paired by id and mode. The hash beside an id tells whether it still means the same case, the inputs'
 * digest whether the same bits were asked: an error is compared with another only where neither is known to differ. */
#ifndef AT_COMPARE_H
#define AT_COMPARE_H

#include "verdict.h"

typedef enum {
    AT_SAME,
    AT_BETTER,
    AT_WORSE,     /* PASS to MARGINAL; FAIL to CRASH, or to something that judges nothing */
    AT_REGRESSED, /* from right to not judged or wrong, from not judged to wrong: what a gate fails for */
    AT_NEW,       /* in B alone */
    AT_GONE,      /* in A alone */
    AT_CHANGES
} at_change;
const char *at_change_name(at_change);
at_change at_change_of(at_verdict a, at_verdict b);

/* B's error uses more than AT_FARTHER times the budget that A's used, and A's counts as AT_NEAR at least: below that
 * lies the noise of other libraries, above AT_FARTHER * AT_NEAR a warning is due. */
enum { AT_FARTHER = 2 };
#define AT_NEAR (1.0 / 16)

/* The order of pairs: id, then mode. As strcmp. */
int at_by_attempt(const at_record *, const at_record *);

typedef struct {
    const at_record *a, *b; /* NULL: new; gone */
    at_change change;
    bool other_content;             /* behind the same id */
    bool same_inputs, other_inputs; /* neither: a digest is missing */
    bool comparable;                /* in both, with the same content, and no digest says that the inputs differ */
    bool farther;
    double excess[2]; /* the worst of each one's tensors; -1: nothing was measured */
} at_pair;

typedef struct {
    int64_t pairs;
    double median, most;  /* of B / A, over pairs where both are above 0 and finite */
    const at_pair *where; /* the most */
    double total[2];
} at_ratio;

typedef struct {
    const at_journal *journal[2];
    const char *name[2]; /* what the reader calls them; the caller's */
    at_outcome outcome[2];
    at_pair *pair; /* [pairs] by at_by_attempt */
    size_t pairs;
    int64_t change[AT_CHANGES], common; /* common: all but new and gone */
    int64_t other_content, same_inputs, other_inputs, farther;
    at_ratio excess, seconds; /* seconds: of the subject */
} at_comparison;

/* Journals outlive it. AT_INFRASTRUCTURE where memory is short. */
AT_MUST_USE at_status at_comparison_make(at_comparison *out, const at_journal *a, const at_journal *b, at_error *err);
void at_comparison_free(at_comparison *);

/* AT_FAILED where a verdict regressed, AT_UNVALIDATED where no attempt is in both. */
at_status at_comparison_status(const at_comparison *);
/* The last line: "SAME: 0 of 58 verdicts changed". Without a newline. */
void at_put_comparison_line(FILE *, const at_comparison *);

/* For a terminal; to be pasted into a review; for programs, where all pairs that differ are listed. */
void at_put_comparison_text(FILE *, const at_comparison *);
void at_put_comparison_markdown(FILE *, const at_comparison *);
void at_put_comparison_json(FILE *, const at_comparison *);

#endif
