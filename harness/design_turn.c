/* What designs share: channels before and after RoPE, codes that tell rows apart, the choice of a visible position. */
#include "designs.h"
#include "pages.h"

uint16_t at_bits_of(const at_fill *f, double x) {
    return or_round(f->problem->dtype, x);
}

bool at_is_rotated(const at_fill *f, int64_t channel) {
    const or_problem *p = f->problem;
    return channel >= p->rotary_offset && channel < p->rotary_offset + p->rotary_dim;
}

or_pair at_pair_of(const at_fill *f, int64_t position, int64_t channel) {
    const or_problem *p = f->problem;
    const int64_t i = channel - p->rotary_offset;
    return or_pair_of(p, position, p->interleaved ? i / 2 : i % (p->rotary_dim / 2));
}

static double channel_of(const at_fill *f, at_channel of, at_spot at, int64_t channel) {
    at.channel = channel;
    return or_decode(f->problem->dtype, at_bits_of(f, of(f, at)));
}

/* direction 1: x cos - y sin and y cos + x sin, as RoPE has it; -1: the way back. */
static uint16_t turned(const at_fill *f, at_channel of, at_spot at, int direction) {
    if (!at_is_rotated(f, at.channel)) return at_bits_of(f, of(f, at));
    or_pair pair = at_pair_of(f, at.position, at.channel);
    const double x = channel_of(f, of, at, pair.first), y = channel_of(f, of, at, pair.second);
    pair.sin *= direction;
    return or_round_sum(f->problem->dtype, at.channel == pair.first ? or_first(pair, x, y) : or_second(pair, x, y));
}

uint16_t at_wished_query(const at_fill *f, at_spot at) {
    return turned(f, f->design->ask, at, -1);
}
uint16_t at_wished_fresh(const at_fill *f, at_spot at) {
    return turned(f, f->design->row, at, -1);
}
uint16_t at_wished_cached(const at_fill *f, at_spot at) {
    return at_bits_of(f, f->design->row(f, at));
}

uint16_t at_plain_query(const at_fill *f, at_spot at) {
    return at_bits_of(f, f->design->ask(f, at));
}
uint16_t at_plain_fresh(const at_fill *f, at_spot at) {
    return at_bits_of(f, f->design->row(f, at));
}
uint16_t at_plain_cached(const at_fill *f, at_spot at) {
    return turned(f, f->design->row, at, 1);
}

int64_t at_data_of(const at_fill *f, int64_t sequence) {
    const int64_t other = sequence < 0 ? 0 : f->c->sequence[sequence].data;
    return other > 0 ? other - 1 : sequence;
}

double at_position_code(const at_fill *f, at_spot at) {
    const int64_t j = at.position;
    if (at.channel == 0) return (double)((37 * j + 59 * (j >> 15) + 101 * at_data_of(f, at.sequence)) % 256 - 128);
    if (at.channel < 16) return j >> (at.channel - 1) & 1 ? 64 : -64;
    return (double)(at.channel % 251);
}

static bool is_mapped(const at_fill *f, int64_t sequence, int64_t position) {
    const int64_t page = position / f->problem->block_size;
    int64_t entry;
    return page < f->problem->max_blocks && !at_pages_unmapped(f->c, sequence, page, &entry);
}

int64_t at_pick(const at_fill *f, at_spot token, bool other) {
    const int64_t before = f->problem->window_before, own = token.position;
    const int64_t first = before < 0 || before > own ? 0 : own - before;
    const int64_t seen = own - first + (other && own > first ? 0 : 1);
    token.channel = 0;
    const int64_t start = (int64_t)(at_draw_of(f, AT_STREAM_PICK, token) % (uint64_t)seen);
    for (int64_t i = 0; i < seen; i++) {
        const int64_t j = first + (start + i) % seen;
        if (is_mapped(f, token.sequence, j)) return j;
    }
    return first + start;
}

static uint32_t stream_of(const at_fill *f, uint32_t stream, at_spot at) {
    return (uint32_t)at_data_of(f, at.sequence) << 4 | stream;
}

static uint64_t element_of(const at_fill *f, at_spot at) {
    const int64_t head = at.head < 0 ? 0 : at.head;
    return (uint64_t)((at.position * f->problem->heads + head) * f->problem->head_size + at.channel);
}

uint64_t at_draw_of(const at_fill *f, uint32_t stream, at_spot at) {
    return at_draw(f->seed, stream_of(f, stream, at), element_of(f, at));
}

double at_normal_of(const at_fill *f, uint32_t stream, at_spot at) {
    return at_normal(f->seed, stream_of(f, stream, at), element_of(f, at));
}
