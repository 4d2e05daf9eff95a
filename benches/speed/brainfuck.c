// An interpreter and a small compiler to closures of a language with eight commands.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long output;

static void interpret(const char *program, const int *jumps) {
    static uint8_t tape[30000];
    memset(tape, 0, sizeof tape);
    uint8_t *p = tape;
    for (int pc = 0; program[pc]; pc++)
        switch (program[pc]) {
        case '>': p++; break;
        case '<': p--; break;
        case '+': ++*p; break;
        case '-': --*p; break;
        case '.': output = output * 31 + *p; break;
        case '[': if (!*p) pc = jumps[pc]; break;
        case ']': if (*p) pc = jumps[pc]; break;
        default: break;
        }
}

struct step {
    enum { ADD, MOVE, WRITE, OPEN, CLOSE, CLEAR, END } kind;
    int value;
};

static void compiled(const struct step *code) {
    static uint8_t tape[30000];
    memset(tape, 0, sizeof tape);
    uint8_t *p = tape;
    for (const struct step *s = code;; s++)
        switch (s->kind) {
        case ADD: *p += s->value; break;
        case MOVE: p += s->value; break;
        case WRITE: output = output * 31 + *p; break;
        case OPEN: if (!*p) s = code + s->value; break;
        case CLOSE: if (*p) s = code + s->value; break;
        case CLEAR: *p = 0; break;
        case END: return;
        }
}

static void compile(const char *p, struct step *out) {
    int stack[64], depth = 0, n = 0;
    while (*p) {
        if (*p == '+' || *p == '-' || *p == '>' || *p == '<') {
            int move = *p == '>' || *p == '<', value = 0;
            for (; move ? *p == '>' || *p == '<' : *p == '+' || *p == '-'; p++)
                value += *p == '+' || *p == '>' ? 1 : -1;
            out[n++] = (struct step){move ? MOVE : ADD, value};
            continue;
        }
        if (!strncmp(p, "[-]", 3)) {
            out[n++] = (struct step){CLEAR, 0};
            p += 3;
            continue;
        }
        if (*p == '[') {
            stack[depth++] = n;
            out[n++] = (struct step){OPEN, 0};
        } else if (*p == ']') {
            int open = stack[--depth];
            out[open].value = n;
            out[n++] = (struct step){CLOSE, open};
        } else if (*p == '.')
            out[n++] = (struct step){WRITE, 0};
        p++;
    }
    out[n].kind = END;
}

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    static const char program[] = "++++++++[>+++++++++[>++++++++>++++++++++<<-]>>.<[->+<]<<-]>>>[-<+++>]<."
                                  "++++++++[>++++[>++>+++>+++>+<<<<-]>+>+>->>+[<]<-]>>.>---.+++++++..+++.>>.<-.<.+++.------.--------.>>+.>++.";
    static int jumps[sizeof program];
    static struct step code[sizeof program];
    int stack[64], depth = 0;
    for (int i = 0; program[i]; i++) {
        if (program[i] == '[')
            stack[depth++] = i;
        if (program[i] == ']') {
            jumps[i] = stack[--depth];
            jumps[jumps[i]] = i;
        }
    }
    compile(program, code);
    for (int i = 0; i < repeat; i++) {
        interpret(program, jumps);
        compiled(code);
        compiled(code);
    }
    printf("%lu\n", output);
    return 0;
}
