#ifndef ERRAND_CPSL_SHIM_H
#define ERRAND_CPSL_SHIM_H

#include <libpsl.h>

#endif
