// Containers with keys: std::map, std::unordered_map, std::set and std::unordered_set of numbers and strings.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

static uint64_t numbers(unsigned seed) {
    std::map<unsigned, unsigned> tree;
    std::unordered_map<unsigned, unsigned> table;
    for (int i = 0; i < 1500; i++) {
        seed = seed * 1664525 + 1013904223;
        tree[seed >> 21]++;
        table[seed >> 22] += i;
    }
    uint64_t sum = 0;
    for (auto [key, count] : tree)
        sum = sum * 31 + key * count;
    for (unsigned key = 0; key < 1024; key++) {
        auto found = table.find(key);
        sum += found == table.end() ? 1 : found->second;
    }
    for (auto at = tree.lower_bound(500); at != tree.end() && at->first < 1500;)
        at = tree.erase(at);
    return sum + tree.size();
}

static uint64_t words(unsigned seed) {
    std::unordered_map<std::string, int> counts;
    std::set<std::string> sorted;
    for (int i = 0; i < 500; i++) {
        seed = seed * 1664525 + 1013904223;
        std::string word = "w";
        for (unsigned rest = seed >> 24; rest > 0; rest /= 6)
            word += char('a' + rest % 6);
        counts[word]++;
        sorted.insert(std::move(word));
    }
    uint64_t sum = 0;
    for (const std::string &word : sorted)
        sum = sum * 31 + counts.at(word) * word.size() + word.back();
    return sum;
}

static uint64_t visited(unsigned seed) {
    std::unordered_set<uint64_t> seen;
    uint64_t at = seed;
    while (seen.insert(at).second && seen.size() < 1000)
        at = (at * at + 12345) % 1000003;
    return seen.size() + at;
}

int main(int, char **argv) {
    int repeat = atoi(argv[1]);
    uint64_t sum = 0;
    for (int i = 0; i < repeat; i++)
        sum = sum * 7 + numbers(i) + words(i) + visited(i);
    printf("%llu\n", (unsigned long long)sum);
}
