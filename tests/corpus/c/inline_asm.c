/* Inline assembler: outputs, inputs, clobbers, memory operands, goto-free control around it, and a barrier. */
#include <stdint.h>
#include <stdio.h>

static uint32_t add(uint32_t a, uint32_t b) {
#if defined(__x86_64__)
    __asm__("addl %1, %0" : "+r"(a) : "r"(b) : "cc");
#else
    a += b;
#endif
    return a;
}

static uint64_t wide_product(uint64_t a, uint64_t b, uint64_t *high) {
    uint64_t low;
#if defined(__x86_64__)
    __asm__("mulq %3" : "=a"(low), "=d"(*high) : "a"(a), "r"(b) : "cc");
#else
    unsigned __int128 product = (unsigned __int128)a * b;
    low = (uint64_t)product, *high = (uint64_t)(product >> 64);
#endif
    return low;
}

static int barriers(int *value) {
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        *value += i;
        __asm__ volatile("" ::: "memory");
        sum += *value;
        if (sum > 6) __asm__ volatile("nop");
    }
    return sum;
}

static int memory(int n) {
    int place = n;
#if defined(__x86_64__)
    __asm__ volatile("incl %0" : "+m"(place) : : "cc");
#else
    place++;
#endif
    return place;
}

int main(void) {
    uint64_t high, low = wide_product(0xfedcba9876543210u, 0x123456789abcdefu, &high);
    int value = 2;
    printf("%u %llx %llx\n", add(40, 2), (unsigned long long)high, (unsigned long long)low);
    printf("%d %d %d\n", barriers(&value), value, memory(8));
    return 0;
}
