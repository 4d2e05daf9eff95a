// Planets that attract each other.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct body {
    double x, y, z, vx, vy, vz, mass;
};

enum { BODIES = 5 };

static struct body bodies[BODIES] = {
    {0, 0, 0, 0, 0, 0, 39.47},
    {4.84, -1.16, -0.10, 0.606, 2.81, -0.02, 0.037},
    {8.34, 4.12, -0.40, -1.01, 1.82, 0.008, 0.011},
    {12.89, -15.11, -0.22, 1.08, 0.868, -0.010, 0.0017},
    {15.37, -25.91, 0.179, 0.979, 0.594, -0.034, 0.002},
};

static void advance(double step) {
    for (int i = 0; i < BODIES; i++) {
        struct body *a = &bodies[i];
        for (int j = i + 1; j < BODIES; j++) {
            struct body *b = &bodies[j];
            double dx = a->x - b->x, dy = a->y - b->y, dz = a->z - b->z;
            double square = dx * dx + dy * dy + dz * dz;
            double magnitude = step / (square * sqrt(square));
            a->vx -= dx * b->mass * magnitude;
            a->vy -= dy * b->mass * magnitude;
            a->vz -= dz * b->mass * magnitude;
            b->vx += dx * a->mass * magnitude;
            b->vy += dy * a->mass * magnitude;
            b->vz += dz * a->mass * magnitude;
        }
    }
    for (int i = 0; i < BODIES; i++) {
        struct body *a = &bodies[i];
        a->x += step * a->vx;
        a->y += step * a->vy;
        a->z += step * a->vz;
    }
}

static double energy(void) {
    double sum = 0;
    for (int i = 0; i < BODIES; i++) {
        struct body *a = &bodies[i];
        sum += 0.5 * a->mass * (a->vx * a->vx + a->vy * a->vy + a->vz * a->vz);
        for (int j = i + 1; j < BODIES; j++) {
            struct body *b = &bodies[j];
            double dx = a->x - b->x, dy = a->y - b->y, dz = a->z - b->z;
            sum -= a->mass * b->mass / sqrt(dx * dx + dy * dy + dz * dz);
        }
    }
    return sum;
}

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    for (int i = 0; i < repeat; i++)
        for (int j = 0; j < 1000; j++)
            advance(0.001);
    printf("%.17g\n", energy());
    return 0;
}
