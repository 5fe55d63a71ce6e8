/* Failures that are known and owned, from a file:
 *
 *   schema: 1
 *   waivers:
 *     - {case: window/edge, device: 'NVIDIA A100*', owner: kernels team, reason: one key too many, url: 'https://...',
 * expires: 2026-03-31}
 *
 * An attempt that fails and is waived is WAIVED: its run is not validated by it, nor failed. A waiver that has expired
 * fails every attempt it names, and one that names no case is an error: neither can be forgotten. */
#ifndef AT_WAIVERS_H
#define AT_WAIVERS_H

#include "case.h"
#include "digest.h"
#include "record.h"

typedef struct at_waivers at_waivers;

/* AT_USAGE with file:line:column. */
AT_MUST_USE at_status at_waivers_load(at_waivers **out, const char *path, at_error *err);
void at_waivers_free(at_waivers *); /* NULL is fine */
const char *at_waivers_digest(const at_waivers *);

/* AT_USAGE where a waiver names none of the cases. */
AT_MUST_USE at_status at_waivers_check(const at_waivers *, const at_cases *, at_error *err);

/* device: as a header has it. today: YYYYMMDD, in UTC; the day of the expiry is the last one. */
void at_waivers_apply(const at_waivers *, const char *device, int today, at_record *);
int at_today(void);

#endif
