// Iterators and ranges of our own: strided, filtered and zipped views, generators as classes, deque, list, and algorithms over them.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <list>
#include <numeric>
#include <queue>
#include <vector>

template <typename It> struct Strided {
    It it;
    int step;
    auto &operator*() const { return *it; }
    Strided &operator++() {
        it += step;
        return *this;
    }
    bool operator!=(const Strided &other) const { return it < other.it; }
};

template <typename It, typename P> class Filtered {
    It at, stop;
    P keep;
    void settle() {
        while (at != stop && !keep(*at))
            ++at;
    }

public:
    Filtered(It at, It stop, P keep) : at(at), stop(stop), keep(keep) { settle(); }
    auto &operator*() const { return *at; }
    Filtered &operator++() {
        ++at;
        settle();
        return *this;
    }
    bool operator!=(const Filtered &other) const { return at != other.at; }
};

template <typename A, typename B> struct Zipped {
    A a;
    B b;
    std::pair<const int &, const int &> operator*() const { return {*a, *b}; }
    Zipped &operator++() {
        ++a;
        ++b;
        return *this;
    }
    bool operator!=(const Zipped &other) const { return a != other.a && b != other.b; }
};

template <typename It> struct Range {
    It first, last;
    It begin() const { return first; }
    It end() const { return last; }
};
template <typename It> Range<It> range(It a, It b) { return {a, b}; }

class Triangular {
    long n = 0, sum = 0;

public:
    struct End {};
    explicit Triangular(long n) : n(n) {}
    long operator*() const { return sum; }
    Triangular &operator++() {
        sum += n--;
        return *this;
    }
    bool operator!=(End) const { return n > 0; }
};

static long windows(const std::deque<int> &values, size_t width) {
    std::deque<size_t> best;
    long sum = 0;
    for (size_t i = 0; i < values.size(); i++) {
        while (!best.empty() && values[best.back()] <= values[i])
            best.pop_back();
        best.push_back(i);
        if (best.front() + width <= i)
            best.pop_front();
        if (i + 1 >= width)
            sum += values[best.front()];
    }
    return sum;
}

static int josephus(int n, int k) {
    std::list<int> circle(n);
    std::iota(circle.begin(), circle.end(), 1);
    auto at = circle.begin();
    while (circle.size() > 1) {
        for (int i = 1; i < k; i++)
            if (++at == circle.end())
                at = circle.begin();
        at = circle.erase(at);
        if (at == circle.end())
            at = circle.begin();
    }
    return circle.front();
}

int main(int, char **argv) {
    int repeat = atoi(argv[1]);
    std::vector<int> values(600), others(600);
    for (int i = 0; i < 600; i++)
        values[i] = i * 7919 % 1009, others[i] = i * 31 % 97;
    std::deque<int> deque(values.begin(), values.end());
    long sum = 0;
    for (int i = 0; i < repeat; i++) {
        for (int v : range(Strided<int *>{values.data(), 3}, Strided<int *>{values.data() + 600, 3}))
            sum += v;
        auto odd = [i](int v) { return (v ^ i) & 1; };
        for (int v : range(Filtered(values.begin(), values.end(), odd), Filtered(values.end(), values.end(), odd)))
            sum += v * 2;
        for (auto [a, b] : range(Zipped<std::vector<int>::iterator, std::vector<int>::reverse_iterator>{values.begin(), others.rbegin()},
                                 Zipped<std::vector<int>::iterator, std::vector<int>::reverse_iterator>{values.end(), others.rend()}))
            sum += a * b;
        Triangular t(100 + i % 10);
        for (; t != Triangular::End(); ++t)
            sum += *t;
        sum += windows(deque, 5 + i % 20) + josephus(60, 3 + i % 5);
        sum += std::inner_product(values.begin(), values.end(), others.begin(), 0L);
        std::partial_sum(others.begin(), others.end(), others.begin(), [](int a, int b) { return (a + b) % 97; });
        std::nth_element(values.begin(), values.begin() + 300, values.end());
        sum += values[300];
        std::priority_queue<int, std::vector<int>, std::greater<int>> queue(others.begin(), others.begin() + 64);
        for (; !queue.empty(); queue.pop())
            sum = sum * 3 % 1000003 + queue.top();
        std::next_permutation(values.begin(), values.begin() + 20);
    }
    printf("%ld\n", sum);
}
