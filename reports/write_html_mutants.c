/* mutants.json beside the reports, taken into the page. */
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

at_status at_put_page_mutants(FILE *f, const at_report *r, at_error *err) {
    char path[PATH_MAX];
    size_t bytes = 0;
    int length = r->directory == NULL ? -1 : snprintf(path, sizeof path, "%s/mutants.json", r->directory);
    FILE *in = length < 0 || length >= PATH_MAX ? NULL : fopen(path, "re");
    char *text = in == NULL ? NULL : slurp(in, &bytes);
    if (in != NULL) fclose(in);
    (void)err;
    if (bytes > 0 && bytes < MOST_BYTES && is_json(text, bytes))
        put(f, text, bytes);
    else
        fputs("null", f);
    free(text);
    return AT_OK;
}
