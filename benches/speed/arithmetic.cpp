// Classes of numbers: std::complex, modular integers, fixed point, rationals, vectors with expression templates, and units.
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>

template <uint32_t P> class Modular {
    uint32_t v;

public:
    constexpr Modular(uint64_t x = 0) : v(uint32_t(x % P)) {}
    friend Modular operator+(Modular a, Modular b) { return Modular(uint64_t(a.v) + b.v); }
    friend Modular operator-(Modular a, Modular b) { return Modular(uint64_t(a.v) + P - b.v); }
    friend Modular operator*(Modular a, Modular b) { return Modular(uint64_t(a.v) * b.v); }
    Modular power(uint32_t n) const {
        Modular result = 1, base = *this;
        for (; n; n >>= 1, base = base * base)
            if (n & 1)
                result = result * base;
        return result;
    }
    uint32_t value() const { return v; }
};

template <int Bits> class Fixed {
    int64_t raw;
    struct Raw {};
    Fixed(int64_t raw, Raw) : raw(raw) {}

public:
    Fixed(int x = 0) : raw(int64_t(x) << Bits) {}
    friend Fixed operator+(Fixed a, Fixed b) { return Fixed(a.raw + b.raw, Raw()); }
    friend Fixed operator*(Fixed a, Fixed b) { return Fixed(a.raw * b.raw >> Bits, Raw()); }
    friend Fixed operator/(Fixed a, Fixed b) { return Fixed((a.raw << Bits) / b.raw, Raw()); }
    friend bool operator<(Fixed a, Fixed b) { return a.raw < b.raw; }
    int64_t bits() const { return raw; }
};

class Rational {
    long n, d;

public:
    Rational(long n, long d = 1) : n(n), d(d) {
        long g = std::gcd(n, d);
        this->n /= g;
        this->d /= g;
    }
    friend Rational operator+(const Rational &a, const Rational &b) { return {a.n * b.d + b.n * a.d, a.d * b.d}; }
    friend Rational operator*(const Rational &a, const Rational &b) { return {a.n * b.n, a.d * b.d}; }
    long sum() const { return n + d; }
};

template <typename E> struct Term {
    double operator[](int i) const { return static_cast<const E &>(*this)[i]; }
};
struct Vec : Term<Vec> {
    double v[64];
    double operator[](int i) const { return v[i]; }
    template <typename E> Vec &operator=(const Term<E> &e) {
        for (int i = 0; i < 64; i++)
            v[i] = e[i];
        return *this;
    }
};
template <typename A, typename B, typename Op> struct Pair : Term<Pair<A, B, Op>> {
    const A &a;
    const B &b;
    Pair(const A &a, const B &b) : a(a), b(b) {}
    double operator[](int i) const { return Op::apply(a[i], b[i]); }
};
struct Plus { static double apply(double a, double b) { return a + b; } };
struct Times { static double apply(double a, double b) { return a * b; } };
template <typename A, typename B> Pair<A, B, Plus> operator+(const Term<A> &a, const Term<B> &b) { return {static_cast<const A &>(a), static_cast<const B &>(b)}; }
template <typename A, typename B> Pair<A, B, Times> operator*(const Term<A> &a, const Term<B> &b) { return {static_cast<const A &>(a), static_cast<const B &>(b)}; }

static int julia(std::complex<double> z, std::complex<double> c) {
    int n = 0;
    while (std::norm(z) < 4 && n < 60) {
        z = z * z + c;
        n++;
    }
    return n;
}

int main(int, char **argv) {
    int repeat = atoi(argv[1]);
    using M = Modular<998244353>;
    using F = Fixed<16>;
    uint64_t sum = 0;
    Vec a, b, c;
    for (int i = 0; i < 64; i++)
        a.v[i] = i * 0.01, b.v[i] = 1 - i * 0.005, c.v[i] = 0.5;
    for (int r = 0; r < repeat; r++) {
        for (int k = 0; k < 40; k++)
            sum += julia({k * 0.05 - 1, r % 20 * 0.1 - 1}, {-0.4, 0.6});
        M x = r + 1, y = 3;
        for (int k = 0; k < 100; k++) {
            x = x * y + M(k);
            y = y - x;
        }
        sum += x.power(r + 10).value();
        F f = 1, step = F(1) / F(r % 50 + 3);
        for (int k = 0; k < 100; k++)
            f = f < F(100) ? f + f * step : f / F(64);
        sum += f.bits();
        Rational q = 1;
        for (int k = 1; k < 12; k++)
            q = q * Rational(1, 2) + Rational(k % 5, 3);
        sum += q.sum();
        c = a * b + c * b + a;
        a.v[r % 64] += 1e-4;
    }
    std::complex<double> p(1, 1);
    for (int i = 0; i < 64; i++)
        p = (p * std::complex<double>(c[i], 0.3) + 1.0) / std::complex<double>(1.5, 0.1 * i);
    printf("%llu %.9g %.9g\n", (unsigned long long)sum, p.real(), p.imag());
}
