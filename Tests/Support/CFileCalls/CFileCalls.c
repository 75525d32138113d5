#define _GNU_SOURCE
#include "CFileCalls.h"

#include <stdlib.h>

#ifdef __linux__
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct errand_file_calls {
  // The path as it was given, and as the system resolves it.
  char given[PATH_MAX], real[PATH_MAX];
  char *text;
  size_t length;
  bool fails_flushes;
  void (*before_link)(void *);
  void *context;
  errand_file_calls *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static errand_file_calls *all;
// So that programs that record nothing do not contend for the lock.
static atomic_int count;

// Returns the part of the path after the folder; NULL if the path is elsewhere.
static const char *inside(const errand_file_calls *calls, const char *path) {
  for (int index = 0; index < 2; index++) {
    const char *folder = index ? calls->real : calls->given;
    size_t length = strlen(folder);
    if (strncmp(path, folder, length) != 0) continue;
    if (path[length] == 0) return path + length;
    if (path[length] == '/') return path + length + 1;
  }
  return NULL;
}

static void note(const char *name, const char *path, const char *target) {
  int error = errno;
  pthread_mutex_lock(&lock);
  for (errand_file_calls *calls = all; calls; calls = calls->next) {
    const char *first = inside(calls, path);
    const char *second = target ? inside(calls, target) : "";
    if (!first || !second) continue;
    size_t room = calls->length + strlen(name) + strlen(first) + strlen(second) + 4;
    char *text = realloc(calls->text, room);
    if (!text) continue;
    calls->text = text;
    calls->length += sprintf(text + calls->length, "%s\t%s\t%s\n", name, first, second);
  }
  pthread_mutex_unlock(&lock);
  errno = error;
}

static bool path_of(int file, char *path) {
  char name[64];
  snprintf(name, sizeof(name), "/proc/self/fd/%d", file);
  ssize_t length = readlink(name, path, PATH_MAX - 1);
  if (length < 0) return false;
  path[length] = 0;
  return true;
}

static int flush(int file, long call) {
  char path[PATH_MAX];
  if (atomic_load(&count) == 0 || !path_of(file, path)) return (int)syscall(call, file);
  bool fails = false;
  pthread_mutex_lock(&lock);
  for (errand_file_calls *calls = all; calls; calls = calls->next) {
    if (calls->fails_flushes && inside(calls, path)) fails = true;
  }
  pthread_mutex_unlock(&lock);
  if (fails) {
    errno = EIO;
    return -1;
  }
  int result = (int)syscall(call, file);
  if (result == 0) note("flush", path, NULL);
  return result;
}

// These replace the C library's functions in the whole program.

int fsync(int file) { return flush(file, SYS_fsync); }

int fdatasync(int file) { return flush(file, SYS_fdatasync); }

int mkdir(const char *path, mode_t mode) {
  int result = mkdirat(AT_FDCWD, path, mode);
  if (result == 0 && atomic_load(&count) > 0) note("makeFolder", path, NULL);
  return result;
}

int rename(const char *from, const char *to) {
  int result = renameat(AT_FDCWD, from, AT_FDCWD, to);
  if (result == 0 && atomic_load(&count) > 0) note("move", from, to);
  return result;
}

int link(const char *from, const char *to) {
  if (atomic_load(&count) > 0) {
    void (*action)(void *) = NULL;
    void *context = NULL;
    pthread_mutex_lock(&lock);
    for (errand_file_calls *calls = all; calls; calls = calls->next) {
      if (calls->before_link && inside(calls, to)) action = calls->before_link, context = calls->context;
    }
    pthread_mutex_unlock(&lock);
    if (action) action(context);
  }
  int result = linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
  if (result == 0 && atomic_load(&count) > 0) note("link", from, to);
  return result;
}

errand_file_calls *errand_file_calls_begin(const char *folder) {
  errand_file_calls *calls = calloc(1, sizeof(*calls));
  if (!calls) return NULL;
  if (strlen(folder) >= sizeof(calls->given) || !realpath(folder, calls->real)) {
    free(calls);
    return NULL;
  }
  strcpy(calls->given, folder);
  pthread_mutex_lock(&lock);
  calls->next = all;
  all = calls;
  pthread_mutex_unlock(&lock);
  atomic_fetch_add(&count, 1);
  return calls;
}

void errand_file_calls_end(errand_file_calls *calls) {
  atomic_fetch_sub(&count, 1);
  pthread_mutex_lock(&lock);
  for (errand_file_calls **place = &all; *place; place = &(*place)->next) {
    if (*place == calls) {
      *place = calls->next;
      break;
    }
  }
  pthread_mutex_unlock(&lock);
  free(calls->text);
  free(calls);
}

char *errand_file_calls_text(errand_file_calls *calls) {
  pthread_mutex_lock(&lock);
  char *text = strdup(calls->text ? calls->text : "");
  pthread_mutex_unlock(&lock);
  return text;
}

void errand_file_calls_fail_flushes(errand_file_calls *calls) {
  pthread_mutex_lock(&lock);
  calls->fails_flushes = true;
  pthread_mutex_unlock(&lock);
}

void errand_file_calls_before_link(errand_file_calls *calls, void (*action)(void *), void *context) {
  pthread_mutex_lock(&lock);
  calls->before_link = action;
  calls->context = context;
  pthread_mutex_unlock(&lock);
}
#else
errand_file_calls *errand_file_calls_begin(const char *folder) { return NULL; }
void errand_file_calls_end(errand_file_calls *calls) {}
char *errand_file_calls_text(errand_file_calls *calls) { return NULL; }
void errand_file_calls_fail_flushes(errand_file_calls *calls) {}
void errand_file_calls_before_link(errand_file_calls *calls, void (*action)(void *), void *context) {}
#endif
