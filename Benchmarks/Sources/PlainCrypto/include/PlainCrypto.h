#ifndef ERRAND_PLAIN_CRYPTO_H
#define ERRAND_PLAIN_CRYPTO_H

#include <stddef.h>

// The operations of libcrypto for a signature, without any other work. Each returns 1, or 0 if it fails.

/// Returns a new Ed25519 private key, or NULL if creating it fails. It is never freed.
void *plain_ed25519_key(const unsigned char secret[32]);
int plain_ed25519_sign(void *key, const unsigned char *data, size_t length, unsigned char signature[64]);
int plain_hmac_sha256(const unsigned char *key, size_t key_length, const unsigned char *data, size_t length,
                      unsigned char code[32]);

#endif
