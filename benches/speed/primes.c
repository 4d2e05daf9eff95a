// Numbers: sieves by bytes and by bits, greatest common divisors, modular powers, Miller-Rabin, totients, Collatz, and divisors.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT = 20000 };

static int bytes(int limit) {
    static char composite[LIMIT + 1];
    int count = 0;
    memset(composite, 0, sizeof composite);
    for (int i = 2; i <= limit; i++)
        if (!composite[i]) {
            count++;
            for (int j = i * 2; j <= limit; j += i)
                composite[j] = 1;
        }
    return count;
}

static int bits(unsigned limit) {
    static uint32_t composite[LIMIT / 64 + 1];
    int count = 1;
    memset(composite, 0, sizeof composite);
    for (unsigned i = 3; i <= limit; i += 2)
        if (!(composite[i >> 6] >> (i >> 1 & 31) & 1)) {
            count++;
            for (unsigned j = i * i; j <= limit; j += 2 * i)
                composite[j >> 6] |= 1u << (j >> 1 & 31);
        }
    return count;
}

static uint64_t gcd(uint64_t a, uint64_t b) { return b == 0 ? a : gcd(b, a % b); }

static uint64_t binary_gcd(uint64_t a, uint64_t b) {
    if (a == 0 || b == 0)
        return a | b;
    int shift = __builtin_ctzll(a | b);
    a >>= __builtin_ctzll(a);
    while (b) {
        b >>= __builtin_ctzll(b);
        if (a > b) {
            uint64_t t = a;
            a = b;
            b = t;
        }
        b -= a;
    }
    return a << shift;
}

static uint64_t power(uint64_t base, uint64_t exponent, uint64_t modulus) {
    uint64_t result = 1;
    for (base %= modulus; exponent; exponent >>= 1) {
        if (exponent & 1)
            result = result * base % modulus;
        base = base * base % modulus;
    }
    return result;
}

static int is_prime(uint64_t n) {
    if (n < 2 || n % 2 == 0)
        return n == 2;
    uint64_t d = n - 1;
    int twos = 0;
    for (; d % 2 == 0; d /= 2)
        twos++;
    static const int bases[] = {2, 3, 5, 7};
    for (int i = 0; i < 4; i++) {
        uint64_t x = power(bases[i], d, n);
        if (x == 1 || x == n - 1 || n == bases[i])
            continue;
        int k = 1;
        for (; k < twos && x != n - 1; k++)
            x = x * x % n;
        if (x != n - 1)
            return 0;
    }
    return 1;
}

static unsigned totient(unsigned n) {
    unsigned result = n;
    for (unsigned p = 2; p * p <= n; p++)
        if (n % p == 0) {
            while (n % p == 0)
                n /= p;
            result -= result / p;
        }
    return n > 1 ? result - result / n : result;
}

static int collatz(uint64_t n) {
    int steps = 0;
    for (; n != 1; steps++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}

static int perfect(int limit) {
    int count = 0;
    for (int n = 2; n < limit; n++) {
        int sum = 1;
        for (int d = 2; d * d <= n; d++)
            if (n % d == 0)
                sum += d + (d * d != n ? n / d : 0);
        count += sum == n;
    }
    return count;
}

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    uint64_t sum = 0;
    for (int i = 0; i < repeat; i++) {
        if (bytes(LIMIT - i % 10) != bits(LIMIT - i % 10))
            return 1;
        for (int k = 1; k < 200; k++) {
            sum += gcd(123456789u * (uint64_t)k, i * 1001 + k) + binary_gcd(987654321u * (uint64_t)k, i + 7 * k);
            sum += is_prime(1000000007u + 2 * (uint64_t)k + i) + totient(i + 50 * k) + collatz(i + k);
        }
        sum += perfect(500 + i % 10);
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
