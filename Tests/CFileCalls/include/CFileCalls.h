#ifndef ERRAND_CFILECALLS_H
#define ERRAND_CFILECALLS_H

#include <stdbool.h>

// Stands between a test program and the system, and writes down what is done to the files of a folder. On Linux only:
// elsewhere nothing is ever written down.

typedef struct errand_file_calls errand_file_calls;

// Begins to write down what is done in this folder. NULL if that cannot be.
errand_file_calls *errand_file_calls_begin(const char *folder);

void errand_file_calls_end(errand_file_calls *calls);

// Returns the calls so far, to be freed: a line for each that succeeded, of its name and its paths in the folder, with
// tabs between them. NULL if there is no memory.
char *errand_file_calls_text(errand_file_calls *calls);

// From now on the disk has an error whenever something is to be flushed.
void errand_file_calls_fail_flushes(errand_file_calls *calls);

// Calls this before each link that is made in the folder.
void errand_file_calls_before_link(errand_file_calls *calls, void (*action)(void *), void *context);

#endif
