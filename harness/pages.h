/* Which page of the cache holds which page of a sequence: block_table before it is written down. */
#ifndef AT_PAGES_H
#define AT_PAGES_H

#include "case.h"

typedef struct {
    int64_t sequence, page; /* the first that maps it, and its logical page; -1, -1: nobody's */
} at_owner;

typedef struct {
    int64_t blocks, columns; /* pages of the cache, at least 1; columns of block_table           */
    int64_t *page;           /* [sequences, columns] page of the cache; -1: not mapped           */
    at_owner *owner;         /* [blocks]                                                         */
} at_pages;

/* Pages that a sequence's tokens, old and new, take. */
int64_t at_pages_of(const at_case *, int64_t sequence);
bool at_pages_unmapped(const at_case *, int64_t sequence, int64_t page, int64_t *entry);

/* Sizes alone: blocks and columns, for a case whose numbers are sane. An unmapped page counts and is then nobody's.
 * AT_PAGES_APART needs two spare pages and adds them where the case has fewer. */
void at_pages_count(at_pages *out, const at_case *);
/* columns < 0: as many as the case needs; fewer leave the rest unmapped. AT_INFRASTRUCTURE when memory is short. */
AT_MUST_USE at_status at_pages_make(at_pages *out, const at_case *, uint64_t seed, int64_t columns, at_error *err);
void at_pages_free(at_pages *);

#endif
