#ifndef ERRAND_GZIP_MAKER_H
#define ERRAND_GZIP_MAKER_H

#include <stddef.h>

// Creates a gzip member that decodes to `count` copies of `block`. The block is compressed once, so even a gibibyte takes
// little time. Returns memory that the caller must free, and its size; NULL if there is not enough memory.
unsigned char *gzip_make(const unsigned char *block, size_t size, size_t count, size_t *made);

#endif
