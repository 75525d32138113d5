#pragma once

#include <pthread.h>
#include <stdint.h>

/// The time that this thread has waited for a core so far, in nanoseconds.
int64_t errand_watch_waited(void);

/// Where another thread is: the innermost frame first.
/// Returns how many frames there are, or 0 if it does not say so in time.
int errand_watch_frames(pthread_t thread, void **frames, int most);

/// Writes what stands at these addresses to a file, one line each.
void errand_watch_write(void *const *frames, int count, int file);
