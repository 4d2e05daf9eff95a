// Searching strings: naive, Knuth-Morris-Pratt, Boyer-Moore-Horspool, Rabin-Karp, wildcards, and functions of the library made by hand.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int naive(const char *text, int n, const char *word, int m) {
    int count = 0;
    for (int i = 0; i + m <= n; i++) {
        int j = 0;
        while (j < m && text[i + j] == word[j])
            j++;
        count += j == m;
    }
    return count;
}

static int prefixes(const char *text, int n, const char *word, int m) {
    int fail[64], count = 0;
    fail[0] = 0;
    for (int i = 1, k = 0; i < m; i++) {
        while (k > 0 && word[i] != word[k])
            k = fail[k - 1];
        fail[i] = k += word[i] == word[k];
    }
    for (int i = 0, k = 0; i < n; i++) {
        while (k > 0 && text[i] != word[k])
            k = fail[k - 1];
        k += text[i] == word[k];
        if (k == m) {
            count++;
            k = fail[k - 1];
        }
    }
    return count;
}

static int skips(const char *text, int n, const char *word, int m) {
    int skip[256], count = 0;
    for (int i = 0; i < 256; i++)
        skip[i] = m;
    for (int i = 0; i < m - 1; i++)
        skip[(uint8_t)word[i]] = m - 1 - i;
    for (int i = 0; i + m <= n; i += skip[(uint8_t)text[i + m - 1]])
        count += memcmp(text + i, word, m) == 0;
    return count;
}

static int rolling(const char *text, int n, const char *word, int m) {
    uint32_t wanted = 0, hash = 0, power = 1;
    int count = 0;
    for (int i = 0; i < m; i++) {
        wanted = wanted * 257 + (uint8_t)word[i];
        hash = hash * 257 + (uint8_t)text[i];
        power *= i ? 257 : 1;
    }
    for (int i = 0;; i++) {
        if (hash == wanted && memcmp(text + i, word, m) == 0)
            count++;
        if (i + m >= n)
            return count;
        hash = (hash - (uint8_t)text[i] * power) * 257 + (uint8_t)text[i + m];
    }
}

static int wildcard(const char *pattern, const char *text) {
    for (; *pattern; pattern++, text++) {
        if (*pattern == '*') {
            for (;; text++) {
                if (wildcard(pattern + 1, text))
                    return 1;
                if (!*text)
                    return 0;
            }
        }
        if (!*text || (*pattern != '?' && *pattern != *text))
            return 0;
    }
    return !*text;
}

static size_t own_length(const char *s) {
    size_t n = 0;
    while (s[n])
        n++;
    return n;
}

static int own_compare(const char *a, const char *b) {
    while (*a && *a == *b)
        a++, b++;
    return (uint8_t)*a - (uint8_t)*b;
}

static void reverse(char *s) {
    for (char *end = s + own_length(s) - 1; s < end; s++, end--) {
        char t = *s;
        *s = *end;
        *end = t;
    }
}

int main(int argc, char **argv) {
    int repeat = atoi(argv[1]);
    static char text[20001], lines[200][32];
    uint32_t random = 1;
    for (int i = 0; i < 20000; i++) {
        random = random * 1664525 + 1013904223;
        text[i] = "abcabdab"[random >> 29];
    }
    for (int i = 0; i < 200; i++)
        sprintf(lines[i], "line %d of %x", i, i * 12345);
    static const char *words[] = {"abcab", "ddd", "abdabdab", "cabbage", "aabbaabb"};
    static const char *patterns[] = {"line *", "*1?3*f*", "*of*9", "l*e*i*n*0*"};
    long sum = 0;
    for (int i = 0; i < repeat; i++) {
        const char *word = words[i % 5];
        int m = strlen(word), n = 20000 - i % 100;
        int a = naive(text, n, word, m), b = prefixes(text, n, word, m), d = rolling(text, n, word, m);
        if (a != b || a != d)
            return 1;
        sum += a + skips(text, n, word, m);
        for (int k = 0; k < 200; k++) {
            for (int p = 0; p < 4; p++)
                sum += wildcard(patterns[p], lines[k]) << p;
            sum += own_compare(lines[k], lines[(k + i) % 200]) > 0;
            reverse(lines[k]);
            reverse(lines[k]);
        }
    }
    printf("%ld\n", sum);
    return 0;
}
