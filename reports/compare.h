/* Two journals side by side: were both asked the same, and did both answer the same?
 *
 * Attempts are paired by id and mode. The hash beside an id tells whether it still means the same case, the inputs'
 * digest whether the same bits were asked: a verdict or an error is compared with another only where neither is known
 * to differ. What the whole run came to is compared whatever was asked, so that no failure hides behind another seed.
 */
#ifndef AT_COMPARE_H
#define AT_COMPARE_H

#include "verdict.h"

typedef enum {
    AT_SAME,
    AT_BETTER,
    AT_WORSE,     /* PASS to MARGINAL; FAIL to CRASH, or to something that judges nothing */
    AT_REGRESSED, /* from right to not judged or wrong, from not judged to wrong: what a gate fails for */
    AT_OTHER,     /* in both, of another content or of other inputs: not compared */
    AT_NEW,       /* in B alone */
    AT_GONE,      /* in A alone */
    AT_CHANGES
} at_change;
const char *at_change_name(at_change);
at_change at_change_of(at_verdict a, at_verdict b);
bool at_is_wrong(at_verdict); /* FLAKY, FAIL, TIMEOUT, CRASH */

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
    at_change run; /* of the outcomes */
    at_pair *pair; /* [pairs] by at_by_attempt */
    size_t pairs;
    int64_t change[AT_CHANGES], common, compared; /* common: all but new and gone; compared: of these all but other */
    int64_t transition[AT_VERDICTS][AT_VERDICTS]; /* from A's verdict to B's, of those compared */
    int64_t other_content, same_inputs, other_inputs, farther; /* both other ones: counted in each */
    at_ratio excess, seconds;                                  /* seconds: of the subject */
} at_comparison;

/* Journals outlive it. AT_INFRASTRUCTURE where memory is short. */
AT_MUST_USE at_status at_comparison_make(at_comparison *out, const at_journal *a, const at_journal *b, at_error *err);
void at_comparison_free(at_comparison *);

/* AT_UNVALIDATED where no attempt is in both; AT_FAILED where a verdict regressed, of an attempt or of the run; else
 * AT_UNVALIDATED where inputs or contents differ. What is new or gone changes nothing. */
at_status at_comparison_status(const at_comparison *);
/* "UNVALIDATED", "REGRESSED", "DIFFERENT INPUTS", "DIFFERENT CASES", "CHANGED"; "PARTIAL": the same as far as both go,
 * and an attempt is new or gone; "SAME". */
const char *at_comparison_word(const at_comparison *);
/* The last line: "PARTIAL: 0 of 58 verdicts changed; 3068 gone". Without a newline. */
void at_put_comparison_line(FILE *, const at_comparison *);

/* For a terminal; to be pasted into a review; for programs, where all pairs that differ are listed. */
void at_put_comparison_text(FILE *, const at_comparison *);
void at_put_comparison_markdown(FILE *, const at_comparison *);
void at_put_comparison_json(FILE *, const at_comparison *);

#endif
