// A reader of JSON: a tree in an arena, and sums over it.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { NUL, BOOLEAN, NUMBER, STRING, ARRAY, OBJECT };

struct value {
    enum kind kind;
    double number;
    const char *text, *key;
    int length, key_length;
    struct value *first, *next;
};

struct parser {
    const char *at;
    struct value *arena;
    int used, failed;
};

static struct value *make(struct parser *p, enum kind kind) {
    struct value *v = &p->arena[p->used++];
    memset(v, 0, sizeof *v);
    v->kind = kind;
    return v;
}

static void blank(struct parser *p) {
    while (*p->at == ' ' || *p->at == '\n' || *p->at == '\t' || *p->at == '\r')
        p->at++;
}

static int take(struct parser *p, char c) {
    blank(p);
    if (*p->at != c)
        return 0;
    p->at++;
    return 1;
}

static void string(struct parser *p, const char **text, int *length) {
    if (!take(p, '"'))
        p->failed = 1;
    *text = p->at;
    while (*p->at && *p->at != '"')
        p->at += *p->at == '\\' && p->at[1] ? 2 : 1;
    *length = p->at - *text;
    if (*p->at)
        p->at++;
}

static struct value *parse(struct parser *p) {
    blank(p);
    struct value *v, **last;
    switch (*p->at) {
    case '{':
    case '[': {
        int object = *p->at++ == '{';
        v = make(p, object ? OBJECT : ARRAY);
        last = &v->first;
        if (take(p, object ? '}' : ']'))
            return v;
        do {
            const char *key = 0;
            int length = 0;
            if (object) {
                blank(p);
                string(p, &key, &length);
                if (!take(p, ':'))
                    p->failed = 1;
            }
            *last = parse(p);
            (*last)->key = key, (*last)->key_length = length;
            last = &(*last)->next;
        } while (!p->failed && take(p, ','));
        if (!take(p, object ? '}' : ']'))
            p->failed = 1;
        return v;
    }
    case '"':
        v = make(p, STRING);
        string(p, &v->text, &v->length);
        return v;
    case 't': p->at += 4; v = make(p, BOOLEAN); v->number = 1; return v;
    case 'f': p->at += 5; return make(p, BOOLEAN);
    case 'n': p->at += 4; return make(p, NUL);
    default: {
        double sign = 1, number = 0, scale = 1;
        if (*p->at == '-')
            sign = -1, p->at++;
        if (!isdigit((unsigned char)*p->at))
            p->failed = 1;
        while (*p->at >= '0' && *p->at <= '9')
            number = number * 10 + (*p->at++ - '0');
        if (*p->at == '.')
            for (p->at++; *p->at >= '0' && *p->at <= '9'; p->at++)
                number += (*p->at - '0') * (scale /= 10);
        v = make(p, NUMBER);
        v->number = sign * number;
        return v;
    }
    }
}

static double sum(const struct value *v) {
    double total = v->kind == STRING ? v->length : v->number;
    total += v->key_length;
    for (const struct value *child = v->first; child; child = child->next)
        total += sum(child);
    return total;
}

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    static char text[100000];
    static struct value arena[20000];
    char *out = text + sprintf(text, "[");
    for (int i = 0; i < 600; i++)
        out += sprintf(out, "%s{\"id\": %d, \"name\": \"item \\\"%d\\\"\", \"on\": %s, \"at\": [%d.%d, -%d, null, [[], {}]]}", i ? ",\n" : "", i, i * 7,
                       i % 3 ? "true" : "false", i, i % 10, i * i);
    strcpy(out, "]");
    double total = 0;
    for (int i = 0; i < repeat; i++) {
        struct parser p = {text, arena, 0, 0};
        total += sum(parse(&p)) + p.used;
        if (p.failed)
            return 1;
    }
    printf("%.3f\n", total);
    return 0;
}
