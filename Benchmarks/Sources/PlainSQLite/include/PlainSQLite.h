#ifndef PLAIN_SQLITE_H
#define PLAIN_SQLITE_H

// Puts so many rows of so many bytes into a new database at `path`, each in a transaction of its own (WAL, synchronous FULL),
// and nothing else. Returns the seconds that took, or a negative number if SQLite failed.
double plain_sqlite_commits(const char *path, int rows, int bytes);

#endif
