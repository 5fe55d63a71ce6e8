/* Two subjects without a fault. */
#include "refuses.h"

static const at_subject subjects[] = {SUBJECT("first", AT_HOST), SUBJECT("second", AT_CUDA)};

const at_subject *at_subject_v1(uint32_t index) {
    return index < sizeof subjects / sizeof *subjects ? &subjects[index] : NULL;
}
