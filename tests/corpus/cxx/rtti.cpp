// Run-time types: dynamic_cast over multiple and virtual inheritance, cross casts, typeid, pointers to members.
#include <cstdio>
#include <cstring>
#include <memory>
#include <typeindex>
#include <typeinfo>
#include <vector>

namespace {

struct Shape {
    int id = 0;
    virtual ~Shape() = default;
    virtual double area() const = 0;
    virtual const char *kind() const { return "shape"; }
};
struct Printable {
    virtual ~Printable() = default;
    virtual void print() const = 0;
};
struct Scalable {
    virtual ~Scalable() = default;
    virtual void scale(double by) = 0;
    double factor = 1;
};
struct Square : Shape, Printable {
    double side;
    explicit Square(double s) : side(s) {}
    double area() const override { return side * side; }
    const char *kind() const override { return "square"; }
    void print() const override { std::printf("square of %g\n", side); }
};
struct Circle : Shape, Scalable, Printable {
    double radius;
    explicit Circle(double r) : radius(r) {}
    double area() const override { return 3 * radius * radius; }
    void scale(double by) override { radius *= by, factor *= by; }
    void print() const override { std::printf("circle of %g, scaled by %g\n", radius, factor); }
};

struct Root {
    int root;
    explicit Root(int r) : root(r) { std::printf("root %d\n", r); }
    virtual ~Root() { std::printf("~root %d\n", root); }
    virtual int value() const { return root; }
};
struct Left : virtual Root {
    int left = 10;
    Left() : Root(1) { std::printf("left sees %d\n", value()); }
    int value() const override { return root + left; }
};
struct Right : virtual Root {
    int right = 20;
    Right() : Root(2) { std::printf("right sees %d\n", value()); }
    virtual Right *self() { return this; }
};
struct Bottom : Left, Right {
    int bottom = 30;
    Bottom() : Root(3) {}
    int value() const override { return root + left + right + bottom; }
    Bottom *self() override { return this; }
};

template <class T> const char *name_of() { return typeid(T).name(); }

void describe(Shape *shape) {
    auto *printable = dynamic_cast<Printable *>(shape);
    auto *scalable = dynamic_cast<Scalable *>(shape);
    std::printf("%d %s %g:%s%s\n", shape->id, shape->kind(), shape->area(), printable ? " printable" : "", scalable ? " scalable" : "");
    if (scalable) scalable->scale(2);
    if (printable) printable->print();
    std::printf("whole object: %s\n", dynamic_cast<void *>(shape) == static_cast<void *>(shape) ? "at the start" : "elsewhere");
    try {
        auto &circle = dynamic_cast<Circle &>(*shape);
        std::printf("circle after all: %g\n", circle.area());
    } catch (const std::bad_cast &) {
        std::puts("no circle");
    }
}

struct Machine {
    int count = 0;
    int add(int n) { return count += n; }
    int take(int n) { return count -= n; }
    virtual int twice(int n) { return count = 2 * (count + n); }
    virtual ~Machine() = default;
};
struct Faster : Machine {
    int twice(int n) override { return count = 3 * (count + n); }
};

}  // namespace

int main() {
    std::vector<std::unique_ptr<Shape>> shapes;
    shapes.push_back(std::make_unique<Square>(3));
    shapes.push_back(std::make_unique<Circle>(2));
    int id = 0;
    for (auto &shape : shapes) {
        shape->id = ++id;
        describe(shape.get());
        std::printf("%d %d %s\n", typeid(*shape) == typeid(Square), std::type_index(typeid(*shape)) == typeid(Circle), typeid(*shape).name());
    }
    {
        Bottom bottom;
        Root *root = &bottom;
        Left *left = &bottom;
        std::printf("%d %d %d\n", root->value(), left->value(), static_cast<Right &>(bottom).value());
        Right *right = dynamic_cast<Right *>(left);
        std::printf("cross cast %d, down cast %d, covariant %d\n", right && right->right == 20, dynamic_cast<Bottom *>(root) == &bottom,
                    right->self() == &bottom);
    }
    {
        Left left;
        Root *root = &left;
        std::printf("no bottom: %d, no right: %d\n", dynamic_cast<Bottom *>(root) == nullptr, dynamic_cast<Right *>(root) == nullptr);
    }
    Shape *none = nullptr;
    try {
        std::puts(typeid(*none).name());
    } catch (const std::bad_typeid &) {
        std::puts("typeid of nothing");
    }
    std::printf("%s %s %s\n", name_of<int>(), name_of<const char *>(), name_of<std::vector<int>>());

    Machine machine;
    Faster faster;
    int (Machine::*steps[])(int) = {&Machine::add, &Machine::twice, &Machine::take};
    for (Machine *m : {&machine, static_cast<Machine *>(&faster)})
        for (auto step : steps) std::printf("%d ", (m->*step)(5));
    int Machine::*field = &Machine::count;
    std::printf("%d %d\n", machine.*field, faster.*field);
}
