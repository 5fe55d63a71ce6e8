/* What the tables of commands and options say, for man and for shells. */
#ifndef AT_MANUAL_H
#define AT_MANUAL_H

#include "options.h"

#include <stdio.h>

/* The page or the script that the options ask for, on stdout. */
AT_MUST_USE at_status at_manual(const at_options *, at_error *err);

void at_put_man(FILE *);
void at_put_bash_completion(FILE *);
void at_put_zsh_completion(FILE *);

#endif
