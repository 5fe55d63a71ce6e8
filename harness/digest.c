#include "digest.h"

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
