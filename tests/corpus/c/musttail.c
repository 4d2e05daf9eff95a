// Calls that must be tail calls: a million of them in a row need no stack.
#include <stdio.h>

#define TAIL __attribute__((musttail)) return

typedef struct {
    const char *text;
    unsigned letters, digits, others;
} Counter;

static unsigned scan(Counter *counter, unsigned steps);

static unsigned letter(Counter *counter, unsigned steps) {
    counter->letters++;
    counter->text++;
    TAIL scan(counter, steps + 1);
}

static unsigned digit(Counter *counter, unsigned steps) {
    counter->digits += *counter->text++ - '0';
    TAIL scan(counter, steps + 2);
}

static unsigned scan(Counter *counter, unsigned steps) {
    char c = *counter->text;
    if (c >= 'a' && c <= 'z')
        TAIL letter(counter, steps);
    if (c >= '0' && c <= '9')
        TAIL digit(counter, steps);
    if (c == '\0')
        return steps;
    counter->others++;
    counter->text++;
    TAIL scan(counter, steps);
}

static int is_odd(unsigned n, int seen);

static int is_even(unsigned n, int seen) {
    if (n == 0)
        return seen;
    TAIL is_odd(n - 1, seen ^ 1);
}

static int is_odd(unsigned n, int seen) {
    if (n == 0)
        return seen + 2;
    TAIL is_even(n - 1, seen ^ 1);
}

static void (*volatile last)(int *);

static void set(int *to) { *to = 42; }

static void forward(int *to) { TAIL last(to); }

int main(void) {
    Counter counter = {"route 66, exit 7: turn left", 0, 0, 0};
    unsigned steps = scan(&counter, 0);
    printf("%u steps, %u letters, %u in digits, %u others\n", steps, counter.letters, counter.digits, counter.others);
    printf("%d %d\n", is_even(1000000, 0), is_even(1000001, 0));
    int value = 0;
    last = set;
    forward(&value);
    printf("%d\n", value);
    return 0;
}
