// C++: constructors and destructors, exceptions, virtual calls, references, templates, lambdas.
#include <stddef.h>
void opened(int), closed(int);
int may_throw(int);
int cannot_throw(int) noexcept;

struct Guard {
  int number;
  explicit Guard(int n) : number(n) { opened(n); }
  Guard(const Guard &) = delete;
  ~Guard() { closed(number); }
};
struct Error { int code; };
struct Shape { virtual int area() const = 0; virtual ~Shape() {} };
struct Square final : Shape { int side; explicit Square(int s) : side(s) {} int area() const override { return side * side; } };
struct Rectangle : Shape { int w, h; Rectangle(int a, int b) : w(a), h(b) {} int area() const override { return w * h; } };

int guarded(int n) { Guard g(n); return may_throw(n) + 1; }
int two_guards(int n) { Guard a(n); int r = may_throw(1); Guard b(r); return may_throw(2) + r; }
int guarded_quietly(int n) { Guard g(n); return cannot_throw(n); }
int caught(int n) { try { return may_throw(n); } catch (...) { return -1; } }
int caught_kind(int n) { try { return may_throw(n); } catch (const Error &e) { return e.code; } catch (int i) { return i; } }
int caught_in_loop(int n) { int s = 0; for (int i = 0; i < (n & 3); i++) { try { s += may_throw(i) & 7; } catch (...) { s += 100; continue; } if (s > 200) break; } return s; }
int quiet_in_try(int n) { try { return cannot_throw(n); } catch (...) { return -1; } }
int throws(int n) { if (n > 3) throw Error{n}; return n; }
int catches_own(int n) { try { return throws(n) + 1; } catch (Error e) { return e.code * 2; } }
int nested(int n) { try { Guard g(n); try { return may_throw(n); } catch (Error &e) { return may_throw(e.code); } } catch (...) { return 7; } }
int known(int n) { Square s(n & 15); const Shape &shape = s; return shape.area(); }
int picked(bool b) { Square s(3); Rectangle r(2, 5); const Shape *p = b ? static_cast<const Shape *>(&s) : &r; return p->area(); }
int unknown(const Shape *s) { return s->area() + s->area(); }

template <class T> T most(const T *p, int n) { T m = p[0]; for (int i = 1; i < n; i++) m = m < p[i] ? p[i] : m; return m; }
int most_int(const int *p) { return most(p, 4); }
double most_double(const double *p) { return most(p, 3); }
template <class F> int apply(const int *p, int n, F f) { int s = 0; for (int i = 0; i < n; i++) s = f(s, p[i]); return s; }
int lambda(const int *p, int k) { return apply(p, 4, [k](int a, int b) { return (a ^ b) + k; }); }
int counted(int n) { int calls = 0; auto f = [&](int x) { calls++; return x & 3; }; int r = f(n) + f(n + 1); return r * 10 + calls; }

struct Vec { float x, y, z; Vec operator+(const Vec &o) const { return {x + o.x, y + o.y, z + o.z}; } float operator*(const Vec &o) const { return x * o.x + y * o.y + z * o.z; } };
float vectors(float a, float b) { Vec u{a, b, 1}, v{b, 2, a}; Vec w = u + v; return w * u; }
struct Stack { int items[4]; size_t used = 0; bool push(int v) { if (used == 4) return false; items[used++] = v; return true; } int pop() { return used ? items[--used] : -1; } };
int stacked(int n) { Stack s; for (int i = 0; i < (n & 7); i++) if (!s.push(i * n)) break; int r = 0; while (s.used) r = r * 7 + s.pop(); return r; }
struct Optional { bool has; int value; int or_else(int v) const { return has ? value : v; } };
static Optional find(const int *p, int x) { for (int i = 0; i < 4; i++) if (p[i] == x) return {true, i}; return {false, 0}; }
int found(const int *p, int x) { return find(p, x).or_else(-1); }
struct Shared { int *count; explicit Shared(int *c) : count(c) { ++*count; } Shared(const Shared &o) : count(o.count) { ++*count; } ~Shared() { --*count; } };
int shares(int n) { int c = 0; { Shared a(&c); Shared b(a); if (n > 2) { Shared d(b); n += c; } n += c; } return n + c; }
static int &at(int *p, unsigned i) { return p[i & 3]; }
int referred(int *p, unsigned i) { int &r = at(p, i); r = 4; at(p, 1) += 2; return r; }
static thread_local int mine = 2;
int per_thread(int n) { mine += n & 3; return mine; }
