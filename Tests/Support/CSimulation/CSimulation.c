#include "CSimulation.h"

static _Thread_local void *current;

void *errand_simulation_current(void) { return current; }
void errand_simulation_set_current(void *simulation) { current = simulation; }

#ifdef __linux__
void errand_simulation_install(void);

// Before any code can have created a task, because the runtime sets its executors without a lock.
__attribute__((constructor)) static void install(void) { errand_simulation_install(); }
#endif
