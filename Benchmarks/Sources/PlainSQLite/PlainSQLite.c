#include "PlainSQLite.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

double plain_sqlite_commits(const char *path, int rows, int bytes) {
  sqlite3 *database = NULL;
  sqlite3_stmt *insert = NULL;
  double seconds = -1;
  char *body = malloc(bytes);
  if (body == NULL) return -1;
  memset(body, 'x', bytes);
  if (sqlite3_open(path, &database) != SQLITE_OK) goto end;
  if (sqlite3_exec(database,
                   "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                   "CREATE TABLE rows(id INTEGER PRIMARY KEY, body BLOB)",
                   NULL, NULL, NULL) != SQLITE_OK)
    goto end;
  if (sqlite3_prepare_v2(database, "INSERT INTO rows(body) VALUES(?)", -1, &insert, NULL) != SQLITE_OK) goto end;
  double begin = now();
  for (int row = 0; row < rows; row++) {
    sqlite3_bind_blob(insert, 1, body, bytes, SQLITE_STATIC);
    if (sqlite3_step(insert) != SQLITE_DONE) goto end;
    sqlite3_reset(insert);
  }
  seconds = now() - begin;
end:
  sqlite3_finalize(insert);
  sqlite3_close(database);
  free(body);
  return seconds;
}
