/* The program's commands: the composition root, which alone knows oracle, harness and reports together. */
#ifndef AT_COMMANDS_H
#define AT_COMMANDS_H

#include "options.h"

typedef struct {
    const char *name, *arguments, *about;
    at_status (*run)(at_options *,
                     at_error *err); /* the exit status; err is printed where it is not AT_OK and has words */
} at_command;
const at_command *at_commands(size_t *count);

at_status at_command_list(at_options *, at_error *);
at_status at_command_check(at_options *, at_error *);
at_status at_command_show(at_options *, at_error *);
at_status at_command_run(at_options *, at_error *);
at_status at_command_repro(at_options *, at_error *);
at_status at_command_judge(at_options *, at_error *);
at_status at_command_export(at_options *, at_error *);
at_status at_command_report(at_options *, at_error *);
at_status at_command_merge(at_options *, at_error *);
at_status at_command_bench(at_options *, at_error *);
at_status at_command_time(at_options *, at_error *); /* bench without --overhead */
at_status at_command_doctor(at_options *, at_error *);
at_status at_command_cover(at_options *, at_error *);
at_status at_command_explain(at_options *, at_error *);
at_status at_command_compare(at_options *, at_error *);
at_status at_command_bundle(at_options *, at_error *);
at_status at_command_verify(at_options *, at_error *);
at_status at_command_new(at_options *, at_error *);

/* What several of them need. */
AT_MUST_USE at_status at_load_default_cases(at_cases **out, at_options *, at_error *err); /* fills in options->cases */
/* cpu where the command line names none; bench measures a GPU's kernel. run looks for itself. */
void at_default_subject(at_options *);
/* The case of that id; AT_USAGE with a way to look for it. */
AT_MUST_USE at_status at_find_case(const at_case **out, const at_cases *, const char *id, at_error *err);
/* The journal's own file, where a run's directory may be given instead; malloc'ed, NULL where memory is short. */
char *at_journal_file(const char *path);
/* Reports of a journal, as it lies on the disk, into options->out, without the compare.md of an earlier run there, and
 * the last word on stdout. The status is the verdict's. */
AT_MUST_USE at_status at_tell(const char *journal_path, const at_options *, at_error *err);
/* A text of somebody else's as a terminal may have it (reports/escape.h), cut at 600 characters; NULL is "". One of
 * eight buffers, so that a printf may have several. */
const char *at_shown(const char *text);
int at_ascending(const void *a, const void *b); /* doubles, for qsort */
bool at_colour(const at_options *, int fd);
/* A file beside the program (DIR/name) or beside the working directory; the first that exists, else the last. Static
 * storage. */
const char *at_beside(const char *name);

#endif
