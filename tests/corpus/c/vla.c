/* Arrays whose size is known at run time, in loops and nested scopes, as parameters and in matrices; alloca. */
#include <alloca.h>
#include <stdio.h>
#include <string.h>

static long total(int rows, int columns, int values[rows][columns]) {
    long sum = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) sum += values[i][j] * (i + 1);
    return sum;
}

static long build(int rows, int columns) {
    int values[rows][columns];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) values[i][j] = i * columns - j * j;
    return total(rows, columns, values) + (long)sizeof values;
}

static int loop(int n) {
    int last = 0;
    for (int i = 1; i <= n; i++) {
        char text[i * 3];
        memset(text, 'a' + i % 26, sizeof text - 1);
        text[sizeof text - 1] = '\0';
        if (i % 4 == 0) continue;
        last += (int)strlen(text) * text[0];
        if (last > 20000) break;
        {
            short inner[i + 1];
            inner[i] = (short)last;
            last += inner[i] % 7;
        }
    }
    return last;
}

static int dynamic(int n) {
    int *list = NULL, count = 0;
    for (int i = 0; i < n; i++) {
        int *node = alloca(sizeof(int) * 2);
        node[0] = i * i;
        node[1] = list != NULL ? list[0] : -1;
        list = node;
        count += node[1];
    }
    return count + list[0];
}

static int jump_out(int n) {
    int r = 0;
again:;
    int values[n];
    for (int i = 0; i < n; i++) values[i] = i + r;
    r += values[n - 1];
    if (--n > 0) goto again;
    return r;
}

int main(void) {
    printf("%ld %ld %d %d %d %d\n", build(3, 4), build(10, 7), loop(10), loop(60), dynamic(12), jump_out(6));
    return 0;
}
