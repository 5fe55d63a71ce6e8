/* A case in files, so that any framework in any language can be held to the oracle without linking:
 *
 *   DIR/case.json           name, note, attributes; dtype and shape of every input and output; perhaps the dialect
 *   DIR/NAME.bin            one per input, little endian, row-major; float16 and bfloat16 as their 16 bits
 *   DIR/IMPLEMENTATION/     output.bin and key_cache_out.bin as that implementation left them
 */
#ifndef AT_FOLDER_H
#define AT_FOLDER_H

#include "plan.h"

typedef struct {
    char *name, *note;
    or_node node;
    or_call call; /* inputs with data; outputs with shapes alone */
    or_problem problem;
} at_folder;

/* dialect NULL: the one that case.json names. AT_USAGE with file and field on anything that is not such a folder, or
 * that the oracle refuses. */
AT_MUST_USE at_status at_folder_read(at_folder **out, const char *directory, const or_dialect *dialect, at_error *err);
void at_folder_free(at_folder *);

/* One implementation's outputs; *out is malloc'ed. AT_USAGE where a file is missing or of another size than case.json
 * says. */
AT_MUST_USE at_status at_folder_output(uint16_t **out, const at_folder *, const char *directory,
                                       const char *implementation, int output, at_error *err);

/* Writes the plan's inputs and case.json, and under DIR/oracle/ the oracle's answer. Makes the directory. */
AT_MUST_USE at_status at_folder_write(const at_plan *, const char *directory, at_error *err);

#endif
