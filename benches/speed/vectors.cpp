// std::vector and the algorithms on it: filling, erasing, sorting, accumulating, vectors of vectors and of small structs.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

struct Point {
    int x, y;
    bool operator<(const Point &other) const { return x != other.x ? x < other.x : y < other.y; }
    bool operator==(const Point &other) const = default;
};

static uint64_t points(unsigned seed) {
    std::vector<Point> all;
    for (unsigned i = 0; i < 3000; i++) {
        seed = seed * 1664525 + 1013904223;
        all.push_back({int(seed >> 24), int(seed >> 16 & 63)});
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    auto far = std::count_if(all.begin(), all.end(), [](const Point &p) { return p.x * p.x + p.y * p.y > 9000; });
    auto found = std::lower_bound(all.begin(), all.end(), Point{100, 20});
    return all.size() * 31 + far + (found - all.begin());
}

static uint64_t rows(int size) {
    std::vector<std::vector<int>> table(size, std::vector<int>(size));
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
            table[i][j] = i == 0 || j == 0 ? 1 : (table[i - 1][j] + table[i][j - 1]) % 10007;
    uint64_t sum = 0;
    for (const auto &row : table)
        sum += std::accumulate(row.begin(), row.end(), 0);
    return sum;
}

static uint64_t heap(unsigned seed) {
    std::vector<unsigned> queue;
    uint64_t sum = 0;
    for (int i = 0; i < 2000; i++) {
        seed = seed * 1664525 + 1013904223;
        queue.push_back(seed >> 12);
        std::push_heap(queue.begin(), queue.end());
        if (i % 3 == 2) {
            std::pop_heap(queue.begin(), queue.end());
            sum += queue.back();
            queue.pop_back();
        }
    }
    std::reverse(queue.begin(), queue.end());
    std::rotate(queue.begin(), queue.begin() + queue.size() / 3, queue.end());
    for (size_t i = 0; i < queue.size(); i += 5)
        sum = sum * 31 + queue.at(i);
    return sum;
}

int main(int, char **argv) {
    int repeat = atoi(argv[1]);
    uint64_t sum = 0;
    for (int i = 0; i < repeat; i++)
        sum = sum * 7 + points(i) + rows(100 + i % 8) + heap(i);
    printf("%llu\n", (unsigned long long)sum);
}
