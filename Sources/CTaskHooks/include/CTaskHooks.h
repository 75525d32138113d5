#pragma once

#include <stdbool.h>

/// Receives a job that this thread enqueues. Returns true if it runs the job, and false to leave that to the runtime.
typedef bool (*errand_job_taker)(void *job);

/// From now on passes jobs that are enqueued on the shared threads to `taker`: those of tasks and of default actors. It
/// does so on threads with an owner, and on all threads while `errand_watch_all` is true. Call it once. Returns false if
/// the Swift runtime has no hook.
bool errand_take_jobs(errand_job_taker taker);

/// The owner of the work that this thread does, or null. Only the code that set it knows its type.
void *errand_work_owner(void);
void errand_set_work_owner(void *owner);

void errand_watch_all(bool isOn);
