// Exceptions, thrown rarely and often, through frames with destructors, and code that could throw and never does.
#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

struct Guard {
    long &count;
    explicit Guard(long &count) : count(count) { count++; }
    ~Guard() { count += 2; }
};

struct Failure {
    int code;
};

struct Deep : std::runtime_error {
    int depth;
    Deep(int depth) : std::runtime_error("deep"), depth(depth) {}
};

static long checked(const std::vector<int> &values, size_t i) {
    if (i >= values.size())
        throw Failure{int(i)};
    return values[i];
}

__attribute__((noinline)) static long descend(int depth, long &count) {
    Guard guard(count);
    if (depth == 0)
        throw Deep(int(count % 7));
    return descend(depth - 1, count) + 1;
}

__attribute__((noinline)) static int may_throw(int x) {
    if (x == -1)
        throw std::bad_alloc();
    return x * 3 + 1;
}

static long never(int n, long &count) {
    long sum = 0;
    for (int i = 0; i < n; i++) {
        Guard guard(count);
        std::string text(i % 8, 'x');
        sum += may_throw(i) + text.size();
    }
    return sum;
}

static long sums(const std::vector<int> &values, int n) {
    long sum = 0;
    for (int i = 0; i < n; i++)
        try {
            sum += checked(values, i % 1021);
        } catch (const Failure &failure) {
            sum += failure.code;
        }
    return sum;
}

int main(int, char **argv) {
    int repeat = atoi(argv[1]);
    std::vector<int> values(1020);
    for (int i = 0; i < 1020; i++)
        values[i] = i * 31 % 101;
    long sum = 0, count = 0;
    for (int i = 0; i < repeat; i++) {
        sum += sums(values, 2000) + never(500, count);
        try {
            sum += descend(5 + i % 5, count);
        } catch (const Deep &deep) {
            sum += deep.depth;
        } catch (...) {
            sum--;
        }
    }
    printf("%ld %ld\n", sum, count);
}
