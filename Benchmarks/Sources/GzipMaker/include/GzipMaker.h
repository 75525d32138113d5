#ifndef ERRAND_GZIP_MAKER_H
#define ERRAND_GZIP_MAKER_H

#include <stddef.h>

// One member of gzip that decodes to `block`, `count` times. The block is compressed once, so even a gibibyte is made at
// once. Returns memory to be freed, and its size; NULL if there is none.
unsigned char *gzip_make(const unsigned char *block, size_t size, size_t count, size_t *made);

#endif
