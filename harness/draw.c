/* Counter-based draws: element i of stream s under a seed is one Philox block, whatever was drawn before. */
#include "design.h"
#include "draw_table.h"

#include <Random123/philox.h>

uint64_t at_draw(uint64_t seed, uint32_t stream, uint64_t element) {
    const philox4x32_ctr_t counter = {{(uint32_t)element, (uint32_t)(element >> 32), stream, 0}};
    const philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    const philox4x32_ctr_t block = philox4x32(counter, key);
    return (uint64_t)block.v[1] << 32 | block.v[0];
}

/* The lowest bit is the sign; the others, as v in [0, 1), are the probability of a larger deviation, whose octave and
 * step find two neighbouring quantiles and whose further bits lie between them. */
double at_normal(uint64_t seed, uint32_t stream, uint64_t element) {
    const uint64_t word = at_draw(seed, stream, element);
    const int octave = __builtin_clzll(word | 1);
    int64_t x = at_quantile[0];
    if (octave < AT_OCTAVES) {
        const uint64_t v = (word & ~(uint64_t)1) << octave;
        const int step = (AT_OCTAVES - 1 - octave) * AT_STEPS + (int)(v >> 59 & 15);
        const uint64_t between = v >> 27 & 0xFFFFFFFF, fall = (uint64_t)(at_quantile[step] - at_quantile[step + 1]);
        x = at_quantile[step] - (int64_t)(fall * between >> 32);
    }
    return (double)(word & 1 ? -x : x) * 0x1p-28;
}
