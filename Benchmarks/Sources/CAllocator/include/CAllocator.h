#ifndef ERRAND_CALLOCATOR_H
#define ERRAND_CALLOCATOR_H

// Returns freed memory to the system if the allocator can. Swift's module of the C library lacks this function.
void allocator_trim(void);

#endif
