/* Seconds of the monotonic clock, from some moment on: good for differences and deadlines. */
#ifndef AT_CLOCK_H
#define AT_CLOCK_H

double at_seconds_now(void);

#endif
