#include "write_html_pool.h"
#include "escape.h"

#include <stdlib.h>
#include <string.h>

at_status at_pool_open(at_pool *p, at_error *err) {
    *p = (at_pool){0};
    p->scratch = open_memstream(&p->text, &p->bytes);
    p->plain = open_memstream(&p->plain_text, &p->plain_bytes);
    if (p->scratch == NULL || p->plain == NULL) p->st = AT_INFRASTRUCTURE;
    if (p->st == AT_OK) {
        fputs("null", at_pool_begin(p));
        at_pool_end(p);
    }
    if (p->st == AT_OK) return AT_OK;
    at_pool_close(p);
    return at_fail_memory(err, sizeof *p);
}

void at_pool_close(at_pool *p) {
    if (p->scratch != NULL) fclose(p->scratch);
    if (p->plain != NULL) fclose(p->plain);
    for (size_t i = 0; i < p->values; i++) free(p->value[i]);
    free(p->text);
    free(p->plain_text);
    free(p->value);
    free(p->slot);
    *p = (at_pool){0};
}

/* ---- the table ---- */

static uint32_t *slot_of(const at_pool *p, const char *value) {
    uint64_t h = UINT64_C(14695981039346656037); /* FNV-1a */
    for (const char *c = value; *c != 0; c++) h = (h ^ (unsigned char)*c) * UINT64_C(1099511628211);
    size_t at = (size_t)(h ^ h >> 32) & (p->slots - 1);
    while (p->slot[at] != 0 && strcmp(p->value[p->slot[at] - 1], value) != 0) at = (at + 1) & (p->slots - 1);
    return &p->slot[at];
}

static bool make_room(at_pool *p) {
    if (p->values < p->room) return true;
    if (p->room > UINT32_MAX / 8) return false;
    uint32_t room = p->room == 0 ? 1024 : 2 * p->room;
    char **value = realloc(p->value, room * sizeof *value);
    if (value == NULL) return false;
    p->value = value;
    uint32_t *slot = calloc(4 * (size_t)room, sizeof *slot);
    if (slot == NULL) return false;
    free(p->slot);
    p->slot = slot, p->slots = 4 * (size_t)room, p->room = room;
    for (uint32_t i = 0; i < p->values; i++) *slot_of(p, p->value[i]) = i + 1;
    return true;
}

FILE *at_pool_begin(at_pool *p) {
    rewind(p->scratch);
    return p->scratch;
}

uint32_t at_pool_end(at_pool *p) {
    putc(0, p->scratch);
    if (p->st != AT_OK || fflush(p->scratch) != 0 || ferror(p->scratch) || !make_room(p)) goto failed;
    uint32_t *slot = slot_of(p, p->text);
    if (*slot != 0) return *slot - 1;
    char *copy = strdup(p->text);
    if (copy == NULL) goto failed;
    p->value[p->values++] = copy;
    *slot = p->values;
    return *slot - 1;
failed:
    p->st = AT_INFRASTRUCTURE;
    return 0;
}

/* ---- text ---- */

void at_pool_put_string(at_pool *p, FILE *f, const char *text) {
    rewind(p->plain);
    at_put_terminal(p->plain, text, 0);
    putc(0, p->plain);
    if (fflush(p->plain) != 0 || ferror(p->plain)) {
        p->st = AT_INFRASTRUCTURE;
        return;
    }
    putc('"', f);
    for (const char *c = p->plain_text; *c != 0; c++) {
        size_t plain = strcspn(c, "\"\\<");
        fwrite(c, 1, plain, f);
        c += plain;
        if (*c == 0) break;
        if (*c == '<')
            fputs("\\u003c", f); /* or an element could end here, or a comment begin */
        else
            putc('\\', f), putc(*c, f);
    }
    putc('"', f);
}

uint32_t at_pool_text(at_pool *p, const char *text) {
    if (text == NULL) return 0;
    at_pool_put_string(p, at_pool_begin(p), text);
    return at_pool_end(p);
}

uint32_t at_pool_part(at_pool *p, const char *text, size_t bytes) {
    char *part = strndup(text, bytes);
    uint32_t number = at_pool_text(p, part);
    if (part == NULL) p->st = AT_INFRASTRUCTURE;
    free(part);
    return number;
}

void at_pool_put(FILE *f, const at_pool *p) {
    for (uint32_t i = 0; i < p->values; i++) fprintf(f, "%s\n%s", i == 0 ? "[" : ",", p->value[i]);
    fputs("\n]", f);
}
