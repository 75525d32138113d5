#define _GNU_SOURCE
#include "CDiskTrace.h"

// A sanitizer has its own functions in these places.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define ERRAND_IS_SANITIZED
#endif
#endif

#if defined(__linux__) && !defined(ERRAND_IS_SANITIZED)

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Another layer that is linked into the same program takes precedence.
#pragma weak open
#pragma weak open64
#pragma weak openat
#pragma weak openat64
#pragma weak creat
#pragma weak close
#pragma weak mkdir
#pragma weak unlink
#pragma weak rmdir
#pragma weak rename
#pragma weak link
#pragma weak pwrite
#pragma weak pwrite64
#pragma weak write
#pragma weak ftruncate
#pragma weak ftruncate64
#pragma weak fsync
#pragma weak fdatasync
#pragma weak ioctl

enum { most_files = 4096 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char root[PATH_MAX];
static size_t root_length;
static int trace = -1;
static bool is_watching;
static int64_t dies_at;
static int64_t changes;
static int64_t syncs;
// The descriptors of files beneath the root.
static bool is_traced[most_files];

static void set_root(const char *path) {
  strncpy(root, path, sizeof(root) - 1);
  root_length = strlen(root);
}

static bool is_beneath(const char *path) {
  return is_watching && strncmp(path, root, root_length) == 0
    && (path[root_length] == '/' || !path[root_length]);
}

static bool is_ours(int fd) { return is_watching && fd >= 0 && fd < most_files && is_traced[fd]; }

static void put(const void *bytes, int64_t length) {
  for (int64_t done = 0; done < length;) {
    long count = syscall(SYS_write, trace, (const char *)bytes + done, (size_t)(length - done));
    if (count > 0) done += count;
  }
}

// Call this with the mutex locked.
static void record(uint8_t kind, int fd, int64_t offset, const void *bytes, int64_t length, bool is_folder) {
  if (trace < 0) return;
  errand_trace_record head = {
    .kind = kind, .is_folder = is_folder, .fd = fd, .offset = offset, .length = length};
  put(&head, sizeof(head));
  put(bytes, length);
}

// Call this with the mutex locked. Returns true if the process ends in the middle of this change.
static bool is_last(void) { return ++changes == dies_at; }

static void die(void) {
  kill(getpid(), SIGKILL);
  while (true) pause();
}

// The name beneath the root, as the trace records it.
static const char *short_path(const char *path) { return path + root_length + (path[root_length] == '/'); }

static void record_two(uint8_t kind, const char *from, const char *to) {
  char both[2 * PATH_MAX];
  size_t first = strlen(short_path(from)) + 1, second = strlen(short_path(to));
  memcpy(both, short_path(from), first);
  memcpy(both + first, short_path(to), second);
  record(kind, -1, 0, both, (int64_t)(first + second), false);
}

// MARK: Names

static int open_at(int folder, const char *path, int flags, mode_t mode) {
  if (!is_beneath(path)) return (int)syscall(SYS_openat, folder, path, flags, mode);
  pthread_mutex_lock(&mutex);
  struct stat before;
  bool was_there = syscall(SYS_newfstatat, AT_FDCWD, path, &before, 0) == 0;
  bool changes_something = (flags & O_CREAT && !was_there) || (flags & O_TRUNC);
  if (changes_something && is_last()) die();
  int fd = (int)syscall(SYS_openat, folder, path, flags, mode);
  int code = errno;
  if (fd >= 0 && fd < most_files) {
    struct stat info;
    bool is_folder = syscall(SYS_fstat, fd, &info) == 0 && S_ISDIR(info.st_mode);
    is_traced[fd] = is_folder || S_ISREG(info.st_mode);
    if (is_traced[fd])
      record(errand_trace_open, fd, was_there && flags & O_TRUNC, short_path(path),
             (int64_t)strlen(short_path(path)), is_folder);
  }
  pthread_mutex_unlock(&mutex);
  errno = code;
  return fd;
}

#define OPEN(name)                                                                                            \
  int name(const char *path, int flags, ...) {                                                                \
    va_list arguments;                                                                                        \
    va_start(arguments, flags);                                                                               \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;                              \
    va_end(arguments);                                                                                        \
    return open_at(AT_FDCWD, path, flags, mode);                                                              \
  }
#define OPENAT(name)                                                                                          \
  int name(int folder, const char *path, int flags, ...) {                                                    \
    va_list arguments;                                                                                        \
    va_start(arguments, flags);                                                                               \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;                              \
    va_end(arguments);                                                                                        \
    return open_at(folder, path, flags, mode);                                                                \
  }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

int creat(const char *path, mode_t mode) { return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

int close(int fd) {
  if (!is_ours(fd)) return (int)syscall(SYS_close, fd);
  pthread_mutex_lock(&mutex);
  record(errand_trace_close, fd, 0, NULL, 0, false);
  is_traced[fd] = false;
  int result = (int)syscall(SYS_close, fd);
  pthread_mutex_unlock(&mutex);
  return result;
}

int mkdir(const char *path, mode_t mode) {
  if (!is_beneath(path)) return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
  pthread_mutex_lock(&mutex);
  if (is_last()) die();
  int result = (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
  int code = errno;
  if (result == 0)
    record(errand_trace_folder, -1, 0, short_path(path), (int64_t)strlen(short_path(path)), true);
  pthread_mutex_unlock(&mutex);
  errno = code;
  return result;
}

static int remove_name(const char *path, int flags) {
  if (!is_beneath(path)) return (int)syscall(SYS_unlinkat, AT_FDCWD, path, flags);
  pthread_mutex_lock(&mutex);
  if (is_last()) die();
  int result = (int)syscall(SYS_unlinkat, AT_FDCWD, path, flags);
  int code = errno;
  if (result == 0)
    record(errand_trace_remove, -1, 0, short_path(path), (int64_t)strlen(short_path(path)), flags != 0);
  pthread_mutex_unlock(&mutex);
  errno = code;
  return result;
}

int unlink(const char *path) { return remove_name(path, 0); }
int rmdir(const char *path) { return remove_name(path, AT_REMOVEDIR); }

int rename(const char *from, const char *to) {
  if (!is_beneath(from) || !is_beneath(to)) return (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
  pthread_mutex_lock(&mutex);
  if (is_last()) die();
  int result = (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
  int code = errno;
  if (result == 0) record_two(errand_trace_rename, from, to);
  pthread_mutex_unlock(&mutex);
  errno = code;
  return result;
}

int link(const char *from, const char *to) {
  if (!is_beneath(from) || !is_beneath(to))
    return (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
  pthread_mutex_lock(&mutex);
  if (is_last()) die();
  int result = (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
  int code = errno;
  if (result == 0) record_two(errand_trace_link, from, to);
  pthread_mutex_unlock(&mutex);
  errno = code;
  return result;
}

// MARK: Bytes

static ssize_t write_at(int fd, const void *bytes, size_t count, off_t offset) {
  pthread_mutex_lock(&mutex);
  if (is_last()) {
    syscall(SYS_pwrite64, fd, bytes, count / 2, offset);
    die();
  }
  ssize_t result = syscall(SYS_pwrite64, fd, bytes, count, offset);
  int code = errno;
  if (result > 0) record(errand_trace_write, fd, offset, bytes, result, false);
  pthread_mutex_unlock(&mutex);
  errno = code;
  return result;
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
  return is_ours(fd) ? write_at(fd, bytes, count, offset) : syscall(SYS_pwrite64, fd, bytes, count, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off_t offset) {
  return pwrite(fd, bytes, count, offset);
}

ssize_t write(int fd, const void *bytes, size_t count) {
  if (!is_ours(fd)) return syscall(SYS_write, fd, bytes, count);
  off_t offset = syscall(SYS_lseek, fd, 0, SEEK_CUR);
  ssize_t result = write_at(fd, bytes, count, offset);
  if (result > 0) syscall(SYS_lseek, fd, offset + result, SEEK_SET);
  return result;
}

int ftruncate(int fd, off_t length) {
  if (!is_ours(fd)) return (int)syscall(SYS_ftruncate, fd, length);
  pthread_mutex_lock(&mutex);
  if (is_last()) die();
  int result = (int)syscall(SYS_ftruncate, fd, length);
  int code = errno;
  if (result == 0) record(errand_trace_truncate, fd, length, NULL, 0, false);
  pthread_mutex_unlock(&mutex);
  errno = code;
  return result;
}

int ftruncate64(int fd, off_t length) { return ftruncate(fd, length); }

// MARK: Flushes

static int sync_file(int fd, long number) {
  if (!is_ours(fd)) return (int)syscall(number, fd);
  pthread_mutex_lock(&mutex);
  if (is_last()) die();
  int64_t which = ++syncs;
  record(errand_trace_sync_begin, fd, which, NULL, 0, false);
  pthread_mutex_unlock(&mutex);
  // Without the mutex, because other threads write meanwhile, as they do without this layer.
  int result = (int)syscall(number, fd);
  int code = errno;
  if (result == 0) {
    pthread_mutex_lock(&mutex);
    record(errand_trace_sync_end, fd, which, NULL, 0, false);
    pthread_mutex_unlock(&mutex);
  }
  errno = code;
  return result;
}

int fsync(int fd) { return sync_file(fd, SYS_fsync); }
int fdatasync(int fd) { return sync_file(fd, SYS_fdatasync); }

// The trace would not see blocks that are shared.
int ioctl(int fd, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  if (request == 0x40049409 && is_ours(fd)) {
    errno = EOPNOTSUPP;
    return -1;
  }
  return (int)syscall(SYS_ioctl, fd, request, argument);
}

// MARK: Control

bool errand_trace_start(const char *path, const char *file) {
  pthread_mutex_lock(&mutex);
  set_root(path);
  memset(is_traced, 0, sizeof(is_traced));
  syncs = 0;
  trace = (int)syscall(SYS_openat, AT_FDCWD, file, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
  is_watching = trace >= 0;
  pthread_mutex_unlock(&mutex);
  return is_watching;
}

void errand_trace_stop(void) {
  pthread_mutex_lock(&mutex);
  is_watching = false;
  if (trace >= 0) syscall(SYS_close, trace);
  trace = -1;
  pthread_mutex_unlock(&mutex);
}

void errand_trace_say(const char *text) {
  pthread_mutex_lock(&mutex);
  record(errand_trace_mark, -1, 0, text, (int64_t)strlen(text), false);
  pthread_mutex_unlock(&mutex);
}

void errand_trace_die(const char *path, int64_t n) {
  pthread_mutex_lock(&mutex);
  set_root(path);
  changes = 0;
  dies_at = n;
  is_watching = true;
  pthread_mutex_unlock(&mutex);
}

#else

bool errand_trace_start(const char *path, const char *file) {
  (void)path, (void)file;
  return false;
}
void errand_trace_stop(void) {}
void errand_trace_say(const char *text) { (void)text; }
void errand_trace_die(const char *path, int64_t n) { (void)path, (void)n; }

#endif
