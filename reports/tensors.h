/* The tensors of all records, in the orders that tables want. */
#ifndef AT_TENSORS_H
#define AT_TENSORS_H

#include "../harness/record.h"
#include "escape.h"

typedef struct {
    const at_record *record;
    const at_tensor_report *tensor;
} at_measured;

typedef struct {
    at_measured *worst;   /* [count] by excess, the worst first; NaN is worse than all; without a budget last */
    at_measured *grouped; /* [count] by suite, dtype and tensor                                               */
    size_t count;
} at_tensors;

AT_MUST_USE at_status at_tensors_of(at_tensors *out, const at_journal *, at_error *err);
void at_tensors_free(at_tensors *);
/* One past the last of grouped[from]'s suite, dtype and tensor. */
size_t at_tensors_end(const at_tensors *, size_t from);
/* "output token 3 head 1 channel 77", as far as it applies. */
void at_put_place(FILE *, const at_tensor_report *, at_put *);
bool at_is_worse(double a, double b); /* a > b, with NaN beyond all */

#endif
