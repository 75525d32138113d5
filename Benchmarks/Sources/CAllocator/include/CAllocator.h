#ifndef ERRAND_CALLOCATOR_H
#define ERRAND_CALLOCATOR_H

// Gives the system what was freed, where the allocator can be asked to. Swift's module of the C library leaves it out.
void allocator_trim(void);

#endif
