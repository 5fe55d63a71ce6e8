#include "digest.h"
#include "plan.h"

#include <inttypes.h>
#include <stdio.h>

#include <openssl/evp.h>
#include <stdio.h>

at_status at_digest(char out[AT_DIGEST_TEXT], const void *data, size_t bytes, at_error *err) {
    unsigned char hash[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    if (EVP_Digest(data, bytes, hash, &size, EVP_sha256(), NULL) != 1) {
        return at_fail(err, AT_INFRASTRUCTURE,
                       "libcrypto computes no SHA-256 here; is it a build without that digest?");
    }
    for (unsigned i = 0; i < size; i++) snprintf(out + 2 * i, 3, "%02x", hash[i]);
    return AT_OK;
}

/* Of each input, and of a text that lists them: name, type, shape and digest, a line each. */
at_status at_digest_inputs(char (*digest)[AT_DIGEST_TEXT], char all[AT_DIGEST_TEXT], const or_call *call,
                           at_error *err) {
    char text[OR_INPUTS * 400];
    size_t used = 0;
    for (int i = 0; i < OR_INPUTS; i++) {
        const or_tensor *t = &call->in[i];
        if (t->dtype == OR_ABSENT) continue;
        const at_status st = at_digest(digest[i], t->data, at_tensor_bytes(t), err);
        if (st != AT_OK) return st;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %s", or_input_name(i), or_dtype_name(t->dtype));
        for (uint32_t d = 0; d < t->rank; d++)
            used += (size_t)snprintf(text + used, sizeof text - used, " %" PRId64, t->shape[d]);
        used += (size_t)snprintf(text + used, sizeof text - used, " %s\n", digest[i]);
    }
    return at_digest(all, text, used, err);
}
