/* Functions with variable arguments: integers, doubles, structs, va_copy, forwarded lists, more than the registers hold. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct { int a; double b; } Small;
typedef struct { long values[5]; } Big;

static double mixed(const char *kinds, ...) {
    va_list list;
    va_start(list, kinds);
    double total = 0;
    for (; *kinds != '\0'; kinds++) {
        switch (*kinds) {
            case 'i': total += va_arg(list, int); break;
            case 'l': total += (double)va_arg(list, long long); break;
            case 'd': total += va_arg(list, double); break;
            case 's': total += (double)strlen(va_arg(list, const char *)); break;
            case 'S': {
                Small s = va_arg(list, Small);
                total += s.a * s.b;
                break;
            }
            case 'B': total += (double)va_arg(list, Big).values[3]; break;
            case 'D': total += (double)va_arg(list, long double); break;
        }
    }
    va_end(list);
    return total;
}

static int sum_twice(int count, ...) {
    va_list once, again;
    va_start(once, count);
    va_copy(again, once);
    int total = 0;
    for (int i = 0; i < count; i++) total += va_arg(once, int);
    for (int i = 0; i < count; i++) total = total * 2 - va_arg(again, int);
    va_end(again);
    va_end(once);
    return total;
}

static int forward(char *to, size_t size, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int count = vsnprintf(to, size, format, list);
    va_end(list);
    return count;
}

static int until_zero(int first, ...) {
    va_list list;
    va_start(list, first);
    int longest = first;
    for (int n = first; n != 0; n = va_arg(list, int)) {
        if (n < 0) continue;
        if (n > longest) longest = n;
    }
    va_end(list);
    return longest;
}

int main(void) {
    Small s = {3, 1.5};
    Big b = {{1, 2, 3, 4, 5}};
    printf("%.3f\n", mixed("ildsSB", 1, 2LL, 3.25, "four", s, b));
    printf("%.3f\n", mixed("iiiiiiiiiidddddddddddD", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12.5L));
    printf("%.3f\n", mixed(""));
    printf("%d %d\n", sum_twice(3, 1, 2, 3), sum_twice(9, 9, 8, 7, 6, 5, 4, 3, 2, 1));
    char text[40];
    int count = forward(text, sizeof text, "%s-%d-%.2f-%c-%lx", "abc", -5, 2.5, 'z', 255L);
    printf("%d %s\n", count, text);
    count = forward(text, 8, "%030d", 7);
    printf("%d %s\n", count, text);
    printf("%d\n", until_zero(4, -9, 17, 3, 0));
    return 0;
}
