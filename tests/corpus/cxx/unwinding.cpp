// Exceptions through frames that are inlined: calls in straight lines, conditionals and loops, values handed on, cleanups in
// order, handlers of one frame inside of those of another, by type, by base, by anything, and thrown again.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

struct Base { int code; explicit Base(int c) : code(c) {} virtual ~Base() = default; };
struct Left : Base { using Base::Base; };
struct Right : Base { using Base::Base; };
struct Both final : Left { using Left::Left; };

struct Trace {
    const char *name;
    int number;
    ~Trace() { std::printf("  ~%s%d%s\n", name, number, std::uncaught_exceptions() ? "!" : ""); }
};

__attribute__((noinline)) int may_throw(int n) {
    switch (n % 9) {
    case 3: throw Left(n);
    case 4: throw Right(n);
    case 5: throw Both(n);
    case 6: throw n;
    case 7: throw "text";
    case 8: throw 2.5;
    default: return n * 3 + 1;
    }
}

int straight(int n) {
    Trace one{"straight", 1};
    int a = may_throw(n);
    Trace two{"straight", 2};
    int b = may_throw(n + 2);
    return a + b;
}

int conditional(int n) {
    int a = 1;
    if (n & 1) {
        Trace odd{"odd", n};
        a = may_throw(n);
    } else if (n & 2) {
        a = may_throw(n + 1) + may_throw(n);
    }
    return a + n;
}

int loop(int n) {
    int sum = 0;
    for (int i = 0; i != n; ++i) {
        Trace each{"each", i};
        if (sum > 60) break;
        sum += may_throw(i);
        for (int j = i; j < 2; ++j) sum += may_throw(j + i);
    }
    return sum;
}

int inner_try(int n) {
    try {
        Trace t{"inner", n};
        return may_throw(n);
    } catch (const Left &left) {
        std::printf("  left %d\n", left.code);
        if (left.code > 10) throw;
        return -left.code;
    }
}

int inner_any(int n) {
    try {
        return inner_try(n) + may_throw(n / 2);
    } catch (int value) {
        return value + 1000;
    } catch (...) {
        std::puts("  any");
        if (n > 12) throw Right(n);
        return 7;
    }
}

int converts(int n) {
    try {
        return straight(n);
    } catch (const char *text) {
        throw std::string(text) + " again";
    }
}

int nested(int n) {
    Trace outer{"nested", n};
    try {
        try {
            return conditional(n) + inner_try(n);
        } catch (const Right &right) {
            std::printf("  right %d\n", right.code);
            return loop(right.code);
        }
    } catch (const Base &base) {
        std::printf("  base %d\n", base.code);
        if (base.code % 2) throw;
        return base.code;
    }
}

int twice(int n) {
    std::vector<int> numbers{n};
    try {
        numbers.push_back(nested(n));
        numbers.push_back(inner_any(n + 1));
    } catch (const Left &) {
        numbers.push_back(-1);
        numbers.push_back(converts(n + 2));
    }
    int sum = 0;
    for (int number : numbers) sum = sum * 31 + number;
    return sum;
}

template <int (*Function)(int)> void all(const char *name) {
    for (int n = 0; n != 20; ++n) {
        std::printf("%s %d\n", name, n);
        try {
            Trace t{name, n};
            std::printf("  = %d\n", Function(n));
        } catch (const Both &both) {
            std::printf("  both %d\n", both.code);
        } catch (const Base &base) {
            std::printf("  base %d\n", base.code);
        } catch (int value) {
            std::printf("  int %d\n", value);
        } catch (const std::string &text) {
            std::printf("  string %s\n", text.c_str());
        } catch (const char *text) {
            std::printf("  text %s\n", text);
        } catch (...) {
            std::puts("  something");
        }
    }
}

int quiet(int n) noexcept {
    try {
        return twice(n);
    } catch (...) {
        return -n;
    }
}

} // namespace

int main() {
    all<straight>("straight");
    all<conditional>("conditional");
    all<loop>("loop");
    all<inner_try>("inner_try");
    all<inner_any>("inner_any");
    all<converts>("converts");
    all<nested>("nested");
    all<twice>("twice");
    int sum = 0;
    for (int n = 0; n != 40; ++n) sum = sum * 7 + quiet(n);
    std::printf("%d\n", sum);
}
