#ifndef ERRAND_CIDN2_SHIM_H
#define ERRAND_CIDN2_SHIM_H

#include <idn2.h>

#endif
