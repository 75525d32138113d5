#include "GzipMaker.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void put32(unsigned char *at, unsigned long value) {
  for (int i = 0; i < 4; i++) at[i] = (unsigned char)(value >> (8 * i));
}

unsigned char *gzip_make(const unsigned char *block, size_t size, size_t count, size_t *made) {
  static const unsigned char head[10] = {0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3};
  z_stream stream;
  memset(&stream, 0, sizeof stream);
  if (deflateInit2(&stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) return NULL;
  size_t room = deflateBound(&stream, size) + 16;
  unsigned char *coded = malloc(room);
  if (!coded) return NULL;
  stream.next_in = (unsigned char *)block;
  stream.avail_in = (uInt)size;
  stream.next_out = coded;
  stream.avail_out = (uInt)room;
  // After a full flush no data refers to earlier data, so copies can be concatenated.
  deflate(&stream, Z_FULL_FLUSH);
  size_t length = room - stream.avail_out;
  deflateEnd(&stream);
  *made = sizeof head + length * count + 2 + 8;
  unsigned char *result = malloc(*made);
  if (!result) return NULL;
  memcpy(result, head, sizeof head);
  unsigned char *at = result + sizeof head;
  unsigned long one = crc32(0, block, (uInt)size), all = crc32(0, NULL, 0);
  for (size_t i = 0; i < count; i++, at += length) {
    memcpy(at, coded, length);
    all = crc32_combine(all, one, (z_off_t)size);
  }
  free(coded);
  // The last block, which is empty.
  *at++ = 3;
  *at++ = 0;
  put32(at, all);
  put32(at + 4, (unsigned long)(size * count));
  return result;
}
