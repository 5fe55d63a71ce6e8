/* report.json: {verdict, exit, line, counts, header, attempts}; attempts are the journal's records as they are. */
#include "writers.h"

#include <inttypes.h>

static void put_tally(FILE *f, const at_outcome *o) {
    static const char *const state[AT_CASE_STATES] = {
        [AT_CASE_FAILED] = "failed", [AT_CASE_BROKEN] = "broken", [AT_CASE_NOT_RUN] = "not_run",
        [AT_CASE_WAIVED] = "waived", [AT_CASE_PASSED] = "passed", [AT_CASE_UNSUPPORTED] = "unsupported",
    };
    fprintf(f, "{\"cases\":{\"planned\":%" PRId64, o->planned);
    for (int s = 0; s < AT_CASE_STATES; s++) fprintf(f, ",\"%s\":%" PRId64, state[s], o->cases[s]);
    fputs("},\"attempts\":{", f);
    for (int v = 0; v < AT_VERDICTS; v++) {
        fprintf(f, "%s\"%s\":%" PRId64, v ? "," : "", at_verdict_name((at_verdict)v), o->attempts[v]);
    }
    fputs("}}", f);
}

at_status at_write_json(FILE *f, const at_report *r, at_error *err) {
    (void)err;
    fputs("{\"verdict\":", f);
    at_json_put_string(f, r->outcome.word);
    fprintf(f, ",\"exit\":%d,\"line\":", r->outcome.status);
    at_json_put_string(f, r->outcome.line);
    fputs(",\n\"counts\":", f);
    put_tally(f, &r->outcome);
    fputs(",\n\"header\":", f);
    at_header_put(f, &r->journal->header);
    fputs(",\n\"attempts\":[", f);
    for (size_t i = 0; i < r->journal->records; i++) {
        fputs(i == 0 ? "\n" : ",\n", f);
        at_record_put(f, &r->journal->record[i]);
    }
    fputs("\n]}\n", f);
    return AT_OK;
}
