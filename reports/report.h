/* Reports: everything a journal is turned into. They know the journal's records alone, so an old journal gives all of
 * them again. */
#ifndef AT_REPORT_H
#define AT_REPORT_H

#include "../harness/screen.h"
#include "verdict.h"

/* Makes the directory, its parents too, and sees that a file can be written there: asked before anything runs. AT_USAGE
 * where it cannot. */
AT_MUST_USE at_status at_report_directory(const char *directory, at_error *err);

/* Every report into its file, each whole or not at all. After a failure the rest is still tried; err says what failed
 * first. */
AT_MUST_USE at_status at_report_write_all(const at_journal *, const char *directory, at_error *err);

/* The summary for a terminal: at most 24 lines where nothing is longer than the line, and fewer faults where the screen
 * has no room for them, but one. screen NULL: there is none. The verdict line is the caller's. */
AT_MUST_USE at_status at_report_text(const at_journal *, FILE *, const at_screen *screen, bool colour, at_error *err);

/* One report by its name ("coverage", "coverage-json", ...) to a stream. AT_USAGE where there is none of that name. */
AT_MUST_USE at_status at_report_one(const at_journal *, const char *name, FILE *, at_error *err);

#endif
