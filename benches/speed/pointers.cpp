// Smart pointers and moves: trees of unique_ptr, shared graphs, pairs of new and delete that nobody reads, and a list that owns its nodes.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

struct Node {
    int key;
    std::unique_ptr<Node> left, right;
    explicit Node(int key) : key(key) {}
};

static void insert(std::unique_ptr<Node> &at, int key) {
    if (!at)
        at = std::make_unique<Node>(key);
    else
        insert(key < at->key ? at->left : at->right, key);
}

static long sum(const std::unique_ptr<Node> &at, int depth) { return at ? at->key * depth + sum(at->left, depth + 1) + sum(at->right, depth + 1) : 0; }

struct Shared {
    int value;
    std::vector<std::shared_ptr<Shared>> friends;
};

static long graph(int seed) {
    std::vector<std::shared_ptr<Shared>> all;
    for (int i = 0; i < 40; i++) {
        auto next = std::make_shared<Shared>();
        next->value = i * seed % 17;
        for (int k = 0; k < 3 && i > 0; k++)
            next->friends.push_back(all[(i * 7 + k * seed) % i]);
        all.push_back(std::move(next));
    }
    long total = 0;
    for (const auto &one : all)
        for (auto other : one->friends)
            total += other->value * other.use_count();
    return total;
}

class Buffer {
    int *data;
    size_t size;

public:
    explicit Buffer(size_t size) : data(new int[size]), size(size) {
        for (size_t i = 0; i < size; i++)
            data[i] = int(i);
    }
    Buffer(const Buffer &) = delete;
    Buffer(Buffer &&other) noexcept : data(std::exchange(other.data, nullptr)), size(std::exchange(other.size, 0)) {}
    Buffer &operator=(Buffer &&other) noexcept {
        std::swap(data, other.data);
        std::swap(size, other.size);
        return *this;
    }
    ~Buffer() { delete[] data; }
    long last() const { return size ? data[size - 1] : -1; }
};

static Buffer larger(Buffer a, Buffer b) { return a.last() > b.last() ? std::move(a) : std::move(b); }

static int unread(int x) {
    auto p = std::make_unique<int>(x);
    std::unique_ptr<int[]> q(new int[8]);
    q[x & 7] = *p;
    int *raw = new int(x + 1);
    int result = *raw;
    delete raw;
    return result;
}

struct Item {
    int value;
    Item *next;
};

class Stack {
    Item *top = nullptr;

public:
    void push(int value) { top = new Item{value, top}; }
    int pop() {
        std::unique_ptr<Item> item(top);
        top = item->next;
        return item->value;
    }
    bool empty() const { return !top; }
    ~Stack() {
        while (!empty())
            pop();
    }
};

int main(int, char **argv) {
    int repeat = atoi(argv[1]);
    long total = 0;
    for (int i = 0; i < repeat; i++) {
        std::unique_ptr<Node> root;
        unsigned random = i;
        for (int k = 0; k < 100; k++) {
            random = random * 1664525 + 1013904223;
            insert(root, random >> 20);
        }
        total += sum(root, 1) + graph(i % 13 + 1);
        Buffer best(1);
        for (int k = 0; k < 20; k++)
            best = larger(std::move(best), Buffer((k * 7 + i) % 30 + 1));
        total += best.last();
        for (int k = 0; k < 300; k++)
            total += unread(k);
        Stack stack;
        for (int k = 0; k < 50; k++)
            stack.push(k);
        for (int k = 0; k < 30; k++)
            total += stack.pop();
    }
    printf("%ld\n", total);
}
