#ifndef ERRAND_CSQLITE_SHIM_H
#define ERRAND_CSQLITE_SHIM_H

#include <sqlite3.h>
#ifdef __linux__
// No header that declares the types of files: they would belong to this module for Swift.
#include <sys/prctl.h>
#include <sys/syscall.h>
long syscall(long number, ...);
#else
#include <fcntl.h>
#include <pthread.h>
#endif

// Reserves the disk space of a file's first bytes without changing its length. Returns -1 after a failure.
static inline int errand_reserve_space(int file, long long length) {
#if defined(__linux__) && defined(__LP64__)
  return (int)syscall(SYS_fallocate, file, 1 /* FALLOC_FL_KEEP_SIZE */, 0L, (long)length);
#elif defined(F_PREALLOCATE)
  fstore_t wanted = {F_ALLOCATEALL, F_PEOFPOSMODE, 0, length, 0};
  return fcntl(file, F_PREALLOCATE, &wanted);
#else
  return 0;
#endif
}

// Names this thread for debuggers and profilers.
static inline void errand_name_store_thread(const char *name) {
#ifdef __linux__
  prctl(PR_SET_NAME, name, 0, 0, 0);
#else
  pthread_setname_np(name);
#endif
}

// sqlite3_db_config is variadic, which Swift cannot call: closing leaves the write-ahead log as it is.
static inline int errand_sqlite_leave_log(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

// SQLite copies what it is given here.
static inline int errand_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 length) {
  return sqlite3_bind_text64(statement, index, text, length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int errand_sqlite_bind_bytes(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 length) {
  return sqlite3_bind_blob64(statement, index, length ? bytes : "", length, SQLITE_TRANSIENT);
}

// SQLite does not copy what it is given here: it must stay where it is until the statement has ended.
static inline int errand_sqlite_bind_lasting_bytes(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 length) {
  return sqlite3_bind_blob64(statement, index, length ? bytes : "", length, SQLITE_STATIC);
}

#endif
