// Loops that templates unroll: dot products, polynomials, small matrices and sorting networks of fixed size.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <utility>

template <int N> struct Dot {
    static double of(const double *a, const double *b) { return Dot<N - 1>::of(a, b) + a[N - 1] * b[N - 1]; }
};
template <> struct Dot<0> {
    static double of(const double *, const double *) { return 0; }
};

template <int I, int N, typename F> inline void each(F &&f) {
    if constexpr (I < N) {
        f(std::integral_constant<int, I>());
        each<I + 1, N>(f);
    }
}

template <int N> using Matrix = std::array<std::array<double, N>, N>;

template <int N> Matrix<N> product(const Matrix<N> &a, const Matrix<N> &b) {
    Matrix<N> c{};
    each<0, N>([&](auto i) { each<0, N>([&](auto j) { each<0, N>([&](auto k) { c[i][j] += a[i][k] * b[k][j]; }); }); });
    return c;
}

template <size_t... I> double horner(double x, std::index_sequence<I...>) {
    double value = 0;
    ((value = value * x + 1.0 / (I + 1)), ...);
    return value;
}

template <int N> void network(int *a) {
    each<0, N>([&](auto round) {
        each<0, (N - round % 2) / 2>([&](auto pair) {
            constexpr int at = 2 * pair + round % 2;
            if (a[at] > a[at + 1])
                std::swap(a[at], a[at + 1]);
        });
    });
}

int main(int, char **argv) {
    int repeat = atoi(argv[1]);
    std::array<double, 32> a, b;
    for (int i = 0; i < 32; i++)
        a[i] = i * 0.5, b[i] = 1.0 / (i + 1);
    Matrix<4> m, p;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            m[i][j] = (i * 5 + j * 3) % 7 * 0.1, p[i][j] = i == j;
    double sum = 0;
    long order = 0;
    unsigned random = 1;
    for (int i = 0; i < repeat; i++) {
        sum += Dot<32>::of(a.data(), b.data());
        a[i % 32] += 1e-3;
        p = product<4>(p, m);
        if (p[0][0] > 100 || p[0][0] < 0.01)
            for (auto &row : p)
                row = {1, 0.5, 0.25, 0.125};
        sum += horner(p[1][1] * 1e-3, std::make_index_sequence<16>());
        int values[8];
        for (int &value : values) {
            random = random * 1664525 + 1013904223;
            value = random >> 20;
        }
        network<8>(values);
        order += values[0] + 3 * values[4] - values[7];
    }
    printf("%.12g %.12g %ld\n", sum, p[2][3], order);
}
