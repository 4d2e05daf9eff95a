// The algorithms: sorting, searching, partitions, heaps, permutations, sets, numeric ones, and the ranges of C++20.
#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <iterator>
#include <numeric>
#include <random>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

namespace {

void print(const char *name, auto &&range) {
    std::printf("%s:", name);
    for (auto &&x : range) std::printf(" %d", int(x));
    std::puts("");
}

std::vector<int> numbers(int count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<int> result(count);
    for (int &n : result) n = int(random() % 100);
    return result;
}

std::vector<int> sieve(int limit) {
    std::vector<bool> composite(limit);
    std::vector<int> primes;
    for (int n = 2; n < limit; n++) {
        if (composite[n]) continue;
        primes.push_back(n);
        for (int m = n * n; m < limit; m += n) composite[m] = true;
    }
    return primes;
}

void ranges() {
    namespace views = std::views;
    auto squares = views::iota(1) | views::transform([](int n) { return n * n; });
    print("odd squares", squares | views::filter([](int n) { return n % 2; }) | views::drop(2) | views::take(6));
    print("reverse", views::iota(0, 10) | views::reverse | views::take_while([](int n) { return n > 3; }));
    std::string_view text = "one,two,,three";
    for (auto part : text | views::split(',')) std::printf("[%.*s]", int(part.size()), part.empty() ? "" : &*part.begin());
    std::puts("");
    std::vector<std::vector<int>> nested = {{1, 2}, {}, {3}, {4, 5, 6}};
    print("joined", nested | views::join);
    std::vector<std::pair<std::string, int>> pairs = {{"x", 3}, {"y", 1}, {"z", 2}};
    std::ranges::sort(pairs, {}, &std::pair<std::string, int>::second);
    for (auto &name : pairs | views::keys) std::printf("%s", name.c_str());
    print(" values", pairs | views::values);
    auto v = numbers(20, 5);
    auto [least, most] = std::ranges::minmax(v);
    std::printf("%d %d %ld %d\n", least, most, long(std::ranges::count_if(v, [](int n) { return n > 50; })),
                std::ranges::any_of(v, [](int n) { return n == 0; }));
    auto rest = std::ranges::partition(v, [](int n) { return n % 3 == 0; });
    std::printf("%ld\n", long(v.size() - rest.size()));
    print("lazily", views::iota(1, 30) | views::filter([](int n) { return n % 4 == 1; }) | views::transform(std::negate<>()) | views::common);
}

}  // namespace

int main() {
    auto v = numbers(40, 1);
    auto w = v;
    std::sort(v.begin(), v.end());
    print("sorted", v);
    std::partial_sort(w.begin(), w.begin() + 5, w.end(), std::greater<>());
    print("best", std::vector<int>(w.begin(), w.begin() + 5));
    std::nth_element(w.begin(), w.begin() + 20, w.end());
    std::printf("middle %d, lower bound %ld, equal %ld\n", w[20], long(std::lower_bound(v.begin(), v.end(), 50) - v.begin()),
                long(std::count(v.begin(), v.end(), v[10])));
    auto [from, to] = std::equal_range(v.begin(), v.end(), v[10]);
    std::printf("range %ld\n", long(to - from));
    std::rotate(v.begin(), v.begin() + 7, v.end());
    auto middle = std::stable_partition(v.begin(), v.end(), [](int n) { return n & 1; });
    print("partitioned", v);
    std::sort(v.begin(), middle), std::sort(middle, v.end());
    std::inplace_merge(v.begin(), middle, v.end());
    std::make_heap(v.begin(), v.end());
    for (int i = 0; i < 5; i++) std::pop_heap(v.begin(), v.end() - i);
    print("popped", std::vector<int>(v.end() - 5, v.end()));

    std::array<int, 5> order = {0, 1, 2, 3, 4};
    int count = 0, weight = 0;
    do {
        count++;
        for (int i = 0; i < 5; i++) weight = (weight * 3 + order[i] * (i + count)) % 10007;
    } while (std::next_permutation(order.begin(), order.end()));
    std::printf("permutations %d %d\n", count, weight);

    std::vector<int> a = sieve(60), b(30), result;
    std::iota(b.begin(), b.end(), 1);
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
    std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
    print("sets", result);
    std::partial_sum(b.begin(), b.end(), b.begin());
    std::adjacent_difference(b.begin(), b.end(), b.begin(), std::plus<>());
    print("sums", b);
    std::printf("%d %d %lld\n", std::accumulate(b.begin(), b.end(), 0), std::inner_product(a.begin(), a.end(), b.begin(), 0),
                std::transform_reduce(a.begin(), a.end(), 1LL, [](long long x, long long y) { return x * y % 1000003; }, [](int n) { return n + 1; }));
    std::printf("%d %d %d\n", std::gcd(84, 36), std::lcm(12, 18), std::clamp(17, 3, 11));
    std::string text = "the quick brown fox jumps over the lazy dog";
    std::string needle = "over";
    std::printf("%ld %d\n", long(std::search(text.begin(), text.end(), needle.begin(), needle.end()) - text.begin()),
                std::is_permutation(needle.begin(), needle.end(), "rove"));
    std::sort(text.begin(), text.end());
    text.erase(std::unique(text.begin(), text.end()), text.end());
    std::reverse(text.begin(), text.end());
    std::puts(text.c_str());
    std::mt19937_64 engine(42);
    std::minstd_rand simple(7);
    std::shuffle(a.begin(), a.end(), simple);
    print("shuffled", a);
    std::printf("%llu\n", static_cast<unsigned long long>(engine()));
    ranges();
}
