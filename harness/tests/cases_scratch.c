#include "cases_scratch.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char directory[64];

static const char head[] =
    "schema: 1\n"
    "suite: suite\n"
    "about: For a test.\n"
    "geometries: {tiny: {head_size: 32, v_head_size: 16, rotary_offset: 16, rotary_dim: 16, num_heads: 2}}\n";
enum { HEAD_LINES = 4 };

void scratch_open(void) {
    strcpy(directory, "/tmp/attest-cases-XXXXXX");
    cr_assert_not_null(mkdtemp(directory));
}

const char *scratch_path(const char *file) {
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, file);
    return path;
}

void scratch_close(void) {
    DIR *d = opendir(directory);
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) unlink(scratch_path(e->d_name));
    if (d != NULL) closedir(d);
    rmdir(directory);
}

void scratch_write(const char *file, const char *text) {
    FILE *f = fopen(scratch_path(file), "w");
    cr_assert_not_null(f);
    fputs(text, f);
    cr_assert_eq(fclose(f), 0);
}

static at_status load(at_cases **out, const char *rest, at_error *err) {
    size_t size = strlen(head) + strlen(rest) + 64;
    char *text = malloc(size);
    cr_assert_not_null(text);
    snprintf(text, size, "%s%s", head, rest);
    scratch_write("suite.yaml", text);
    free(text);
    return at_cases_load(out, scratch_path("suite.yaml"), NULL, err);
}

at_cases *scratch_load(const char *rest) {
    at_cases *cases = NULL;
    at_error err = {{0}};
    cr_assert_eq(load(&cases, rest, &err), AT_OK, "%s", err.text);
    return cases;
}

const char *scratch_refusal(const char *rest) {
    static char message[sizeof(at_error)];
    at_error err = {{0}};
    at_cases *cases = NULL;
    at_status st = load(&cases, rest, &err);
    cr_assert(st == AT_OK || (st == AT_USAGE && cases == NULL));
    at_cases_free(cases);
    int line = 0, read = 0;
    const char *place = strstr(err.text, "suite.yaml:");
    if (place == NULL || sscanf(place, "suite.yaml:%d%n", &line, &read) != 1) return strcpy(message, err.text);
    snprintf(message, sizeof message, "%d%s", line - HEAD_LINES, place + read);
    return message;
}
