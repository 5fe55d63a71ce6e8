/* Files beside the reports that others made, taken into the page: mutants.json, bench.json. */
#include "../harness/json.h"
#include "write_html.h"

#include <limits.h>
#include <stdlib.h>

enum { MOST_BYTES = 4 << 20 }; /* a larger file is not ours */

/* NULL where there is none; then *bytes is 0. */
static char *slurp(FILE *f, size_t *bytes) {
    char *text = malloc(MOST_BYTES);
    *bytes = text == NULL ? 0 : fread(text, 1, MOST_BYTES, f);
    return text;
}

static bool is_json(const char *text, size_t bytes) {
    at_json json;
    at_json_open(&json, text, bytes);
    return at_json_skip(&json) && at_json_end(&json);
}

/* Between values white space says nothing, and within strings there is none but the blank. */
static void put(FILE *f, const char *text, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '<')
            fputs("\\u003c", f);
        else if ((unsigned char)text[i] >= ' ')
            putc(text[i], f);
        else
            while (i + 1 < bytes && text[i + 1] == ' ') i++;
    }
}

static at_status put_file(FILE *f, const at_report *r, const char *name) {
    char path[PATH_MAX];
    size_t bytes = 0;
    int length = r->directory == NULL ? -1 : snprintf(path, sizeof path, "%s/%s", r->directory, name);
    FILE *in = length < 0 || length >= PATH_MAX ? NULL : fopen(path, "re");
    char *text = in == NULL ? NULL : slurp(in, &bytes);
    if (in != NULL) fclose(in);
    if (bytes > 0 && bytes < MOST_BYTES && is_json(text, bytes))
        put(f, text, bytes);
    else
        fputs("null", f);
    free(text);
    return AT_OK;
}

at_status at_put_page_mutants(FILE *f, const at_report *r, at_error *err) {
    (void)err;
    return put_file(f, r, "mutants.json");
}

at_status at_put_page_bench(FILE *f, const at_report *r, at_error *err) {
    (void)err;
    return put_file(f, r, "bench.json");
}
