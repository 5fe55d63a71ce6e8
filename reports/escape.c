#include "escape.h"
#include "../harness/record.h"

#include <string.h>

/* What stands for a visible character, or NULL where it stands for itself. `rest` starts with it. */
typedef const char *replace(uint32_t character, const char *rest);

static bool visible(uint32_t c) {
    static const uint32_t hidden[][2] = {
        {0x00, 0x1F},     {0x7F, 0x9F},     {0x061C, 0x061C}, {0x200B, 0x200F},   {0x2028, 0x202E},
        {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F},
    };
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        if (c >= hidden[i][0] && c <= hidden[i][1]) return false;
    }
    return (c & 0xFFFE) != 0xFFFE; /* noncharacters, which XML forbids */
}

/* Of most names and messages most characters: they stand for themselves everywhere. */
static size_t harmless(const char *text) {
    return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,;/=+-()%");
}

static size_t put_character(FILE *f, const char *text, size_t left, replace *of) {
    uint32_t c;
    size_t taken = at_utf8_decode(text, left, &c);
    const char *instead = NULL;
    if (taken == 0) {
        fprintf(f, "\\x%02x", (unsigned char)*text);
        return 1;
    }
    if (!visible(c))
        fprintf(f, c == '\n' ? "\\n" : c < 0x80 ? "\\x%02x" : "\\u%04x", (unsigned)c);
    else if ((instead = of(c, text)) != NULL)
        fputs(instead, f);
    else
        fwrite(text, 1, taken, f);
    return taken;
}

static void put(FILE *f, const char *text, size_t most, replace *of) {
    size_t left = text == NULL ? 0 : strlen(text), room = most == 0 ? SIZE_MAX : most, taken;
    for (; left > 0 && room > 0; text += taken, left -= taken) {
        if ((taken = harmless(text)) > 0) {
            taken = taken < room ? taken : room;
            fwrite(text, 1, taken, f);
            room -= taken;
        } else {
            taken = put_character(f, text, left, of);
            room--;
        }
    }
    if (left > 0) fputs("...", f);
}

static const char *same(uint32_t c, const char *rest) {
    (void)c, (void)rest;
    return NULL;
}

static const char *entity(uint32_t c, const char *rest) {
    (void)rest;
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return NULL;
    }
}

static const char *inert(uint32_t c, const char *rest) {
    static const char special[] = "\\`*_[]|~#$!", *const escaped[] = {"\\\\", "\\`", "\\*", "\\_", "\\[", "\\]",
                                                                      "\\|",  "\\~", "\\#", "\\$", "\\!"};
    const char *found = c < 0x80 ? strchr(special, (int)c) : NULL;
    if (found != NULL) return escaped[found - special];
    if (c == ':' && strncmp(rest, "://", 3) == 0) return "&#58;"; /* or it becomes a link */
    return entity(c, rest);
}

void at_put_terminal(FILE *f, const char *text, size_t most) {
    put(f, text, most, same);
}
void at_put_xml(FILE *f, const char *text, size_t most) {
    put(f, text, most, entity);
}
void at_put_markdown(FILE *f, const char *text, size_t most) {
    put(f, text, most, inert);
}

void at_put_code(FILE *f, const char *text, size_t most) {
    fputs("<code>", f);
    at_put_markdown(f, text, most);
    fputs("</code>", f);
}
