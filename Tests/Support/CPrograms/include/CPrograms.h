#ifndef ERRAND_CPROGRAMS_H
#define ERRAND_CPROGRAMS_H

#include <spawn.h>

// Functions that the system's headers hide from Swift. Each returns 0 or an error's number.

// Sets the working directory of the program.
int errand_spawn_in(posix_spawn_file_actions_t *actions, const char *folder);

// Closes all descriptors of the program except the standard ones. Must be the last action.
int errand_spawn_closes_others(posix_spawn_file_actions_t *actions, short *flags);

#endif
