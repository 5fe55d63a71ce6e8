/* export: cases as files, with the oracle's answer beside the inputs, for whatever does not link; judge reads its
 * answers back. */
#include "commands.h"
#include "finding.h"
#include "folder.h"
#include "select.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The case's dialect; where it has none, the one asked for, else the first. */
static or_dialect dialect_for(const at_case *c, const at_options *o) {
    or_dialect dialect = c->dialect;
    if (c->any_dialect && o->dialect != NULL) (void)or_dialect_by_name(&dialect, o->dialect); /* options.c knows it */
    return dialect;
}

/* A folder's name of an id: slashes and commas would make more of it than one name. */
static char *folder_name(const char *directory, const char *id) {
    char *path = at_text("%s/%s", directory, id);
    for (char *c = path ? path + strlen(directory) + 1 : NULL; c != NULL && *c != 0; c++) {
        if (*c == '/' || *c == ',') *c = '~';
    }
    return path;
}

static at_status export_case(const at_case *c, const char *directory, const at_options *o, at_error *err) {
    at_plan *plan = NULL;
    char *path = folder_name(directory, c->id);
    at_status st = path ? AT_OK : at_fail_memory(err, strlen(c->id));
    if (st == AT_OK) st = at_plan_make(&plan, c, dialect_for(c, o), o->seed, err);
    if (st == AT_OK) st = at_folder_write(plan, path, err);
    if (st == AT_OK) puts(path);
    at_plan_free(plan);
    free(path);
    return st;
}

at_status at_command_export(at_options *o, at_error *err) {
    at_cases *cases = NULL;
    at_selection selection = {0};
    size_t written = 0;
    at_status st;
    if (o->words != 1) return at_fail(err, AT_USAGE, "export needs one DIR to write to");
    if ((st = at_load_default_cases(&cases, o, err)) != AT_OK) return st;
    if ((st = at_select(&selection, cases, o, err)) != AT_OK) goto done;
    if (mkdir(o->word[0], 0777) != 0 && errno != EEXIST) {
        st = at_fail(err, AT_USAGE, "%s: %s", o->word[0], strerror(errno));
        goto done;
    }
    for (size_t i = 0; i < selection.choices && st == AT_OK; i++) {
        const at_case *c = selection.choice[i].c;
        if (c->expect == AT_EXPECT_REFUSAL || (i > 0 && c == selection.choice[i - 1].c)) continue;
        if ((st = export_case(c, o->word[0], o, err)) == AT_OK) written++;
    }
    if (st == AT_OK && written == 0)
        st = at_fail(err, AT_USAGE, "no value case is selected; refusals have no tensors to export");
done:
    at_selection_free(&selection);
    at_cases_free(cases);
    return st;
}
