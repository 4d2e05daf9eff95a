/* Volatile accesses: loops on them, in structs, through pointers, read twice on purpose. */
#include <stdio.h>

static volatile int device[4] = {3, 1, 4, 1};
static volatile struct { unsigned char ready; short data; } port = {0, 10};
typedef volatile unsigned Register;

static int poll(int limit) {
    int waited = 0;
    while (device[0] != 0) {
        device[0]--;
        if (++waited > limit) return -1;
    }
    return waited;
}

static unsigned twice(Register *r) { return *r + *r * 3; }

static int until_ready(void) {
    int sum = 0;
    do {
        port.data--;
        sum += port.data;
        if (port.data == 4) port.ready = 1;
    } while (!port.ready);
    return sum;
}

int main(void) {
    Register r = 5;
    int first = poll(1);
    int second = poll(10);
    printf("%d %d %u %d\n", first, second, twice(&r), until_ready());
    volatile double d = 0.1;
    double s = 0;
    for (volatile int i = 0; i < 10; i++) s += d;
    printf("%d %.17g\n", s == 1.0, s);
    int *plain = (int *)device;
    device[2] = 9;
    printf("%d\n", *(volatile int *)(plain + 2) + device[3]);
    volatile char text[6] = "abcde";
    for (int i = 0, j = 4; i < j; i++, j--) {
        char kept = text[i];
        text[i] = text[j];
        text[j] = kept;
    }
    for (int i = 0; i < 5; i++) putchar(text[i]);
    putchar('\n');
    return 0;
}
