/* Subjects with one fault each, picked by index; 0 and 16 have none. */
#include "refuses.h"

static const char *const none[] = {NULL};
static const char *const strange[] = {"onnxruntime", "tensorflow", NULL};

static void spoil(at_subject *s, uint32_t fault) {
    switch (fault) {
    case 1: s->abi = 7; break;
    case 2: s->bytes = 24; break;
    case 3: s->name = NULL; break;
    case 4: s->name = ""; break;
    case 5: s->version = NULL; break;
    case 6: s->dialects = NULL; break;
    case 7: s->dialects = none; break;
    case 8: s->dialects = strange; break;
    case 9: s->execute = NULL; break;
    case 10: s->destroy = NULL; break;
    case 11: s->alignment = 0; break;
    case 12: s->alignment = 24; break;
    case 13: s->alignment = 512; break;
    case 14: s->device = (at_device_kind)5; break;
    case 15: s->promises = 64; break;
    case 16: s->bytes += 8; break; /* a later one of the same ABI: fine */
    }
}

const at_subject *at_subject_v1(uint32_t index) {
    static at_subject one;
    one = (at_subject)SUBJECT("first", AT_HOST);
    spoil(&one, index);
    return index <= 16 ? &one : NULL;
}
