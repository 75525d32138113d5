#ifndef ERRAND_CZLIB_SHIM_H
#define ERRAND_CZLIB_SHIM_H

#include <zlib.h>

// deflateInit2 is a macro, which Swift cannot call. 15 + 16: the largest window, in gzip's wrapping.
static inline int errand_deflate_init_gzip(z_stream *stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

// The same for reading. `window_bits`: 15 for zlib's wrapping (RFC 1950), 15 + 16 for gzip's (RFC 1952), -15 for none (RFC 1951).
static inline int errand_inflate_init(z_stream *stream, int window_bits) {
  return inflateInit2(stream, window_bits);
}

#endif
