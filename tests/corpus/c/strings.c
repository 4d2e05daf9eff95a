/* Text: parsing, formatting, tokenizing, matching, sorting, hashing; pointers walking over characters. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int matches(const char *pattern, const char *text) {
    while (*pattern != '\0') {
        if (*pattern == '*') {
            while (*pattern == '*') pattern++;
            do {
                if (matches(pattern, text)) return 1;
            } while (*text++ != '\0');
            return 0;
        }
        if (*text == '\0' || (*pattern != '?' && *pattern != *text)) return 0;
        pattern++, text++;
    }
    return *text == '\0';
}

/* sum = product {(+|-) product}; product = factor {(*|/) factor}; factor = number | '(' sum ')' | '-' factor */
static const char *at;
static long sum(void);
static void blanks(void) { while (isspace((unsigned char)*at)) at++; }
static long factor(void) {
    blanks();
    if (*at == '(') {
        at++;
        long value = sum();
        blanks();
        if (*at == ')') at++;
        return value;
    }
    if (*at == '-') return at++, -factor();
    return strtol(at, (char **)&at, 0);
}
static long product(void) {
    long value = factor();
    for (blanks(); *at == '*' || *at == '/'; blanks()) {
        char op = *at++;
        long right = factor();
        value = op == '*' ? value * right : right != 0 ? value / right : 0;
    }
    return value;
}
static long sum(void) {
    long value = product();
    for (blanks(); *at == '+' || *at == '-'; blanks()) value = *at++ == '+' ? value + product() : value - product();
    return value;
}

static unsigned hash(const char *text) {
    unsigned h = 5381;
    int c;
    while ((c = (unsigned char)*text++)) h = (h << 5) + h ^ (unsigned)c;
    return h;
}

static void reverse_words(char *text) {
    char *start = text;
    for (char *p = text;; p++) {
        if (*p == ' ' || *p == '\0') {
            for (char *a = start, *b = p - 1; a < b; a++, b--) {
                char kept = *a;
                *a = *b, *b = kept;
            }
            if (*p == '\0') break;
            start = p + 1;
        }
    }
}

static int by_length(const void *a, const void *b) {
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    size_t m = strlen(x), n = strlen(y);
    return m != n ? (m > n) - (m < n) : strcmp(x, y);
}

static void encode(const char *text, char *out) {
    while (*text != '\0') {
        int run = 1;
        while (run < 9 && text[run] == *text) run++;
        out += sprintf(out, run > 1 ? "%d%c" : "%.0d%c", run > 1 ? run : 0, *text);
        text += run;
    }
    *out = '\0';
}

int main(void) {
    const char *patterns[] = {"*", "a*c", "?b?", "*.c", "a**b*c", "abc", ""};
    const char *texts[] = {"abc", "main.c", "axxbxxc", "", "ac"};
    for (int i = 0; i < 7; i++) {
        for (int j = 0; j < 5; j++) putchar('0' + matches(patterns[i], texts[j]));
        putchar(' ');
    }
    putchar('\n');
    const char *sums[] = {"1 + 2 * 3", "(1+2)*3 - -4", "0x10 / 3 * (2 - 5)", "7/0", "((((9))))", "2*(3+(4-1)*5)"};
    for (int i = 0; i < 6; i++) printf("%ld ", (at = sums[i], sum()));
    putchar('\n');
    char text[] = "the region graph of nested nodes", list[] = "one,two;;three, four", *save = NULL;
    printf("%08x\n", hash(text));
    reverse_words(text);
    printf("%s\n", text);
    const char *words[16];
    int count = 0;
    for (char *word = strtok_r(list, ",; ", &save); word != NULL; word = strtok_r(NULL, ",; ", &save)) words[count++] = word;
    qsort(words, (size_t)count, sizeof *words, by_length);
    for (int i = 0; i < count; i++) printf("[%s]", words[i]);
    putchar('\n');
    char out[100];
    encode("aaabccddddddddddddde", out);
    printf("%s\n", out);
    int letters[26] = {0};
    for (const char *p = "Pack my box with five dozen liquor jugs"; *p; ++p)
        if (isalpha((unsigned char)*p)) letters[tolower((unsigned char)*p) - 'a']++;
    for (int i = 0; i < 26; i++) putchar('0' + letters[i]);
    printf("\n%s %s %zu %d\n", strstr("haystack needle", "need"), strrchr("a/b/c", '/'), strspn("aabbc", "ab"), strncmp("abcd", "abce", 3));
    wchar_t wide[] = L"wide \u20ac";
    printf("%d %x\n", (int)(sizeof wide / sizeof *wide), (unsigned)wide[5]);
    return 0;
}
