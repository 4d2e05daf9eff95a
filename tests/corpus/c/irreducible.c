/* Jumps into loops from several places: control flow that no structured statement gives. */
#include <stdio.h>

static int two_entries(int n, int where) {
    int steps = 0;
    if (where) goto second;
first:
    steps += 1;
    n -= 3;
    if (n < 0) goto done;
second:
    steps += 100;
    n -= 1;
    if (n > 0) goto first;
done:
    return steps * 1000 + n;
}

static int three_entries(unsigned n, int where) {
    int trace = 0;
    switch (where) {
        case 0: goto a;
        case 1: goto b;
        default: goto c;
    }
a:
    trace = trace * 3 + 1;
    n = n / 2;
    if (n == 0) return trace;
    if (n & 1) goto c;
b:
    trace = trace * 5 + 2;
    n = n - 1;
    if (n % 3 == 0) goto a;
    if (n > 100000) return -trace;
c:
    trace = (trace * 7 + 3) % 100003;
    if (n > 5) {
        n -= 2;
        goto b;
    }
    if (n == 0) return trace + 1;
    goto a;
}

static int into_the_middle(int n, int skip) {
    int sum = 0, i = 0;
    if (skip) goto inside;
    for (i = 1; i < n; i++) {
        sum += i;
        if (sum > 50) goto out;
    inside:
        sum += 2;
        for (int j = 0; j < 3; j++) {
            if (i == 4 && j == 1) goto again;
            sum += j;
        }
        continue;
    again:
        sum -= 1;
    }
out:
    return sum * 10 + i;
}

static int crossed(int n) {
    int r = 0;
    if (n & 1) goto left;
right:
    r += n;
    if (r > 60) return r;
    if (n & 2) {
        n ^= 2;
        goto left;
    }
    n += 1;
left:
    r += 1;
    if (n & 4) {
        n -= 4;
        goto right;
    }
    n += 3;
    if (r < 40) goto right;
    return -r;
}

int main(void) {
    for (int n = 0; n < 12; n++) printf("%d %d ", two_entries(n, 0), two_entries(n, 1));
    printf("\n");
    for (unsigned n = 1; n < 40; n += 5) {
        for (int where = 0; where < 3; where++) printf("%d ", three_entries(n, where));
    }
    printf("\n");
    for (int n = 0; n < 16; n += 3) printf("%d %d %d ", into_the_middle(n, 0), into_the_middle(n, 1), crossed(n));
    printf("\n");
    return 0;
}
