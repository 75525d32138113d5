#ifndef ERRAND_CALLOCATOR_H
#define ERRAND_CALLOCATOR_H

// Returns freed memory to the system, where the allocator can do that. Swift's module of the C library lacks
// it.
void allocator_trim(void);

#endif
