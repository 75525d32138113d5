#ifndef ERRAND_CPROGRAMS_H
#define ERRAND_CPROGRAMS_H

#include <spawn.h>

// Functions that the system's headers hide from Swift. Each returns 0 or an error's number.

// The program runs in this folder.
int errand_spawn_in(posix_spawn_file_actions_t *actions, const char *folder);

// The program has nothing open but what it reads and writes by convention. To be the last action.
int errand_spawn_closes_others(posix_spawn_file_actions_t *actions, short *flags);

#endif
