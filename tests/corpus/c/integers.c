/* Integer arithmetic of every width and signedness: wrapping, shifts, divisions, conversions, comparisons, bit tricks. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

static uint32_t state = 2463534242u;
static uint32_t next(void) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static uint64_t mix(uint64_t h, uint64_t v) { return (h ^ v) * 1099511628211u; }

static uint64_t narrow(uint32_t a, uint32_t b) {
    uint64_t h = 1469598103934665603u;
    int8_t sa = (int8_t)a, sb = (int8_t)b;
    uint8_t ua = (uint8_t)a, ub = (uint8_t)b;
    int16_t ha = (int16_t)a, hb = (int16_t)(b >> 3);
    uint16_t va = (uint16_t)a, vb = (uint16_t)(b >> 5);
    h = mix(h, (uint64_t)(int64_t)(int8_t)(sa + sb));
    h = mix(h, (uint8_t)(ua * ub));
    h = mix(h, (uint64_t)(ha - hb));
    h = mix(h, (uint16_t)(va * (uint32_t)vb));
    h = mix(h, (uint64_t)(sa < sb) + 2 * (ua < ub) + 4 * (ha <= hb) + 8 * (va >= vb) + 16 * (sa == ua));
    if (sb != 0) h = mix(h, (uint64_t)(sa / sb * 1000 + sa % sb));
    if (ub != 0) h = mix(h, (uint64_t)(ua / ub * 1000 + ua % ub));
    return h;
}

static uint64_t words(uint32_t a, uint32_t b) {
    uint64_t h = 0;
    int32_t sa = (int32_t)a, sb = (int32_t)b;
    h = mix(h, a + b);
    h = mix(h, a - b);
    h = mix(h, a * b);
    h = mix(h, (uint64_t)a * b);
    h = mix(h, (uint64_t)((int64_t)sa * sb));
    h = mix(h, a << (b & 31));
    h = mix(h, a >> (b & 31));
    h = mix(h, (uint64_t)(sa >> (b & 31)));
    h = mix(h, (a << (b & 31)) | (a >> (-b & 31)));
    if (b != 0) h = mix(h, a / b + a % b);
    if (sb != 0 && !(sa == INT_MIN && sb == -1)) h = mix(h, (uint64_t)(sa / sb) ^ (uint64_t)(sa % sb));
    h = mix(h, (uint64_t)(sa < sb) << 1 | (a < b));
    h = mix(h, ~a & (b | 0xff00ff) ^ a);
    h = mix(h, (uint64_t)__builtin_popcount(a) + (uint64_t)__builtin_clz(a | 1) * 100 + (uint64_t)__builtin_ctz(a | 0x80000000u) * 10000);
    h = mix(h, __builtin_bswap32(a) + __builtin_bitreverse32(b));
    int32_t sum, product;
    h = mix(h, (uint64_t)__builtin_add_overflow(sa, sb, &sum) + 2 * (uint64_t)__builtin_mul_overflow(sa, sb, &product));
    h = mix(h, (uint64_t)sum + (uint64_t)product);
    h = mix(h, sa > 0 ? a : b);
    h = mix(h, (uint64_t)(int64_t)(sa % 10 * 7 / 3 + sb / 16 - sb % 8));
    return h;
}

static uint64_t longs(uint64_t a, uint64_t b) {
    uint64_t h = 7;
    int64_t sa = (int64_t)a, sb = (int64_t)b;
    h = mix(h, a * b);
    h = mix(h, a + (b >> 1));
    if (b != 0) h = mix(h, a / b ^ a % b);
    if (sb != 0 && sb != -1) h = mix(h, (uint64_t)(sa / sb + sa % sb));
    h = mix(h, (uint64_t)(sa >> 7) - (a >> 9));
    h = mix(h, (uint64_t)((int)a - (short)b));
    h = mix(h, (uint64_t)__builtin_popcountll(a & b));
    unsigned long long sum;
    h = mix(h, (uint64_t)__builtin_uaddll_overflow(a, b, &sum) + sum);
    h = mix(h, a > b ? a - b : b - a);
    return h;
}

static unsigned gcd(unsigned a, unsigned b) {
    while (b != 0) {
        unsigned rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static uint64_t power_modulo(uint64_t base, uint64_t exponent, uint64_t modulus) {
    uint64_t result = 1;
    for (base %= modulus; exponent != 0; exponent >>= 1) {
        if (exponent & 1) result = result * base % modulus;
        base = base * base % modulus;
    }
    return result;
}

int main(void) {
    uint64_t h = 0;
    for (int i = 0; i < 5000; i++) {
        uint32_t a = next(), b = next() >> (i % 32);
        h = mix(h, narrow(a, b));
        h = mix(h, words(a, b));
        h = mix(h, longs((uint64_t)a << 32 | b, (uint64_t)b * a));
        if (i % 1000 == 0) printf("%016" PRIx64 "\n", h);
    }
    printf("%016" PRIx64 "\n", h);
    printf("%u %" PRIu64 " %d %d\n", gcd(1071, 462), power_modulo(3, 1000003, 1000000007), INT_MIN / 2, -7 >> 1);
    unsigned char c = 200;
    signed char s = (signed char)c;
    c += 100;
    printf("%d %d %u %d %d\n", c, s, (unsigned)s, (unsigned short)s, -1 < 1u);
    printf("%d %d %d\n", 'a' + 1, (_Bool)256, !!-5);
    return 0;
}
