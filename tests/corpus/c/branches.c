/* Conditions: short circuits, conditional operators, chains, nested branches that join in odd places, phi-heavy code. */
#include <stdio.h>

static int calls;
static int t(int n) { calls = calls * 2 + 1; return n; }
static int f(int n) { calls = calls * 2; return n && 0; }

static int chain(int n) {
    if (n < -100) return 1;
    else if (n < -10) return n % 2 ? 2 : 3;
    else if (n < 0) n = -n;
    else if (n == 0) return 4;
    else if (n < 10 && n % 3 == 0) n *= 2;
    else if (n < 10 || n == 77) {
        if (n > 5) n -= 5;
        else return 5;
    }
    return n * 10;
}

static int joins(int a, int b, int c) {
    int x = 1, y = 2, z = 3;
    if (a > b) {
        x = b;
        if (b > c) goto both;
        y = c;
    } else {
        if (a > c) {
            z = a;
            goto both;
        }
        x = c;
    }
    z += x * y;
    if (z > 30) goto end;
both:
    y += z;
    x ^= y;
end:
    return x * 10000 + y * 100 + z;
}

static int swaps(int n) {
    int a = 0, b = 1, c = 2, d = 3;
    while (n-- > 0) {
        int kept = a;
        a = b, b = c, c = d, d = kept;
        if (n % 3 == 1) kept = a, a = d, d = kept;
        if (n % 5 == 2) {
            kept = b;
            b = c;
            c = kept;
        }
    }
    return a * 1000 + b * 100 + c * 10 + d;
}

static int logic(int a, int b, int c) {
    int r = (a && b) || (!c && (a ^ b));
    r = r * 2 + (a ? b ? c : !c : b && c);
    r = r * 2 + !(a == b != (c > a));
    return r * 2 + ((a | b) & ~c & 1);
}

static int lookup(const int *sorted, int count, int wanted) {
    int low = 0, high = count - 1;
    while (low <= high) {
        int middle = low + (high - low) / 2;
        if (sorted[middle] == wanted) return middle;
        if (sorted[middle] < wanted) low = middle + 1;
        else high = middle - 1;
    }
    return -low - 1;
}

int main(void) {
    int r = (t(1) && f(1)) || (t(0) || t(5)) && !f(3);
    printf("%d %d\n", r, calls);
    for (int n = -120; n < 100; n += 11) printf("%d ", chain(n));
    printf("\n");
    for (int i = 0; i < 27; i++) printf("%d ", joins(i % 3 * 4, i / 3 % 3 * 5, i / 9 * 3));
    printf("\n");
    for (int n = 0; n < 30; n += 3) printf("%04d ", swaps(n));
    printf("\n");
    for (int i = 0; i < 8; i++) printf("%d ", logic(i & 1, i >> 1 & 1, i >> 2));
    int sorted[] = {1, 4, 9, 16, 25, 36, 49};
    for (int n = 0; n < 50; n += 8) printf("%d ", lookup(sorted, 7, n));
    printf("\n");
    return 0;
}
