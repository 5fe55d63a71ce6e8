/* A comparison for programs: figures, and every pair that is not the same in all respects. */
#include "compare.h"

#include <inttypes.h>

static void put_side(FILE *f, const at_comparison *c, int side) {
    fprintf(f, "\"%c\":{\"name\":", "ab"[side]);
    at_json_put_string(f, c->name[side]);
    fputs(",\"verdict\":", f);
    at_json_put_string(f, c->outcome[side].word);
    fputs(",\"line\":", f);
    at_json_put_string(f, c->outcome[side].line);
    fputs(",\"header\":", f);
    at_header_put(f, &c->journal[side]->header);
    fputs("},\n", f);
}

static void put_ratio(FILE *f, const char *name, const at_ratio *r) {
    fprintf(f, "\"%s\":{\"attempts\":%" PRId64 ",\"median\":", name, r->pairs);
    at_json_put_double(f, r->median);
    fputs(",\"most\":", f);
    at_json_put_double(f, r->most);
    fputs(",\"a\":", f);
    at_json_put_double(f, r->total[0]);
    fputs(",\"b\":", f);
    at_json_put_double(f, r->total[1]);
    fputs("},\n", f);
}

static void put_member(FILE *f, const char *name, const char *text) {
    if (text == NULL) return;
    fprintf(f, ",\"%s\":", name);
    at_json_put_string(f, text);
}

static void put_pair(FILE *f, const at_pair *p) {
    const at_record *r = p->b != NULL ? p->b : p->a;
    fprintf(f, "{\"change\":\"%s\"", at_change_name(p->change));
    put_member(f, "id", r->id);
    put_member(f, "mode", r->mode);
    put_member(f, "a", p->a == NULL ? NULL : at_verdict_name(p->a->verdict));
    put_member(f, "b", p->b == NULL ? NULL : at_verdict_name(p->b->verdict));
    fprintf(f, ",\"other_content\":%s,\"other_inputs\":%s,\"farther\":%s,\"excess_a\":",
            p->other_content ? "true" : "false", p->other_inputs ? "true" : "false", p->farther ? "true" : "false");
    at_json_put_double(f, p->excess[0]);
    fputs(",\"excess_b\":", f);
    at_json_put_double(f, p->excess[1]);
    put_member(f, "message", r->message);
    put_member(f, "repro", r->repro);
    putc('}', f);
}

void at_put_comparison_json(FILE *f, const at_comparison *c) {
    bool first = true;
    fprintf(f, "{\"exit\":%d,\"word\":\"%s\",\"run\":\"%s\",\"line\":\"", at_comparison_status(c),
            at_comparison_word(c), at_change_name(c->run));
    at_put_comparison_line(f, c); /* of words and figures: nothing in it is to be escaped */
    fputs("\",\n", f);
    put_side(f, c, 0);
    put_side(f, c, 1);
    fprintf(f, "\"attempts\":{\"common\":%" PRId64 ",\"compared\":%" PRId64, c->common, c->compared);
    for (int i = 0; i < AT_CHANGES; i++) fprintf(f, ",\"%s\":%" PRId64, at_change_name((at_change)i), c->change[i]);
    fprintf(f,
            ",\"other_content\":%" PRId64 ",\"same_inputs\":%" PRId64 ",\"other_inputs\":%" PRId64
            ",\"farther\":%" PRId64 "},\n",
            c->other_content, c->same_inputs, c->other_inputs, c->farther);
    put_ratio(f, "excess", &c->excess);
    put_ratio(f, "seconds_subject", &c->seconds);
    fputs("\"differences\":[", f);
    for (size_t i = 0; i < c->pairs; i++) {
        const at_pair *p = &c->pair[i];
        if (p->change == AT_SAME && !p->farther) continue;
        fputs(first ? "\n" : ",\n", f);
        put_pair(f, p);
        first = false;
    }
    fputs("\n]}\n", f);
}
