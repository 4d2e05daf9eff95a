// What a compiler seldom sees: computed goto, inline assembly, asm goto with outputs, placement new, bit casts, aligned and
// overloaded allocation, setjmp beside destructors, volatile, weak and thread-local variables, arrays of unknown bound.
#include <bit>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace {

enum Code : unsigned char { Push, Add, Multiply, Duplicate, Jump, Decrement, Print, Halt };

// A threaded interpreter whose instructions may throw.
struct Overflow {
    int depth;
};

int interpret(const unsigned char *code) {
    static void *const labels[] = {&&push, &&add, &&multiply, &&duplicate, &&jump, &&decrement, &&print, &&halt};
    long stack[16];
    int top = 0, steps = 0;
    const unsigned char *at = code;
#define NEXT goto *labels[(steps++, *at++)]
    NEXT;
push:
    if (top == 16) throw Overflow{top};
    stack[top++] = *at++;
    NEXT;
add:
    top--, stack[top - 1] += stack[top];
    NEXT;
multiply:
    top--, stack[top - 1] *= stack[top];
    NEXT;
duplicate:
    if (top == 16) throw Overflow{top};
    stack[top] = stack[top - 1], top++;
    NEXT;
jump:
    at = stack[top - 1] ? code + *at : at + 1;
    NEXT;
decrement:
    stack[top - 1]--;
    NEXT;
print:
    std::printf("%ld\n", stack[top - 1]);
    NEXT;
halt:
    return steps;
}

#ifdef __x86_64__
// The carry of an addition decides where control goes on; only without one is there a sum.
int sum_or_carry(unsigned a, unsigned b, unsigned &sum) {
    unsigned result = a;
    asm goto("addl %1, %0\n\tjc %l[carry]" : "+r"(result) : "r"(b) : "cc" : carry);
    sum = result;
    return 0;
carry:
    sum = 0;
    return 1;
}

bool is_zero(long n) {
    asm goto("testq %0, %0\n\tjz %l[zero]" : : "r"(n) : "cc" : zero);
    return false;
zero:
    return true;
}

std::uint64_t swap_bytes(std::uint64_t n) {
    asm("bswapq %0" : "+r"(n));
    return n;
}

void divide(unsigned dividend, unsigned divisor, unsigned &quotient, unsigned &rest) {
    asm("xorl %%edx, %%edx\n\tdivl %3" : "=a"(quotient), "=&d"(rest) : "a"(dividend), "r"(divisor) : "cc");
}

void copy(char *to, const char *from, std::size_t count) { asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(count) : : "memory"); }
#else
int sum_or_carry(unsigned a, unsigned b, unsigned &sum) { return __builtin_add_overflow(a, b, &sum) ? sum = 0, 1 : 0; }
bool is_zero(long n) { return n == 0; }
std::uint64_t swap_bytes(std::uint64_t n) { return __builtin_bswap64(n); }
void divide(unsigned a, unsigned b, unsigned &quotient, unsigned &rest) { quotient = a / b, rest = a % b; }
void copy(char *to, const char *from, std::size_t count) { std::memcpy(to, from, count); }
#endif

int allocations;

struct Tracked {
    int n;
    explicit Tracked(int v) : n(v) {
        if (v == 3) throw v;
    }
    ~Tracked() { std::printf("~%d ", n); }
    static void *operator new(std::size_t size) { return allocations++, std::malloc(size); }
    static void operator delete(void *p) { allocations--, std::free(p); }
};

struct alignas(64) Wide {
    char bytes[64];
};

std::jmp_buf buffer;
volatile int jumps;

int jumping(int n) {
    int code = setjmp(buffer);
    if (code < n) {
        jumps = jumps + 1;
        std::longjmp(buffer, code + 1);
    }
    return code;
}

struct Countdown {
    int n;
    struct End {};
    int operator*() const { return n; }
    Countdown &operator++() { return n--, *this; }
    bool operator!=(End) const { return n != 0; }
    Countdown begin() const { return *this; }
    End end() const { return {}; }
};

__attribute__((noinline)) int variable(int count, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, count);
    int sum = 0;
    for (int i = 0; i < count; i++) sum += i % 2 ? int(__builtin_va_arg(list, double) * 10) : __builtin_va_arg(list, int);
    __builtin_va_end(list);
    return sum;
}

[[gnu::noinline]] int even(int n);
[[gnu::noinline]] int odd(int n) {
    if (n == 0) return 0;
    [[clang::musttail]] return even(n - 1);
}
int even(int n) {
    if (n == 0) return 1;
    [[clang::musttail]] return odd(n - 1);
}

}  // namespace

int main() {
    const unsigned char code[] = {Push, 5, Print, Duplicate, Multiply, Print, Push, 3, Print, Decrement, Jump, 8, Add, Print, Halt};
    std::printf("%d steps\n", interpret(code));
    const unsigned char endless[] = {Push, 1, Duplicate, Jump, 2};
    try {
        interpret(endless);
    } catch (const Overflow &overflow) {
        std::printf("overflow at %d\n", overflow.depth);
    }
    unsigned sum = 0, quotient = 0, rest = 0;
    int carry = sum_or_carry(4000000000u, 5u, sum);
    std::printf("%d %u ", carry, sum);
    carry = sum_or_carry(4000000000u, 500000000u, sum);
    std::printf("%d %u %d %d\n", carry, sum, is_zero(0), is_zero(5));
    divide(1000, 7, quotient, rest);
    char text[8] = {};
    copy(text, "copied", 6);
    std::printf("%llx %u %u %s\n", static_cast<unsigned long long>(swap_bytes(0x0102030405060708)), quotient, rest, text);

    for (int i = 2; i < 5; i++) {
        try {
            Tracked *one = new Tracked(i);
            delete one;
        } catch (int n) {
            std::printf("threw %d, ", n);
        }
    }
    std::printf("left %d\n", allocations);
    try {
        struct Row {
            Tracked cells[5] = {Tracked(0), Tracked(1), Tracked(2), Tracked(3), Tracked(4)};
        } row;
    } catch (int n) {
        std::printf("row of %d\n", n);
    }
    alignas(Tracked) unsigned char place[sizeof(Tracked)];
    auto *placed = ::new (static_cast<void *>(place)) Tracked(9);
    placed->n = 8;
    std::launder(placed)->~Tracked();
    auto *wide = new Wide[3];
    std::printf("%d\n", int(reinterpret_cast<std::uintptr_t>(wide) % 64));
    delete[] wide;
    std::printf("%08x %g %d %d %d\n", std::bit_cast<unsigned>(1.5f), std::bit_cast<double>(0x4000000000000000), std::popcount(0xf0f0u),
                std::countl_zero(std::uint16_t{1}), int(std::rotl(std::uint8_t{0x81}, 1)));
    int returned = jumping(4);
    std::printf("%d %d\n", returned, int(jumps));
    int total = 0;
    for (int n : Countdown{10}) total = total * 3 + n;
    std::printf("%d %d %d %d\n", total, variable(4, 1, 2.5, 3, 4.5), even(100001), odd(100001));
    // Through volatile variables, so that no allocation can be left out.
    volatile std::size_t count = std::size_t(-1) / 4;
    char *volatile huge = nullptr;
    try {
        huge = new char[count];
        std::puts("allocated");
    } catch (const std::bad_alloc &) {
        std::puts("no memory");
    }
    huge = new (std::nothrow) char[count];
    std::printf("%d\n", huge == nullptr);
}
