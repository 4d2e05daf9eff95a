/* What all kernels share: problem sizes, arrays, time and dumps.
 *
 * On the command line: -DMINI_DATASET, -DSMALL_DATASET, -DMEDIUM_DATASET, -DLARGE_DATASET (the default) or -DEXTRALARGE_DATASET
 * choose the sizes, and -DN=100 and the like set one by hand; -DPOLYBENCH_TIME prints the kernel's seconds on the standard
 * output; -DPOLYBENCH_DUMP_ARRAYS prints the arrays that hold the result on the standard error, with two decimals, or with
 * all digits if -DPOLYBENCH_DUMP_EXACT is given too.
 *
 * The functions live in a file of their own, so that no optimizer learns from their bodies that arrays do not overlap. */
#ifndef POLYBENCH_H
#define POLYBENCH_H

#include <stddef.h>
#include <stdio.h>

/* PB_SIZE: a size of the chosen data set. */
#if defined MINI_DATASET
#define PB_SIZE(mini, small, medium, large, extralarge) mini
#elif defined SMALL_DATASET
#define PB_SIZE(mini, small, medium, large, extralarge) small
#elif defined MEDIUM_DATASET
#define PB_SIZE(mini, small, medium, large, extralarge) medium
#elif defined EXTRALARGE_DATASET
#define PB_SIZE(mini, small, medium, large, extralarge) extralarge
#else
#define PB_SIZE(mini, small, medium, large, extralarge) large
#endif

/* Memory of that many bytes, not set to anything, whose address is a multiple of 4096, as it would be if it came from
 * fresh pages: how caches treat an array must not hang on what was allocated before. Ends the program where there is none. */
void *polybench_allocate(size_t bytes);

/* Gives such memory back. */
void polybench_free(void *memory);

/* Empties the caches as far as a program can, then starts the clock. */
void polybench_start(void);

/* Stops the clock and prints the seconds since the start. */
void polybench_stop(void);

/* PB_RUN: calls the kernel, and measures nothing but it. */
#ifdef POLYBENCH_TIME
#define PB_RUN(call) (polybench_start(), (call), polybench_stop())
#else
#define PB_RUN(call) (call)
#endif

/* PB_RESULT: calls what prints the results. Without a dump the call remains, under a condition that never holds and that no
 * optimizer can decide: the results are used, so the kernel cannot be removed. */
#ifdef POLYBENCH_DUMP_ARRAYS
#define PB_RESULT(call) ((void)argc, (void)argv, (call))
#else
#define PB_RESULT(call) ((argc > 1000 && argv[0][0] == '\0') ? (call) : (void)0)
#endif

/* Around all arrays of a dump, around each, and each element: a new line precedes those whose position 20 divides. */
#define PB_DUMP_START() ((void)fprintf(stderr, "==BEGIN DUMP_ARRAYS==\n"))
#define PB_DUMP_FINISH() ((void)fprintf(stderr, "==END   DUMP_ARRAYS==\n"))
#define PB_DUMP_BEGIN(name) ((void)fprintf(stderr, "begin dump: %s", name))
#define PB_DUMP_END(name) ((void)fprintf(stderr, "\nend   dump: %s\n", name))
#define PB_DUMP(position, format, element)                                                                             \
    do {                                                                                                               \
        if ((position) % 20 == 0)                                                                                      \
            fprintf(stderr, "\n");                                                                                     \
        fprintf(stderr, format, element);                                                                              \
    } while (0)
#ifdef POLYBENCH_DUMP_EXACT
#define PB_DUMP_DOUBLE(position, element) PB_DUMP(position, "%.17g ", element)
#define PB_DUMP_FLOAT(position, element) PB_DUMP(position, "%.9g ", element)
#else
#define PB_DUMP_DOUBLE(position, element) PB_DUMP(position, "%0.2lf ", element)
#define PB_DUMP_FLOAT(position, element) PB_DUMP(position, "%0.2f ", element)
#endif
#define PB_DUMP_INT(position, element) PB_DUMP(position, "%d ", element)

#endif
