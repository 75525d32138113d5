#include "PlainSQLite.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

struct plain_sqlite {
  sqlite3 *connection;
  sqlite3_stmt *insert;
  char *body;
  int bytes;
};

plain_sqlite *plain_sqlite_open(const char *path, int bytes) {
  plain_sqlite *database = calloc(1, sizeof *database);
  if (database == NULL) return NULL;
  database->bytes = bytes;
  database->body = malloc(bytes);
  if (database->body != NULL && sqlite3_open(path, &database->connection) == SQLITE_OK &&
      sqlite3_exec(database->connection,
                   "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                   "CREATE TABLE rows(id INTEGER PRIMARY KEY, body BLOB)",
                   NULL, NULL, NULL) == SQLITE_OK &&
      sqlite3_prepare_v2(database->connection, "INSERT INTO rows(body) VALUES(?)", -1, &database->insert, NULL) ==
          SQLITE_OK) {
    memset(database->body, 'x', bytes);
    return database;
  }
  plain_sqlite_close(database);
  return NULL;
}

int plain_sqlite_commit(plain_sqlite *database) {
  sqlite3_bind_blob(database->insert, 1, database->body, database->bytes, SQLITE_STATIC);
  int isDone = sqlite3_step(database->insert) == SQLITE_DONE;
  sqlite3_reset(database->insert);
  return isDone;
}

void plain_sqlite_close(plain_sqlite *database) {
  sqlite3_finalize(database->insert);
  sqlite3_close(database->connection);
  free(database->body);
  free(database);
}
