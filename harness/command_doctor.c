/* doctor: what this machine can judge, and what is missing. Each subject is asked in a process of its own. */
#include "child.h"
#include "commands.h"

#include <jansson.h>
#include <stdio.h>

static bool report(at_options *o, const char *subject) {
    at_child child = {0};
    at_header header = {0};
    at_error why = {0};
    o->subject = subject;
    bool fine = at_child_start(&child, o, o->device, &header, &why) == AT_OK;
    if (o->json) {
        json_t *line = fine ? json_pack("{s:s, s:b, s:s?, s:s?, s:s?, s:s?}", "subject", subject, "ready", 1, "version",
                                        header.subject_version, "device", header.device, "arch", header.arch, "driver",
                                        header.driver)
                            : json_pack("{s:s, s:b, s:s}", "subject", subject, "ready", 0, "why", why.text);
        json_dumpf(line, stdout, JSON_COMPACT);
        putchar('\n');
        json_decref(line);
    } else if (fine) {
        printf("%-6s ready: %s %s on %s (%s, %s)\n", subject, at_shown(header.subject),
               at_shown(header.subject_version), at_shown(header.device), header.arch, at_shown(header.driver));
    } else {
        printf("%-6s not here: %s\n", subject, why.text);
    }
    at_child_close(&child);
    at_header_clear(&header);
    return fine;
}

at_status at_command_doctor(at_options *o, at_error *err) {
    at_cases *cases = NULL;
    const char *only = o->subject;
    at_status st = at_load_default_cases(&cases, o, err);
    if (st != AT_OK) return st;
    if (!o->json)
        printf("cases  %s: %zu cases in %zu suites\n", at_shown(o->cases), at_cases_count(cases),
               at_cases_suites(cases));
    at_cases_free(cases);
    bool ready = only != NULL ? report(o, only) : (int)report(o, "cpu") + (int)report(o, "cuda") > 0;
    return ready ? AT_OK : AT_UNVALIDATED;
}
