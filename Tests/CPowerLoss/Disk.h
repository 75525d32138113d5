#ifndef ERRAND_DISK_H
#define ERRAND_DISK_H

#include "CPowerLoss.h"

#include <sqlite3.h>
#include <stddef.h>

#define ERRAND_NAME_LENGTH 512
#define ERRAND_MOST_FILES 16
#define ERRAND_LOCK_SLOTS 8

// A change of a file that is not safe yet.
typedef struct change {
  struct change *next;
  bool is_truncation;
  int64_t offset;  // Or the new length.
  int64_t length;
  uint8_t bytes[];
} change;

typedef struct {
  uint8_t *bytes;
  int64_t length;
  int64_t capacity;
} content;

typedef struct connection connection;

// What connections that have the write-ahead log open share.
typedef struct {
  uint8_t **regions;
  int count;
  int shared[ERRAND_LOCK_SLOTS];
  connection *exclusive[ERRAND_LOCK_SLOTS];
  int users;
} shared_memory;

typedef struct file {
  char name[ERRAND_NAME_LENGTH];
  bool exists;
  // Whether its name is in the folder for certain.
  bool was_safe_in_folder;
  content now;
  content safe;
  change *first;
  change *last;
  // Locks on the file as a whole.
  int readers;
  connection *reserved;
  connection *pending;
  connection *exclusive;
  shared_memory memory;
} file;

struct errand_disk {
  sqlite3_vfs vfs;
  char name[64];
  file files[ERRAND_MOST_FILES];
  bool lies;
  bool is_cut;
  int64_t changes;
  int64_t cut_at;
};

// What SQLite calls a file: one connection's view of it.
struct connection {
  sqlite3_file base;
  errand_disk *disk;
  file *file;
  int level;
  bool has_memory;
  uint8_t shared_locks;
  uint8_t exclusive_locks;
  // True for a new journal until it has been made safe for the first time.
  bool syncs_folder;
};

// Counts a change. False if there is no power (any more).
bool errand_disk_change(errand_disk *disk);
file *errand_disk_find(errand_disk *disk, const char *name, bool makes);
void errand_disk_sync(errand_disk *disk, file *file);
void errand_disk_sync_folder(errand_disk *disk);
int errand_disk_write(file *file, const void *bytes, int64_t length, int64_t offset);
int errand_disk_truncate(file *file, int64_t length);
void errand_disk_remove(file *file);
void errand_disk_drop_memory(file *file);

extern const sqlite3_io_methods errand_connection_methods;

#endif
