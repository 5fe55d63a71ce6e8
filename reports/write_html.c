/* index.html: page/page.html with its parts put in, a file that needs nothing beside it.
 *
 * Nothing of a journal becomes markup: what it says is text of the template, escaped, or data in a script element,
 * which the page's scripts turn into text nodes. */
#include "escape.h"
#include "write_html.h"

#include <string.h>

typedef at_status put_part(FILE *, const at_report *, at_error *err);

/* Indentation is for those who read the source; no script has a string that goes on in the next line. */
static void put_source(FILE *f, const at_page_file *file) {
    for (const char *line = file->text, *next; line < file->end; line = next) {
        const char *newline = memchr(line, '\n', (size_t)(file->end - line));
        next = newline == NULL ? file->end : newline + 1;
        while (line < next && (*line == ' ' || *line == '\t')) line++;
        for (const char *c = line; c < next; c++) putc(*c == '\t' ? ' ' : *c, f);
    }
}

static at_status put_word(FILE *f, const at_report *r, at_error *err) {
    (void)err;
    at_put_xml(f, r->outcome.word, 0);
    return AT_OK;
}

static at_status put_line(FILE *f, const at_report *r, at_error *err) {
    const char *line = r->outcome.line;
    size_t word = strlen(r->outcome.word);
    (void)err;
    at_put_xml(f, strncmp(line, r->outcome.word, word) == 0 && line[word] == ' ' ? line + word + 1 : line, 0);
    return AT_OK;
}

static at_status put_subject(FILE *f, const at_report *r, at_error *err) {
    (void)err;
    at_put_xml(f, r->journal->header.subject, 80);
    return AT_OK;
}

static at_status put_scripts(FILE *f, const at_report *r, at_error *err) {
    size_t count;
    const at_page_file *script = at_page_scripts(&count);
    (void)r, (void)err;
    for (size_t i = 0; i < count; i++) put_source(f, &script[i]);
    return AT_OK;
}

static const struct {
    const char *name;
    put_part *put;
} parts[] = {
    {"word", put_word},
    {"line", put_line},
    {"subject", put_subject},
    {"data", at_put_page_data},
    {"mutants", at_put_page_mutants},
    {"bench", at_put_page_bench},
    {"scripts", put_scripts},
};

/* Of the table above, else a file of page/. */
static at_status put_named(FILE *f, const char *name, size_t bytes, const at_report *r, at_error *err) {
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strlen(parts[i].name) == bytes && memcmp(parts[i].name, name, bytes) == 0) return parts[i].put(f, r, err);
    }
    const at_page_file *file = at_page_file_named(name, bytes);
    if (file == NULL) return at_fail(err, AT_INFRASTRUCTURE, "page.html: no part is named %.*s", (int)bytes, name);
    put_source(f, file);
    return AT_OK;
}

at_status at_write_html(FILE *f, const at_report *r, at_error *err) {
    const at_page_file *page = at_page_file_named("page.html", strlen("page.html"));
    const char *text = page->text;
    at_status st = AT_OK;
    while (st == AT_OK) {
        const char *open = strstr(text, "{{"), *close = open == NULL ? NULL : strstr(open, "}}");
        if (close == NULL) break;
        fwrite(text, 1, (size_t)(open - text), f);
        st = put_named(f, open + 2, (size_t)(close - open - 2), r, err);
        text = close + 2;
    }
    if (st == AT_OK) fwrite(text, 1, (size_t)(page->end - text), f);
    return st;
}
