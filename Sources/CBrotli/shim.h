#ifndef ERRAND_CBROTLI_SHIM_H
#define ERRAND_CBROTLI_SHIM_H

#include <brotli/decode.h>

#endif
