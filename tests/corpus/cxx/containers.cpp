// The containers: each kind filled, searched, changed and walked; iterators, allocators, moves and out-of-range accesses.
#include <algorithm>
#include <bitset>
#include <cstdio>
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <stack>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace {

int alive, copies, moves;

struct Item {
    int key;
    std::string name;
    Item(int k, std::string n) : key(k), name(std::move(n)) { alive++; }
    Item(const Item &o) : key(o.key), name(o.name) { alive++, copies++; }
    Item(Item &&o) noexcept : key(o.key), name(std::move(o.name)) { alive++, moves++; }
    Item &operator=(const Item &) = default;
    Item &operator=(Item &&) = default;
    ~Item() { alive--; }
    friend bool operator<(const Item &a, const Item &b) { return a.key < b.key; }
    friend bool operator==(const Item &a, const Item &b) { return a.key == b.key; }
};
struct Hash {
    std::size_t operator()(const Item &i) const { return std::size_t(i.key) * 2654435761u; }
};

template <class T> struct Counting {
    using value_type = T;
    static inline std::size_t allocated, released;
    Counting() = default;
    template <class U> Counting(const Counting<U> &) {}
    T *allocate(std::size_t n) { return allocated += n, std::allocator<T>().allocate(n); }
    void deallocate(T *p, std::size_t n) { released += n, std::allocator<T>().deallocate(p, n); }
    friend bool operator==(const Counting &, const Counting &) { return true; }
};

unsigned state = 99;
int next_random(int limit) { return state = state * 1103515245u + 12345u, int(state >> 16) % limit; }

template <class C> long checksum(const C &c) {
    long sum = 0;
    for (auto &x : c) sum = sum * 31 % 1000003 + long(x);
    return sum;
}

// Shortest paths over a grid with walls, by a priority queue.
int shortest(int size) {
    std::vector<std::vector<int>> distance(size, std::vector<int>(size, 1 << 30));
    using Entry = std::pair<int, std::pair<int, int>>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    queue.push({0, {0, 0}});
    while (!queue.empty()) {
        auto [d, at] = queue.top();
        auto [x, y] = at;
        queue.pop();
        if (x < 0 || y < 0 || x >= size || y >= size || (x * 7 + y * 3) % 5 == 4 || distance[x][y] <= d) continue;
        distance[x][y] = d;
        int step = 1 + (x ^ y) % 4;
        for (auto [dx, dy] : {std::pair{1, 0}, {0, 1}, {-1, 0}, {0, -1}}) queue.push({d + step, {x + dx, y + dy}});
    }
    return distance[size - 1][size - 1];
}

}  // namespace

int main() {
    {
        std::vector<Item> items;
        for (int i = 0; i < 20; i++) items.emplace_back(next_random(100), "item" + std::to_string(i));
        std::stable_sort(items.begin(), items.end());
        items.erase(std::unique(items.begin(), items.end()), items.end());
        items.insert(items.begin() + 3, Item(-1, "inserted"));
        std::vector<Item> other = items;
        other.swap(items);
        for (auto &item : items) std::printf("%d:%s ", item.key, item.name.c_str());
        std::printf("\n%zu alive %d\n", items.size(), alive);
        std::unordered_set<Item, Hash> set(items.begin(), items.end());
        std::printf("%zu %zu\n", set.size(), set.count(Item(-1, "")));
    }
    std::printf("alive %d copies %d moves %d\n", alive, copies, moves);

    std::map<std::string, std::vector<int>> index;
    std::unordered_map<std::string, int> count;
    for (int i = 0; i < 60; i++) {
        std::string word(1 + next_random(3), char('a' + next_random(4)));
        index[word].push_back(i);
        count[word]++;
    }
    for (auto it = index.begin(); it != index.end();) {
        if (it->second.size() == 1) it = index.erase(it);
        else ++it;
    }
    for (auto &[word, places] : index) std::printf("%s %d %ld; ", word.c_str(), count.at(word), checksum(places));
    auto [low, high] = std::pair{index.lower_bound("b"), index.upper_bound("bbb")};
    std::printf("\nbetween: %ld\n", long(std::distance(low, high)));
    try {
        std::printf("%d\n", count.at("missing"));
    } catch (const std::out_of_range &) {
        std::puts("out of range");
    }
    try {
        std::vector<int> three(3);
        three.at(3) = 1;
    } catch (const std::out_of_range &) {
        std::puts("out of range again");
    }
    try {
        std::vector<int> huge;
        huge.reserve(std::size_t(-1));
    } catch (const std::length_error &) {
        std::puts("too long");
    }

    std::deque<int> deque;
    std::list<int> list;
    std::forward_list<int> forward;
    std::multiset<int> multi;
    std::set<int, std::greater<>> set;
    for (int i = 0; i < 1000; i++) {
        int n = next_random(500);
        if (i % 3) deque.push_back(n);
        else deque.push_front(n);
        if (i % 4 == 3) deque.pop_back();
        list.insert(i % 2 ? list.begin() : list.end(), n);
        forward.push_front(n);
        multi.insert(n), set.insert(n);
    }
    list.sort(), list.unique(), list.reverse();
    list.remove_if([](int n) { return n % 3 == 0; });
    forward.sort(std::greater<>());
    std::list<int> half;
    half.splice(half.begin(), list, list.begin(), std::next(list.begin(), 50));
    half.merge(std::list<int>{1000, 2000}, std::greater<>());
    std::printf("%ld %ld %ld %ld %ld %ld\n", checksum(deque), checksum(list), checksum(half), checksum(forward), checksum(multi), checksum(set));
    std::printf("%d %d\n", *set.begin(), *std::next(set.begin(), 10));

    std::stack<int, std::vector<int>> stack;
    std::queue<int> queue;
    for (int i = 0; i < 10; i++) stack.push(i), queue.push(i);
    for (int sum = 0; !stack.empty(); stack.pop(), queue.pop()) std::printf("%d ", sum += stack.top() * queue.front());
    std::bitset<100> bits;
    for (int i = 0; i < 100; i += 7) bits.set(i);
    std::printf("\n%zu %s\n", (bits << 3 | bits).count(), std::bitset<20>(0xbeef).to_string().c_str());
    std::printf("shortest %d %d\n", shortest(12), shortest(30));
    {
        std::vector<long, Counting<long>> v;
        std::list<int, Counting<int>> l;
        for (int i = 0; i < 100; i++) v.push_back(i), l.push_back(i);
        std::printf("%ld\n", checksum(v) + checksum(l));
    }
    std::printf("%zu %zu\n", Counting<long>::allocated, Counting<long>::released);

    std::shared_ptr<Item> shared = std::make_shared<Item>(1, "shared");
    std::weak_ptr<Item> weak = shared;
    std::optional<Item> maybe;
    maybe.emplace(2, "optional");
    std::printf("%ld %d %s %d\n", shared.use_count(), !weak.expired(), maybe->name.c_str(), alive);
    shared.reset(), maybe.reset();
    std::printf("%d %d\n", weak.lock() == nullptr, alive);
}
