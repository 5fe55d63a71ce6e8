/* A hash table of spelled-out signatures; the hash finds, the words decide. */
#include "warmed.h"
#include <stdlib.h>
#include <string.h>

enum { TENSORS = AT_INPUTS + AT_OUTPUTS, MOST_WORDS = TENSORS * (1 + AT_MAX_RANK), FIRST_SLOTS = 16 };

/* Of each tensor one word of dtype and rank, then its dimensions; an absent one is the word 0. */
struct pa_signature {
    uint64_t hash;
    size_t words;
    int64_t word[];
};

static size_t spell_tensor(int64_t *word, const at_tensor *t) {
    uint32_t rank = t->dtype == AT_ABSENT ? 0 : t->rank < AT_MAX_RANK ? t->rank : AT_MAX_RANK;
    word[0] = (int64_t)t->dtype << 8 | (int64_t)rank;
    memcpy(word + 1, t->shape, rank * sizeof *word);
    return 1 + rank;
}

static size_t spell(int64_t word[MOST_WORDS], const at_call *call) {
    size_t n = 0;
    for (int i = 0; i < AT_INPUTS; ++i) n += spell_tensor(word + n, &call->in[i]);
    for (int i = 0; i < AT_OUTPUTS; ++i) n += spell_tensor(word + n, &call->out[i]);
    return n;
}

/* FNV-1a over words, folded so that the low bits, which choose the slot, see the high ones. */
static uint64_t hash_of(const int64_t *word, size_t words) {
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < words; ++i) h = (h ^ (uint64_t)word[i]) * 0x100000001b3u;
    return h ^ h >> 32;
}

/* Where the signature is, or the empty slot where it would go. slots > 0. */
static size_t find(const pa_warmed *w, const int64_t *word, size_t words, uint64_t hash) {
    size_t i = (size_t)hash & (w->slots - 1);
    for (; w->slot[i] != NULL; i = (i + 1) & (w->slots - 1)) {
        const pa_signature *s = w->slot[i];
        if (s->hash == hash && s->words == words && memcmp(s->word, word, words * sizeof *word) == 0) break;
    }
    return i;
}

static bool grow(pa_warmed *w) {
    pa_warmed bigger = {.slots = w->slots ? 2 * w->slots : FIRST_SLOTS, .used = w->used};
    if ((bigger.slot = calloc(bigger.slots, sizeof *bigger.slot)) == NULL) return false;
    for (size_t i = 0; i < w->slots; ++i) {
        pa_signature *s = w->slot[i];
        if (s != NULL) bigger.slot[find(&bigger, s->word, s->words, s->hash)] = s;
    }
    free(w->slot);
    *w = bigger;
    return true;
}

bool pa_warmed_has(const pa_warmed *w, const at_call *call) {
    int64_t word[MOST_WORDS];
    if (w->used == 0) return false;
    size_t words = spell(word, call);
    return w->slot[find(w, word, words, hash_of(word, words))] != NULL;
}

void pa_warmed_add(pa_warmed *w, const at_call *call) {
    int64_t word[MOST_WORDS];
    if (pa_warmed_has(w, call) || w->used == PA_WARMED_MOST) return;
    if (2 * (w->used + 1) > w->slots && !grow(w)) return;
    size_t words = spell(word, call);
    pa_signature *s = malloc(sizeof *s + words * sizeof *word);
    if (s == NULL) return;
    s->hash = hash_of(word, words);
    s->words = words;
    memcpy(s->word, word, words * sizeof *word);
    w->slot[find(w, word, words, s->hash)] = s;
    ++w->used;
}

void pa_warmed_free(pa_warmed *w) {
    for (size_t i = 0; i < w->slots; ++i) free(w->slot[i]);
    free(w->slot);
    *w = (pa_warmed){0};
}
