/* The journal file: a header, a line an attempt, an end mark that counts them. What is not a whole line was never
 * written. */
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FORMAT = 1, FIRST_ROOM = 1 << 16, LONGEST_LINE = 1 << 24 };

typedef struct {
    int64_t records, of[AT_VERDICTS];
} counts;

struct at_journal_writer {
    int fd;
    char *path;
    off_t whole; /* bytes of whole lines in the file */
    bool dirty;  /* some of them may not be on the disk */
    counts counts;
};

static void count(counts *c, at_verdict v) {
    c->records++;
    c->of[v]++;
}

/* A path that does not do is the caller's fault; a disk or a machine that is full is not. */
static at_status blame(int error) {
    bool machine = error == ENOSPC || error == EIO || error == ENFILE || error == EMFILE || error == ENOMEM;
    return machine ? AT_INFRASTRUCTURE : AT_USAGE;
}

/* ---- writing ---- */

/* Opened without truncation: only the lock says whether the file may be touched. */
static at_status open_locked(at_journal_writer **out, const char *path, int flags, at_error *err) {
    struct stat facts;
    at_status st = AT_OK;
    at_journal_writer *w = calloc(1, sizeof *w);
    if (w == NULL) return at_fail_memory(err, sizeof *w);
    w->fd = -1;
    if ((w->path = strdup(path)) == NULL) {
        st = at_fail_memory(err, strlen(path) + 1);
    } else if ((w->fd = open(path, flags | O_RDWR | O_APPEND | O_CLOEXEC, 0666)) < 0) {
        st = at_fail(err, blame(errno), "%s: cannot be opened for writing: %s; choose another --out", path,
                     strerror(errno));
    } else if (fstat(w->fd, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        st = at_fail(err, AT_USAGE, "%s: not a regular file; a journal must be one", path);
    } else if (flock(w->fd, LOCK_EX | LOCK_NB) != 0) {
        st = at_fail(err, AT_USAGE, "%s: another run is writing this journal; wait for it, or choose another --out",
                     path);
    }
    if (st == AT_OK)
        *out = w;
    else
        at_journal_abandon(w);
    return st;
}

/* One write, so that a reader or a crash sees all of the line or a torn last one, and taken back where the disk took a
 * part of it. */
static at_status write_line(at_journal_writer *w, const char *line, size_t bytes, at_error *err) {
    ssize_t written;
    do {
        written = write(w->fd, line, bytes);
    } while (written < 0 && errno == EINTR);
    if (written == (ssize_t)bytes) {
        w->whole += written;
        w->dirty = true;
        return AT_OK;
    }
    const char *why = written < 0 ? strerror(errno) : "the disk is full";
    bool back = ftruncate(w->fd, w->whole) == 0;
    if (!back) close(w->fd), w->fd = -1; /* nothing may follow a torn line */
    return at_fail(err, AT_INFRASTRUCTURE,
                   "%s: a line of %zu bytes could not be written: %s; %s; free some space and --resume", w->path, bytes,
                   why, back ? "the journal ends with its last whole line" : "its last line is torn");
}

typedef void put_line(FILE *, const void *);

static at_status append(at_journal_writer *w, put_line *put, const void *what, at_error *err) {
    char *line = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&line, &bytes);
    if (f == NULL) return at_fail_memory(err, FIRST_ROOM);
    put(f, what);
    putc('\n', f);
    bool failed = ferror(f) != 0;
    failed |= fclose(f) != 0;
    at_status st = AT_OK;
    if (failed) {
        st = at_fail_memory(err, bytes);
    } else if (bytes > LONGEST_LINE) {
        st = at_fail(err, AT_INFRASTRUCTURE, "%s: a line of %zu bytes; a journal's have at most %d", w->path, bytes,
                     LONGEST_LINE);
    } else {
        st = write_line(w, line, bytes, err);
    }
    free(line);
    return st;
}

static void put_record(FILE *f, const void *record) {
    at_record_put(f, record);
}

static void put_header(FILE *f, const void *header) {
    fprintf(f, "{\"journal\":%d,\"header\":", FORMAT);
    at_header_put(f, header);
    putc('}', f);
}

static void put_end(FILE *f, const void *what) {
    const counts *c = what;
    fprintf(f, "{\"end\":%" PRId64, c->records);
    for (int v = 0; v < AT_VERDICTS; v++) fprintf(f, ",\"%s\":%" PRId64, at_verdict_name((at_verdict)v), c->of[v]);
    putc('}', f);
}

at_status at_journal_create(at_journal_writer **out, const char *path, const at_header *header, at_error *err) {
    at_journal_writer *w = NULL;
    at_status st = open_locked(&w, path, O_CREAT, err);
    if (st != AT_OK) return st;
    if (ftruncate(w->fd, 0) != 0) {
        st = at_fail(err, AT_INFRASTRUCTURE, "%s: the journal that is there cannot be cleared: %s", path,
                     strerror(errno));
    } else {
        st = append(w, put_header, header, err);
    }
    if (st == AT_OK)
        *out = w;
    else
        at_journal_abandon(w);
    return st;
}

at_status at_journal_append(at_journal_writer *w, const at_record *record, at_error *err) {
    at_status st = append(w, put_record, record, err);
    if (st == AT_OK) count(&w->counts, record->verdict);
    return st;
}

at_status at_journal_sync(at_journal_writer *w, at_error *err) {
    if (!w->dirty) return AT_OK;
    w->dirty = false;
    if (fsync(w->fd) == 0) return AT_OK;
    return at_fail(err, AT_INFRASTRUCTURE, "%s: cannot be brought to the disk: %s", w->path, strerror(errno));
}

at_status at_journal_end(at_journal_writer *w, at_error *err) {
    at_status st = append(w, put_end, &w->counts, err);
    if (st == AT_OK) st = at_journal_sync(w, err);
    at_journal_abandon(w);
    return st;
}

void at_journal_abandon(at_journal_writer *w) {
    if (w == NULL) return;
    if (w->fd >= 0) close(w->fd);
    free(w->path);
    free(w);
}

/* ---- reading ---- */

static const char changed[] = "the file was changed: restore it or run again";

typedef struct {
    int fd;
    const char *path;
    char *text; /* [room], of which [from, to) has not been taken */
    size_t room, from, to;
    size_t number; /* of the line that was taken last, from 1 */
    off_t taken;   /* bytes of the lines that were taken      */
} lines;

/* At least one more byte, or *more = false at the end of the file. */
static at_status read_more(lines *l, bool *more, at_error *err) {
    if (l->from > 0) {
        memmove(l->text, l->text + l->from, l->to - l->from);
        l->to -= l->from;
        l->from = 0;
    }
    if (l->to == l->room) {
        size_t room = l->room == 0 ? FIRST_ROOM : 2 * l->room;
        if (room > LONGEST_LINE) {
            return at_fail(err, AT_USAGE, "%s:%zu: a line of more than %d bytes; this is no journal", l->path,
                           l->number + 1, LONGEST_LINE);
        }
        char *text = realloc(l->text, room);
        if (text == NULL) return at_fail_memory(err, room);
        l->text = text;
        l->room = room;
    }
    ssize_t got = read(l->fd, l->text + l->to, l->room - l->to);
    if (got < 0 && errno == EINTR) got = read(l->fd, l->text + l->to, l->room - l->to);
    if (got < 0) return at_fail(err, blame(errno), "%s: cannot be read: %s", l->path, strerror(errno));
    l->to += (size_t)got;
    *more = got > 0;
    return AT_OK;
}

/* The next line without its newline; NULL after the last whole one. */
static at_status take_line(lines *l, const char **line, size_t *bytes, at_error *err) {
    size_t searched = 0;
    bool more = true;
    while (more) {
        size_t left = l->to - l->from;
        char *end = left > searched ? memchr(l->text + l->from + searched, '\n', left - searched) : NULL;
        if (end != NULL) {
            *line = l->text + l->from;
            *bytes = (size_t)(end - *line);
            l->from += *bytes + 1;
            l->taken += (off_t)*bytes + 1;
            l->number++;
            return AT_OK;
        }
        searched = left;
        at_status st = read_more(l, &more, err);
        if (st != AT_OK) return st;
    }
    *line = NULL;
    return AT_OK;
}

static bool key_is(const at_json *json, const char *name) {
    return json->key_bytes == strlen(name) && memcmp(json->key, name, json->key_bytes) == 0;
}

/* Opens the object and reads its first key; whether that is `name`. */
static bool opens_with(at_json *json, const char *line, size_t bytes, const char *name) {
    at_json_open(json, line, bytes);
    return at_json_enter(json, '{') && at_json_more(json, '}', true) && at_json_key(json) && key_is(json, name);
}

static at_status read_header(at_header *out, lines *l, at_error *err) {
    const char *line;
    size_t bytes;
    at_json json;
    int64_t format;
    at_error inner;
    at_status st = take_line(l, &line, &bytes, err);
    if (st != AT_OK) return st;
    if (line == NULL) return at_fail(err, AT_USAGE, "%s:1: no header; the run wrote nothing: run it again", l->path);
    if (!opens_with(&json, line, bytes, "journal") || !at_json_int64(&json, &format)) {
        return at_fail(err, AT_USAGE, "%s:1: not the header of an attest journal", l->path);
    }
    if (format != FORMAT) {
        return at_fail(err, AT_USAGE,
                       "%s:1: journal format %" PRId64 "; this attest reads %d: use the attest that wrote it", l->path,
                       format, FORMAT);
    }
    if (!at_json_more(&json, '}', false) || !at_json_key(&json) || !key_is(&json, "header") || line[bytes - 1] != '}') {
        return at_fail(err, AT_USAGE, "%s:1: not the header of an attest journal", l->path);
    }
    st = at_header_from_json(out, json.at, (size_t)(line + bytes - 1 - json.at), &inner);
    if (st != AT_OK) return at_fail(err, st, "%s:1: the header cannot be read: %s", l->path, inner.text);
    const char *contradiction = at_header_contradiction(out);
    if (contradiction == NULL) return AT_OK;
    return at_fail(err, AT_USAGE, "%s:1: %s; %s", l->path, contradiction, changed);
}

/* `json` stands behind the key "end". */
static at_status check_end(at_json *json, const counts *found, const lines *l, at_error *err) {
    counts said = {0};
    at_json_int64(json, &said.records);
    while (at_json_more(json, '}', false)) {
        at_verdict v = AT_PASS;
        char name[32] = "";
        if (at_json_key(json) && json->key_bytes < sizeof name) memcpy(name, json->key, json->key_bytes);
        if (!at_verdict_by_name(&v, name)) at_json_wrong(json, "not a verdict");
        at_json_int64(json, &said.of[v]);
    }
    if (!at_json_end(json))
        return at_fail(err, AT_USAGE, "%s:%zu: a bad end mark: %s", l->path, l->number, json->wrong);
    if (memcmp(&said, found, sizeof said) == 0) return AT_OK;
    return at_fail(err, AT_USAGE,
                   "%s:%zu: the verdicts of the %" PRId64
                   " records do not add up to those of the journal's end mark, which counts %" PRId64 " records; %s",
                   l->path, l->number, found->records, said.records, changed);
}

static at_status add_record(at_journal *j, size_t *room, const char *line, size_t bytes, const lines *l,
                            at_error *err) {
    at_error inner;
    if (j->records == *room) {
        size_t more = *room == 0 ? 64 : 2 * *room;
        at_record *record = realloc(j->record, more * sizeof *record);
        if (record == NULL) return at_fail_memory(err, more * sizeof *record);
        j->record = record;
        *room = more;
    }
    at_status st = at_record_from_json(&j->record[j->records], line, bytes, &inner);
    if (st != AT_OK) return at_fail(err, st, "%s:%zu: not a record: %s", l->path, l->number, inner.text);
    const char *contradiction = at_record_contradiction(&j->record[j->records++]);
    if (contradiction != NULL)
        return at_fail(err, AT_USAGE, "%s:%zu: %s; %s", l->path, l->number, contradiction, changed);
    if ((int64_t)j->records > j->header.planned) {
        return at_fail(err, AT_USAGE, "%s:%zu: a record beyond the %" PRId64 " that were planned; %s", l->path,
                       l->number, j->header.planned, changed);
    }
    return AT_OK;
}

typedef struct {
    uint64_t hash;
    size_t line; /* 0: free */
} attempt;

static uint64_t hash_on(uint64_t hash, const char *text) {
    for (const char *c = text != NULL ? text : ""; *c != 0; c++)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001B3);
    return hash;
}

static bool same_attempt(const at_record *a, const at_record *b) {
    return strcmp(a->id, b->id) == 0 && strcmp(a->mode ? a->mode : "", b->mode ? b->mode : "") == 0;
}

/* A run has each attempt once. */
static at_status refuse_twins(const at_journal *j, const char *path, at_error *err) {
    enum { FIRST_LINE = 2 };
    size_t room = 16;
    at_status st = AT_OK;
    while (room < 2 * j->records) room *= 2;
    attempt *seen = calloc(room, sizeof *seen); /* [room] each at its hash, or behind it */
    if (seen == NULL) return at_fail_memory(err, room * sizeof *seen);
    for (size_t i = 0; i < j->records && st == AT_OK; i++) {
        const at_record *r = &j->record[i];
        const uint64_t hash = hash_on(hash_on(UINT64_C(0xCBF29CE484222325), r->id), r->mode);
        size_t at = (hash ^ hash >> 32) & (room - 1);
        while (seen[at].line != 0 &&
               !(seen[at].hash == hash && same_attempt(&j->record[seen[at].line - FIRST_LINE], r)))
            at = (at + 1) & (room - 1);
        if (seen[at].line != 0)
            st = at_fail(err, AT_USAGE, "%s:%zu: the attempt of line %zu again; %s", path, i + FIRST_LINE,
                         seen[at].line, changed);
        seen[at] = (attempt){hash, i + FIRST_LINE};
    }
    free(seen);
    return st;
}

/* *whole: bytes up to the end of the last record. */
static at_status read_journal(at_journal **out, counts *found, off_t *whole, lines *l, at_error *err) {
    at_json json;
    size_t room = 0, bytes;
    const char *line;
    at_status st = AT_OK;
    at_journal *j = calloc(1, sizeof *j);
    if (j == NULL) return at_fail_memory(err, sizeof *j);
    if ((st = read_header(&j->header, l, err)) != AT_OK) goto done;
    for (*whole = l->taken; (st = take_line(l, &line, &bytes, err)) == AT_OK && line != NULL;) {
        if (j->complete) {
            st = at_fail(err, AT_USAGE, "%s:%zu: a line after the end mark", l->path, l->number);
        } else if (opens_with(&json, line, bytes, "end")) {
            st = check_end(&json, found, l, err);
            j->complete = true;
        } else if ((st = add_record(j, &room, line, bytes, l, err)) == AT_OK) {
            count(found, j->record[j->records - 1].verdict);
            *whole = l->taken;
        }
        if (st != AT_OK) goto done;
    }
    if (st == AT_OK) st = refuse_twins(j, l->path, err);
done:
    if (st == AT_OK)
        *out = j;
    else
        at_journal_free(j);
    return st;
}

at_status at_journal_read(at_journal **out, const char *path, at_error *err) {
    counts found = {0};
    off_t whole;
    lines l = {.path = path, .fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
    if (l.fd < 0) return at_fail(err, blame(errno), "%s: cannot be read: %s", path, strerror(errno));
    at_status st = read_journal(out, &found, &whole, &l, err);
    free(l.text);
    close(l.fd);
    return st;
}

at_status at_journal_resume(at_journal_writer **out, at_journal **so_far, const char *path, at_error *err) {
    at_journal_writer *w = NULL;
    at_journal *j = NULL;
    lines l = {.path = path};
    at_status st = open_locked(&w, path, 0, err);
    if (st != AT_OK) return st;
    l.fd = w->fd;
    if ((st = read_journal(&j, &w->counts, &w->whole, &l, err)) != AT_OK) goto done;
    if (ftruncate(w->fd, w->whole) != 0) {
        st = at_fail(err, AT_INFRASTRUCTURE, "%s: the torn end cannot be cut off: %s", path, strerror(errno));
        goto done;
    }
    j->complete = false;
    *out = w;
    *so_far = j;
done:
    if (st != AT_OK) at_journal_free(j);
    if (st != AT_OK) at_journal_abandon(w);
    free(l.text);
    return st;
}

void at_journal_free(at_journal *j) {
    if (j == NULL) return;
    for (size_t i = 0; i < j->records; i++) at_record_clear(&j->record[i]);
    free(j->record);
    at_header_clear(&j->header);
    free(j);
}
