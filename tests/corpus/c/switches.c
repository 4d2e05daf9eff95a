/* Switches: fall-through, sparse and dense and wide and negative cases, nested, without default, and Duff's device. */
#include <limits.h>
#include <stdio.h>

static int fall_through(int n) {
    int r = 0;
    switch (n) {
        case 1: r += 1;
        case 2: r += 2;
        case 3:
            if (n == 2) break;
            r += 3;
        case 10: r += 10; break;
        default: r = -1;
        case 7: r *= 2;
    }
    return r;
}

static const char *sparse(long long n) {
    switch (n) {
        case LLONG_MIN: return "least";
        case -1000000007LL: return "minus";
        case 0: return "zero";
        case 1LL << 40: return "shifted";
        case LLONG_MAX: return "most";
    }
    return "other";
}

static int dense(unsigned char c) {
    switch (c) {
        case 'a' ... 'f': return c - 'a' + 10;
        case 'A' ... 'F': return c - 'A' + 10;
        case '0' ... '9': return c - '0';
        case ' ': case '\t': case '\n': return -2;
    }
    return -1;
}

static void copy(char *to, const char *from, int count) {
    int n = (count + 7) / 8;
    switch (count % 8) {
        case 0: do { *to++ = *from++;
        case 7:      *to++ = *from++;
        case 6:      *to++ = *from++;
        case 5:      *to++ = *from++;
        case 4:      *to++ = *from++;
        case 3:      *to++ = *from++;
        case 2:      *to++ = *from++;
        case 1:      *to++ = *from++;
                } while (--n > 0);
    }
}

/* A machine for postfix programs: a switch in a loop, with returns and continues in it. */
static int machine(const char *program) {
    int stack[16], top = 0;
    for (;; program++) {
        switch (*program) {
            case '0' ... '9': stack[top++] = *program - '0'; continue;
            case '+': top--; stack[top - 1] += stack[top]; break;
            case '-': top--; stack[top - 1] -= stack[top]; break;
            case '*': top--; stack[top - 1] *= stack[top]; break;
            case 'd': stack[top] = stack[top - 1]; top++; break;
            case 'j':
                if (stack[--top] != 0) {
                    switch (program[1]) {
                        case 'x': return -1;
                        case 's': program++; break;
                        default: continue;
                    }
                }
                break;
            case '\0': return top > 0 ? stack[top - 1] : 0;
            default: return -2;
        }
        if (top > 14) return -3;
    }
}

static int only_default(int n) {
    switch (n) {
        default: return n + 1;
    }
}

static int in_switch_loop(int n) {
    int count = 0;
    while (1) {
        switch (n % 4) {
            case 0: n /= 4; break;
            case 1: goto out;
            case 2: n += 1; continue;
            case 3: count += 10; n -= 3;
        }
        count++;
        if (n == 0) break;
    }
out:
    return count * 100 + n;
}

int main(void) {
    for (int n = 0; n < 12; n++) printf("%d ", fall_through(n));
    printf("\n");
    long long wide[] = {LLONG_MIN, -1000000007LL, 0, 1, 1LL << 40, LLONG_MAX, (1LL << 40) + 1};
    for (int i = 0; i < 7; i++) printf("%s ", sparse(wide[i]));
    printf("\n");
    int total = 0;
    for (int c = 0; c < 256; c++) total = total * 3 + dense((unsigned char)c) & 0xffffff;
    printf("%d\n", total);
    char to[64];
    for (int count = 1; count < 40; count += 6) {
        copy(to, "The quick brown fox jumps over the lazy dog", count);
        to[count] = '\0';
        printf("%s|", to);
    }
    printf("\n");
    const char *programs[] = {"12+3*", "5d*1-", "93-0jx", "1jx", "21js7*", "", "q", "d", "5jd+", "111111111111111"};
    for (int i = 0; i < 10; i++) {
        if (i != 7 && i != 8) printf("%d ", machine(programs[i]));
    }
    printf("\n%d\n", only_default(4));
    for (int n = 1; n < 40; n += 4) printf("%d %d ", in_switch_loop(n), in_switch_loop(n + 2));
    printf("\n");
    return 0;
}
