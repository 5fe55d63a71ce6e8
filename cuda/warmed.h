/* The signatures that ran eagerly on a kernel: dtype and every dimension of every input and output. */
#ifndef PA_WARMED_H
#define PA_WARMED_H

#include "../harness/subject.h"
#include <stdbool.h>

enum { PA_WARMED_MOST = 1 << 16 }; /* signatures kept: at most about 30 MB for calls of the operator's ranks */

typedef struct pa_signature pa_signature;
typedef struct {
    pa_signature **slot; /* [slots], a power of two: open addressing, at most half full */
    size_t slots, used;
} pa_warmed; /* all zero: empty */

bool pa_warmed_has(const pa_warmed *, const at_call *);

/* Allocates where the signature is new. Where memory or PA_WARMED_MOST forbids that, it is not kept, which is safe: a
 * capture of it is refused as not warmed. */
void pa_warmed_add(pa_warmed *, const at_call *);
void pa_warmed_free(pa_warmed *); /* leaves it empty */

#endif
