#include "PlainCrypto.h"

#include <openssl/evp.h>

void *plain_ed25519_key(const unsigned char secret[32]) {
  return EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, secret, 32);
}

int plain_ed25519_sign(void *key, const unsigned char *data, size_t length, unsigned char signature[64]) {
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  size_t count = 64;
  int is_done = context != NULL && EVP_DigestSignInit(context, NULL, NULL, NULL, key) == 1 &&
                EVP_DigestSign(context, signature, &count, data, length) == 1;
  EVP_MD_CTX_free(context);
  return is_done;
}

int plain_hmac_sha256(const unsigned char *key, size_t key_length, const unsigned char *data, size_t length,
                      unsigned char code[32]) {
  size_t count = 0;
  return EVP_Q_mac(NULL, "HMAC", NULL, "SHA256", NULL, key, key_length, data, length, code, 32, &count) != NULL;
}
