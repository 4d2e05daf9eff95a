// Sums and products: variant and visit, optional, any, tuples, structured bindings; an interpreter over a variant tree.
#include <any>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace {

template <class... F> struct Overloaded : F... {
    using F::operator()...;
};

struct Json;
using List = std::vector<Json>;
using Object = std::map<std::string, Json>;
struct Json {
    std::variant<std::nullptr_t, bool, double, std::string, List, Object> value;
};

std::string write(const Json &json) {
    return std::visit(Overloaded{
                          [](std::nullptr_t) -> std::string { return "null"; },
                          [](bool b) -> std::string { return b ? "true" : "false"; },
                          [](double d) -> std::string {
                              char text[32];
                              std::snprintf(text, sizeof text, "%g", d);
                              return text;
                          },
                          [](const std::string &s) { return '"' + s + '"'; },
                          [](const List &list) {
                              std::string text = "[";
                              for (auto &item : list) text += (text.size() > 1 ? "," : "") + write(item);
                              return text + "]";
                          },
                          [](const Object &object) {
                              std::string text = "{";
                              for (auto &[key, item] : object) text += (text.size() > 1 ? ",\"" : "\"") + key + "\":" + write(item);
                              return text + "}";
                          },
                      },
                      json.value);
}

class Parser {
    const char *at;

    [[noreturn]] void fail(const char *wanted) { throw std::invalid_argument(std::string("expected ") + wanted + " before '" + at + "'"); }
    void skip() {
        while (*at == ' ') at++;
    }
    bool take(char c) {
        skip();
        return *at == c ? (at++, true) : false;
    }
    bool take(const std::string &word) { return std::string(at).starts_with(word) ? (at += word.size(), true) : false; }
    std::string text() {
        std::string result;
        for (; *at != '"'; at++) {
            if (!*at) fail("a quote");
            result += *at;
        }
        at++;
        return result;
    }

  public:
    explicit Parser(const char *t) : at(t) {}
    Json parse() {
        skip();
        if (take("null")) return {nullptr};
        if (take("true")) return {true};
        if (take("false")) return {false};
        if (take('"')) return {text()};
        if (take('[')) {
            List list;
            if (take(']')) return {list};
            do list.push_back(parse());
            while (take(','));
            if (!take(']')) fail("]");
            return {std::move(list)};
        }
        if (take('{')) {
            Object object;
            if (take('}')) return {object};
            do {
                if (!take('"')) fail("a key");
                std::string key = text();
                if (!take(':')) fail(":");
                object[key] = parse();
            } while (take(','));
            if (!take('}')) fail("}");
            return {std::move(object)};
        }
        char *end;
        double number = std::strtod(at, &end);
        if (end == at) fail("a value");
        at = end;
        return {number};
    }
};

struct Number;
struct Binary;
using Expression = std::variant<Number, Binary>;
struct Number {
    int value;
};
struct Binary {
    char op;
    std::unique_ptr<Expression> left, right;
};

Expression binary(char op, Expression l, Expression r) {
    return Binary{op, std::make_unique<Expression>(std::move(l)), std::make_unique<Expression>(std::move(r))};
}

std::optional<int> evaluate(const Expression &e) {
    if (auto *number = std::get_if<Number>(&e)) return number->value;
    auto &[op, left, right] = std::get<Binary>(e);
    auto l = evaluate(*left), r = evaluate(*right);
    if (!l || !r) return std::nullopt;
    switch (op) {
        case '+': return *l + *r;
        case '*': return *l * *r;
        case '/': return *r ? std::optional(*l / *r) : std::nullopt;
        default: throw std::out_of_range("no such operation");
    }
}

struct Fragile {
    Fragile() = default;
    Fragile(const Fragile &) { throw 1; }
};

std::string any_kind(const std::any &value) {
    if (!value.has_value()) return "nothing";
    if (auto *n = std::any_cast<int>(&value)) return "int " + std::to_string(*n);
    if (value.type() == typeid(std::string)) return "string " + std::any_cast<std::string>(value);
    return "other";
}

// Visiting two variants at once: a table of functions.
int meet(const std::variant<char, short, long> &a, const std::variant<int, double> &b) {
    return std::visit([](auto x, auto y) { return int(sizeof x * 10 + sizeof y) + int(x) + int(y); }, a, b);
}

std::tuple<int, std::string, double> triple(int n) { return {n, std::string(std::size_t(n), '*'), n / 4.0}; }

}  // namespace

int main() {
    for (auto *text : {"{\"b\": [1, 2.5, -3e2], \"a\": {\"x\": null, \"y\": [true, false, []]}}", "[1, {\"k\" 2}]", "\"open", "[{}, \"s\", ]"}) {
        try {
            std::puts(write(Parser(text).parse()).c_str());
        } catch (const std::invalid_argument &e) {
            std::printf("%s\n", e.what());
        }
    }
    auto good = binary('+', Number{2}, binary('*', Number{5}, binary('/', Number{22}, Number{7})));
    auto bad = binary('+', Number{2}, binary('/', Number{5}, Number{0}));
    std::printf("%d %d\n", evaluate(good).value_or(-1), evaluate(bad).value_or(-1));
    try {
        evaluate(binary('%', Number{1}, Number{2}));
    } catch (const std::out_of_range &e) {
        std::puts(e.what());
    }
    std::variant<int, Fragile> v = 3;
    try {
        v = Fragile();
    } catch (int) {
        std::printf("valueless %d, index %d\n", v.valueless_by_exception(), int(v.index()));
    }
    try {
        Fragile fragile;
        v.emplace<1>(fragile);
    } catch (int) {
        std::printf("valueless %d\n", v.valueless_by_exception());
    }
    try {
        std::visit([](auto &) {}, v);
    } catch (const std::bad_variant_access &) {
        std::puts("bad access");
    }
    std::printf("%s, %s, %s, %s\n", any_kind({}).c_str(), any_kind(5).c_str(), any_kind(std::string("s")).c_str(), any_kind(1.5).c_str());
    try {
        std::any_cast<long>(std::any(1));
    } catch (const std::bad_any_cast &) {
        std::puts("bad cast");
    }
    std::printf("%d %d %d\n", meet('a', 2), meet(short(3), 2.75), meet(7L, 1));
    auto [n, stars, quarter] = triple(6);
    std::tie(n, std::ignore, quarter) = triple(3);
    std::printf("%d %s %g %d\n", n, stars.c_str(), quarter, triple(2) < triple(3));
}
