#ifndef PLAIN_SQLITE_H
#define PLAIN_SQLITE_H

// A database with one table, in which each row is a separate transaction (WAL, synchronous FULL).
typedef struct plain_sqlite plain_sqlite;

// Creates the database at `path` for rows of `size` bytes. Returns NULL if SQLite fails.
plain_sqlite *plain_sqlite_open(const char *path, int bytes);

// Adds a row, and returns once it is durable. Returns 0 if SQLite fails.
int plain_sqlite_commit(plain_sqlite *database);

void plain_sqlite_close(plain_sqlite *database);

#endif
