/* What loops work on, and how they are listed: LOOP(name) { ... } defines one that main.c finds, checks and times. */
#ifndef LOOPS_H
#define LOOPS_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1600, M = 40 };

struct loop {
    const char *category, *name;
    void (*run)(void);
};

/* One function each, which no caller's knowledge reaches. CATEGORY says what the loop is an example of. */
#define LOOP(name)                                                                                                    \
    void name(void);                                                                                                  \
    __attribute__((section("loops"), used)) static const struct loop name##_entry = {CATEGORY, #name, name};          \
    __attribute__((noinline)) void name(void)

/* Functions of parameters that may be the same memory. */
#define NOINLINE __attribute__((noinline))

#endif
