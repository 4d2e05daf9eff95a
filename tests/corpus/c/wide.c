/* __int128: arithmetic, shifts, division, comparison, printing; and _BitInt of odd widths. */
#include <stdint.h>
#include <stdio.h>

typedef unsigned __int128 u128;
typedef __int128 i128;

static void print(u128 n) {
    char text[50], *p = text + sizeof text;
    *--p = '\0';
    do {
        *--p = (char)('0' + (int)(n % 10));
        n /= 10;
    } while (n != 0);
    printf("%s ", p);
}

static u128 power(u128 base, unsigned exponent) {
    u128 result = 1;
    while (exponent--) result *= base;
    return result;
}

static i128 signed_steps(i128 n) {
    int i = 0;
    while (n != 0 && i++ < 30) n = n < 0 ? -n / 3 : -(n >> 1) - 1;
    return n * 1000 + i;
}

static uint64_t modulo(uint64_t a, uint64_t b, uint64_t m) { return (uint64_t)((u128)a * b % m); }

static int odd_widths(int n) {
    _BitInt(7) small = (_BitInt(7))(n % 64);
    unsigned _BitInt(33) large = (unsigned _BitInt(33))n * 0x12345678u;
    small = (_BitInt(7))(small / 3 - 5);
    large = large << 5 ^ large >> 7;
    return (int)small + (int)(large % 10007);
}

int main(void) {
    print(power(3, 80));
    print(~(u128)0);
    print((u128)1 << 100 | 12345);
    print((power(7, 40) >> 13) / 1000003);
    printf("\n");
    i128 n = -(i128)power(5, 50);
    printf("%lld %d %d\n", (long long)(signed_steps(n) % 1000000), n < 0, n > (i128)INT64_MIN);
    printf("%llu\n", (unsigned long long)modulo(0xffffffffffffff00u, 0xfffffffffffff123u, 1000000000000000003u));
    printf("%.6e %lld\n", (double)power(3, 70), (long long)(i128)-1.5e18);
    for (int i = 1; i < 100000; i *= 7) printf("%d ", odd_widths(i));
    printf("\n");
    return 0;
}
