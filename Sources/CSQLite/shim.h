#ifndef ERRAND_CSQLITE_SHIM_H
#define ERRAND_CSQLITE_SHIM_H

#include <sqlite3.h>
#ifdef __linux__
#include <sys/prctl.h>
#else
#include <pthread.h>
#endif

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
