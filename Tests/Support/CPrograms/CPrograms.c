#define _GNU_SOURCE
#include "CPrograms.h"

int errand_spawn_in(posix_spawn_file_actions_t *actions, const char *folder) {
  return posix_spawn_file_actions_addchdir_np(actions, folder);
}

int errand_spawn_closes_others(posix_spawn_file_actions_t *actions, short *flags) {
#if defined(__APPLE__)
  *flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
  return 0;
#elif defined(__GLIBC__)
  return posix_spawn_file_actions_addclosefrom_np(actions, 3);
#else
  return 0;
#endif
}
