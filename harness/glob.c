#include "glob.h"
#include "case.h"

#include <string.h>

/* On a mismatch only the last star can be to blame, so the time is at most the product of the two lengths. */
bool at_glob(const char *pattern, const char *text) {
    const char *star = NULL, *retry = NULL;
    while (*text != 0) {
        if (*pattern == '*') {
            star = ++pattern;
            retry = text;
        } else if (*pattern == *text || *pattern == '?') {
            pattern++, text++;
        } else if (star != NULL) {
            pattern = star;
            text = ++retry;
        } else {
            return false;
        }
    }
    while (*pattern == '*') pattern++;
    return *pattern == 0;
}

bool at_case_matches(const at_case *c, const char *pattern) {
    size_t n = strlen(pattern);
    bool leads = n > 0 && strncmp(c->id, pattern, n) == 0 && (c->id[n] == '/' || c->id[n] == 0);
    return leads || at_glob(pattern, c->id);
}
