// Virtual calls: an expression tree, a hierarchy with several bases, dynamic_cast, an interface behind a decorator, and final classes.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

struct Expression {
    virtual ~Expression() = default;
    virtual long value(const long *variables) const = 0;
    virtual int size() const { return 1; }
};
using Pointer = std::unique_ptr<Expression>;

struct Constant final : Expression {
    long constant;
    explicit Constant(long c) : constant(c) {}
    long value(const long *) const override { return constant; }
};
struct Variable final : Expression {
    int index;
    explicit Variable(int i) : index(i) {}
    long value(const long *variables) const override { return variables[index]; }
};
struct Binary : Expression {
    Pointer a, b;
    Binary(Pointer a, Pointer b) : a(std::move(a)), b(std::move(b)) {}
    int size() const override { return 1 + a->size() + b->size(); }
    virtual long apply(long x, long y) const = 0;
    long value(const long *variables) const override { return apply(a->value(variables), b->value(variables)); }
};
struct Sum final : Binary {
    using Binary::Binary;
    long apply(long x, long y) const override { return x + y; }
};
struct Difference final : Binary {
    using Binary::Binary;
    long apply(long x, long y) const override { return x - y; }
};
struct Exclusive final : Binary {
    using Binary::Binary;
    long apply(long x, long y) const override { return x ^ y << 1; }
};

static Pointer grow(int depth, unsigned &seed) {
    seed = seed * 1664525 + 1013904223;
    if (depth == 0)
        return seed >> 31 ? Pointer(new Constant(seed >> 20)) : Pointer(new Variable(seed >> 29));
    Pointer a = grow(depth - 1, seed), b = grow(depth - 1 - (depth > 1 && seed >> 31), seed);
    switch (seed >> 8 & 3) {
    case 0: return std::make_unique<Sum>(std::move(a), std::move(b));
    case 1: return std::make_unique<Difference>(std::move(a), std::move(b));
    default: return std::make_unique<Exclusive>(std::move(a), std::move(b));
    }
}

struct Reader {
    virtual ~Reader() = default;
    virtual int next() = 0;
};
struct Writer {
    virtual ~Writer() = default;
    virtual void put(int byte) = 0;
};
class Memory final : public Reader, public Writer {
    std::vector<int> bytes;
    size_t at = 0;

public:
    int next() override { return at < bytes.size() ? bytes[at++] : -1; }
    void put(int byte) override { bytes.push_back(byte); }
    void rewind() {
        at = 0;
        bytes.clear();
    }
};
class Filter final : public Reader {
    Reader &inner;

public:
    explicit Filter(Reader &inner) : inner(inner) {}
    int next() override {
        int byte = inner.next();
        return byte < 0 ? byte : byte ^ 0x20;
    }
};

static long drain(Reader &reader) {
    long sum = 0;
    for (int byte; (byte = reader.next()) >= 0;)
        sum = sum * 31 % 1000003 + byte;
    return sum;
}

int main(int, char **argv) {
    int repeat = atoi(argv[1]);
    unsigned seed = 7;
    std::vector<Pointer> trees;
    for (int i = 0; i < 8; i++)
        trees.push_back(grow(6, seed));
    long variables[8] = {1, 2, 3, 5, 8, 13, 21, 34}, sum = 0;
    Memory memory;
    for (int i = 0; i < repeat; i++) {
        const Expression &tree = *trees[i % 8];
        sum += tree.value(variables) % 1009 + tree.size();
        variables[i % 8] ^= i;
        int sums = 0;
        for (const Pointer &t : trees)
            if (dynamic_cast<const Sum *>(t.get()))
                sums++;
        sum += sums;
        memory.rewind();
        Writer &writer = memory;
        for (int k = 0; k < 64; k++)
            writer.put((k * 7 + i) & 255);
        Filter once(memory), twice(once);
        sum += drain(twice);
    }
    printf("%ld\n", sum);
}
