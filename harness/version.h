/* Set by the build; a build outside a checkout says "unknown". */
#ifndef AT_VERSION_H
#define AT_VERSION_H

#define AT_VERSION "0.1.0"
#ifndef AT_REVISION
#define AT_REVISION "unknown"
#endif
#define AT_COMPILER __VERSION__

const char *at_revision(void); /* host.c, the one file that is built anew when it changes */

#endif
