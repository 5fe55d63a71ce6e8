/* What a worker may take of the machine: a subject that leaks or dumps is stopped before its neighbours are. */
#ifndef AT_CONFINE_H
#define AT_CONFINE_H

#include <stdint.h>

/* Data memory that a worker may have when nobody says: three quarters of what the machine, or the control group, has. */
uint64_t at_confine_default(void);
/* In the worker, before anything of the subject is loaded. Address space is left alone: CUDA and the sanitizers reserve terabytes of it. */
void at_confine(uint64_t data_bytes);

#endif
