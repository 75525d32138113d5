#pragma once

#include <pthread.h>
#include <stdint.h>

/// Returns the time that this thread has waited for a core so far, in nanoseconds.
int64_t errand_watch_waited(void);

/// Writes the return addresses of another thread, the innermost frame first. Returns the number of frames, or
/// 0 if the thread does not respond in time.
int errand_watch_frames(pthread_t thread, void **frames, int most);

/// Writes the symbols at these addresses to a file, one line each.
void errand_watch_write(void *const *frames, int count, int file);
