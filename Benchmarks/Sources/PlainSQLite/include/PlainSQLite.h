#ifndef PLAIN_SQLITE_H
#define PLAIN_SQLITE_H

// A database with one table, in which each row is a transaction of its own (WAL, synchronous FULL).
typedef struct plain_sqlite plain_sqlite;

// Creates the database at `path`, for rows of so many bytes. NULL if SQLite failed.
plain_sqlite *plain_sqlite_open(const char *path, int bytes);

// Adds a row, and returns when it is durable; 0 if SQLite failed.
int plain_sqlite_commit(plain_sqlite *database);

void plain_sqlite_close(plain_sqlite *database);

#endif
