#include "pairs.h"

/* clang-format off */
static const at_impossible rules[] = {
    /* lengths */
    {"context=16", "past", "pages", "a past over pages is longer than the smallest page, 16"},
    {"context=16", "window", "pages", "a window of at least a page and less than the context has no room in 16 tokens"},
    /* nobody there */
    {"batch=empty", "past", "in-page|page-multiple|pages", "without a sequence there is no past"},
    {"batch=empty", "new", "one|few|many", "without a sequence a token is nobody's"},
    {"batch=empty", "context", "128|1k|long", "without a sequence there is no context"},
    {"batch=empty", "window|softcap|rotary", "*", "without a token nothing is windowed, capped or rotated"},
    {"new=none", "window|softcap|rotary", "*", "without a token nothing is windowed, capped or rotated"},
    {"batch=empty", "page-order", "reversed|random|apart|shared", "there is no page to be anywhere"},
    {"batch=empty", "mode", "advance|pages|batch|chunk|identity|busy|life|speculate",
     "no answer that could follow its buffers, be compared or go on"},
    {"new=none", "mode", "advance|pages|batch|chunk|identity|busy",
     "no answer that could follow its buffers or be compared"},
    /* shared pages */
    {"page-order=shared", "past", "none|in-page", "what all sequences share is whole pages of their past"},
    {"page-order=shared", "batch", "one", "there is nobody to share with"},
    {"page-order=shared", "mode", "batch", "alone, a sequence lacks the rows that another one wrote"},
    {"page-order=shared", "mode", "chunk", "the mode is about one sequence, which has nobody to share with"},
    {"page-order=shared", "mode", "life",
     "a sequence ends and leaves its pages to a new one, but these are the others' too"},
    /* what a mode is about */
    {"mode=refuse", "block-size|past|new|context|window|softcap|rotary|page-order|batch|geometry", "*",
     "a refused call computes nothing; refusals are counted by rule and gate"},
    {"mode=batch", "batch", "one", "a single sequence is alone already"},
    {"mode=chunk", "batch", "few|many", "the prefill of one sequence is cut"},
    {"mode=chunk", "new", "one", "one token cannot be cut"},
    {"mode=identity", "rotary", "none", "RoPE is compared with none"},
    {"mode=identity", "geometry", "uneven-40", "it has no channels to rotate"},
    {"rotary=half-split", "geometry", "uneven-40", "it has no channels to rotate"},
    {"rotary=interleaved", "geometry", "uneven-40", "it has no channels to rotate"},
};
/* clang-format on */

const at_impossible *at_impossible_pairs(size_t *count) {
    *count = sizeof rules / sizeof *rules;
    return rules;
}
