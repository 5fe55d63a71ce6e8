/* Records in another order than the file's, and records that belong together. */
#ifndef AT_GROUP_H
#define AT_GROUP_H

#include "../harness/record.h"

/* As strcmp; 0 where two records belong together. */
typedef int at_order(const at_record *, const at_record *);
int at_compare(const char *a, const char *b); /* strcmp that takes NULL for "" */
at_order at_by_id, at_by_suite, at_by_arithmetic, at_by_fault, at_by_reason;

/* [records], malloc'ed; records of one kind keep the file's order. NULL where memory is short. */
const at_record **at_sorted(const at_journal *, at_order *);
/* One past the last record that belongs with sorted[from]. */
size_t at_run_end(const at_record *const *sorted, size_t from, size_t records, at_order *);

typedef struct {
    const at_record *first; /* in the file */
    int64_t attempts;
} at_group;
typedef struct {
    at_group *group; /* [groups] in the order of their first records */
    size_t groups;
    int64_t attempts; /* in all of them */
} at_groups;
typedef bool at_choice(const at_record *);
at_choice at_is_bad, at_is_not_run, at_has_arithmetic, at_is_executed, at_is_good;

AT_MUST_USE at_status at_groups_of(at_groups *out, const at_journal *, at_choice *, at_order *, at_error *err);
void at_groups_free(at_groups *);

#endif
