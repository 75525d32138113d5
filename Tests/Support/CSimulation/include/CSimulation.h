#pragma once

#include "CWatching.h"

/// The simulation that this thread runs, or null. Only the code that set it knows its type.
void *errand_simulation_current(void);
void errand_simulation_set_current(void *simulation);
