/* A tokenizer and a virtual machine: long switches in loops, tables, gotos between states, errors from deep inside. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum Token { END, NUMBER, NAME, STRING, OPERATOR, BAD };

static enum Token next(const char **text, char *into) {
    const char *p = *text;
    enum Token token;
    char *out = into;
start:
    switch (*p) {
        case '\0': token = END; goto done;
        case ' ': case '\t': case '\n': p++; goto start;
        case '/':
            if (p[1] == '*') {
                for (p += 2; !(p[0] == '*' && p[1] == '/'); p++)
                    if (*p == '\0') {
                        token = BAD;
                        goto done;
                    }
                p += 2;
                goto start;
            }
            if (p[1] == '/') {
                while (*p != '\0' && *p != '\n') p++;
                goto start;
            }
            goto operator;
        case '"':
            for (p++; *p != '"'; p++) {
                if (*p == '\0') {
                    token = BAD;
                    goto done;
                }
                if (*p == '\\') {
                    switch (*++p) {
                        case 'n': *out++ = '~'; continue;
                        case '\0': token = BAD; goto done;
                        default: break;
                    }
                }
                *out++ = *p;
            }
            p++;
            token = STRING;
            goto done;
        case '0' ... '9':
            while (isdigit((unsigned char)*p)) *out++ = *p++;
            if (*p == '.' && isdigit((unsigned char)p[1])) {
                do *out++ = *p++;
                while (isdigit((unsigned char)*p));
            }
            if (*p == 'e' || *p == 'E') {
                *out++ = *p++;
                if (*p == '-' || *p == '+') *out++ = *p++;
                if (!isdigit((unsigned char)*p)) {
                    token = BAD;
                    goto done;
                }
                while (isdigit((unsigned char)*p)) *out++ = *p++;
            }
            token = NUMBER;
            goto done;
        default:
            if (isalpha((unsigned char)*p) || *p == '_') {
                while (isalnum((unsigned char)*p) || *p == '_') *out++ = *p++;
                token = NAME;
                goto done;
            }
    }
operator:
    if (strchr("+-*/<>=!&|;(){}", *p) == NULL) {
        token = BAD;
        p++;
        goto done;
    }
    *out++ = *p++;
    if (p[-1] != ';' && p[-1] != '(' && p[-1] != ')' && (*p == '=' || *p == p[-1])) *out++ = *p++;
    token = OPERATOR;
done:
    *out = '\0';
    *text = p;
    return token;
}

static long run(const unsigned char *code, long *registers) {
    const unsigned char *pc = code;
    long acc = 0, steps = 0;
    while (++steps < 100000) {
        unsigned char op = *pc++;
        switch (op >> 4) {
            case 0: acc = registers[op & 15]; break;
            case 1: registers[op & 15] = acc; break;
            case 2: acc += registers[op & 15]; break;
            case 3: acc -= registers[op & 15]; break;
            case 4: acc *= registers[op & 15]; break;
            case 5:
                if (registers[op & 15] == 0) return -1;
                acc %= registers[op & 15];
                break;
            case 6: acc = op & 15; break;
            case 7: acc = acc << 4 | (op & 15); break;
            case 8: if (acc == 0) pc += (op & 15); break;
            case 9: pc -= (op & 15) + 1; break;
            case 10: if (acc < 0) pc += (op & 15); break;
            case 11: acc = -acc; break;
            case 12: registers[op & 15]++; break;
            case 13: registers[op & 15]--; break;
            case 15: return acc * 1000000 + steps;
            default: return -2;
        }
    }
    return -3;
}

int main(void) {
    const char *text = "while (x1 >= 10.5e-3) { /* skip * this */ s = \"a\\n\\\"b\"; x1 -= 1; } // rest\n y==2 && @ 7e+ \"open";
    char word[64];
    static const char *const names[] = {"end", "number", "name", "string", "operator", "bad"};
    enum Token token;
    int count = 0;
    do {
        token = next(&text, word);
        printf("%s:%s ", names[token], word);
    } while (token != END && ++count < 60);
    printf("\n");
    long registers[16] = {0};
    /* r1 = 12; r2 = 1; while (r1 != 0) { r2 = r2 * r1; r1--; } return r2; */
    const unsigned char factorial[] = {0x6c, 0x11, 0x61, 0x12, 0x01, 0x85, 0x02, 0x41, 0x12, 0xd1, 0x96, 0x02, 0xf0};
    printf("%ld\n", run(factorial, registers));
    const unsigned char endless[] = {0x90}, modulo[] = {0x60, 0x13, 0x67, 0x53}, wrong[] = {0x61, 0xb0, 0xa1, 0xf0, 0xe0};
    printf("%ld %ld %ld\n", run(endless, registers), run(modulo, registers), run(wrong, registers));
    return 0;
}
