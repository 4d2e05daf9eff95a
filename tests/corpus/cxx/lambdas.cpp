// Closures: captures by value, by reference, by move; generic, recursive and mutable lambdas, std::function, bind, invoke.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {

std::function<int(int)> compose(std::vector<std::function<int(int)>> functions) {
    return [functions = std::move(functions)](int x) {
        for (auto &f : functions) x = f(x);
        return x;
    };
}

auto counter() {
    return [n = 0]() mutable { return ++n; };
}

template <class F> struct Fix {
    F f;
    template <class... A> auto operator()(A... a) const { return f(*this, a...); }
};
template <class F> Fix(F) -> Fix<F>;

struct Account {
    int balance = 0;
    std::function<void(int)> on_change = [](int) {};
    auto depositor() {
        return [this](int amount) {
            balance += amount;
            on_change(balance);
            return balance;
        };
    }
};

int plus(int a, int b) { return a + b; }
int call_pointer(int (*f)(int, int), int a, int b) { return f(a, b); }

template <class T> class Event {
    std::vector<std::pair<int, std::function<void(const T &)>>> handlers;
    int next = 0;

  public:
    int subscribe(std::function<void(const T &)> handler) {
        handlers.emplace_back(next, std::move(handler));
        return next++;
    }
    void unsubscribe(int id) {
        std::erase_if(handlers, [id](auto &entry) { return entry.first == id; });
    }
    void fire(const T &value) const {
        for (auto &[id, handler] : handlers) handler(value);
    }
};

}  // namespace

int main() {
    int base = 10;
    auto add = [base](int x) { return x + base; };
    auto grow = [&base](int x) { return base += x; };
    std::printf("%d %d %d %d\n", add(1), grow(5), add(1), base);

    auto f = compose({add, [](int x) { return 2 * x; }, std::negate<int>(), [&](int x) { return x - base; }});
    std::printf("%d %d\n", f(1), f(-10));

    auto c = counter(), d = c;
    c(), c();
    std::printf("%d %d\n", c(), d());

    Fix ackermann{[](auto &self, int m, int n) -> int {
        return m == 0 ? n + 1 : n == 0 ? self(m - 1, 1) : self(m - 1, self(m, n - 1));
    }};
    std::printf("%d\n", ackermann(2, 9));

    auto owner = [p = std::make_unique<std::string>("owned")](const auto &...more) {
        std::string text = *p;
        ((text += ' ', text += more), ...);
        return text;
    };
    auto moved = std::move(owner);
    std::puts(moved("by", std::string("a"), "lambda").c_str());

    Account account;
    std::vector<int> seen;
    account.on_change = [&seen](int balance) { seen.push_back(balance); };
    auto deposit = account.depositor();
    deposit(5), deposit(-2);
    std::printf("%d %zu %d\n", account.balance, seen.size(), seen.back());

    using namespace std::placeholders;
    auto bound = std::bind(plus, _2, std::bind(std::multiplies<int>(), _1, 3));
    std::printf("%d %d %d\n", bound(2, 5), call_pointer(plus, 1, 2), call_pointer([](int a, int b) { return a * b; }, 6, 7));
    std::printf("%d %d\n", std::invoke(&Account::balance, account), std::invoke([](auto... x) { return (x * ...); }, 2, 3, 7));

    Event<std::string> event;
    std::map<std::string, int> lengths;
    int first = event.subscribe([&](const std::string &s) { lengths[s] += int(s.size()); });
    event.subscribe([&, calls = 0](const std::string &) mutable { std::printf("call %d\n", ++calls); });
    event.fire("one"), event.fire("three");
    event.unsubscribe(first);
    event.fire("five");
    for (auto &[key, length] : lengths) std::printf("%s=%d ", key.c_str(), length);
    std::puts("");

    std::vector<int> numbers(30);
    std::generate(numbers.begin(), numbers.end(), [x = 7]() mutable { return x = x * 31 % 101; });
    std::sort(numbers.begin(), numbers.end(), [](int a, int b) { return a % 10 != b % 10 ? a % 10 < b % 10 : a > b; });
    for (int n : numbers) std::printf("%d ", n);
    std::puts("");

    std::function<int(int)> empty;
    try {
        empty(1);
    } catch (const std::bad_function_call &) {
        std::puts("an empty function");
    }
}
