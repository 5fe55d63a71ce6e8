/* What a case comes to in one dialect, in words for its record: attributes of the node, shapes, lengths of sequences.
 */
#ifndef AT_EXPANSION_H
#define AT_EXPANSION_H

#include "plan.h"
#include "record.h"

/* Nothing is put in where the case cannot be planned: who plans it says why. */
void at_expansion_add(at_record *, const at_case *, or_dialect);

#endif
