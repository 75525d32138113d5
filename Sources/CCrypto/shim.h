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
#include <openssl/asn1t.h>
#include <openssl/pkcs7.h>
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

/// Returns 1 if a key is made of the password in more rounds than `most` (PBES2 with PBKDF2, or an older scheme).
static inline int errand_crypto_is_slow_scheme(const X509_ALGOR *scheme, long most) {
  const ASN1_OBJECT *name = NULL;
  int is_slow = 0;
  X509_ALGOR_get0(&name, NULL, NULL, scheme);
  if (OBJ_obj2nid(name) == NID_pbes2) {
    PBE2PARAM *both = ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(PBE2PARAM), scheme->parameter);
    if (both != NULL) is_slow = errand_crypto_is_slow_scheme(both->keyfunc, most);
    PBE2PARAM_free(both);
  } else if (OBJ_obj2nid(name) == NID_id_pbkdf2) {
    PBKDF2PARAM *derivation = ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(PBKDF2PARAM), scheme->parameter);
    // A number that does not fit is -1.
    if (derivation != NULL) is_slow = ASN1_INTEGER_get(derivation->iter) < 0 || ASN1_INTEGER_get(derivation->iter) > most;
    PBKDF2PARAM_free(derivation);
  } else {
    PBEPARAM *older = ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(PBEPARAM), scheme->parameter);
    if (older != NULL) is_slow = ASN1_INTEGER_get(older->iter) < 0 || ASN1_INTEGER_get(older->iter) > most;
    PBEPARAM_free(older);
  }
  return is_slow;
}

static inline int errand_crypto_is_slow_key(const X509_SIG *key, long most) {
  const X509_ALGOR *scheme = NULL;
  if (key == NULL) return 0;
  X509_SIG_get0(key, &scheme, NULL);
  return errand_crypto_is_slow_scheme(scheme, most);
}

/// Returns 1 if an encrypted key in PKCS #8 takes more rounds than `most` to decrypt.
static inline int errand_crypto_is_slow_pkcs8(const unsigned char *bytes, size_t length, long most) {
  X509_SIG *key = d2i_X509_SIG(NULL, &bytes, (long)length);
  int is_slow = errand_crypto_is_slow_key(key, most);
  X509_SIG_free(key);
  return is_slow;
}

/// Returns 1 if PKCS #12 takes more rounds than `most` to verify or to decrypt.
static inline int errand_crypto_is_slow_pkcs12(const PKCS12 *package, long most) {
  const ASN1_INTEGER *rounds = NULL;
  PKCS12_get0_mac(NULL, NULL, NULL, &rounds, package);
  if (rounds != NULL && (ASN1_INTEGER_get(rounds) < 0 || ASN1_INTEGER_get(rounds) > most)) return 1;
  STACK_OF(PKCS7) *parts = PKCS12_unpack_authsafes(package);
  int is_slow = 0;
  for (int i = 0; !is_slow && i < sk_PKCS7_num(parts); i++) {
    PKCS7 *part = sk_PKCS7_value(parts, i);
    if (PKCS7_type_is_encrypted(part)) {
      is_slow = errand_crypto_is_slow_scheme(part->d.encrypted->enc_data->algorithm, most);
    } else if (PKCS7_type_is_data(part)) {
      STACK_OF(PKCS12_SAFEBAG) *bags = PKCS12_unpack_p7data(part);
      for (int j = 0; !is_slow && j < sk_PKCS12_SAFEBAG_num(bags); j++)
        is_slow = errand_crypto_is_slow_key(PKCS12_SAFEBAG_get0_pkcs8(sk_PKCS12_SAFEBAG_value(bags, j)), most);
      sk_PKCS12_SAFEBAG_pop_free(bags, PKCS12_SAFEBAG_free);
    }
  }
  sk_PKCS7_pop_free(parts, PKCS7_free);
  return is_slow;
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

/// Returns 1 if the first encrypted key of a PEM file takes more rounds than `most` to decrypt.
static inline int errand_crypto_is_slow_pem(BIO *file, long most) {
  errand_crypto_password nothing = {NULL, 0, 0};
  X509_SIG *key = PEM_read_bio_PKCS8(file, NULL, errand_crypto_give_password, &nothing);
  int is_slow = errand_crypto_is_slow_key(key, most);
  X509_SIG_free(key);
  return is_slow;
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
