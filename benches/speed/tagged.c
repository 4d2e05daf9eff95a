// A stack machine with tagged values, as engines of dynamic languages have it: small integers, doubles and objects in a union, with
// slow paths and reference counts.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum tag { INT, DOUBLE, OBJECT, UNDEFINED };

struct object {
    int references;
    struct value *slots;
    int count;
};

struct value {
    union {
        int32_t i;
        double d;
        struct object *o;
    } u;
    int64_t tag;
};

enum op { PUSH_INT, PUSH_REAL, GET, SET, ADD, SUB, MUL, LT, IF_FALSE, GOTO, NEW, GET_SLOT, SET_SLOT, DROP, RET };

static struct value integer(int32_t i) { return (struct value){{.i = i}, INT}; }
static struct value real(double d) { return (struct value){{.d = d}, DOUBLE}; }

static struct value keep(struct value v) {
    if (v.tag == OBJECT)
        v.u.o->references++;
    return v;
}

static void drop(struct value v) {
    if (v.tag == OBJECT && --v.u.o->references == 0) {
        for (int i = 0; i < v.u.o->count; i++)
            drop(v.u.o->slots[i]);
        free(v.u.o->slots);
        free(v.u.o);
    }
}

static double number(struct value v) { return v.tag == INT ? v.u.i : v.tag == DOUBLE ? v.u.d : 0; }

static struct value __attribute__((noinline)) slow(enum op op, struct value a, struct value b) {
    double x = number(a), y = number(b);
    drop(a), drop(b);
    switch (op) {
    case ADD: return real(x + y);
    case SUB: return real(x - y);
    case MUL: return real(x * y);
    default: return integer(x < y);
    }
}

static struct value run(const int *code, struct value *locals) {
    struct value stack[32], *sp = stack;
    for (const int *pc = code;;) {
        int op = *pc++;
        switch (op) {
        case PUSH_INT: *sp++ = integer(*pc++); break;
        case PUSH_REAL: *sp++ = real(*pc++ * 0.5); break;
        case GET: *sp++ = keep(locals[*pc++]); break;
        case SET: drop(locals[*pc]); locals[*pc++] = *--sp; break;
        case ADD:
            sp--;
            if (sp[-1].tag == INT && sp[0].tag == INT && !__builtin_add_overflow(sp[-1].u.i, sp[0].u.i, &sp[-1].u.i))
                break;
            if (sp[-1].tag == DOUBLE && sp[0].tag == DOUBLE)
                sp[-1] = real(sp[-1].u.d + sp[0].u.d);
            else
                sp[-1] = slow(op, sp[-1], sp[0]);
            break;
        case SUB:
            sp--;
            if (sp[-1].tag == INT && sp[0].tag == INT)
                sp[-1] = integer((int32_t)((uint32_t)sp[-1].u.i - (uint32_t)sp[0].u.i));
            else
                sp[-1] = slow(op, sp[-1], sp[0]);
            break;
        case MUL: {
            sp--;
            int32_t product;
            if (sp[-1].tag == INT && sp[0].tag == INT && !__builtin_mul_overflow(sp[-1].u.i, sp[0].u.i, &product))
                sp[-1] = integer(product);
            else
                sp[-1] = slow(op, sp[-1], sp[0]);
            break;
        }
        case LT:
            sp--;
            if (sp[-1].tag == INT && sp[0].tag == INT)
                sp[-1] = integer(sp[-1].u.i < sp[0].u.i);
            else
                sp[-1] = slow(op, sp[-1], sp[0]);
            break;
        case IF_FALSE: {
            struct value v = *--sp;
            int truth = v.tag == INT ? v.u.i != 0 : v.tag == DOUBLE ? v.u.d != 0 : v.tag == OBJECT;
            drop(v);
            pc = truth ? pc + 1 : code + *pc;
            break;
        }
        case GOTO: pc = code + *pc; break;
        case NEW: {
            struct object *o = malloc(sizeof *o);
            *o = (struct object){1, malloc(4 * sizeof *o->slots), 4};
            for (int i = 0; i < 4; i++)
                o->slots[i].tag = UNDEFINED;
            *sp++ = (struct value){{.o = o}, OBJECT};
            break;
        }
        case GET_SLOT: {
            struct value object = sp[-1];
            sp[-1] = keep(object.u.o->slots[*pc++]);
            drop(object);
            break;
        }
        case SET_SLOT: {
            struct value object = sp[-2], *slot = &object.u.o->slots[*pc++];
            drop(*slot);
            *slot = sp[-1];
            sp -= 2;
            drop(object);
            break;
        }
        case DROP: drop(*--sp); break;
        case RET: return *--sp;
        }
    }
}

static const int program[] = {
    /* 0 */ NEW, SET, 0, GET, 0, PUSH_INT, 1, SET_SLOT, 0, GET, 0, PUSH_REAL, 3, SET_SLOT, 1, PUSH_INT, 0, SET, 1,
    /* 19 */ GET, 1, PUSH_INT, 500, LT, IF_FALSE, 65,
    /* 26 */ GET, 0, GET, 0, GET_SLOT, 0, PUSH_INT, 3, MUL, GET, 1, SUB, SET_SLOT, 0,
    /* 40 */ GET, 0, GET, 0, GET_SLOT, 1, GET, 1, ADD, PUSH_REAL, 1, ADD, SET_SLOT, 1,
    /* 54 */ NEW, DROP, GET, 1, PUSH_INT, 1, ADD, SET, 1, GOTO, 19,
    /* 65 */ GET, 0, GET_SLOT, 0, GET, 0, GET_SLOT, 1, ADD, GET, 1, ADD, RET,
};

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    struct value locals[4];
    for (int i = 0; i < 4; i++)
        locals[i].tag = UNDEFINED;
    double sum = 0;
    for (int i = 0; i < repeat; i++)
        sum += number(run(program, locals));
    printf("%.17g\n", sum);
    return 0;
}
