// Small structs by value: vectors, quaternions, rays and spheres, colours, intervals, and dates.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct { double x, y, z; } vec;
typedef struct { double w, x, y, z; } quat;
typedef struct { vec from, direction; } ray;
typedef struct { int hit; double distance; vec normal; } hit;
typedef struct { unsigned char r, g, b, a; } colour;
typedef struct { int year, month, day; } date;

static vec make(double x, double y, double z) { return (vec){x, y, z}; }
static vec add(vec a, vec b) { return make(a.x + b.x, a.y + b.y, a.z + b.z); }
static vec sub(vec a, vec b) { return make(a.x - b.x, a.y - b.y, a.z - b.z); }
static vec mul(vec a, double f) { return make(a.x * f, a.y * f, a.z * f); }
static double dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static vec cross(vec a, vec b) { return make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }
static vec unit(vec a) { return mul(a, 1 / sqrt(dot(a, a))); }

static quat qmul(quat a, quat b) {
    return (quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                  a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

static vec turn(quat q, vec v) {
    quat p = {0, v.x, v.y, v.z}, back = {q.w, -q.x, -q.y, -q.z};
    p = qmul(qmul(q, p), back);
    return make(p.x, p.y, p.z);
}

static hit sphere(ray r, vec centre, double radius) {
    vec to = sub(r.from, centre);
    double b = dot(to, r.direction), c = dot(to, to) - radius * radius, d = b * b - c;
    if (d < 0)
        return (hit){0};
    double t = -b - sqrt(d);
    if (t < 1e-6)
        return (hit){0};
    return (hit){1, t, unit(sub(add(r.from, mul(r.direction, t)), centre))};
}

static colour blend(colour a, colour b) {
    unsigned f = b.a, g = 255 - f;
    return (colour){(a.r * g + b.r * f) / 255, (a.g * g + b.g * f) / 255, (a.b * g + b.b * f) / 255, a.a + (255 - a.a) * f / 255};
}

static date tomorrow(date d) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int leap = (d.year % 4 == 0 && d.year % 100 != 0) || d.year % 400 == 0;
    if (++d.day > days[d.month - 1] + (leap && d.month == 2)) {
        d.day = 1;
        if (++d.month > 12)
            d.month = 1, d.year++;
    }
    return d;
}

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    vec centres[8], up = make(0, 0, 1);
    double light = 0;
    colour canvas = {0, 0, 0, 0};
    date day = {1999, 12, 1};
    quat spin = {cos(0.01), 0, sin(0.01), 0};
    for (int i = 0; i < 8; i++)
        centres[i] = make(i % 3 - 1, i / 3 - 1, 5 + i % 2);
    long sum = 0;
    for (int i = 0; i < repeat; i++) {
        for (int p = 0; p < 64; p++) {
            ray r = {make(0, 0, 0), unit(make(p % 8 / 4.0 - 1, p / 8 / 4.0 - 1, 3))};
            hit nearest = {0, 1e9};
            for (int s = 0; s < 8; s++) {
                hit h = sphere(r, centres[s], 0.4);
                if (h.hit && h.distance < nearest.distance)
                    nearest = h;
            }
            if (nearest.hit) {
                light += dot(nearest.normal, up);
                canvas = blend(canvas, (colour){p, 2 * p, 255 - p, 40});
            }
        }
        centres[i % 8] = add(turn(spin, sub(centres[i % 8], make(0, 0, 5))), make(0, 0, 5));
        up = unit(add(up, mul(cross(up, centres[i % 8]), 1e-3)));
        for (int k = 0; k < 50; k++)
            day = tomorrow(day);
        sum += day.day * day.month + canvas.r + canvas.g;
    }
    printf("%.9g %ld %d\n", light, sum, day.year);
    return 0;
}
