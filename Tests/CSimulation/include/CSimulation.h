#pragma once

#include "CWatching.h"

/// The simulation that this thread runs, or null. What it is, only the one who set it knows.
void *errand_simulation_current(void);
void errand_simulation_set_current(void *simulation);
