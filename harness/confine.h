/* What a worker may take of the machine: a subject that leaks or dumps is stopped before its neighbours are. */
#ifndef AT_CONFINE_H
#define AT_CONFINE_H

#include <stdint.h>

/* The kernel ends this process before any other, and writes no core of it. */
void at_confine(void);
/* Data memory that this process may have; 0: three quarters of what the machine, or the control group, has. For host
 * subjects: CUDA and the sanitizers map far more than they use. Address space is left alone for the same reason. */
void at_confine_data(uint64_t bytes);

#endif
