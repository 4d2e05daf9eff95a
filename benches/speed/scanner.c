// A tokenizer and compiler of a small language to a tree, constant folding, and an interpreter of the tree by recursion.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum token { END, NUMBER, NAME, WHILE, IF, ELSE, PRINT, ASSIGN, EQUAL, LESS, PLUS, MINUS, TIMES, OVER, REST, OPEN, CLOSE, BEGIN, FINISH, SEMICOLON };

static const char *at;
static enum token token;
static long value;
static int name;

static void next(void) {
    static const struct { const char *word; enum token token; } words[] = {{"while", WHILE}, {"if", IF}, {"else", ELSE}, {"print", PRINT}};
    while (*at == ' ' || *at == '\n')
        at++;
    if (*at >= '0' && *at <= '9') {
        for (value = 0; *at >= '0' && *at <= '9'; at++)
            value = value * 10 + *at - '0';
        token = NUMBER;
        return;
    }
    if (*at >= 'a' && *at <= 'z') {
        const char *start = at;
        while (*at >= 'a' && *at <= 'z')
            at++;
        for (int i = 0; i < 4; i++)
            if (strlen(words[i].word) == (size_t)(at - start) && strncmp(start, words[i].word, at - start) == 0) {
                token = words[i].token;
                return;
            }
        name = *start - 'a';
        token = NAME;
        return;
    }
    switch (*at++) {
    case '=':
        token = *at == '=' ? EQUAL : ASSIGN;
        at += *at == '=';
        break;
    case '<': token = LESS; break;
    case '+': token = PLUS; break;
    case '-': token = MINUS; break;
    case '*': token = TIMES; break;
    case '/': token = OVER; break;
    case '%': token = REST; break;
    case '(': token = OPEN; break;
    case ')': token = CLOSE; break;
    case '{': token = BEGIN; break;
    case '}': token = FINISH; break;
    case ';': token = SEMICOLON; break;
    default: at--; token = END;
    }
}

struct node {
    enum token kind;
    long value;
    struct node *a, *b, *c;
};

static struct node arena[1000];
static int used;

static struct node *make(enum token kind, long value, struct node *a, struct node *b, struct node *c) {
    struct node *n = &arena[used++];
    *n = (struct node){kind, value, a, b, c};
    return n;
}

static long apply(enum token kind, long x, long y) {
    switch (kind) {
    case EQUAL: return x == y;
    case LESS: return x < y;
    case PLUS: return x + y;
    case MINUS: return x - y;
    case TIMES: return x * y;
    case OVER: return y ? x / y : 0;
    default: return y ? x % y : 0;
    }
}

static struct node *expression(int level);

static struct node *primary(void) {
    struct node *n;
    if (token == OPEN) {
        next();
        n = expression(0);
    } else
        n = make(token, token == NAME ? name : value, 0, 0, 0);
    next();
    return n;
}

static int level_of(enum token t) { return t == EQUAL || t == LESS ? 1 : t == PLUS || t == MINUS ? 2 : t == TIMES || t == OVER || t == REST ? 3 : 0; }

static struct node *expression(int level) {
    struct node *left = primary();
    for (int l; (l = level_of(token)) > level;) {
        enum token kind = token;
        next();
        struct node *right = expression(l);
        if (left->kind == NUMBER && right->kind == NUMBER)
            left = make(NUMBER, apply(kind, left->value, right->value), 0, 0, 0);
        else
            left = make(kind, 0, left, right, 0);
    }
    return left;
}

static struct node *statement(void) {
    struct node *first = 0, **last = &first, *n;
    switch (token) {
    case BEGIN:
        next();
        while (token != FINISH) {
            *last = make(SEMICOLON, 0, statement(), 0, 0);
            last = &(*last)->b;
        }
        next();
        return first;
    case WHILE:
        next();
        n = expression(0);
        return make(WHILE, 0, n, statement(), 0);
    case IF: {
        next();
        n = expression(0);
        struct node *then = statement(), *other = 0;
        if (token == ELSE) {
            next();
            other = statement();
        }
        return make(IF, 0, n, then, other);
    }
    default: {
        int target = name, print = token == PRINT;
        next();
        if (!print)
            next();
        n = make(print ? PRINT : ASSIGN, target, expression(0), 0, 0);
        next();
        return n;
    }
    }
}

static long variables[26], printed;

static long evaluate(const struct node *n) {
    if (n->kind == NUMBER)
        return n->value;
    if (n->kind == NAME)
        return variables[n->value];
    return apply(n->kind, evaluate(n->a), evaluate(n->b));
}

static void execute(const struct node *n) {
    if (!n)
        return;
    switch (n->kind) {
    case SEMICOLON:
        execute(n->a);
        execute(n->b);
        break;
    case WHILE:
        while (evaluate(n->a))
            execute(n->b);
        break;
    case IF: execute(evaluate(n->a) ? n->b : n->c); break;
    case ASSIGN: variables[n->value] = evaluate(n->a); break;
    default: printed = (printed * 31 + evaluate(n->a)) % 1000003;
    }
}

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    static const char program[] = "{ n = 2 + 3 * 4; c = 0; while n < 60 { d = 2; p = 1;\n while d * d < n + 1 { if n % d == 0 { p = 0; d = n; } else d = d + 1; }\n"
                                  " if p { print n; c = c + 1; } n = n + (10 - 9); } print c * (5 - 2) + 1 == 40; }";
    for (int i = 0; i < repeat; i++) {
        used = 0;
        at = program;
        next();
        execute(statement());
        printed += variables['c' - 'a'] + used;
    }
    printf("%ld\n", printed);
    return 0;
}
