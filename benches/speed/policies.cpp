// Classes made of templates: CRTP, policies, mixins, a small vector, an intrusive list, a ring buffer, bit sets and a matrix class.
#include <bitset>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <utility>

template <typename Self> struct Comparable {
    friend bool operator>(const Self &a, const Self &b) { return b < a; }
    friend bool operator<=(const Self &a, const Self &b) { return !(b < a); }
    friend bool operator>=(const Self &a, const Self &b) { return !(a < b); }
};
struct Version : Comparable<Version> {
    int major, minor;
    Version(int a, int b) : major(a), minor(b) {}
    friend bool operator<(const Version &a, const Version &b) { return a.major != b.major ? a.major < b.major : a.minor < b.minor; }
};

struct Checked {
    static size_t index(size_t i, size_t n) {
        if (i >= n)
            abort();
        return i;
    }
};
struct Wrapping {
    static size_t index(size_t i, size_t n) { return i % n; }
};

template <typename T, size_t N, typename Policy> class Ring {
    T items[N]{};
    size_t head = 0, count = 0;

public:
    void push(T item) {
        items[Policy::index((head + count) % N, N)] = item;
        if (count < N)
            count++;
        else
            head = (head + 1) % N;
    }
    T pop() {
        T item = items[Policy::index(head, N)];
        head = (head + 1) % N;
        count--;
        return item;
    }
    T &operator[](size_t i) { return items[(head + Policy::index(i, N)) % N]; }
    size_t size() const { return count; }
};

template <typename T, size_t N> class Small {
    alignas(T) unsigned char room[N * sizeof(T)];
    T *items = reinterpret_cast<T *>(room);
    size_t count = 0, capacity = N;

public:
    Small() = default;
    Small(const Small &) = delete;
    ~Small() {
        for (size_t i = 0; i < count; i++)
            items[i].~T();
        if (items != reinterpret_cast<T *>(room))
            ::operator delete(items);
    }
    template <typename... Args> void add(Args &&...args) {
        if (count == capacity) {
            T *larger = static_cast<T *>(::operator new(2 * capacity * sizeof(T)));
            for (size_t i = 0; i < count; i++) {
                new (&larger[i]) T(std::move(items[i]));
                items[i].~T();
            }
            if (items != reinterpret_cast<T *>(room))
                ::operator delete(items);
            items = larger;
            capacity *= 2;
        }
        new (&items[count++]) T(std::forward<Args>(args)...);
    }
    T *begin() { return items; }
    T *end() { return items + count; }
};

template <typename T> struct Hook {
    T *next = nullptr;
};
struct Task : Hook<Task> {
    int priority = 0;
};
template <typename T> class List {
    T *first = nullptr;

public:
    void add(T &item) {
        T **at = &first;
        while (*at && (*at)->priority < item.priority)
            at = &(*at)->next;
        item.next = *at;
        *at = &item;
    }
    template <typename F> void each(F f) const {
        for (T *at = first; at; at = at->next)
            f(*at);
    }
};

template <typename T, int R, int C> class Matrix {
    T cells[R * C]{};

public:
    T &operator()(int r, int c) { return cells[r * C + c]; }
    const T &operator()(int r, int c) const { return cells[r * C + c]; }
    template <int K> Matrix<T, R, K> operator*(const Matrix<T, C, K> &other) const {
        Matrix<T, R, K> out;
        for (int i = 0; i < R; i++)
            for (int j = 0; j < K; j++)
                for (int k = 0; k < C; k++)
                    out(i, j) += (*this)(i, k) * other(k, j);
        return out;
    }
};

int main(int, char **argv) {
    int repeat = atoi(argv[1]);
    uint64_t sum = 0;
    Matrix<uint32_t, 6, 6> m, p;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            m(i, j) = i * 3 + j, p(i, j) = i == j;
    std::bitset<256> set;
    Ring<int, 24, Checked> checked;
    Ring<int, 32, Wrapping> wrapping;
    for (int i = 0; i < repeat; i++) {
        Version a(i % 5, i % 7), b(i % 3, i % 11);
        sum += (a < b) + 2 * (a > b) + 4 * (a <= b) + 8 * (a >= b);
        for (int k = 0; k < 40; k++) {
            checked.push(k ^ i);
            wrapping.push(k + i);
        }
        for (size_t k = 0; k < checked.size(); k++)
            sum += checked[k % (24 - 23 * (k > 30))] % 7;
        sum += checked.pop() + wrapping.pop();
        Small<std::pair<int, Version>, 8> small;
        for (int k = 0; k < i % 20; k++)
            small.add(k, Version(k, i));
        for (auto &[k, version] : small)
            sum += k * version.minor;
        Task tasks[12];
        List<Task> list;
        for (int k = 0; k < 12; k++) {
            tasks[k].priority = k * 7 % 13;
            list.add(tasks[k]);
        }
        list.each([&](const Task &task) { sum = sum * 3 + task.priority; });
        p = p * m;
        sum += p(i % 6, 2);
        set.flip((i * 37) & 255);
        set ^= set << 3;
        sum += set.count();
    }
    printf("%llu\n", (unsigned long long)sum);
}
