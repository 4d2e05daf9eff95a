// Small types by value: optional, variant with visit, tuple, pair, array, span, string_view, and a result type of our own.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

struct Circle { double radius; };
struct Box { double width, height; };
struct Segment { double length; };
using Shape = std::variant<Circle, Box, Segment>;

template <class... Ts> struct overloaded : Ts... { using Ts::operator()...; };

static double area(const Shape &shape) {
    return std::visit(overloaded{[](const Circle &c) { return 3.14159 * c.radius * c.radius; },
                                 [](const Box &b) { return b.width * b.height; }, [](const Segment &) { return 0.0; }},
                      shape);
}

static std::optional<int> digit(char c) {
    if (c < '0' || c > '9')
        return std::nullopt;
    return c - '0';
}

static std::optional<long> number(std::string_view text) {
    if (text.empty())
        return {};
    long value = 0;
    for (char c : text) {
        auto d = digit(c);
        if (!d)
            return {};
        value = value * 10 + *d;
    }
    return value;
}

static std::pair<std::string_view, std::string_view> cut(std::string_view text, char at) {
    auto place = text.find(at);
    if (place == text.npos)
        return {text, {}};
    return {text.substr(0, place), text.substr(place + 1)};
}

static std::tuple<int, int, double> statistics(std::span<const int> values) {
    int least = values[0], most = values[0];
    double sum = 0;
    for (int v : values) {
        least = std::min(least, v);
        most = std::max(most, v);
        sum += v;
    }
    return {least, most, sum / values.size()};
}

template <typename T> class Result {
    std::variant<T, const char *> state;

public:
    Result(T value) : state(value) {}
    Result(const char *error) : state(error) {}
    template <typename F> auto then(F f) const -> decltype(f(std::declval<T>())) {
        if (auto value = std::get_if<T>(&state))
            return f(*value);
        return std::get<const char *>(state);
    }
    T otherwise(T value) const { return state.index() == 0 ? std::get<0>(state) : value; }
};

static Result<long> half(long x) { return x % 2 ? Result<long>("odd") : Result<long>(x / 2); }

int main(int, char **argv) {
    int repeat = atoi(argv[1]);
    std::vector<Shape> shapes;
    for (int i = 0; i < 90; i++)
        if (i % 3 == 0)
            shapes.push_back(Circle{i * 0.1});
        else if (i % 3 == 1)
            shapes.push_back(Box{i * 0.2, 3});
        else
            shapes.push_back(Segment{1.0 * i});
    std::array<int, 200> values;
    std::iota(values.begin(), values.end(), -50);
    double sum = 0;
    long total = 0;
    for (int i = 0; i < repeat; i++) {
        for (const Shape &shape : shapes)
            sum += area(shape);
        std::string_view rest = "12;345;x7;8901;;23;4a;567;99999;0";
        while (!rest.empty()) {
            auto [first, after] = cut(rest, ';');
            total += number(first).value_or(-1);
            rest = after;
        }
        auto [least, most, mean] = statistics(std::span(values).subspan(i % 50, 100));
        total += least * 3 + most;
        sum += mean;
        for (long k = 0; k < 64; k++)
            total += half(k + i).then(half).then([](long x) { return Result<long>(x + 1); }).then(half).otherwise(7);
        if (auto *circle = std::get_if<Circle>(&shapes[i % 90]))
            circle->radius += 0.001;
    }
    printf("%.9g %ld\n", sum, total);
}
