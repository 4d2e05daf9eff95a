// Matching regular expressions: by backtracking over the pattern, and by sets of states of an automaton made from it.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int match_here(const char *re, const char *text);

static int match_star(int c, const char *re, const char *text) {
    do {
        if (match_here(re, text))
            return 1;
    } while (*text && (*text++ == c || c == '.'));
    return 0;
}

static int match_here(const char *re, const char *text) {
    if (!re[0])
        return 1;
    if (re[1] == '*')
        return match_star(re[0], re + 2, text);
    if (re[0] == '$' && !re[1])
        return !*text;
    if (*text && (re[0] == '.' || re[0] == *text))
        return match_here(re + 1, text + 1);
    return 0;
}

static int match(const char *re, const char *text) {
    if (re[0] == '^')
        return match_here(re + 1, text);
    do
        if (match_here(re, text))
            return 1;
    while (*text++);
    return 0;
}

enum kind { CHAR, ANY, SPLIT, JUMP, DONE };

struct state {
    enum kind kind;
    int c, x, y;
};

static struct state states[64];
static int count;

static int emit(enum kind kind, int c, int x, int y) {
    states[count] = (struct state){kind, c, x, y};
    return count++;
}

static const char *alternatives(const char *re);

static const char *piece(const char *re) {
    int start = count;
    if (*re == '(') {
        re = alternatives(re + 1) + 1;
    } else {
        emit(*re == '.' ? ANY : CHAR, *re, 0, 0);
        re++;
    }
    if (*re == '*' || *re == '+' || *re == '?') {
        if (*re == '+')
            emit(SPLIT, 0, start, count + 1);
        else {
            memmove(&states[start + 1], &states[start], (count - start) * sizeof *states);
            for (int i = start + 1; i <= count; i++)
                states[i].x += states[i].x >= start, states[i].y += states[i].y >= start;
            count++;
            if (*re == '*')
                emit(JUMP, 0, start, 0);
            states[start] = (struct state){SPLIT, 0, start + 1, count};
        }
        re++;
    }
    return re;
}

static const char *alternatives(const char *re) {
    int start = count;
    while (*re && *re != '|' && *re != ')')
        re = piece(re);
    if (*re == '|') {
        memmove(&states[start + 1], &states[start], (count - start) * sizeof *states);
        for (int i = start + 1; i <= count; i++)
            states[i].x += states[i].x >= start, states[i].y += states[i].y >= start;
        count++;
        int jump = emit(JUMP, 0, 0, 0);
        states[start] = (struct state){SPLIT, 0, start + 1, count};
        re = alternatives(re + 1);
        states[jump].x = count;
    }
    return re;
}

static uint64_t follow(uint64_t set, int s) {
    while (!(set >> s & 1)) {
        set |= 1ull << s;
        if (states[s].kind == JUMP)
            s = states[s].x;
        else if (states[s].kind == SPLIT) {
            set = follow(set, states[s].x);
            s = states[s].y;
        } else
            break;
    }
    return set;
}

static int search(const char *text) {
    uint64_t now = 0;
    for (;; text++) {
        uint64_t next = 0;
        now = follow(now, 0);
        for (uint64_t rest = now; rest; rest &= rest - 1) {
            int s = __builtin_ctzll(rest);
            if (states[s].kind == DONE)
                return 1;
            if ((states[s].kind == CHAR && states[s].c == *text) || (states[s].kind == ANY && *text))
                next = follow(next, s + 1);
        }
        if (!*text)
            return 0;
        now = next;
    }
}

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    static char lines[100][64];
    static const char *simple[] = {"^li.*9$", "o*f", "a.*b.*c", "5 .*7"}, *full[] = {"l(i|o)ne? .*7", "(a|b)+c?d", "(x(1|2)*y|0)+ e", "(ab*)*c"};
    uint32_t random = 1;
    for (int i = 0; i < 100; i++) {
        random = random * 1664525 + 1013904223;
        sprintf(lines[i], "line %d of %x ab%sc x12%dy", i, random >> 8, i % 3 ? "bb" : "", i % 5);
    }
    long sum = 0;
    for (int i = 0; i < repeat; i++) {
        count = 0;
        alternatives(full[i % 4]);
        emit(DONE, 0, 0, 0);
        for (int k = 0; k < 100; k++) {
            sum += search(lines[k]) << i % 4;
            sum += match(simple[(i + k) % 4], lines[k]);
        }
    }
    printf("%ld\n", sum);
    return 0;
}
