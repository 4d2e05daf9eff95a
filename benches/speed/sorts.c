// Quick, heap, merge, shell and radix sort on integers, and qsort with a comparison function.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 4000 };

static void swap(int *a, int *b) {
    int t = *a;
    *a = *b;
    *b = t;
}

static void quick(int *a, int low, int high) {
    while (low < high) {
        int pivot = a[(low + high) / 2], i = low, j = high;
        while (i <= j) {
            while (a[i] < pivot)
                i++;
            while (a[j] > pivot)
                j--;
            if (i <= j)
                swap(&a[i++], &a[j--]);
        }
        if (j - low < high - i) {
            quick(a, low, j);
            low = i;
        } else {
            quick(a, i, high);
            high = j;
        }
    }
}

static void sift(int *a, int root, int size) {
    for (int child; (child = 2 * root + 1) < size; root = child) {
        if (child + 1 < size && a[child] < a[child + 1])
            child++;
        if (a[root] >= a[child])
            return;
        swap(&a[root], &a[child]);
    }
}

static void heap(int *a, int size) {
    for (int i = size / 2 - 1; i >= 0; i--)
        sift(a, i, size);
    for (int i = size - 1; i > 0; i--) {
        swap(&a[0], &a[i]);
        sift(a, 0, i);
    }
}

static void merge(int *a, int *scratch, int size) {
    if (size < 2)
        return;
    int half = size / 2, i = 0, j = half, k = 0;
    merge(a, scratch, half);
    merge(a + half, scratch, size - half);
    while (i < half && j < size)
        scratch[k++] = a[j] < a[i] ? a[j++] : a[i++];
    while (i < half)
        scratch[k++] = a[i++];
    memcpy(a, scratch, k * sizeof *a);
}

static void shell(int *a, int size) {
    for (int gap = size / 2; gap > 0; gap /= 2)
        for (int i = gap; i < size; i++) {
            int value = a[i], j = i;
            for (; j >= gap && a[j - gap] > value; j -= gap)
                a[j] = a[j - gap];
            a[j] = value;
        }
}

static void radix(unsigned *a, unsigned *scratch, int size) {
    for (int shift = 0; shift < 32; shift += 8) {
        int count[257] = {0};
        for (int i = 0; i < size; i++)
            count[(a[i] >> shift & 255) + 1]++;
        for (int i = 0; i < 256; i++)
            count[i + 1] += count[i];
        for (int i = 0; i < size; i++)
            scratch[count[a[i] >> shift & 255]++] = a[i];
        memcpy(a, scratch, size * sizeof *a);
    }
}

static int compare(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    static int input[SIZE], a[SIZE], scratch[SIZE];
    unsigned long sum = 0;
    for (int i = 0; i < repeat; i++) {
        unsigned random = i + 1;
        for (int j = 0; j < SIZE; j++) {
            random = random * 1664525 + 1013904223;
            input[j] = random >> 4;
        }
        for (int kind = 0; kind < 6; kind++) {
            memcpy(a, input, sizeof a);
            switch (kind) {
            case 0: quick(a, 0, SIZE - 1); break;
            case 1: heap(a, SIZE); break;
            case 2: merge(a, scratch, SIZE); break;
            case 3: shell(a, SIZE); break;
            case 4: radix((unsigned *)a, (unsigned *)scratch, SIZE); break;
            default: qsort(a, SIZE, sizeof *a, compare);
            }
            for (int j = 0; j < SIZE; j++)
                sum = sum * 31 + (unsigned)a[j];
        }
    }
    printf("%lu\n", sum);
    return 0;
}
