/* Smooths an image: a recursive filter runs forwards and backwards along the rows, then along the columns. */
#include <math.h>

#include "polybench.h"

#ifndef W
#define W PB_SIZE(64, 192, 720, 4096, 7680)
#endif
#ifndef H
#define H PB_SIZE(64, 128, 480, 2160, 4320)
#endif

static void init_array(int w, int h, float *alpha, float imgIn[W][H])
{
    *alpha = 0.25;
    for (int i = 0; i < w; i++)
        for (int j = 0; j < h; j++)
            imgIn[i][j] = (float)((313 * i + 991 * j) % 65536) / 65535.0f;
}

static void print_array(int w, int h, float imgOut[W][H])
{
    PB_DUMP_START();
    PB_DUMP_BEGIN("imgOut");
    for (int i = 0; i < w; i++)
        for (int j = 0; j < h; j++)
            PB_DUMP_FLOAT(i * h + j, imgOut[i][j]);
    PB_DUMP_END("imgOut");
    PB_DUMP_FINISH();
}

static void kernel_deriche(int w, int h, float alpha, float imgIn[W][H], float imgOut[W][H], float y1[W][H],
                           float y2[W][H])
{
    float k = (1.0f - expf(-alpha)) * (1.0f - expf(-alpha)) / (1.0f + 2.0f * alpha * expf(-alpha) - expf(2.0f * alpha));
    float a1 = k, a5 = k;
    float a2 = k * expf(-alpha) * (alpha - 1.0f), a6 = a2;
    float a3 = k * expf(-alpha) * (alpha + 1.0f), a7 = a3;
    float a4 = -k * expf(-2.0f * alpha), a8 = a4;
    float b1 = powf(2.0f, -alpha);
    float b2 = -expf(-2.0f * alpha);
    float c1 = 1, c2 = 1;

    for (int i = 0; i < w; i++) {
        float ym1 = 0.0f, ym2 = 0.0f, xm1 = 0.0f;
        for (int j = 0; j < h; j++) {
            y1[i][j] = a1 * imgIn[i][j] + a2 * xm1 + b1 * ym1 + b2 * ym2;
            xm1 = imgIn[i][j];
            ym2 = ym1;
            ym1 = y1[i][j];
        }
    }
    for (int i = 0; i < w; i++) {
        float yp1 = 0.0f, yp2 = 0.0f, xp1 = 0.0f, xp2 = 0.0f;
        for (int j = h - 1; j >= 0; j--) {
            y2[i][j] = a3 * xp1 + a4 * xp2 + b1 * yp1 + b2 * yp2;
            xp2 = xp1;
            xp1 = imgIn[i][j];
            yp2 = yp1;
            yp1 = y2[i][j];
        }
    }
    for (int i = 0; i < w; i++)
        for (int j = 0; j < h; j++)
            imgOut[i][j] = c1 * (y1[i][j] + y2[i][j]);
    for (int j = 0; j < h; j++) {
        float tm1 = 0.0f, ym1 = 0.0f, ym2 = 0.0f;
        for (int i = 0; i < w; i++) {
            y1[i][j] = a5 * imgOut[i][j] + a6 * tm1 + b1 * ym1 + b2 * ym2;
            tm1 = imgOut[i][j];
            ym2 = ym1;
            ym1 = y1[i][j];
        }
    }
    for (int j = 0; j < h; j++) {
        float tp1 = 0.0f, tp2 = 0.0f, yp1 = 0.0f, yp2 = 0.0f;
        for (int i = w - 1; i >= 0; i--) {
            y2[i][j] = a7 * tp1 + a8 * tp2 + b1 * yp1 + b2 * yp2;
            tp2 = tp1;
            tp1 = imgOut[i][j];
            yp2 = yp1;
            yp1 = y2[i][j];
        }
    }
    for (int i = 0; i < w; i++)
        for (int j = 0; j < h; j++)
            imgOut[i][j] = c2 * (y1[i][j] + y2[i][j]);
}

int main(int argc, char **argv)
{
    int w = W, h = H;
    float alpha;
    float(*imgIn)[W][H] = polybench_allocate(sizeof *imgIn);
    float(*imgOut)[W][H] = polybench_allocate(sizeof *imgOut);
    float(*y1)[W][H] = polybench_allocate(sizeof *y1);
    float(*y2)[W][H] = polybench_allocate(sizeof *y2);

    init_array(w, h, &alpha, *imgIn);
    PB_RUN(kernel_deriche(w, h, alpha, *imgIn, *imgOut, *y1, *y2));
    PB_RESULT(print_array(w, h, *imgOut));

    polybench_free(imgIn);
    polybench_free(imgOut);
    polybench_free(y1);
    polybench_free(y2);
    return 0;
}
