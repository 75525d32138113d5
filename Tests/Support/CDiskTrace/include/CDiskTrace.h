#ifndef ERRAND_CDISKTRACE_H
#define ERRAND_CDISKTRACE_H

#include <stdbool.h>
#include <stdint.h>

// Intercepts this program's file changes: a program that links this target calls these functions instead of
// the C library's, and so do SQLite and Foundation within it. On Linux only; elsewhere nothing is recorded.

// One change in the trace: this head, then `length` bytes.
typedef struct {
  uint8_t kind;
  uint8_t is_folder;
  uint16_t unused;
  int32_t fd;
  int64_t offset;
  int64_t length;
} errand_trace_record;

enum {
  errand_trace_open = 1,      // path; `offset` is 1 if an existing file is emptied
  errand_trace_close,
  errand_trace_write,         // bytes, at `offset`
  errand_trace_truncate,      // to `offset`
  errand_trace_sync_begin,    // `offset` is its number
  errand_trace_sync_end,      // `offset` is its number
  errand_trace_folder,        // path: a folder is created
  errand_trace_remove,        // path
  errand_trace_rename,        // path NUL path
  errand_trace_link,          // path NUL path
  errand_trace_mark,          // text
};

// Records every change beneath `root`, an absolute path, into the file `trace`, until `errand_trace_stop`.
bool errand_trace_start(const char *root, const char *trace);
void errand_trace_stop(void);

// Writes a text of the program into the trace.
void errand_trace_say(const char *text);

// Ends this process by SIGKILL in the middle of the n-th change beneath `root`: half of a write is done.
void errand_trace_die(const char *root, int64_t n);

#endif
