#include "axes.h"
#include "attributes.h"
#include "finding.h"
#include "mode_names.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const at_case *c;
    or_dialect dialect;
    const char *mode;
} attempt;

static int64_t integer(const at_case *c, const char *name, int64_t absent) {
    const at_attr *a = at_attribute_of(c, name, AT_INT);
    return a != NULL ? a->i : absent;
}

static double real(const at_case *c, const char *name, double absent) {
    const at_attr *a = at_attribute_of(c, name, AT_FLOAT);
    return a != NULL ? (double)a->f : absent;
}

static int64_t longest(const at_case *c) {
    int64_t most = 0;
    for (size_t i = 0; i < c->sequences; i++) {
        int64_t length = c->sequence[i].past + c->sequence[i].fresh;
        most = length > most ? length : most;
    }
    return most;
}

static const char *dtype(const attempt *a) {
    return or_dtype_name((or_dtype)a->c->dtype);
}
static const char *dialect(const attempt *a) {
    return or_dialect_name(a->dialect);
}
static const char *mode(const attempt *a) {
    return a->mode;
}

static const char *block_size(const attempt *a) {
    int64_t bs = a->c->block_size;
    return bs == 16    ? "16"
           : bs == 32  ? "32"
           : bs == 64  ? "64"
           : bs == 128 ? "128"
           : bs == 256 ? "256"
           : bs == 512 ? "512"
                       : NULL;
}

/* Against the page, since that is where past goes wrong. */
static const char *past(const attempt *a) {
    int64_t most = 0, bs = a->c->block_size;
    for (size_t i = 0; i < a->c->sequences; i++) most = a->c->sequence[i].past > most ? a->c->sequence[i].past : most;
    return most == 0 ? "none" : most < bs ? "in-page" : most % bs == 0 ? "page-multiple" : "pages";
}

static const char *fresh(const attempt *a) {
    int64_t most = 0;
    for (size_t i = 0; i < a->c->sequences; i++) most = a->c->sequence[i].fresh > most ? a->c->sequence[i].fresh : most;
    return most == 0 ? "none" : most == 1 ? "one" : most <= 8 ? "few" : "many";
}

static const char *window(const attempt *a) {
    int64_t w = integer(a->c, "local_window_size", -1);
    return w < 0                  ? "off"
           : w == 0               ? "zero"
           : w == 1               ? "one"
           : w < a->c->block_size ? "in-page"
           : w < longest(a->c)    ? "pages"
                                  : "past-context";
}

static const char *softcap(const attempt *a) {
    double c = real(a->c, "softcap", 0);
    return c <= 0 ? "off" : c < 10 ? "small" : "large";
}

static const char *rotary(const attempt *a) {
    if (integer(a->c, "do_rotary", 0) == 0) return "none";
    return integer(a->c, "rotary_interleaved", 0) != 0 ? "interleaved" : "half-split";
}

static const char *page_order(const attempt *a) {
    static const char *const name[] = {"identity", "reversed", "random", "apart"};
    return a->c->shared_prefix > 0 ? "shared" : name[a->c->page_order];
}

static const char *batch(const attempt *a) {
    return a->c->sequences == 0 ? "empty" : a->c->sequences == 1 ? "one" : a->c->sequences <= 8 ? "few" : "many";
}

static const char *context(const attempt *a) {
    int64_t most = longest(a->c);
    return most <= 16 ? "16" : most <= 128 ? "128" : most <= 1024 ? "1k" : "long";
}

/* Those that a kernel is asked for with all else. One that a suite has to itself is made for a single edge. */
static const char *const geometries[] = {"tiny",       "glm-slice",  "mla-576",     "ort-mla",
                                         "uneven-40",  "uneven-64",  "uneven-72",   "uneven-136",
                                         "uneven-320", "overlap-64", "overlap-192", NULL};

static const char *geometry(const attempt *a) {
    const char *const *name = geometries;
    while (*name != NULL && strcmp(*name, a->c->geometry) != 0) name++;
    return *name;
}

/* How far a case gets: a refused call has no lengths to speak of, and one without tokens computes nothing. */
typedef enum { REFUSED, CALLED, COMPUTED } reached;

static reached reached_by(const at_case *c) {
    return c->expect == AT_EXPECT_REFUSAL ? REFUSED : at_case_computes(c) ? COMPUTED : CALLED;
}

#define VALUES(...)                                                                                                    \
    (const char *const[]) {                                                                                            \
        __VA_ARGS__, NULL                                                                                              \
    }
static const struct {
    const char *name;
    const char *(*of)(const attempt *); /* NULL: none of the values */
    const char *const *value;           /* NULL-terminated */
    reached from;                       /* cases that get less far have no value */
} axes[] = {
    {"dtype", dtype, VALUES("float16", "bfloat16"), REFUSED},
    {"dialect", dialect, VALUES("onnx-genai", "onnxruntime"), REFUSED},
    {"block-size", block_size, VALUES("16", "32", "64", "128", "256", "512"), CALLED},
    {"past", past, VALUES("none", "in-page", "page-multiple", "pages"), CALLED},
    {"new", fresh, VALUES("none", "one", "few", "many"), CALLED},
    {"context", context, VALUES("16", "128", "1k", "long"), CALLED},
    {"window", window, VALUES("off", "zero", "one", "in-page", "pages", "past-context"), COMPUTED},
    {"softcap", softcap, VALUES("off", "small", "large"), COMPUTED},
    {"rotary", rotary, VALUES("none", "half-split", "interleaved"), COMPUTED},
    {"page-order", page_order, VALUES("identity", "reversed", "random", "apart", "shared"), CALLED},
    {"batch", batch, VALUES("empty", "one", "few", "many"), CALLED},
    {"mode", mode, at_mode_names, REFUSED},
    {"geometry", geometry, geometries, CALLED},
};
enum { AXES = sizeof axes / sizeof *axes };

char **at_axes_of(const at_case *c, or_dialect d, const char *m) {
    const attempt a = {c, d, m};
    const reached far = reached_by(c);
    char **list = calloc(AXES + 1, sizeof *list);
    if (list == NULL) return NULL;
    size_t n = 0;
    for (size_t i = 0; i < AXES; i++) {
        const char *value = axes[i].from <= far ? axes[i].of(&a) : NULL;
        if (value != NULL) list[n++] = at_text("%s=%s", axes[i].name, value);
    }
    return list;
}

const char *const *at_axes_universe(size_t *count) {
    static char text[256][48];
    static const char *list[256];
    size_t n = 0;
    for (size_t i = 0; i < AXES; i++) {
        for (size_t v = 0; axes[i].value[v] != NULL; v++) {
            snprintf(text[n], sizeof text[n], "axis:%s=%s", axes[i].name, axes[i].value[v]);
            list[n] = text[n];
            n++;
        }
    }
    *count = n;
    return list;
}
