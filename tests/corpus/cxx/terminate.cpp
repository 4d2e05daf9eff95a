// What ends a process: an exception that leaves a noexcept function, a destructor or a thread, a pure virtual call, exit, abort.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

[[noreturn]] void handler() {
    const char *what = "nothing";
    if (std::exception_ptr current = std::current_exception()) {
        try {
            std::rethrow_exception(current);
        } catch (const std::exception &e) {
            what = e.what();
        } catch (...) {
            what = "something else";
        }
        std::printf("terminate: %s\n", what);
    } else {
        std::puts("terminate without exception");
    }
    std::fflush(stdout);
    _exit(42);
}

struct Loud {
    ~Loud() { std::puts("~Loud"); }
};

volatile int yes = 1;

void may_throw(int n) {
    if (yes) throw std::runtime_error("left function " + std::to_string(n));
}

void not_throwing() noexcept {
    Loud loud;
    may_throw(1);
}

void conditionally(bool) noexcept(noexcept(may_throw(0))) {
    Loud loud;
    may_throw(2);
}

struct BadDestructor {
    ~BadDestructor() {
        Loud loud;
        may_throw(3);
    }
};

struct Base;
void call(Base &);
struct Base {
    Base() { call(*this); }
    virtual ~Base() = default;
    virtual void pure() = 0;
};
struct Derived : Base {
    void pure() override { std::puts("derived"); }
};
void call(Base &base) { base.pure(); }

struct AtExit {
    ~AtExit() {
        std::puts("a static's destructor");
        std::fflush(stdout);
    }
};

void in_child(const char *name, const std::function<void()> &work) {
    std::fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        std::set_terminate(handler);
        work();
        std::fflush(stdout);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status)) std::printf("%s: exit %d\n", name, WEXITSTATUS(status));
    else std::printf("%s: signal %d\n", name, WTERMSIG(status));
}

}  // namespace

int main() {
    in_child("nothing", [] { std::puts("fine"); });
    in_child("noexcept", [] { not_throwing(); });
    in_child("conditional", [] {
        try {
            conditionally(true);
        } catch (const std::exception &e) {
            std::printf("caught %s\n", e.what());
        }
    });
    in_child("destructor", [] {
        try {
            BadDestructor bad;
        } catch (...) {
            std::puts("never");
        }
    });
    in_child("while unwinding", [] {
        struct Second {
            ~Second() noexcept(false) { throw std::logic_error("second"); }
        };
        try {
            Second second;
            may_throw(4);
        } catch (...) {
            std::puts("never");
        }
    });
    in_child("uncaught", [] {
        Loud loud;
        throw 5;
    });
    in_child("rethrow of nothing", [] { throw; });
    in_child("thread", [] { std::thread([] { may_throw(6); }).join(); });
    in_child("pure virtual", [] { Derived derived; });
    in_child("abort", [] { std::abort(); });
    in_child("exit", [] {
        static AtExit at_exit;
        std::atexit([] { std::puts("a function at exit"); });
        std::exit(7);
    });
    in_child("quick exit", [] {
        std::at_quick_exit([] {
            std::puts("a function at quick exit");
            std::fflush(stdout);
        });
        std::quick_exit(8);
    });
}
