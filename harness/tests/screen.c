/* What fits a terminal. */
#include "../screen.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const at_screen none = {0}, narrow = {24, 30};

static void wraps(const at_screen *s, const char *text, int column, const char *due) {
    char *out = NULL;
    size_t bytes;
    FILE *f = open_memstream(&out, &bytes);
    at_put_wrapped(f, s, text, column);
    fclose(f);
    cr_expect_str_eq(out, due);
    free(out);
}

Test(screen, a_text_is_wrapped_between_words_and_indented) {
    wraps(&narrow, "one two three four five six", 10, "one two three four\n          five six\n");
    wraps(&narrow, "one two three four five", 7, "one two three four five\n");
    wraps(&narrow, "", 10, "\n");
}

Test(screen, without_a_terminal_or_without_room_nothing_is_wrapped) {
    wraps(&none, "one two three four five six", 10, "one two three four five six\n");
    wraps(&narrow, "one two three four five six", 25, "one two three four five six\n");
}

Test(screen, a_word_too_long_stays_whole) {
    wraps(&narrow, "a 0123456789012345678901234567890 b", 5, "a\n     0123456789012345678901234567890\n     b\n");
}

Test(screen, rows_count_wrapped_lines_and_no_colours) {
    cr_expect_eq(at_screen_rows(&narrow, ""), 0);
    cr_expect_eq(at_screen_rows(&narrow, "one\n\ntwo"), 3);
    cr_expect_eq(at_screen_rows(&narrow, "012345678901234567890123456789\n"), 1, "just fits");
    cr_expect_eq(at_screen_rows(&narrow, "0123456789012345678901234567890\n"), 2);
    cr_expect_eq(at_screen_rows(&narrow, "\x1b[31m012345678901234567890123456789\x1b[0m\n"), 1);
    cr_expect_eq(at_screen_rows(&narrow, "\xC3\xA4 2345678901234567890123456789\n"), 1);
    cr_expect_eq(at_screen_rows(&none, "0123456789012345678901234567890123456789\n"), 1);
}

Test(screen, a_file_is_no_terminal) {
    int fd = open("/dev/null", O_WRONLY);
    at_screen s = at_screen_of(fd);
    close(fd);
    cr_expect(s.rows == 0 && s.columns == 0);
}
