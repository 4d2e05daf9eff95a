// An interpreter of bytecode with registers on a stack, dispatched by a switch.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { PUSH, LOAD, STORE, ADD, SUB, MUL, MOD, LESS, JUMP, JUMP_UNLESS, XOR, SHIFT, DUP, CALL, RETURN, HALT };

struct machine {
    const int16_t *code;
    int64_t stack[256];
    int64_t locals[32];
    int calls[64];
    int sp, cp;
};

static int64_t run(struct machine *m, int pc) {
    for (;;) {
        switch (m->code[pc++]) {
        case PUSH: m->stack[m->sp++] = m->code[pc++]; break;
        case LOAD: m->stack[m->sp++] = m->locals[m->code[pc++]]; break;
        case STORE: m->locals[m->code[pc++]] = m->stack[--m->sp]; break;
        case ADD: m->sp--; m->stack[m->sp - 1] += m->stack[m->sp]; break;
        case SUB: m->sp--; m->stack[m->sp - 1] -= m->stack[m->sp]; break;
        case MUL: m->sp--; m->stack[m->sp - 1] = (int64_t)((uint64_t)m->stack[m->sp - 1] * (uint64_t)m->stack[m->sp]); break;
        case MOD: m->sp--; m->stack[m->sp - 1] %= m->stack[m->sp]; break;
        case LESS: m->sp--; m->stack[m->sp - 1] = m->stack[m->sp - 1] < m->stack[m->sp]; break;
        case JUMP: pc = m->code[pc]; break;
        case JUMP_UNLESS: pc = m->stack[--m->sp] ? pc + 1 : m->code[pc]; break;
        case XOR: m->sp--; m->stack[m->sp - 1] ^= m->stack[m->sp]; break;
        case SHIFT: m->sp--; m->stack[m->sp - 1] >>= m->stack[m->sp] & 63; break;
        case DUP: m->stack[m->sp] = m->stack[m->sp - 1]; m->sp++; break;
        case CALL: m->calls[m->cp++] = pc + 1; pc = m->code[pc]; break;
        case RETURN: pc = m->calls[--m->cp]; break;
        case HALT: return m->stack[--m->sp];
        }
    }
}

static const int16_t program[] = {
    /* 0 */ PUSH, 0, STORE, 0, PUSH, 1, STORE, 1,
    /* 8: while i < limit */ LOAD, 0, LOAD, 2, LESS, JUMP_UNLESS, 33,
    /* 15: sum = f(sum) + i */ LOAD, 1, CALL, 36, LOAD, 0, ADD, STORE, 1,
    /* 24: i = i + 1 */ LOAD, 0, PUSH, 1, ADD, STORE, 0, JUMP, 8,
    /* 33 */ LOAD, 1, HALT,
    /* 36: f(x) = (x * 31 ^ x >> 3) % 32749 */ DUP, PUSH, 31, MUL, STORE, 3, PUSH, 3, SHIFT, LOAD, 3, XOR, PUSH, 32749, MOD, RETURN,
};

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    struct machine m = {.code = program};
    int64_t sum = 0;
    for (int i = 0; i < repeat; i++) {
        m.locals[2] = 1000 + i % 10;
        m.sp = m.cp = 0;
        sum += run(&m, 0);
    }
    printf("%ld\n", (long)sum);
    return 0;
}
