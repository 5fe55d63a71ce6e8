#include "../escape.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static void is(at_put *put, const char *text, size_t most, const char *due) {
    char *out = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&out, &bytes);
    put(f, text, most);
    fclose(f);
    cr_expect_str_eq(out, due);
    free(out);
}

Test(escape, a_terminal_gets_no_control_and_nothing_that_reorders) {
    is(at_put_terminal, "window/edge/dialect=onnxruntime,W=16 \u00e9 \U0001F600", 0,
       "window/edge/dialect=onnxruntime,W=16 \u00e9 \U0001F600");
    is(at_put_terminal, "\x1b]0;owned\x07", 0, "\\x1b]0;owned\\x07");
    is(at_put_terminal, "a\nb\rc\td\x7f", 0, "a\\nb\\x0dc\\x09d\\x7f");
    is(at_put_terminal,
       "\xC2\x9B"
       "31m",
       0, "\\u009b31m");
    is(at_put_terminal, "\u202Eabc\u2066\u200B\uFEFF", 0, "\\u202eabc\\u2066\\u200b\\ufeff");
    is(at_put_terminal, "\xff\xC0\x80\xE2\x82", 0, "\\xff\\xc0\\x80\\xe2\\x82");
    is(at_put_terminal, NULL, 0, "");
}

Test(escape, a_long_text_is_cut_by_characters) {
    is(at_put_terminal, "abcdef", 6, "abcdef");
    is(at_put_terminal, "abcdefg", 6, "abcdef...");
    is(at_put_terminal, "\u00e9\u00e9\u00e9", 2, "\u00e9\u00e9...");
    is(at_put_xml, "<<<", 1, "&lt;...");
}

Test(escape, xml_gets_entities_and_no_character_that_it_forbids) {
    is(at_put_xml, "<a b=\"c\" d='e'>&amp;]]>", 0, "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;amp;]]&gt;");
    is(at_put_xml, "\x01\x0b\uFFFE\uFFFF\xff", 0, "\\x01\\x0b\\ufffe\\uffff\\xff");
}

Test(escape, markdown_gets_neither_markup_nor_html_nor_cells) {
    is(at_put_markdown, "a|b", 0, "a\\|b");
    is(at_put_markdown, "<script>&\"'", 0, "&lt;script&gt;&amp;&quot;&#39;");
    is(at_put_markdown, "**x** `y` _z_ ~~w~~ $m$", 0, "\\*\\*x\\*\\* \\`y\\` \\_z\\_ \\~\\~w\\~\\~ \\$m\\$");
    is(at_put_markdown, "![i](http://h) # a\\", 0, "\\!\\[i\\](http&#58;//h) \\# a\\\\");
    is(at_put_markdown, "a\n\n# b", 0, "a\\n\\n\\# b");
    is(at_put_code, "a</code>", 0, "<code>a&lt;/code&gt;</code>");
}
