// Deep wrappers: integers, references and iterators behind many layers of templates that must vanish.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

template <typename T, int Depth> class Layer {
    Layer<T, Depth - 1> inner;

public:
    Layer(T value = T()) : inner(value) {}
    T get() const { return inner.get(); }
    void set(T value) { inner.set(value); }
    Layer &operator+=(const Layer &other) {
        set(get() + other.get());
        return *this;
    }
    friend Layer operator*(const Layer &a, const Layer &b) { return Layer(a.get() * b.get()); }
    friend Layer operator^(Layer a, const Layer &b) {
        a.set(a.get() ^ b.get());
        return a;
    }
    friend bool operator<(const Layer &a, const Layer &b) { return a.get() < b.get(); }
};

template <typename T> class Layer<T, 0> {
    T value;

public:
    Layer(T value = T()) : value(value) {}
    T get() const { return value; }
    void set(T other) { value = other; }
};

template <typename Iterator, int Depth> struct Adapter {
    Adapter<Iterator, Depth - 1> inner;
    explicit Adapter(Iterator i) : inner(i) {}
    auto &operator*() { return *inner; }
    Adapter &operator++() {
        ++inner;
        return *this;
    }
    bool operator!=(const Adapter &other) const { return inner != other.inner; }
};

template <typename Iterator> struct Adapter<Iterator, 0> {
    Iterator i;
    explicit Adapter(Iterator i) : i(i) {}
    auto &operator*() { return *i; }
    Adapter &operator++() {
        ++i;
        return *this;
    }
    bool operator!=(const Adapter &other) const { return i != other.i; }
};

template <int Depth> uint64_t through(auto f, uint64_t x) {
    if constexpr (Depth == 0)
        return f(x);
    else
        return through<Depth - 1>([f](uint64_t y) { return f(y + 1); }, x);
}

using Number = Layer<uint64_t, 6>;

int main(int, char **argv) {
    int repeat = atoi(argv[1]);
    static Number numbers[1000];
    for (int i = 0; i < 1000; i++)
        numbers[i] = Number(i * 2654435761u);
    Number sum(0);
    for (int r = 0; r < repeat; r++) {
        Adapter<Number *, 5> end(numbers + 1000);
        for (Adapter<Number *, 5> i(numbers); i != end; ++i) {
            sum += *i * Number(31) ^ sum;
            if (*i < sum)
                sum += Number(through<4>([](uint64_t x) { return x * x >> 7; }, sum.get()));
        }
        numbers[r % 1000] += sum;
    }
    printf("%llu\n", (unsigned long long)sum.get());
}
