/* A subject that was linked without one of its own functions. */
#include "../../subject.h"

const at_subject *at_defined_nowhere(uint32_t index);

const at_subject *at_subject_v1(uint32_t index) {
    return at_defined_nowhere(index);
}
