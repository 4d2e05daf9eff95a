/* Memory and time for the kernels; see polybench.h. */
#define _POSIX_C_SOURCE 200112L
#include "polybench.h"

#include <stdlib.h>
#include <time.h>

enum { ALIGNMENT = 4096, CACHE_BYTES = 32 << 20 };

/* Which clock: -DPOLYBENCH_CLOCK=CLOCK_PROCESS_CPUTIME_ID leaves out what else the machine does. */
#ifndef POLYBENCH_CLOCK
#define POLYBENCH_CLOCK CLOCK_MONOTONIC
#endif

static double started;

static double now(void)
{
    struct timespec time;
    clock_gettime(POLYBENCH_CLOCK, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void *polybench_allocate(size_t bytes)
{
    void *memory;
    if (posix_memalign(&memory, ALIGNMENT, bytes) != 0) {
        fprintf(stderr, "polybench: no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return memory;
}

void polybench_free(void *memory)
{
    free(memory);
}

/* Writes more memory than the caches hold; volatile, so that it is done although nobody reads it. */
static void empty_caches(void)
{
    volatile char *memory = malloc(CACHE_BYTES);
    for (size_t i = 0; memory != NULL && i < CACHE_BYTES; i += 64)
        memory[i] = 1;
    free((void *)memory);
}

void polybench_start(void)
{
    empty_caches();
    started = now();
}

void polybench_stop(void)
{
    printf("%0.6f\n", now() - started);
}
