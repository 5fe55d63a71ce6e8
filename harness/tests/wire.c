/* Frames: whole ones come out as they went in, and nothing else ever does. */
#include "../wire.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TICKET = 42 };
static int end[2];
static at_frames frames;

static void enter(void) {
    cr_assert_eq(pipe2(end, O_CLOEXEC), 0);
    frames = (at_frames){0};
}
static void leave(void) {
    close(end[0]);
    if (end[1] >= 0) close(end[1]);
    at_frames_free(&frames);
}
TestSuite(wire, .init = enter, .fini = leave);

static bool feed(void) {
    at_error err;
    bool open;
    cr_assert_eq(at_frames_feed(&frames, end[0], &open, &err), AT_OK, "%s", err.text);
    return open;
}

/* "" for none yet, "!" for corrupt; valid until the next. */
static const char *next(uint64_t ticket) {
    static char *last;
    size_t bytes;
    bool corrupt;
    free(last);
    last = at_frames_next(&frames, ticket, &bytes, &corrupt);
    if (corrupt) return "!";
    if (last == NULL) return "";
    cr_expect_eq(strlen(last), bytes);
    return last;
}

static void put(const char *text) {
    cr_assert_eq(write(end[1], text, strlen(text)), (ssize_t)strlen(text));
}

static void put_frame(uint64_t ticket, const char *payload) {
    at_error err;
    cr_assert_eq(at_frame_write(end[1], ticket, payload, strlen(payload), &err), AT_OK, "%s", err.text);
}

/* The bytes of a frame, for tests that spoil them. */
static char *frame_text(const char *payload) {
    static char text[200];
    put_frame(TICKET, payload);
    ssize_t n = read(end[0], text, sizeof text - 1);
    cr_assert_gt(n, 0);
    text[n] = 0;
    return text;
}

Test(wire, frames_come_out_whole_and_in_order) {
    put_frame(TICKET, "{\"a\":1}");
    put_frame(TICKET, "second\nwith a newline");
    cr_expect(feed());
    cr_expect_str_eq(next(TICKET), "{\"a\":1}");
    cr_expect_str_eq(next(TICKET), "second\nwith a newline");
    cr_expect_str_eq(next(TICKET), "");
}

Test(wire, a_frame_in_pieces_comes_out_once_it_is_whole) {
    char text[200];
    strcpy(text, frame_text("payload"));
    for (size_t i = 0; text[i] != 0; i++) {
        char one[2] = {text[i], 0};
        cr_expect_str_eq(next(TICKET), "");
        put(one);
        feed();
    }
    cr_expect_str_eq(next(TICKET), "payload");
}

Test(wire, a_frame_of_another_ticket_is_corrupt) {
    put_frame(TICKET + 1, "{\"verdict\":\"PASS\"}");
    feed();
    cr_expect_str_eq(next(TICKET), "!");
}

Test(wire, every_changed_byte_of_a_frame_is_seen) {
    char good[200], bad[200];
    strcpy(good, frame_text("{\"id\":\"a\"}"));
    for (size_t i = 0; good[i] != 0; i++) {
        strcpy(bad, good);
        bad[i] ^= 1;
        put(bad);
        put("0000000 0000000000000000\n"); /* so that a longer length finds its bytes */
        feed();
        const char *got = next(TICKET);
        cr_expect(strcmp(got, "!") == 0 || strcmp(got, "") == 0, "byte %zu changed gave '%s'", i, got);
        frames.used = 0;
    }
}

Test(wire, garbage_is_corrupt_from_its_first_byte_on) {
    static const char *const garbage[] = {
        "x", "\n", "{}", "12\n{}\n", "0000001x", "0000001 0123456789abcdeF", "0000001 0123456789abcdef "};
    for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++) {
        put(garbage[i]);
        feed();
        cr_expect_str_eq(next(TICKET), "!", "'%s'", garbage[i]);
        frames.used = 0;
    }
}

Test(wire, a_length_beyond_the_limit_is_corrupt_and_costs_no_memory) {
    put("9999999 0123456789abcdef\n");
    feed();
    cr_expect_str_eq(next(TICKET), "!");
    cr_expect_lt(frames.room, 1 << 20);
}

Test(wire, a_message_beyond_the_limit_is_not_sent) {
    at_error err = {0};
    cr_expect_eq(at_frame_write(end[1], TICKET, "", AT_FRAME_LIMIT + 1, &err), AT_INFRASTRUCTURE);
    cr_expect_not_null(strstr(err.text, "1048577 bytes"));
}

Test(wire, the_end_of_the_stream_is_told_and_a_torn_frame_never_comes_out) {
    char text[200];
    strcpy(text, frame_text("payload"));
    text[strlen(text) - 3] = 0;
    put(text);
    close(end[1]);
    end[1] = -1;
    cr_expect(feed());
    cr_expect_str_eq(next(TICKET), "");
    cr_expect_not(feed());
    cr_expect_str_eq(next(TICKET), "");
}

Test(wire, two_tickets_differ) {
    cr_expect_neq(at_ticket(), at_ticket());
}
