#include "utf8.h"

#include <stdbool.h>

size_t at_utf8_decode(const char *text, size_t left, uint32_t *character) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *s = (const unsigned char *)text;
    *character = s[0];
    if (s[0] < 0x80) return 1;
    size_t n = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    if (s[0] < 0xC2 || s[0] > 0xF4 || n > left) return 0;
    uint32_t c = s[0] & (0xFFu >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80) return 0;
        c = c << 6 | (s[i] & 0x3F);
    }
    *character = c;
    bool surrogate = c >= 0xD800 && c <= 0xDFFF;
    return c >= least[n] && c <= 0x10FFFF && !surrogate ? n : 0;
}
