#include "explained.h"

enum { MOST_READINGS = 3 };

bool at_is_explained(const at_record *r) {
    return r->explanation != NULL && r->explanation[0] != NULL;
}

void at_put_explanation(FILE *f, const at_record *r, size_t most, at_put *put) {
    size_t n = 0;
    for (; r->explanation[n] != NULL; n++) {
        if (n >= MOST_READINGS) continue;
        fputs(n == 0 ? "agrees with " : "; or ", f);
        put(f, r->explanation[n], most);
    }
    if (n > MOST_READINGS) fprintf(f, "; or %zu more", n - MOST_READINGS);
}
