/* Names and messages come from files that anybody may have written: nothing of theirs reaches a terminal, XML or
 * Markdown as it is.
 *
 * What cannot be seen (controls, marks that reorder text, bytes that are not UTF-8) is written out as \n, \x1b or
 * \u202e. `most` is the number of characters shown, 0 for all; a longer text ends in "...". NULL writes nothing. */
#ifndef AT_ESCAPE_H
#define AT_ESCAPE_H

#include <stddef.h>
#include <stdio.h>

typedef void at_put(FILE *, const char *text, size_t most);
at_put at_put_terminal;
at_put at_put_xml;      /* in text and in attributes */
at_put at_put_markdown; /* in a sentence and in a table's cell */
at_put at_put_code;     /* the same, set as code */

#endif
