#ifndef ERRAND_CPOSTGRES_SHIM_H
#define ERRAND_CPOSTGRES_SHIM_H

#include <libpq-fe.h>
#include <poll.h>
#ifdef __linux__
#include <sys/prctl.h>
#else
#include <pthread.h>
#endif

// Names this thread for debuggers and profilers.
static inline void errand_name_postgres_thread(const char *name) {
#ifdef __linux__
  prctl(PR_SET_NAME, name, 0, 0, 0);
#else
  pthread_setname_np(name);
#endif
}

#endif
