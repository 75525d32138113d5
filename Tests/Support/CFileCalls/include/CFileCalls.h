#ifndef ERRAND_CFILECALLS_H
#define ERRAND_CFILECALLS_H

#include <stdbool.h>

// Intercepts the system calls of a test program on the files of a folder, and records them. On Linux only;
// elsewhere nothing is recorded.

typedef struct errand_file_calls errand_file_calls;

// Starts recording the calls in this folder. Returns NULL on failure.
errand_file_calls *errand_file_calls_begin(const char *folder);

void errand_file_calls_end(errand_file_calls *calls);

// Returns the calls so far, which the caller must free: a line for each successful call, with its name and
// its paths in the folder, separated by tabs. Returns NULL if memory is exhausted.
char *errand_file_calls_text(errand_file_calls *calls);

// From now on every flush fails with a disk error.
void errand_file_calls_fail_flushes(errand_file_calls *calls);

// Calls this function before each link that is made in the folder.
void errand_file_calls_before_link(errand_file_calls *calls, void (*action)(void *), void *context);

#endif
