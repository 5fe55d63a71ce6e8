/* The page's sources as they lie in page/, taken in by the assembler, which looks from the root of the tree. */
#include "write_html.h"

#include <string.h>

#define TAKE_IN(name, path)                                                                                            \
    __asm__(".pushsection .rodata\n"                                                                                   \
            ".global at_page_" #name ", at_page_" #name "_end\n"                                                       \
            ".hidden at_page_" #name ", at_page_" #name "_end\n"                                                       \
            "at_page_" #name ": .incbin \"reports/page/" path "\"\n"                                                   \
            "at_page_" #name "_end: .byte 0\n"                                                                         \
            ".popsection\n");                                                                                          \
    extern const char at_page_##name[], at_page_##name##_end[];

#define STYLES_AND_TEMPLATE(X) X(html, "page.html") X(uplot_css, "vendor/uPlot.min.css") X(css, "page.css")
#define SCRIPTS(X)                                                                                                     \
    X(uplot, "vendor/uPlot.iife.js")                                                                                   \
    X(data, "data.js")                                                                                                 \
    X(number, "number.js")                                                                                             \
    X(dom, "dom.js")                                                                                                   \
    X(grid, "grid.js")                                                                                                 \
    X(detail, "detail.js")                                                                                             \
    X(attempts, "attempts.js")                                                                                         \
    X(overview, "overview.js")                                                                                         \
    X(plot, "plot.js")                                                                                                 \
    X(tolerance, "tolerance.js")                                                                                       \
    X(coverage, "coverage.js")                                                                                         \
    X(mutants, "mutants.js")                                                                                           \
    X(times, "times.js")                                                                                               \
    X(page, "page.js")

STYLES_AND_TEMPLATE(TAKE_IN)
SCRIPTS(TAKE_IN)

#define ROW(name, path) {path, at_page_##name, at_page_##name##_end},
static const at_page_file scripts[] = {SCRIPTS(ROW)};
static const at_page_file others[] = {STYLES_AND_TEMPLATE(ROW)};

const at_page_file *at_page_scripts(size_t *count) {
    *count = sizeof scripts / sizeof *scripts;
    return scripts;
}

const at_page_file *at_page_file_named(const char *name, size_t bytes) {
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (strlen(others[i].name) == bytes && memcmp(others[i].name, name, bytes) == 0) return &others[i];
    }
    return NULL;
}
