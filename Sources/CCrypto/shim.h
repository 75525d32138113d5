#ifndef ERRAND_CCRYPTO_SHIM_H
#define ERRAND_CCRYPTO_SHIM_H

#include <openssl/evp.h>

#endif
