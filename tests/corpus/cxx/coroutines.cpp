// Coroutines: generators, recursive ones too, tasks that await each other, exceptions that cross suspensions, early destruction.
#include <coroutine>
#include <cstdio>
#include <deque>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Noisy {
    const char *name;
    ~Noisy() { std::printf("~%s\n", name); }
};

template <class T> class Generator {
  public:
    struct promise_type {
        T current{};
        std::exception_ptr error;
        Generator get_return_object() { return Generator(Handle::from_promise(*this)); }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(T value) {
            current = std::move(value);
            return {};
        }
        void return_void() {}
        void unhandled_exception() { error = std::current_exception(); }
    };
    using Handle = std::coroutine_handle<promise_type>;

    Generator(Generator &&other) noexcept : handle(std::exchange(other.handle, {})) {}
    ~Generator() {
        if (handle) handle.destroy();
    }
    std::optional<T> next() {
        handle.resume();
        if (handle.promise().error) std::rethrow_exception(std::exchange(handle.promise().error, {}));
        if (handle.done()) return std::nullopt;
        return handle.promise().current;
    }

  private:
    Handle handle;
    explicit Generator(Handle h) : handle(h) {}
};

Generator<int> range(int from, int to, int step = 1) {
    Noisy noisy{"range"};
    for (int i = from; i < to; i += step) co_yield i;
}

Generator<unsigned long> fibonacci() {
    unsigned long a = 0, b = 1;
    while (true) {
        co_yield a;
        a = std::exchange(b, a + b);
    }
}

struct Tree {
    int value;
    std::vector<Tree> children;
};

Generator<std::string> walk(const Tree &tree, std::string path) {
    path += '/' + std::to_string(tree.value);
    co_yield path;
    for (auto &child : tree.children) {
        auto inner = walk(child, path);
        while (auto item = inner.next()) co_yield *item;
    }
}

Generator<int> failing(int at) {
    Noisy noisy{"failing"};
    for (int i = 0;; i++) {
        if (i == at) throw std::runtime_error("failed at " + std::to_string(i));
        try {
            if (i % 2) throw i;
            co_yield i;
        } catch (int odd) {
            std::printf("odd %d\n", odd);
        }
    }
}

// A single-threaded scheduler with tasks that wait for each other.
std::deque<std::coroutine_handle<>> ready;

struct Yield {
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> handle) { ready.push_back(handle); }
    void await_resume() {}
};

template <class T> class Task {
  public:
    struct promise_type {
        std::optional<T> value;
        std::exception_ptr error;
        std::coroutine_handle<> waiter;
        Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
        std::suspend_always initial_suspend() noexcept { return {}; }
        auto final_suspend() noexcept {
            struct Final {
                bool await_ready() noexcept { return false; }
                std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept {
                    return h.promise().waiter ? h.promise().waiter : std::noop_coroutine();
                }
                void await_resume() noexcept {}
            };
            return Final{};
        }
        void return_value(T v) { value = std::move(v); }
        void unhandled_exception() { error = std::current_exception(); }
    };
    explicit Task(std::coroutine_handle<promise_type> h) : handle(h) {}
    Task(Task &&other) noexcept : handle(std::exchange(other.handle, {})) {}
    ~Task() {
        if (handle) handle.destroy();
    }
    bool await_ready() { return handle.done(); }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter) {
        handle.promise().waiter = waiter;
        return handle;
    }
    T await_resume() {
        if (handle.promise().error) std::rethrow_exception(handle.promise().error);
        return *handle.promise().value;
    }
    void start() { ready.push_back(handle); }
    T result() { return await_resume(); }

  private:
    std::coroutine_handle<promise_type> handle;
};

Task<int> leaf(int n) {
    Noisy noisy{"leaf"};
    co_await Yield{};
    if (n == 13) throw std::logic_error("thirteen");
    co_return n * n;
}

Task<int> branch(int from, int to) {
    int sum = 0;
    for (int i = from; i < to; i++) {
        try {
            sum += co_await leaf(i);
        } catch (const std::logic_error &e) {
            std::printf("%s\n", e.what());
            sum += 1000;
        }
        std::printf("%d: %d\n", from, sum);
    }
    co_return sum;
}

Task<std::string> both() {
    auto a = branch(1, 4);
    auto b = branch(12, 15);
    int first = co_await a;
    int second = co_await b;
    co_return std::to_string(first) + " and " + std::to_string(second);
}

}  // namespace

int main() {
    auto numbers = range(0, 20, 3);
    while (auto n = numbers.next()) std::printf("%d ", *n);
    std::puts("");
    {
        auto unfinished = range(5, 100);
        unfinished.next(), unfinished.next();
        std::puts("leaving early");
    }
    auto f = fibonacci();
    for (int i = 0; i < 50; i++) f.next();
    std::printf("%lu\n", *f.next());
    Tree tree{1, {{2, {{3, {}}, {4, {}}}}, {5, {}}, {6, {{7, {}}}}}};
    auto paths = walk(tree, "");
    while (auto path = paths.next()) std::printf("%s ", path->c_str());
    std::puts("");
    try {
        auto g = failing(5);
        while (auto n = g.next()) std::printf("even %d\n", *n);
    } catch (const std::runtime_error &e) {
        std::printf("%s\n", e.what());
    }
    auto task = both();
    auto other = branch(20, 22);
    task.start(), other.start();
    while (!ready.empty()) {
        auto handle = ready.front();
        ready.pop_front();
        handle.resume();
    }
    std::printf("%s, %d\n", task.result().c_str(), other.result());
}
