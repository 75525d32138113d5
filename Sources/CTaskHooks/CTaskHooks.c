#include "CTaskHooks.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

#define SWIFTCALL __attribute__((swiftcall))

// As in the Swift runtime's header Concurrency.h.
typedef SWIFTCALL void (*enqueue_function)(void *job);
typedef SWIFTCALL void (*enqueue_hook)(void *job, enqueue_function original);

#ifndef __APPLE__
// Weak, so that the runtime may also be linked statically, where `dlsym` finds nothing.
extern enqueue_hook swift_task_enqueueGlobal_hook __attribute__((weak));
#endif

static _Thread_local void *owner;
static atomic_bool watchesAll;
static errand_job_taker take;
static enqueue_hook earlier;

void *errand_work_owner(void) { return owner; }
void errand_set_work_owner(void *newOwner) { owner = newOwner; }
void errand_watch_all(bool isOn) { atomic_store(&watchesAll, isOn); }

static SWIFTCALL void enqueue(void *job, enqueue_function original) {
    if ((owner || atomic_load(&watchesAll)) && take(job)) return;
    if (earlier) {
        earlier(job, original);
    } else {
        original(job);
    }
}

bool errand_take_jobs(errand_job_taker taker) {
#ifdef __APPLE__
    enqueue_hook *hook = dlsym(RTLD_DEFAULT, "swift_task_enqueueGlobal_hook");
#else
    enqueue_hook *hook = &swift_task_enqueueGlobal_hook;
#endif
    if (!hook) return false;
    take = taker;
    earlier = *hook;
    *hook = enqueue;
    return true;
}
