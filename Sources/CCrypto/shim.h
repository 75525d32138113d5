#ifndef ERRAND_CCRYPTO_SHIM_H
#define ERRAND_CCRYPTO_SHIM_H

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/decoder.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <string.h>

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

/// The password for what is read from a PEM file. Without one to ask, OpenSSL asks on the terminal.
typedef struct {
  /// NULL if there is none.
  const char *bytes;
  int length;
  /// Set to 1 if it was needed.
  int is_asked;
} errand_crypto_password;

static inline int errand_crypto_give_password(char *room, int size, int is_for_writing, void *user) {
  errand_crypto_password *password = user;
  (void)is_for_writing;
  password->is_asked = 1;
  if (password->bytes == NULL || password->length > size) return -1;
  memcpy(room, password->bytes, (size_t)password->length);
  return password->length;
}

/// Returns the first private key, which the caller frees, or NULL.
static inline EVP_PKEY *errand_crypto_read_key(BIO *file, errand_crypto_password *password) {
  return PEM_read_bio_PrivateKey(file, NULL, errand_crypto_give_password, password);
}

/// Returns the next certificate, which the caller frees, or NULL.
static inline X509 *errand_crypto_read_certificate(BIO *file, errand_crypto_password *password) {
  return PEM_read_bio_X509(file, NULL, errand_crypto_give_password, password);
}

/// Takes the first certificate out of a list; NULL if the list is empty or NULL.
static inline X509 *errand_crypto_take_certificate(STACK_OF(X509) *list) {
  return list == NULL ? NULL : sk_X509_shift(list);
}

static inline void errand_crypto_free_certificates(STACK_OF(X509) *list) { sk_X509_pop_free(list, X509_free); }

/// Returns the length of what was written into memory, and sets `bytes` to it.
static inline long errand_crypto_written(BIO *memory, char **bytes) { return BIO_get_mem_data(memory, bytes); }

#endif
