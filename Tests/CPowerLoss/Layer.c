#include "Disk.h"

#include <stdlib.h>
#include <string.h>

static errand_disk *of(sqlite3_vfs *vfs) { return vfs->pAppData; }
static sqlite3_vfs *system_layer(void) { return sqlite3_vfs_find(NULL); }

static int open_file(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *base, int flags, int *out) {
  errand_disk *disk = of(vfs);
  connection *one = (connection *)base;
  memset(one, 0, sizeof(*one));
  if (disk->is_cut || !name) return SQLITE_CANTOPEN;
  bool was_there = errand_disk_find(disk, name, false) != NULL;
  one->file = errand_disk_find(disk, name, flags & SQLITE_OPEN_CREATE);
  if (!one->file) return SQLITE_CANTOPEN;
  one->disk = disk;
  one->syncs_folder = !was_there && flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL);
  one->base.pMethods = &errand_connection_methods;
  if (out) *out = flags;
  return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int syncs_folder) {
  errand_disk *disk = of(vfs);
  file *file = errand_disk_find(disk, name, false);
  if (!file) return SQLITE_IOERR_DELETE_NOENT;
  if (!errand_disk_change(disk)) return SQLITE_IOERR_DELETE;
  errand_disk_remove(file);
  if (syncs_folder) errand_disk_sync_folder(disk);
  return SQLITE_OK;
}

static int access_file(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
  file *file = errand_disk_find(of(vfs), name, false);
  *result = file != NULL && (flags != SQLITE_ACCESS_EXISTS || file->now.length > 0);
  return SQLITE_OK;
}

static int full_path(sqlite3_vfs *vfs, const char *name, int length, char *path) {
  (void)vfs;
  if (strlen(name) >= (size_t)length) return SQLITE_CANTOPEN;
  strcpy(path, name);
  return SQLITE_OK;
}

static int randomness(sqlite3_vfs *vfs, int length, char *bytes) {
  (void)vfs;
  return system_layer()->xRandomness(system_layer(), length, bytes);
}

// Who waits for a lock on this disk waits for its own thread.
static int sleep_for(sqlite3_vfs *vfs, int microseconds) {
  (void)vfs;
  return microseconds;
}

static int current_time(sqlite3_vfs *vfs, double *time) {
  (void)vfs;
  return system_layer()->xCurrentTime(system_layer(), time);
}

errand_disk *errand_disk_make(const char *name) {
  errand_disk *disk = calloc(1, sizeof(*disk));
  if (!disk) return NULL;
  strncpy(disk->name, name, sizeof(disk->name) - 1);
  disk->vfs = (sqlite3_vfs){
    .iVersion = 1,
    .szOsFile = sizeof(connection),
    .mxPathname = ERRAND_NAME_LENGTH - 1,
    .zName = disk->name,
    .pAppData = disk,
    .xOpen = open_file,
    .xDelete = delete_file,
    .xAccess = access_file,
    .xFullPathname = full_path,
    .xRandomness = randomness,
    .xSleep = sleep_for,
    .xCurrentTime = current_time,
  };
  if (sqlite3_vfs_register(&disk->vfs, 0) != SQLITE_OK) {
    free(disk);
    return NULL;
  }
  return disk;
}

void errand_disk_free(errand_disk *disk) {
  sqlite3_vfs_unregister(&disk->vfs);
  disk->lies = false;
  for (int index = 0; index < ERRAND_MOST_FILES; index++) {
    file *file = &disk->files[index];
    // Frees its changes.
    errand_disk_sync(disk, file);
    errand_disk_drop_memory(file);
    free(file->now.bytes);
    free(file->safe.bytes);
  }
  free(disk);
}
