#include "explained.h"

#include <string.h>

enum { MOST_READINGS = 4, NAME = 32 };

bool at_is_explained(const at_record *r) {
    return r->explanation != NULL && r->explanation[0] != NULL;
}

static void put_name(FILE *f, const char *reading, at_put *put) {
    char name[NAME + 1];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(reading, ":"), reading);
    put(f, name, 0);
}

void at_put_explanation(FILE *f, const at_record *r, size_t most, at_put *put) {
    size_t n = 1;
    fputs("agrees with ", f);
    put(f, r->explanation[0], most);
    for (; r->explanation[n] != NULL; n++) {
        if (n >= MOST_READINGS) continue;
        fputs(n == 1 ? "; or " : ", ", f);
        put_name(f, r->explanation[n], put);
    }
    if (n > MOST_READINGS) fprintf(f, ", %zu more", n - MOST_READINGS);
}
