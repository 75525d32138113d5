#include "Disk.h"

#include <stdlib.h>
#include <string.h>

static connection *of(sqlite3_file *base) { return (connection *)base; }

static int unlock_all(sqlite3_file *base, int level);
static int unmap(sqlite3_file *base, int removes);

static int close_file(sqlite3_file *base) {
  connection *one = of(base);
  unlock_all(base, SQLITE_LOCK_NONE);
  unmap(base, 0);
  one->base.pMethods = NULL;
  return SQLITE_OK;
}

// MARK: Bytes

static int read_file(sqlite3_file *base, void *buffer, int length, sqlite3_int64 offset) {
  connection *one = of(base);
  if (one->disk->is_cut) return SQLITE_IOERR_READ;
  content *now = &one->file->now;
  int64_t available = now->length - offset;
  if (available > length) available = length;
  if (available < 0) available = 0;
  if (available) memcpy(buffer, now->bytes + offset, (size_t)available);
  if (available == length) return SQLITE_OK;
  memset((uint8_t *)buffer + available, 0, (size_t)(length - available));
  return SQLITE_IOERR_SHORT_READ;
}

static int write_file(sqlite3_file *base, const void *bytes, int length, sqlite3_int64 offset) {
  connection *one = of(base);
  if (one->disk->is_cut) return SQLITE_IOERR_WRITE;
  bool has_power = errand_disk_change(one->disk);
  // The one in whose midst the power went may still be on its way to the disk.
  int code = errand_disk_write(one->file, bytes, length, offset);
  return has_power ? code : SQLITE_IOERR_WRITE;
}

static int truncate_file(sqlite3_file *base, sqlite3_int64 length) {
  connection *one = of(base);
  if (!errand_disk_change(one->disk)) return SQLITE_IOERR_TRUNCATE;
  return errand_disk_truncate(one->file, length);
}

static int sync_file(sqlite3_file *base, int flags) {
  (void)flags;
  connection *one = of(base);
  if (!errand_disk_change(one->disk)) return SQLITE_IOERR_FSYNC;
  errand_disk_sync(one->disk, one->file);
  // As the system's layer does it: a journal that is new is made safe in its folder, too; the file itself is not.
  if (one->syncs_folder) {
    errand_disk_sync_folder(one->disk);
    one->syncs_folder = false;
  }
  return SQLITE_OK;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
  if (of(base)->disk->is_cut) return SQLITE_IOERR_FSTAT;
  *size = of(base)->file->now.length;
  return SQLITE_OK;
}

static int file_control(sqlite3_file *base, int operation, void *argument) {
  (void)base, (void)operation, (void)argument;
  return SQLITE_NOTFOUND;
}

static int sector_size(sqlite3_file *base) {
  (void)base;
  return 4096;
}

// What the system's layer says, too: a write that is torn leaves what is beside it as it was.
static int characteristics(sqlite3_file *base) {
  (void)base;
  return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

// MARK: Locks on the file

static int lock(sqlite3_file *base, int level) {
  connection *one = of(base);
  file *file = one->file;
  if (one->level >= level) return SQLITE_OK;
  if (level == SQLITE_LOCK_SHARED) {
    if (file->exclusive || file->pending) return SQLITE_BUSY;
    file->readers++;
  } else if (level == SQLITE_LOCK_RESERVED) {
    if (file->reserved) return SQLITE_BUSY;
    file->reserved = one;
  } else {
    if ((file->reserved && file->reserved != one) || (file->pending && file->pending != one)) return SQLITE_BUSY;
    file->pending = one;
    one->level = SQLITE_LOCK_PENDING;
    if (level == SQLITE_LOCK_EXCLUSIVE) {
      if (file->readers > 1) return SQLITE_BUSY;
      file->exclusive = one;
    }
  }
  one->level = level;
  return SQLITE_OK;
}

static int unlock_all(sqlite3_file *base, int level) {
  connection *one = of(base);
  file *file = one->file;
  if (one->level <= level) return SQLITE_OK;
  if (file->exclusive == one) file->exclusive = NULL;
  if (file->pending == one) file->pending = NULL;
  if (file->reserved == one) file->reserved = NULL;
  if (level == SQLITE_LOCK_NONE) file->readers--;
  one->level = level;
  return SQLITE_OK;
}

static int is_reserved(sqlite3_file *base, int *result) {
  *result = of(base)->file->reserved != NULL;
  return SQLITE_OK;
}

// MARK: Shared memory

static int map(sqlite3_file *base, int index, int size, int grows, void volatile **region) {
  connection *one = of(base);
  shared_memory *memory = &one->file->memory;
  if (!one->has_memory) {
    one->has_memory = true;
    memory->users++;
  }
  *region = NULL;
  if (index >= memory->count) {
    if (!grows) return SQLITE_OK;
    uint8_t **regions = realloc(memory->regions, sizeof(*regions) * (size_t)(index + 1));
    if (!regions) return SQLITE_IOERR_NOMEM;
    memory->regions = regions;
    for (; memory->count <= index; memory->count++) {
      memory->regions[memory->count] = calloc(1, (size_t)size);
      if (!memory->regions[memory->count]) return SQLITE_IOERR_NOMEM;
    }
  }
  *region = memory->regions[index];
  return SQLITE_OK;
}

static int lock_memory(sqlite3_file *base, int first, int count, int flags) {
  connection *one = of(base);
  shared_memory *memory = &one->file->memory;
  uint8_t mask = (uint8_t)(((1u << count) - 1) << first);
  if (flags & SQLITE_SHM_UNLOCK) {
    for (int slot = first; slot < first + count; slot++) {
      if (memory->exclusive[slot] == one) memory->exclusive[slot] = NULL;
      if (one->shared_locks & 1u << slot) memory->shared[slot]--;
    }
    one->shared_locks &= (uint8_t)~mask;
    one->exclusive_locks &= (uint8_t)~mask;
    return SQLITE_OK;
  }
  bool is_shared = flags & SQLITE_SHM_SHARED;
  for (int slot = first; slot < first + count; slot++) {
    if (memory->exclusive[slot] && memory->exclusive[slot] != one) return SQLITE_BUSY;
    int others = memory->shared[slot] - (one->shared_locks >> slot & 1);
    if (!is_shared && others > 0) return SQLITE_BUSY;
  }
  for (int slot = first; slot < first + count; slot++) {
    if (!is_shared) memory->exclusive[slot] = one;
    else if (!(one->shared_locks & 1u << slot)) memory->shared[slot]++;
  }
  if (is_shared) one->shared_locks |= mask;
  else one->exclusive_locks |= mask;
  return SQLITE_OK;
}

static void barrier(sqlite3_file *base) {
  (void)base;
  __sync_synchronize();
}

static int unmap(sqlite3_file *base, int removes) {
  (void)removes;
  connection *one = of(base);
  if (!one->has_memory) return SQLITE_OK;
  lock_memory(base, 0, ERRAND_LOCK_SLOTS, SQLITE_SHM_UNLOCK);
  one->has_memory = false;
  if (--one->file->memory.users == 0) errand_disk_drop_memory(one->file);
  return SQLITE_OK;
}

const sqlite3_io_methods errand_connection_methods = {
  .iVersion = 2,
  .xClose = close_file,
  .xRead = read_file,
  .xWrite = write_file,
  .xTruncate = truncate_file,
  .xSync = sync_file,
  .xFileSize = file_size,
  .xLock = lock,
  .xUnlock = unlock_all,
  .xCheckReservedLock = is_reserved,
  .xFileControl = file_control,
  .xSectorSize = sector_size,
  .xDeviceCharacteristics = characteristics,
  .xShmMap = map,
  .xShmLock = lock_memory,
  .xShmBarrier = barrier,
  .xShmUnmap = unmap,
};
