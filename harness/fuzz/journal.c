#include "../../reports/report.h"
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every line fit for a terminal, whatever stands in the records. */
static void check_report(const at_journal *j) {
    char *text = NULL;
    size_t bytes = 0;
    at_error err = {0};
    FILE *f = open_memstream(&text, &bytes);
    AT_FUZZ_DUE(f != NULL);
    at_status st = at_report_text(j, f, NULL, false, &err);
    fclose(f);
    AT_FUZZ_DUE(st == AT_OK);
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = 0;
        AT_FUZZ_DUE(at_fuzz_plain(line));
    }
    free(text);
}

static void check_verdict(const at_journal *j) {
    static at_outcome outcome;
    at_error err = {0};
    AT_FUZZ_DUE(at_verdict_of(&outcome, j, false, &err) == AT_OK);
    AT_FUZZ_DUE(at_fuzz_plain(outcome.line));
    AT_FUZZ_DUE(strncmp(outcome.line, outcome.word, strlen(outcome.word)) == 0);
    AT_FUZZ_DUE(j->complete || outcome.status != AT_OK); /* what was cut short validates nothing */
}

/* A record that was read is written so that it reads the same. */
static void check_record(const at_record *r) {
    char *first = NULL, *second = NULL;
    at_record again;
    at_error err = {0};
    AT_FUZZ_DUE(at_record_to_json(&first, r, &err) == AT_OK);
    AT_FUZZ_DUE(at_record_from_json(&again, first, strlen(first), &err) == AT_OK);
    AT_FUZZ_DUE(at_record_to_json(&second, &again, &err) == AT_OK);
    AT_FUZZ_DUE(strcmp(first, second) == 0);
    at_record_clear(&again);
    free(first);
    free(second);
}

int at_fuzz_journal(const uint8_t *data, size_t size) {
    at_journal *j = NULL;
    at_error err = {0};
    at_status st = at_journal_read(&j, at_fuzz_file("fuzz.jsonl", data, size), &err);
    if (st != AT_OK) {
        AT_FUZZ_DUE(st == AT_USAGE && j == NULL && err.text[0] != 0 && at_fuzz_plain(err.text));
        return 0;
    }
    AT_FUZZ_DUE(at_header_contradiction(&j->header) == NULL && (int64_t)j->records <= j->header.planned);
    for (size_t i = 0; i < j->records; i++) {
        AT_FUZZ_DUE(at_record_contradiction(&j->record[i]) == NULL);
        check_record(&j->record[i]);
    }
    check_report(j);
    check_verdict(j);
    at_journal_free(j);
    return 0;
}

AT_FUZZ_MAIN(at_fuzz_journal)
