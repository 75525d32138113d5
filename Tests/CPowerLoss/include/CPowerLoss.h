#ifndef ERRAND_CPOWERLOSS_H
#define ERRAND_CPOWERLOSS_H

#include <stdbool.h>
#include <stdint.h>

// A disk in memory, under SQLite. It knows of each file what is safe and what was only written. When its power is cut, what
// was only written is gone, there, or there in part, by a seed. For one thread at a time.

typedef struct errand_disk errand_disk;

// Makes an empty disk, and registers it with SQLite as a layer of this name. NULL if there is no memory.
errand_disk *errand_disk_make(const char *name);

// Every connection has to be closed before.
void errand_disk_free(errand_disk *disk);

// From now on what SQLite asks to be made safe is not: it is only said to be.
void errand_disk_lie(errand_disk *disk);

// Cuts the power at the n-th change from now (a write, a truncation, a removal, or a call to make things safe): it and
// everything after it fails.
void errand_disk_cut_after(errand_disk *disk, int64_t changes);

bool errand_disk_is_cut(const errand_disk *disk);

// How many changes there were.
int64_t errand_disk_changes(const errand_disk *disk);

// Power is back: decides what is left of what was not safe. Every connection has to be closed before.
void errand_disk_restart(errand_disk *disk, uint64_t seed);

#endif
