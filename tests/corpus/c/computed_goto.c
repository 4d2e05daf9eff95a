/* Labels as values: an interpreter whose dispatch is an indirect branch, and a static table of labels. */
#include <stdio.h>

enum { PUSH, ADD, MUL, DUP, DEC, JNZ, SWAP, PRINT, HALT };

static int interpret(const int *code) {
    static const void *const labels[] = {&&push, &&add, &&mul, &&dup, &&dec, &&jnz, &&swap, &&print, &&halt};
    int stack[16], *top = stack, steps = 0;
    const int *pc = code;
#define NEXT do { steps++; goto *labels[*pc++]; } while (0)
    NEXT;
push: *top++ = *pc++; NEXT;
add: top--; top[-1] += top[0]; NEXT;
mul: top--; top[-1] *= top[0]; NEXT;
dup: top[0] = top[-1]; top++; NEXT;
dec: top[-1]--; NEXT;
jnz:
    if (top[-1] != 0) pc = code + *pc; else pc++;
    NEXT;
swap: {
    int kept = top[-1];
    top[-1] = top[-2], top[-2] = kept;
    NEXT;
}
print: printf("%d ", top[-1]); NEXT;
halt:
    printf("steps %d\n", steps);
    return top[-1];
#undef NEXT
}

static int by_offset(int n) {
    static const int offsets[] = {&&zero - &&zero, &&one - &&zero, &&two - &&zero};
    int r = 0;
    goto *(&&zero + offsets[n % 3]);
two: r += 2;
one: r += 10;
zero: return r + 100;
}

int main(void) {
    int factorial[] = {PUSH, 1, PUSH, 8, DUP, PRINT, SWAP, PUSH, 3, ADD, PUSH, 2, MUL, PRINT, SWAP, DEC, JNZ, 4, HALT};
    printf("%d\n", interpret(factorial));
    for (int n = 0; n < 4; n++) printf("%d ", by_offset(n));
    printf("\n");
    return 0;
}
