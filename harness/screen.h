/* The terminal that somebody reads at. */
#ifndef AT_SCREEN_H
#define AT_SCREEN_H

#include <stdio.h>

typedef struct {
    int rows, columns; /* 0: no terminal, and nothing has to fit */
} at_screen;

at_screen at_screen_of(int fd);
/* Rows that a text takes up there. */
int at_screen_rows(const at_screen *, const char *text);
/* The text and a newline, the cursor being at `column`; further lines begin below it. */
void at_put_wrapped(FILE *, const at_screen *, const char *text, int column);

#endif
