// Exceptions: nested handlers, rethrow, catch-all, destructors during unwinding, function try blocks, throws through virtual calls.
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

namespace {

int depth;

struct Guard {
    const char *name;
    explicit Guard(const char *n) : name(n) { std::printf("%*senter %s\n", 2 * depth++, "", name); }
    ~Guard() { std::printf("%*sleave %s%s\n", 2 * --depth, "", name, std::uncaught_exceptions() ? " (unwinding)" : ""); }
};

struct Odd : std::runtime_error {
    int value;
    explicit Odd(int v) : std::runtime_error("odd " + std::to_string(v)), value(v) {}
};
struct VeryOdd final : Odd {
    using Odd::Odd;
    const char *what() const noexcept override { return "very odd"; }
};

struct Step {
    virtual ~Step() = default;
    virtual int run(int n) = 0;
};
struct Halve : Step {
    int run(int n) override {
        if (n % 2) throw Odd(n);
        return n / 2;
    }
};
struct Strict : Halve {
    int run(int n) override {
        Guard guard("strict");
        if (n % 7 == 0) throw VeryOdd(n);
        if (n == 11) throw n;
        if (n == 13) throw "a string";
        return Halve::run(n);
    }
};

__attribute__((noinline)) int chain(Step &step, int n, int limit) {
    Guard guard("chain");
    if (!limit) return n;
    try {
        return chain(step, step.run(n), limit - 1) + 1;
    } catch (const Odd &odd) {
        if (odd.value < 4) throw;
        std::printf("%*scaught %s\n", 2 * depth, "", odd.what());
        return chain(step, odd.value - 1, limit - 1);
    }
}

struct Member {
    int n;
    explicit Member(int v) : n(v) {
        if (v < 0) throw std::invalid_argument("negative");
    }
    ~Member() { std::printf("~Member %d\n", n); }
};
struct Holder {
    Member a, b;
    Holder(int x, int y) try : a(x), b(y) {
        std::puts("holder made");
    } catch (const std::invalid_argument &e) {
        std::printf("holder: %s\n", e.what());
        throw std::logic_error(std::string("wrapped ") + e.what());
    }
};

int function_try(int n) try {
    if (n > 2) throw n;
    return n;
} catch (int m) {
    return -m;
}

int classify(int n) {
    try {
        try {
            switch (n) {
                case 0: throw 1;
                case 1: throw 2u;
                case 2: throw 'c';
                case 3: throw VeryOdd(9);
                case 4: throw std::bad_alloc();
                case 5: throw std::string("text");
                case 6: throw (void *)nullptr;
                case 7: throw &depth;
                default: return -1;
            }
        } catch (unsigned u) {
            return 10 + int(u);
        } catch (const std::string &s) {
            return 100 + int(s.size());
        } catch (std::exception &) {
            throw;
        } catch (const void *) {
            return 200;
        } catch (char) {
            throw 5L;
        }
    } catch (int i) {
        return i;
    } catch (long l) {
        return 1000 + int(l);
    } catch (Odd &odd) {
        return 2000 + odd.value;
    } catch (...) {
        return 3000;
    }
}

// An exception that starts while another one unwinds, and is caught before it leaves the destructor.
struct Thrower {
    int &count;
    ~Thrower() {
        try {
            count += std::uncaught_exceptions();
            throw 1;
        } catch (int) {
            ++count;
        }
    }
};

int during_unwinding() {
    int count = 0;
    try {
        Thrower first{count}, second{count};
        throw 0.5;
    } catch (double d) {
        count += d < 1 ? 100 : 0;
    }
    return count;
}

// A loop whose every iteration may leave in four ways.
int loop(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        try {
            if (i % 5 == 1) continue;
            if (i % 5 == 2) throw i;
            if (i == 18) break;
            if (i == 99) return -1;
            sum += i;
        } catch (int j) {
            sum += 1000 * j;
            if (j > 15) goto out;
        }
    }
    sum++;
out:
    return sum;
}

void nested(int n) {
    try {
        if (n == 0) throw std::runtime_error("innermost");
        nested(n - 1);
    } catch (...) {
        std::throw_with_nested(std::runtime_error("level " + std::to_string(n)));
    }
}

void print_nested(const std::exception &e) {
    std::printf("[%s]", e.what());
    try {
        std::rethrow_if_nested(e);
    } catch (const std::exception &inner) {
        print_nested(inner);
    }
}

std::exception_ptr capture(int n) {
    try {
        classify(4);
        throw Odd(n);
    } catch (...) {
        return std::current_exception();
    }
}

}  // namespace

int main() {
    Strict step;
    for (int n : {48, 40, 22, 26, 7, 6}) {
        try {
            std::printf("chain %d\n", chain(step, n, 6));
        } catch (const Odd &odd) {
            std::printf("odd %d: %s\n", odd.value, odd.what());
        } catch (int i) {
            std::printf("int %d\n", i);
        } catch (const char *text) {
            std::printf("text %s\n", text);
        }
    }
    for (int i = -1; i <= 1; i++) {
        try {
            Holder holder(1, i);
        } catch (const std::logic_error &e) {
            std::printf("main: %s\n", e.what());
        }
    }
    std::printf("function try %d %d\n", function_try(1), function_try(3));
    for (int i = 0; i < 9; i++) std::printf("classify %d: %d\n", i, classify(i));
    std::printf("during unwinding %d, loops %d %d %d\n", during_unwinding(), loop(5), loop(17), loop(40));
    try {
        nested(4);
    } catch (const std::exception &e) {
        print_nested(e);
        std::puts("");
    }
    std::exception_ptr pointer = capture(21), copy = pointer;
    for (int i = 0; i < 2; i++) {
        try {
            std::rethrow_exception(i ? copy : pointer);
        } catch (const Odd &odd) {
            std::printf("captured %s\n", odd.what());
        }
    }
    std::printf("depth %d\n", depth);
}
