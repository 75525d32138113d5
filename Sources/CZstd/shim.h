#ifndef ERRAND_CZSTD_SHIM_H
#define ERRAND_CZSTD_SHIM_H

#include <zstd.h>

#endif
