#include "Disk.h"

#include <stdlib.h>
#include <string.h>

// What a disk writes at once, or not.
enum { sector = 512 };

// MARK: Contents

static bool reserve(content *content, int64_t length) {
  if (length <= content->capacity) return true;
  int64_t capacity = content->capacity ? content->capacity : 4096;
  while (capacity < length) capacity *= 2;
  uint8_t *bytes = realloc(content->bytes, (size_t)capacity);
  if (!bytes) return false;
  memset(bytes + content->capacity, 0, (size_t)(capacity - content->capacity));
  content->bytes = bytes;
  content->capacity = capacity;
  return true;
}

static bool put(content *content, const uint8_t *bytes, int64_t length, int64_t offset) {
  if (!reserve(content, offset + length)) return false;
  memcpy(content->bytes + offset, bytes, (size_t)length);
  if (content->length < offset + length) content->length = offset + length;
  return true;
}

static bool set_length(content *content, int64_t length) {
  if (length > content->length) {
    if (!reserve(content, length)) return false;
  } else {
    // What is behind the end reads as zeros should the file grow again.
    memset(content->bytes + length, 0, (size_t)(content->length - length));
  }
  content->length = length;
  return true;
}

static bool copy(content *to, const content *from) {
  return set_length(to, 0) && (from->length == 0 || put(to, from->bytes, from->length, 0));
}

// MARK: Changes

static void forget_changes(file *file) {
  for (change *change = file->first; change;) {
    struct change *next = change->next;
    free(change);
    change = next;
  }
  file->first = file->last = NULL;
}

static int remember(file *file, bool is_truncation, int64_t offset, const void *bytes, int64_t length) {
  change *change = malloc(sizeof(*change) + (size_t)length);
  if (!change) return SQLITE_IOERR_NOMEM;
  *change = (struct change){.is_truncation = is_truncation, .offset = offset, .length = length};
  if (length) memcpy(change->bytes, bytes, (size_t)length);
  if (file->last) file->last->next = change;
  else file->first = change;
  file->last = change;
  return SQLITE_OK;
}

int errand_disk_write(file *file, const void *bytes, int64_t length, int64_t offset) {
  if (!put(&file->now, bytes, length, offset)) return SQLITE_IOERR_NOMEM;
  return remember(file, false, offset, bytes, length);
}

int errand_disk_truncate(file *file, int64_t length) {
  if (!set_length(&file->now, length)) return SQLITE_IOERR_NOMEM;
  return remember(file, true, length, NULL, 0);
}

void errand_disk_sync(errand_disk *disk, file *file) {
  if (disk->lies) return;
  copy(&file->safe, &file->now);
  forget_changes(file);
}

void errand_disk_sync_folder(errand_disk *disk) {
  if (disk->lies) return;
  for (int index = 0; index < ERRAND_MOST_FILES; index++) {
    file *file = &disk->files[index];
    file->was_safe_in_folder = file->exists;
  }
}

void errand_disk_remove(file *file) { file->exists = false; }

// MARK: Files

file *errand_disk_find(errand_disk *disk, const char *name, bool makes) {
  file *empty = NULL;
  for (int index = 0; index < ERRAND_MOST_FILES; index++) {
    file *file = &disk->files[index];
    if (strcmp(file->name, name) == 0) {
      if (!file->exists && makes) {
        // Another file of the same name. That the old one may come back instead is as if it had never been removed.
        file->exists = true;
        set_length(&file->now, 0);
        remember(file, true, 0, NULL, 0);
      }
      return file->exists ? file : NULL;
    }
    if (!file->name[0] && !empty) empty = file;
  }
  if (!makes || !empty || strlen(name) >= ERRAND_NAME_LENGTH) return NULL;
  strcpy(empty->name, name);
  empty->exists = true;
  return empty;
}

void errand_disk_drop_memory(file *file) {
  for (int index = 0; index < file->memory.count; index++) free(file->memory.regions[index]);
  free(file->memory.regions);
  memset(&file->memory, 0, sizeof(file->memory));
}

// MARK: Power

bool errand_disk_change(errand_disk *disk) {
  if (disk->is_cut) return false;
  disk->changes++;
  if (disk->cut_at && disk->changes >= disk->cut_at) disk->is_cut = true;
  return !disk->is_cut;
}

void errand_disk_cut_after(errand_disk *disk, int64_t changes) { disk->cut_at = disk->changes + changes; }
bool errand_disk_is_cut(const errand_disk *disk) { return disk->is_cut; }
int64_t errand_disk_changes(const errand_disk *disk) { return disk->changes; }
void errand_disk_lie(errand_disk *disk) { disk->lies = true; }

static uint64_t next(uint64_t *state) {
  uint64_t mixed = *state += 0x9E3779B97F4A7C15u;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
  return mixed ^ (mixed >> 31);
}

// How much of what is not safe is left, in 256ths: often nothing or all of it.
static uint64_t share(uint64_t *random) {
  switch (next(random) % 4) {
  case 0: return 0;
  case 1: return 256;
  default: return next(random) % 257;
  }
}

// Changes are left or lost in any order, and a write sector by sector.
static void settle(file *file, uint64_t *random) {
  uint64_t kept = share(random);
  for (change *change = file->first; change; change = change->next) {
    if (change->is_truncation) {
      if (next(random) % 256 < kept) set_length(&file->safe, change->offset);
      continue;
    }
    for (int64_t done = 0; done < change->length;) {
      int64_t piece = sector - (change->offset + done) % sector;
      if (piece > change->length - done) piece = change->length - done;
      if (next(random) % 256 < kept) put(&file->safe, change->bytes + done, piece, change->offset + done);
      done += piece;
    }
  }
  forget_changes(file);
  copy(&file->now, &file->safe);
}

void errand_disk_restart(errand_disk *disk, uint64_t seed) {
  uint64_t random = seed;
  for (int index = 0; index < ERRAND_MOST_FILES; index++) {
    file *file = &disk->files[index];
    if (!file->name[0]) continue;
    settle(file, &random);
    // A name that was made or removed, and not made safe, is there or not.
    if (file->exists != file->was_safe_in_folder && next(&random) % 2) file->exists = file->was_safe_in_folder;
    file->was_safe_in_folder = file->exists;
    if (!file->exists) {
      set_length(&file->now, 0);
      set_length(&file->safe, 0);
    }
    errand_disk_drop_memory(file);
    file->readers = 0;
    file->reserved = file->pending = file->exclusive = NULL;
  }
  disk->is_cut = false;
  disk->cut_at = 0;
}
