#ifndef ERRAND_GZIP_MAKER_H
#define ERRAND_GZIP_MAKER_H

#include <stddef.h>

// Makes one gzip member that decodes to `block`, `count` times. The block is compressed once, so even a
// gibibyte takes little time. Returns memory to be freed, and its size; NULL if there is no memory.
unsigned char *gzip_make(const unsigned char *block, size_t size, size_t count, size_t *made);

#endif
