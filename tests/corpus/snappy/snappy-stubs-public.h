// What the package's build script makes of its template.
#pragma once

#include <cstddef>
#include <sys/uio.h>

#define SNAPPY_MAJOR 1
#define SNAPPY_MINOR 3
#define SNAPPY_PATCHLEVEL 1
#define SNAPPY_VERSION ((SNAPPY_MAJOR << 16) | (SNAPPY_MINOR << 8) | SNAPPY_PATCHLEVEL)
