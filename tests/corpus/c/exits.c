/* Ends of programs: an infinite loop left by exit, calls that do not return, early returns, unreachable code, status 42. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static int handled;

__attribute__((noreturn)) static void fail(const char *why, int status) {
    printf("%s after %d\n", why, handled);
    exit(status);
}

static void at_the_end(void) { printf("at the end\n"); }

static int classify(int n) {
    if (n < 0) return -1;
    if (n == 0) return 0;
    if (n > 1000) fail("too large", 9);
    for (int i = 2; i * i <= n; i++) {
        if (n % i == 0) return i;
    }
    return n;
}

static int checked(int n) {
    switch (n & 3) {
        case 0: return 10;
        case 1: return 20;
        case 2: return 30;
        case 3: return 40;
    }
    __builtin_unreachable();
}

static jmp_buf place;
static void thrower(int depth, int code) {
    if (depth == 0) longjmp(place, code);
    thrower(depth - 1, code + 1);
    printf("never\n");
}

static int protected_call(int depth) {
    volatile int before = depth * 2;
    int code = setjmp(place);
    if (code != 0) return code * 100 + before;
    before++;
    thrower(depth, 1);
    return -1;
}

static int divide(int a, int b) {
    if (b == 0) fail("division", 3);
    return a / b;
}

static void forever(void) {
    for (;;) {
        handled++;
        if (handled % 2 == 0) continue;
        if (handled > 20) {
            if (divide(handled, handled - 21 + (handled == 21 ? 1 : 0)) == 21) exit(42);
        }
    }
}

int main(void) {
    atexit(at_the_end);
    for (int n = -2; n < 40; n += 7) printf("%d %d ", classify(n), checked(n));
    printf("\n%d %d\n", protected_call(3), protected_call(0));
    forever();
}
