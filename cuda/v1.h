/* The plain kernel, as subject.c calls it. */
#ifndef PA_V1_H
#define PA_V1_H

#include "problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Brings the kernels onto the current device, so that no later launch has to. NULL, or the device's words. May wait. */
const char *pa_v1_load(void);

/* Writes the rows, then attends: two launches on the stream, the same for the same shapes. p has a token at least.
 * AT_NOT_IMPLEMENTED, before the first launch, where no launch can be that large; AT_DEVICE_ERROR with the
 * device's words. */
at_code pa_v1_launch(const pa_problem *p, void *stream, at_refusal *why);

#ifdef __cplusplus
}
#endif

#endif
