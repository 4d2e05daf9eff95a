// Threads: mutexes, condition variables, atomics of every order, futures, thread-local storage, one-time initialization, barriers.
#include <algorithm>
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <future>
#include <latch>
#include <mutex>
#include <numeric>
#include <optional>
#include <semaphore>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

template <class T> class Channel {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<T> items;
    bool closed = false;
    std::size_t limit;

  public:
    explicit Channel(std::size_t l) : limit(l) {}
    void send(T item) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return items.size() < limit; });
        items.push_back(std::move(item));
        changed.notify_all();
    }
    std::optional<T> receive() {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return !items.empty() || closed; });
        if (items.empty()) return std::nullopt;
        T item = std::move(items.front());
        items.pop_front();
        changed.notify_all();
        return item;
    }
    void close() {
        std::lock_guard lock(mutex);
        closed = true;
        changed.notify_all();
    }
};

long pipeline() {
    Channel<int> numbers(4);
    Channel<long> squares(4);
    std::thread squarer([&] {
        while (auto n = numbers.receive()) squares.send(long(*n) * *n);
        squares.close();
    });
    std::thread source([&] {
        for (int i = 1; i <= 500; i++) numbers.send(i);
        numbers.close();
    });
    long sum = 0;
    while (auto n = squares.receive()) sum += *n;
    source.join(), squarer.join();
    return sum;
}

class SpinLock {
    std::atomic_flag held = ATOMIC_FLAG_INIT;

  public:
    void lock() {
        while (held.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
    }
    void unlock() { held.clear(std::memory_order_release); }
};

struct Node {
    int value;
    Node *next;
};

// A lock-free stack that only grows while the threads run.
long stack(int threads, int each) {
    std::atomic<Node *> head{nullptr};
    std::vector<std::vector<Node>> nodes(threads, std::vector<Node>(each));
    std::vector<std::jthread> workers;
    for (int t = 0; t < threads; t++)
        workers.emplace_back([&, t] {
            for (int i = 0; i < each; i++) {
                Node *node = &nodes[t][i];
                node->value = t * each + i;
                node->next = head.load(std::memory_order_relaxed);
                while (!head.compare_exchange_weak(node->next, node, std::memory_order_release, std::memory_order_relaxed)) {}
            }
        });
    workers.clear();
    long sum = 0;
    for (Node *node = head.load(std::memory_order_acquire); node; node = node->next) sum += node->value;
    return sum;
}

long orders() {
    std::atomic<long> n{5};
    n.fetch_add(3, std::memory_order_relaxed);
    n.fetch_sub(1, std::memory_order_acq_rel);
    n.fetch_or(16, std::memory_order_release);
    n.fetch_and(~2L, std::memory_order_acquire);
    n.fetch_xor(1);
    long expected = 0;
    bool done = n.compare_exchange_strong(expected, 7);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    std::atomic_signal_fence(std::memory_order_acq_rel);
    std::printf("%d %ld %ld\n", done, expected, n.exchange(expected + 1));
    return n.load();
}

thread_local std::string local = "fresh";
std::once_flag once;

void thread_locals() {
    std::string seen[3];
    for (int i = 0; i < 3; i++)
        std::thread([&, i] {
            std::call_once(once, [] { std::puts("once"); });
            seen[i] = local;
            local = "used";
        }).join();
    local += " main";
    std::printf("%s %s %s %s\n", seen[0].c_str(), seen[1].c_str(), seen[2].c_str(), local.c_str());
}

int &counted() {
    static int calls = [] {
        std::puts("first call");
        return 100;
    }();
    return ++calls;
}

void futures() {
    std::vector<std::future<long>> parts;
    for (int i = 0; i < 4; i++)
        parts.push_back(std::async(std::launch::async, [i] {
            std::vector<long> v(1000);
            std::iota(v.begin(), v.end(), i * 1000);
            if (i == 3) throw std::runtime_error("part 3");
            return std::accumulate(v.begin(), v.end(), 0L);
        }));
    for (auto &part : parts) {
        try {
            std::printf("%ld\n", part.get());
        } catch (const std::exception &e) {
            std::printf("failed: %s\n", e.what());
        }
    }
    std::promise<int> promise;
    std::shared_future<int> shared = promise.get_future().share();
    std::jthread waiter([shared] { std::printf("waited for %d\n", shared.get()); });
    promise.set_value(17);
    waiter.join();
    std::packaged_task<int(int)> task([](int n) { return n / 2; });
    auto result = task.get_future();
    task(84);
    auto lazy = std::async(std::launch::deferred, [] { return 1; });
    std::printf("%d %d\n", result.get(), lazy.get());
    std::future<int> broken = std::promise<int>().get_future();
    try {
        broken.get();
    } catch (const std::future_error &e) {
        std::printf("broken promise: %d\n", e.code() == std::future_errc::broken_promise);
    }
}

}  // namespace

int main() {
    std::printf("pipeline %ld\n", pipeline());
    std::printf("stack %ld\n", stack(4, 200));
    std::printf("orders %ld\n", orders());
    thread_locals();
    futures();
    counted(), counted();
    std::printf("%d\n", counted());

    SpinLock spin;
    std::shared_mutex shared;
    std::atomic<int> readers = 0;
    std::counting_semaphore<2> two(2);
    std::latch start(4);
    long guarded = 0, written = 0;
    {
        std::vector<std::jthread> workers;
        for (int t = 0; t < 4; t++)
            workers.emplace_back([&] {
                start.arrive_and_wait();
                for (int i = 0; i < 300; i++) {
                    {
                        std::lock_guard lock(spin);
                        guarded += i;
                    }
                    if (i % 10 == 0) {
                        std::unique_lock lock(shared);
                        written++;
                    } else {
                        std::shared_lock lock(shared);
                        readers += written >= 0;
                    }
                }
                two.acquire();
                std::this_thread::yield();
                two.release();
            });
    }
    std::printf("%ld %ld %d\n", guarded, written, readers.load());

    std::vector<long> cells(4, 1);
    int phases = 0;
    std::barrier sync(4, [&]() noexcept {
        phases++;
        std::rotate(cells.begin(), cells.begin() + 1, cells.end());
    });
    {
        std::vector<std::jthread> workers;
        for (int t = 0; t < 4; t++)
            workers.emplace_back([&, t] {
                for (int i = 0; i < 5; i++) cells[t] = cells[t] * 3 + t, sync.arrive_and_wait();
            });
    }
    std::printf("%d %ld %ld %ld %ld\n", phases, cells[0], cells[1], cells[2], cells[3]);
    std::jthread stopped([](std::stop_token token) {
        while (!token.stop_requested()) std::this_thread::yield();
        std::puts("stopped");
    });
}
