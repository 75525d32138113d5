#ifndef ERRAND_CCRYPTO_SHIM_H
#define ERRAND_CCRYPTO_SHIM_H

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/decoder.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

// Macros, which Swift does not see.

static inline void errand_crypto_free(void *memory) { OPENSSL_free(memory); }

/// Overwrites the memory before it gives it back.
static inline void errand_crypto_clear_free(void *memory, size_t length) {
  OPENSSL_clear_free(memory, length);
}

/// Returns the key that is in the whole of the DER, which the caller frees; NULL if there is none.
///
/// It is one function because a decoder keeps the pointers that it is given.
static inline EVP_PKEY *errand_crypto_decode(const unsigned char *bytes, size_t length, const char *structure,
                                             const char *type, int is_private, const unsigned char *password,
                                             size_t password_length) {
  EVP_PKEY *key = NULL;
  OSSL_DECODER_CTX *context = OSSL_DECODER_CTX_new_for_pkey(
      &key, "DER", structure, type, is_private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, NULL, NULL);
  int is_whole = context != NULL &&
                 (password == NULL || OSSL_DECODER_CTX_set_passphrase(context, password, password_length) == 1) &&
                 OSSL_DECODER_from_data(context, &bytes, &length) == 1 && length == 0;
  OSSL_DECODER_CTX_free(context);
  if (is_whole) return key;
  EVP_PKEY_free(key);
  return NULL;
}

#endif
