// Dynamic programming: longest common subsequence, edit distance, knapsack, matrix chains, coins, and longest rising sequences.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 300, GOODS = 60, ROOM = 800, CHAIN = 50 };

static char a[LENGTH + 1], b[LENGTH + 1];
static int table[LENGTH + 1][LENGTH + 1];

static int common(void) {
    for (int i = 1; i <= LENGTH; i++)
        for (int j = 1; j <= LENGTH; j++)
            if (a[i - 1] == b[j - 1])
                table[i][j] = table[i - 1][j - 1] + 1;
            else
                table[i][j] = table[i - 1][j] > table[i][j - 1] ? table[i - 1][j] : table[i][j - 1];
    return table[LENGTH][LENGTH];
}

static int least(int x, int y, int z) {
    int m = x < y ? x : y;
    return m < z ? m : z;
}

static int edits(void) {
    int row[LENGTH + 1];
    for (int j = 0; j <= LENGTH; j++)
        row[j] = j;
    for (int i = 1; i <= LENGTH; i++) {
        int corner = row[0];
        row[0] = i;
        for (int j = 1; j <= LENGTH; j++) {
            int above = row[j];
            row[j] = least(row[j - 1] + 1, above + 1, corner + (a[i - 1] != b[j - 1]));
            corner = above;
        }
    }
    return row[LENGTH];
}

static int knapsack(int seed) {
    int best[ROOM + 1] = {0};
    for (int g = 0; g < GOODS; g++) {
        int weight = (g * 37 + seed) % 53 + 5, value = (g * 91 + seed) % 97 + 1;
        for (int w = ROOM; w >= weight; w--)
            if (best[w - weight] + value > best[w])
                best[w] = best[w - weight] + value;
    }
    return best[ROOM];
}

static long chain(int seed) {
    static long cost[CHAIN][CHAIN];
    int sizes[CHAIN + 1];
    for (int i = 0; i <= CHAIN; i++)
        sizes[i] = (i * 29 + seed) % 41 + 3;
    for (int length = 2; length <= CHAIN; length++)
        for (int i = 0; i + length <= CHAIN; i++) {
            int j = i + length - 1;
            cost[i][j] = -1;
            for (int k = i; k < j; k++) {
                long c = (k > i ? cost[i][k] : 0) + (k + 1 < j ? cost[k + 1][j] : 0) + (long)sizes[i] * sizes[k + 1] * sizes[j + 1];
                if (cost[i][j] < 0 || c < cost[i][j])
                    cost[i][j] = c;
            }
        }
    return cost[0][CHAIN - 1];
}

static unsigned coins(int total) {
    static const int values[] = {1, 2, 5, 10, 20, 50, 100, 200};
    unsigned ways[2001] = {1};
    for (int c = 0; c < 8; c++)
        for (int t = values[c]; t <= total; t++)
            ways[t] += ways[t - values[c]];
    return ways[total];
}

static int rising(void) {
    int tails[LENGTH], count = 0;
    for (int i = 0; i < LENGTH; i++) {
        int value = a[i] * 7 + b[i] * i % 13, low = 0, high = count;
        while (low < high) {
            int middle = (low + high) / 2;
            if (tails[middle] < value)
                low = middle + 1;
            else
                high = middle;
        }
        tails[low] = value;
        if (low == count)
            count++;
    }
    return count;
}

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    long sum = 0;
    unsigned random = 1;
    for (int i = 0; i < repeat; i++) {
        for (int k = 0; k < LENGTH; k++) {
            random = random * 1664525 + 1013904223;
            a[k] = "acgt"[random >> 30];
            b[k] = "acgt"[random >> 20 & 3];
        }
        sum += common() + edits() + knapsack(i) + chain(i) + coins(1900 + i % 100) + rising();
    }
    printf("%ld\n", sum);
    return 0;
}
