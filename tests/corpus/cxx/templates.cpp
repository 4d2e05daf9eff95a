// Templates: variadic, recursive, specialized, constexpr and concepts; fold expressions, CRTP, expression templates.
#include <array>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace {

template <unsigned N> struct Fibonacci {
    static constexpr std::uint64_t value = Fibonacci<N - 1>::value + Fibonacci<N - 2>::value;
};
template <> struct Fibonacci<0> { static constexpr std::uint64_t value = 0; };
template <> struct Fibonacci<1> { static constexpr std::uint64_t value = 1; };

template <class... T> auto sum(T... values) { return (values + ... + 0); }
template <class... T> bool all(T... values) { return (values && ...); }

template <class T> std::string show(const T &value) {
    if constexpr (std::is_same_v<T, bool>) return value ? "yes" : "no";
    else if constexpr (std::is_integral_v<T>) return std::to_string(value);
    else if constexpr (std::is_floating_point_v<T>) return std::to_string(static_cast<int>(value * 100)) + "/100";
    else return std::string(value);
}
template <class... T, std::size_t... I> std::string show_all(const std::tuple<T...> &t, std::index_sequence<I...>) {
    std::string text;
    ((text += (I ? ", " : "") + show(std::get<I>(t))), ...);
    return text;
}
template <class... T> std::string show(const std::tuple<T...> &t) { return "(" + show_all(t, std::index_sequence_for<T...>{}) + ")"; }

// Expression templates: a sum of vectors becomes one loop.
template <class E> struct Expression {
    double operator[](std::size_t i) const { return static_cast<const E &>(*this)[i]; }
};
template <class L, class R> struct Sum : Expression<Sum<L, R>> {
    const L &l;
    const R &r;
    Sum(const L &a, const R &b) : l(a), r(b) {}
    double operator[](std::size_t i) const { return l[i] + r[i]; }
};
template <class E> struct Scaled : Expression<Scaled<E>> {
    const E &e;
    double by;
    Scaled(const E &x, double f) : e(x), by(f) {}
    double operator[](std::size_t i) const { return e[i] * by; }
};
template <std::size_t N> struct Vector : Expression<Vector<N>> {
    std::array<double, N> data{};
    double operator[](std::size_t i) const { return data[i]; }
    double &operator[](std::size_t i) { return data[i]; }
    template <class E> Vector &operator=(const Expression<E> &e) {
        for (std::size_t i = 0; i < N; i++) data[i] = e[i];
        return *this;
    }
};
template <class L, class R> Sum<L, R> operator+(const Expression<L> &l, const Expression<R> &r) {
    return {static_cast<const L &>(l), static_cast<const R &>(r)};
}
template <class E> Scaled<E> operator*(const Expression<E> &e, double by) { return {static_cast<const E &>(e), by}; }

template <class D> struct Counter {
    int calls = 0;
    int count(int n) {
        calls++;
        return n <= 0 ? 0 : static_cast<D *>(this)->step(n) + count(n - static_cast<D *>(this)->step(n));
    }
};
struct ByTwo : Counter<ByTwo> { int step(int) { return 2; } };
struct ByHalf : Counter<ByHalf> { int step(int n) { return (n + 1) / 2; } };

template <class T> concept Number = std::integral<T> || std::floating_point<T>;
template <Number T> constexpr T power(T base, unsigned exponent) {
    T result = 1;
    for (; exponent; exponent >>= 1, base *= base)
        if (exponent & 1) result *= base;
    return result;
}
template <std::integral T> const char *which(T) { return "integral"; }
template <Number T> const char *which(T) { return "number"; }
template <class T> const char *which(T) { return "anything"; }

template <int Rows, int Columns, class T> struct Matrix {
    T cell[Rows][Columns];
    template <int Other> Matrix<Rows, Other, T> operator*(const Matrix<Columns, Other, T> &b) const {
        Matrix<Rows, Other, T> product{};
        for (int i = 0; i < Rows; i++)
            for (int j = 0; j < Other; j++)
                for (int k = 0; k < Columns; k++) product.cell[i][j] += cell[i][k] * b.cell[k][j];
        return product;
    }
};

constexpr auto primes = [] {
    std::array<int, 20> found{};
    int count = 0;
    for (int n = 2; count < 20; n++) {
        bool prime = true;
        for (int d = 2; d * d <= n; d++) prime &= n % d != 0;
        if (prime) found[count++] = n;
    }
    return found;
}();

template <class F, class... A> decltype(auto) apply_twice(F &&f, A &&...a) {
    f(std::forward<A>(a)...);
    return f(std::forward<A>(a)...);
}

}  // namespace

int main() {
    std::printf("%llu %llu\n", static_cast<unsigned long long>(Fibonacci<30>::value), static_cast<unsigned long long>(Fibonacci<80>::value));
    std::printf("%d %g %d %d\n", sum(1, 2, 3), sum(0.5, 1), all(true, 1, "x"), all(true, 0));
    std::puts(show(std::make_tuple(1, true, 2.5, "text", std::string("string"), 'a', std::int64_t{-1})).c_str());
    Vector<16> a, b, c;
    for (std::size_t i = 0; i < 16; i++) a[i] = double(i), b[i] = double(i * i);
    c = a * 2 + b + (a + b) * 0.5;
    for (std::size_t i = 0; i < 16; i++) std::printf("%g ", c[i]);
    ByTwo two;
    ByHalf half;
    std::printf("\n%d %d %d %d\n", two.count(9), two.calls, half.count(100), half.calls);
    std::printf("%d %g %llu %s %s %s\n", power(3, 7), power(1.5, 5), power(7ull, 20), which(1), which(1.0), which("x"));
    Matrix<2, 3, long> m{{{1, 2, 3}, {4, 5, 6}}};
    Matrix<3, 2, long> n{{{7, 8}, {9, 10}, {11, 12}}};
    auto product = m * n;
    std::printf("%ld %ld %ld %ld\n", product.cell[0][0], product.cell[0][1], product.cell[1][0], product.cell[1][1]);
    for (int prime : primes) std::printf("%d ", prime);
    int total = 0;
    std::printf("\n%d\n", apply_twice([&](int x, int &&y) { return total += x * y; }, 3, 4));
}
