// std::function, lambdas and templates over callables: pipelines, callbacks that capture, memoization, and a visitor made of lambdas.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <vector>

template <typename F, typename G> auto compose(F f, G g) {
    return [=](auto x) { return g(f(x)); };
}

template <typename Range, typename F> long total(const Range &range, F f) {
    long sum = 0;
    for (const auto &x : range)
        sum += f(x);
    return sum;
}

class Signal {
    std::vector<std::function<void(int)>> slots;

public:
    void connect(std::function<void(int)> slot) { slots.push_back(std::move(slot)); }
    void emit(int value) const {
        for (const auto &slot : slots)
            slot(value);
    }
};

static long fibonacci(int n, std::map<int, long> &known) {
    std::function<long(int)> f = [&](int n) -> long {
        if (n < 2)
            return n;
        if (auto found = known.find(n); found != known.end())
            return found->second;
        long result = f(n - 1) + f(n - 2);
        known[n] = result;
        return result;
    };
    return f(n);
}

static auto counter(int start) {
    return [start]() mutable { return start++; };
}

template <typename F> long repeat_until(F step, long limit) {
    long x = 1;
    int steps = 0;
    while (x < limit && steps < 100) {
        x = step(x);
        steps++;
    }
    return x + steps;
}

int main(int, char **argv) {
    int repeat = atoi(argv[1]);
    std::vector<int> values(400);
    for (int i = 0; i < 400; i++)
        values[i] = i * 7919 % 1000;
    long sum = 0, signalled = 0;
    int threshold = 500;
    Signal signal;
    signal.connect([&](int v) { signalled += v; });
    signal.connect([&signalled, scale = 3](int v) { signalled ^= v * scale; });
    signal.connect([&](int v) {
        if (v > threshold)
            signalled++;
    });
    std::array<std::function<long(long)>, 4> steps = {
        [](long x) { return x * 3 + 1; },
        [](long x) { return x ^ x >> 3; },
        [&threshold](long x) { return x + threshold; },
        [a = 5L, b = 7L, c = 9L](long x) { return (x * a + b) % (c * 100003); },
    };
    for (int i = 0; i < repeat; i++) {
        auto f = compose([](int x) { return x + 1; }, compose([i](int x) { return x * (i % 7); }, [](int x) { return x % 101; }));
        sum += total(values, f) + total(values, [&](int x) { return x > threshold ? x : -1; });
        std::sort(values.begin(), values.begin() + 50, [i](int a, int b) { return (a ^ i) < (b ^ i); });
        sum += std::count_if(values.begin(), values.end(), std::bind(std::less<int>(), std::placeholders::_1, 100 + i % 800));
        for (int k = 0; k < 100; k++)
            signal.emit(values[k]);
        for (int k = 0; k < 400; k++)
            sum = steps[k % 4](sum);
        std::map<int, long> known;
        sum += fibonacci(20 + i % 5, known);
        auto next = counter(i);
        for (int k = 0; k < 50; k++)
            sum += next();
        sum += repeat_until([i](long x) { return x * 2 + i % 3; }, 1000000);
    }
    printf("%ld %ld\n", sum, signalled);
}
