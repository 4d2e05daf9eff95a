// Queens on a board: backtracking over an array, and over sets of bits.
#include <stdio.h>
#include <stdlib.h>

static int board[16];

static int safe(int row, int column) {
    for (int i = 0; i < row; i++)
        if (board[i] == column || abs(board[i] - column) == row - i)
            return 0;
    return 1;
}

static int place(int row, int size) {
    if (row == size)
        return 1;
    int count = 0;
    for (int column = 0; column < size; column++)
        if (safe(row, column)) {
            board[row] = column;
            count += place(row + 1, size);
        }
    return count;
}

static int bits(unsigned all, unsigned columns, unsigned left, unsigned right) {
    if (columns == all)
        return 1;
    int count = 0;
    for (unsigned free = all & ~(columns | left | right); free; free &= free - 1) {
        unsigned bit = free & -free;
        count += bits(all, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return count;
}

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    long sum = 0;
    for (int i = 0; i < repeat; i++) {
        int size = 7 + i % 3;
        sum = sum * 31 + place(0, size) + bits((1u << (size + 1)) - 1, 0, 0, 0);
        sum %= 1000003;
    }
    printf("%ld\n", sum);
    return 0;
}
