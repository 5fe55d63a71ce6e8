/* "did you mean": the nearest of the words that would have been right. */
#ifndef AT_SUGGEST_H
#define AT_SUGGEST_H

#include <stddef.h>

/* The i-th word, NULL past the last. */
typedef const char *(*at_word_at)(const void *words, size_t i);

/* The word nearest to `wrong` by insertions, deletions, replacements and swaps of neighbours, the first of equals; NULL
 * where all are too far off to be meant: more than a third of its length. */
const char *at_suggest(const char *wrong, at_word_at, const void *words);

/* For words that stand in a NULL-terminated array. */
const char *at_word_of_list(const void *words, size_t i);

#endif
