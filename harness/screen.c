#include "screen.h"

#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LEAST_TEXT = 20 };

at_screen at_screen_of(int fd) {
    struct winsize size = {0};
    if (!isatty(fd) || ioctl(fd, TIOCGWINSZ, &size) != 0) return (at_screen){0};
    return (at_screen){size.ws_row, size.ws_col};
}

/* Columns of one line: an escape sequence of colours takes none, a character of UTF-8 one, whatever its bytes. */
static int width_of(const char *line, size_t bytes) {
    int width = 0;
    bool in_escape = false;
    for (size_t i = 0; i < bytes; i++) {
        bool shown = !in_escape && line[i] != '\x1b' && ((unsigned char)line[i] & 0xC0) != 0x80;
        in_escape = line[i] == '\x1b' || (in_escape && line[i] != 'm');
        width += shown;
    }
    return width;
}

int at_screen_rows(const at_screen *s, const char *text) {
    int rows = 0;
    for (size_t bytes; *text != 0; text += bytes + (text[bytes] == '\n')) {
        bytes = strcspn(text, "\n");
        int width = width_of(text, bytes);
        rows += s->columns > 0 && width > 0 ? (width - 1) / s->columns + 1 : 1;
    }
    return rows;
}

void at_put_wrapped(FILE *f, const at_screen *s, const char *text, int column) {
    int at = column, end = s->columns < column + LEAST_TEXT ? 0 : s->columns;
    while (*text != 0) {
        size_t bytes = strcspn(text, " ");
        int width = width_of(text, bytes);
        if (end > 0 && at > column && at + 1 + width > end) {
            fprintf(f, "\n%*s", column, "");
            at = column;
        } else if (at > column) {
            putc(' ', f), at++;
        }
        fwrite(text, 1, bytes, f);
        at += width;
        text += bytes + strspn(text + bytes, " ");
    }
    putc('\n', f);
}
