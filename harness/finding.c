#include "finding.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static char *text_of(const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text != NULL) vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

char *at_text(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = text_of(format, arguments);
    va_end(arguments);
    return text;
}

void at_find(at_record *record, const char *detector, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (record->findings < AT_RECORD_FINDINGS) {
        at_finding *finding = &record->finding[record->findings++];
        snprintf(finding->detector, sizeof finding->detector, "%s", detector);
        vsnprintf(finding->text, sizeof finding->text, format, arguments);
        if (record->findings_all == 0) {
            free(record->message); /* of what was set aside before */
            record->message = at_text("%s: %s", detector, finding->text);
        }
    }
    va_end(arguments);
    record->findings_all++;
    record->verdict = AT_FAIL;
}

void at_find_besides(at_record *record, const char *detector, const char *text) {
    at_verdict before = record->verdict;
    bool failed = at_verdict_status(before) == AT_FAILED;
    char *message = record->message;
    if (failed) record->message = NULL;
    at_find(record, detector, "%s", text);
    if (!failed) return;
    free(record->message);
    record->message = message;
    record->verdict = before;
}

void at_set_aside(at_record *record, at_verdict verdict, const char *format, ...) {
    va_list arguments;
    if (record->verdict == AT_FAIL) return;
    record->verdict = verdict;
    free(record->message);
    va_start(arguments, format);
    record->message = text_of(format, arguments);
    va_end(arguments);
}

const char *at_allowed(char text[AT_ALLOWED], double low, double high, int digits) {
    char least[AT_ALLOWED / 2 - 4], most[AT_ALLOWED / 2 - 4];
    snprintf(least, sizeof least, "%.*g", digits, low);
    snprintf(most, sizeof most, "%.*g", digits, high);
    if (strcmp(least, most) == 0)
        snprintf(text, AT_ALLOWED, "only %s", least);
    else
        snprintf(text, AT_ALLOWED, "%s to %s", least, most);
    return text;
}
