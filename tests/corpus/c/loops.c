/* Loops with breaks, continues, several exits, gotos out of nests, and bodies that run once. */
#include <stdio.h>

static int first_pair(const int *values, int count, int sum, int *left, int *right) {
    for (int i = 0; i < count; i++) {
        if (values[i] > sum) continue;
        for (int j = i + 1; j < count; j++) {
            if (values[j] < 0) break;
            if (values[i] + values[j] == sum) {
                *left = i;
                *right = j;
                goto found;
            }
        }
    }
    return 0;
found:
    return 1;
}

static int many_exits(const char *text) {
    int state = 0, i = 0;
    for (;;) {
        char c = text[i++];
        if (c == '\0') return state;
        if (c == '!') return -1;
        if (c == '?' && state > 3) break;
        while (c == 'x') {
            if (++state > 10) goto overflow;
            c = text[i++];
            if (c == '.') return 100 + state;
        }
        if (c == 'r') state = 0;
        if (c == '\0') break;
    }
    return 1000 + state;
overflow:
    return -1000 - i;
}

static unsigned long collatz(unsigned long n) {
    unsigned long longest = 0, best = 0;
    for (unsigned long start = 1; start < n; start++) {
        unsigned long steps = 0, at = start;
        do {
            at = at & 1 ? 3 * at + 1 : at >> 1;
            steps++;
        } while (at > 1);
        if (steps > longest) longest = steps, best = start;
    }
    return best * 1000 + longest;
}

static int once(int n) {
    do {
        if (n < 0) break;
        n += 10;
        if (n > 50) continue;
        n *= 2;
    } while (0);
    return n;
}

static void triangle(int size) {
    for (int i = 0, j = size; i < size || j > 0; i++, j -= 2) printf("%d,%d ", i, j);
    printf("\n");
    for (int i = 1; i <= size; i++) {
        for (int j = 0; j < size - i; j++) putchar(' ');
        for (int j = 0; j < 2 * i - 1; j++) putchar(i == size || j == 0 || j == 2 * i - 2 ? '*' : '.');
        putchar('\n');
    }
}

int main(void) {
    int values[] = {9, 4, 7, 1, 8, -1, 3}, left = -1, right = -1;
    for (int sum = 0; sum < 18; sum += 3) {
        int found = first_pair(values, 7, sum, &left, &right);
        printf("sum %d: %d %d %d\n", sum, found, left, right);
    }
    const char *texts[] = {"abc", "axxb!", "xxxxx?", "xx.", "xxxxxxxxxxxxxx", "xxrx", "", "a?xx"};
    for (int i = 0; i < 8; i++) printf("%d ", many_exits(texts[i]));
    printf("\n%lu\n", collatz(3000));
    for (int n = -5; n < 60; n += 13) printf("%d ", once(n));
    printf("\n");
    triangle(5);
    return 0;
}
