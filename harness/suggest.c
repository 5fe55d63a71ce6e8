#include "suggest.h"

#include <string.h>

enum { LONGEST = 64 };

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Optimal string alignment distance: d[i][j] between the first i characters of a and the first j of b; three rows are
 * enough. */
static size_t distance(const char *a, size_t m, const char *b, size_t n) {
    size_t rows[3][LONGEST + 1] = {{0}}, *before = rows[0], *above = rows[1], *here = rows[2];
    for (size_t j = 0; j <= n; j++) above[j] = j;
    for (size_t i = 1; i <= m; i++) {
        here[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t replaced = above[j - 1] + (a[i - 1] != b[j - 1]);
            here[j] = least(replaced, least(above[j], here[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                here[j] = least(here[j], before[j - 2] + 1);
        }
        size_t *spare = before;
        before = above, above = here, here = spare;
    }
    return above[n];
}

const char *at_suggest(const char *wrong, at_word_at word_at, const void *words) {
    const char *nearest = NULL;
    size_t m = strlen(wrong), best = m / 3 + 2;
    if (m > LONGEST) return NULL;
    for (size_t i = 0;; i++) {
        const char *word = word_at(words, i);
        if (word == NULL) return nearest;
        size_t n = strlen(word);
        if (n > LONGEST) continue;
        size_t d = distance(wrong, m, word, n);
        if (d < best && d < n) best = d, nearest = word;
    }
}

const char *at_word_of_list(const void *words, size_t i) {
    return ((const char *const *)words)[i];
}
