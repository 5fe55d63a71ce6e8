/* A value is taken from the text the moment its reader asks for it, so nothing is kept but the place. */
#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64, NUMBER_BYTES = 64 };

/* ---- text ---- */

static size_t put_utf8(char *out, uint32_t code) {
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length; --i > 0; code >>= 6) out[i] = (char)(0x80 | (code & 0x3F));
    out[0] = (char)((0xF00u >> length & 0xF0) | code);
    return length;
}

/* Stands for itself, in JSON and in C. */
static bool plain(char c) {
    return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

void at_json_put_string(FILE *f, const char *text) {
    const char *end = text + strlen(text);
    putc('"', f);
    while (text < end) {
        const char *run = text;
        while (text < end && plain(*text)) text++;
        fwrite(run, 1, (size_t)(text - run), f);
        if (text == end) break;
        uint32_t code;
        size_t length = at_utf8_decode(text, (size_t)(end - text), &code);
        if (length == 0)
            fputs("\xEF\xBF\xBD", f);
        else if (code == '"' || code == '\\')
            fprintf(f, "\\%c", (char)code);
        else if (code < 0xA0)
            fprintf(f, "\\u%04x", (unsigned)code);
        else
            fwrite(text, 1, length, f);
        text += length == 0 ? 1 : length;
    }
    putc('"', f);
}

void at_json_put_double(FILE *f, double value) {
    char text[40];
    if (isnan(value)) {
        fputs("\"nan\"", f);
    } else if (isinf(value)) {
        fputs(value > 0 ? "\"inf\"" : "\"-inf\"", f);
    } else {
        for (int digits = 15; digits <= 17; digits++) {
            snprintf(text, sizeof text, "%.*g", digits, value);
            if (digits == 17 || strtod(text, NULL) == value) break;
        }
        fputs(text, f);
    }
}

/* ---- structure ---- */

void at_json_open(at_json *json, const char *text, size_t bytes) {
    *json = (at_json){.start = text, .at = text, .end = text + bytes};
}

bool at_json_wrong(at_json *json, const char *what) {
    if (json->wrong == NULL) json->wrong = what;
    return false;
}

bool at_json_no_memory(at_json *json) {
    json->short_of_memory = true;
    return at_json_wrong(json, "memory is short");
}

/* The next character that is not white space; 0 at the end. */
static char next(at_json *json) {
    while (json->at < json->end && (*json->at == ' ' || *json->at == '\t' || *json->at == '\r' || *json->at == '\n')) {
        json->at++;
    }
    return json->at < json->end ? *json->at : 0;
}

bool at_json_enter(at_json *json, char bracket) {
    if (json->wrong != NULL) return false;
    if (next(json) != bracket) return at_json_wrong(json, bracket == '{' ? "an object is due" : "an array is due");
    json->at++;
    return true;
}

bool at_json_more(at_json *json, char closing, bool first) {
    if (json->wrong != NULL) return false;
    char c = next(json);
    if (c == closing) {
        json->at++;
        return false;
    }
    if (first) return true;
    if (c != ',') return at_json_wrong(json, "a comma or the closing bracket is due");
    json->at++;
    return true;
}

bool at_json_end(at_json *json) {
    if (json->wrong != NULL) return false;
    next(json);
    return json->at == json->end || at_json_wrong(json, "nothing more is due");
}

/* ---- strings ---- */

typedef struct {
    const char *from, *to; /* the bytes between the quotes */
    bool plain;            /* which are the text as it is  */
} raw;

/* Moves past a string. */
static bool take_string(at_json *json, raw *out) {
    if (json->wrong != NULL) return false;
    if (next(json) != '"') return at_json_wrong(json, "a string is due");
    const char *c = json->at + 1;
    out->from = c;
    out->plain = true;
    for (;;) {
        while (c < json->end && plain(*c)) c++;
        if (c == json->end) return at_json_wrong(json, "a string that does not end");
        if (*c == '"') break;
        json->at = c;
        if ((unsigned char)*c < 0x20) return at_json_wrong(json, "a control character in a string");
        c += *c == '\\' && c + 1 < json->end ? 2 : 1;
        out->plain = false;
    }
    out->to = c;
    json->at = c + 1;
    return true;
}

bool at_json_key(at_json *json) {
    raw key;
    if (!take_string(json, &key)) return false;
    if (!key.plain) return at_json_wrong(json, "a key that is not plain ASCII");
    json->key = key.from;
    json->key_bytes = (size_t)(key.to - key.from);
    if (next(json) != ':') return at_json_wrong(json, "a colon is due");
    json->at++;
    return true;
}

static bool hex4(uint32_t *out, const char *from, const char *to) {
    if (to - from < 4) return false;
    *out = 0;
    for (int i = 0; i < 4; i++) {
        static const char digit[] = "0123456789abcdefABCDEF";
        const char *found = memchr(digit, from[i], sizeof digit - 1);
        if (found == NULL) return false;
        uint32_t value = (uint32_t)(found - digit);
        *out = *out << 4 | (value < 16 ? value : value - 6);
    }
    return true;
}

/* Behind \uD800 to \uDBFF: the low half, and what both mean. */
static bool join_halves(uint32_t *code, const char *from, const char *to) {
    uint32_t low;
    if (*code > 0xDBFF || to - from < 6 || from[0] != '\\' || from[1] != 'u' || !hex4(&low, from + 2, to)) return false;
    if (low < 0xDC00 || low > 0xDFFF) return false;
    *code = 0x10000 + ((*code - 0xD800) << 10) + (low - 0xDC00);
    return true;
}

/* The character after a backslash. Returns the bytes it took, or 0. A C string cannot hold \u0000. */
static size_t unescape(uint32_t *code, const char *from, const char *to) {
    static const char name[] = "\"\\/bfnrt", value[] = "\"\\/\b\f\n\r\t";
    const char *found = from < to ? memchr(name, *from, sizeof name - 1) : NULL;
    if (found != NULL) {
        *code = (unsigned char)value[found - name];
        return 1;
    }
    if (from == to || *from != 'u' || !hex4(code, from + 1, to) || *code == 0) return 0;
    if (*code < 0xD800 || *code > 0xDFFF) return 5;
    return join_halves(code, from + 5, to) ? 11 : 0;
}

/* `out` has room for as many bytes as stand between the quotes, and a zero byte. */
static bool decode(at_json *json, const raw *text, char *out) {
    for (const char *c = text->from; c < text->to;) {
        uint32_t code = 0;
        bool escaped = *c == '\\';
        size_t took = escaped ? unescape(&code, c + 1, text->to) : at_utf8_decode(c, (size_t)(text->to - c), &code);
        if (took == 0) {
            json->at = c;
            return at_json_wrong(json, escaped ? "not an escape sequence" : "not UTF-8");
        }
        out += put_utf8(out, code);
        c += took + escaped;
    }
    *out = 0;
    return true;
}

bool at_json_string(at_json *json, char **out) {
    raw text;
    if (!take_string(json, &text)) return false;
    size_t bytes = (size_t)(text.to - text.from);
    if ((*out = malloc(bytes + 1)) == NULL) return at_json_no_memory(json);
    if (text.plain) {
        memcpy(*out, text.from, bytes);
        (*out)[bytes] = 0;
        return true;
    }
    if (decode(json, &text, *out)) return true;
    free(*out);
    *out = NULL;
    return false;
}

bool at_json_chars(at_json *json, char *out, size_t size) {
    char *text;
    if (!at_json_string(json, &text)) return false;
    size_t length = strlen(text);
    if (length >= size) {
        length = size - 1;
        while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80) length--;
    }
    memcpy(out, text, length);
    out[length] = 0;
    free(text);
    return true;
}

/* ---- numbers and words ---- */

static bool pass(at_json *json, const char **c, char one, char other) {
    if (*c == json->end || (**c != one && **c != other)) return false;
    ++*c;
    return true;
}

static bool pass_digits(at_json *json, const char **c, const char *wrong_if_none) {
    const char *first = *c;
    while (*c < json->end && **c >= '0' && **c <= '9') ++*c;
    return *c > first || at_json_wrong(json, wrong_if_none);
}

/* No zero leads others. */
static bool pass_integer(at_json *json, const char **c) {
    pass(json, c, '-', '-');
    const char *first = *c;
    if (!pass_digits(json, c, "a number is due")) return false;
    return *first != '0' || *c - first == 1 || at_json_wrong(json, "a number is due");
}

static bool pass_fraction(at_json *json, const char **c) {
    return !pass(json, c, '.', '.') || pass_digits(json, c, "digits are due after the point");
}

static bool pass_exponent(at_json *json, const char **c) {
    if (!pass(json, c, 'e', 'E')) return true;
    pass(json, c, '+', '-');
    return pass_digits(json, c, "digits are due in the exponent");
}

/* Moves past a number and copies it, with its zero byte. */
static bool take_number(at_json *json, char text[NUMBER_BYTES], bool *integer) {
    if (json->wrong != NULL) return false;
    next(json);
    const char *c = json->at;
    if (!pass_integer(json, &c)) return false;
    const char *whole = c;
    if (!pass_fraction(json, &c) || !pass_exponent(json, &c)) return false;
    *integer = c == whole;
    size_t bytes = (size_t)(c - json->at);
    if (bytes >= NUMBER_BYTES) return at_json_wrong(json, "a number of more than 63 characters");
    memcpy(text, json->at, bytes);
    text[bytes] = 0;
    json->at = c;
    return true;
}

bool at_json_int64(at_json *json, int64_t *out) {
    char text[NUMBER_BYTES];
    bool integer;
    if (!take_number(json, text, &integer)) return false;
    if (!integer) return at_json_wrong(json, "an integer is due");
    bool negative = text[0] == '-';
    uint64_t value = 0, most = (uint64_t)INT64_MAX + negative;
    for (const char *c = text + negative; *c != 0; c++) {
        uint64_t digit = (uint64_t)(*c - '0');
        if (value > (most - digit) / 10) return at_json_wrong(json, "an integer beyond 64 bits");
        value = value * 10 + digit;
    }
    *out = negative ? (int64_t)(0 - value) : (int64_t)value;
    return true;
}

bool at_json_double(at_json *json, double *out) {
    static const struct {
        const char *name;
        double value;
    } word[] = {{"nan", NAN}, {"inf", INFINITY}, {"-inf", -INFINITY}};
    if (json->wrong == NULL && next(json) == '"') {
        char text[8];
        if (!at_json_chars(json, text, sizeof text)) return false;
        for (size_t i = 0; i < sizeof word / sizeof *word; i++) {
            if (strcmp(text, word[i].name) != 0) continue;
            *out = word[i].value;
            return true;
        }
        return at_json_wrong(json, "a number is due, or \"nan\", \"inf\" or \"-inf\"");
    }
    char text[NUMBER_BYTES];
    bool integer;
    if (!take_number(json, text, &integer)) return false;
    *out = strtod(text, NULL);
    return !isinf(*out) || at_json_wrong(json, "a number beyond double");
}

static bool take_word(at_json *json, const char *word) {
    size_t bytes = strlen(word);
    next(json);
    if ((size_t)(json->end - json->at) < bytes || memcmp(json->at, word, bytes) != 0) return false;
    json->at += bytes;
    return true;
}

bool at_json_bool(at_json *json, bool *out) {
    if (json->wrong != NULL) return false;
    *out = take_word(json, "true");
    return *out || take_word(json, "false") || at_json_wrong(json, "true or false is due");
}

static bool skip(at_json *json, int depth) {
    char text[NUMBER_BYTES], c = next(json), *ignored;
    bool integer;
    if (depth > DEEPEST) return at_json_wrong(json, "brackets nested too deep");
    if (c == '{' || c == '[') {
        json->at++;
        for (bool first = true; at_json_more(json, c == '{' ? '}' : ']', first); first = false) {
            if (c == '{' && !at_json_key(json)) return false;
            if (!skip(json, depth + 1)) return false;
        }
        return json->wrong == NULL;
    }
    if (c == '"') {
        if (!at_json_string(json, &ignored)) return false;
        free(ignored);
        return true;
    }
    if (take_word(json, "true") || take_word(json, "false") || take_word(json, "null")) return true;
    return take_number(json, text, &integer);
}

bool at_json_skip(at_json *json) {
    return json->wrong == NULL && skip(json, 0);
}
