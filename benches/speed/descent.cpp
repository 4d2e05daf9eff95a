// A recursive-descent parser and evaluator of expressions that reports errors by exceptions.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

class Parser {
    const std::string &text;
    size_t at = 0;

    char peek() {
        while (at < text.size() && text[at] == ' ')
            at++;
        return at < text.size() ? text[at] : '\0';
    }
    bool take(char c) {
        if (peek() != c)
            return false;
        at++;
        return true;
    }
    void expect(char c) {
        if (!take(c))
            throw std::runtime_error(std::string("expected ") + c);
    }
    long number() {
        if (peek() < '0' || peek() > '9')
            throw std::invalid_argument("no number");
        long value = 0;
        while (at < text.size() && text[at] >= '0' && text[at] <= '9')
            value = (value * 10 + (text[at++] - '0')) % 1000003;
        return value;
    }
    long primary() {
        if (take('(')) {
            long value = sum();
            expect(')');
            return value;
        }
        if (take('-'))
            return -primary();
        return number();
    }
    long product() {
        long value = primary();
        for (;;) {
            if (take('*'))
                value = value * primary() % 1000003;
            else if (take('/')) {
                long divisor = primary();
                if (divisor == 0)
                    throw std::domain_error("division by zero");
                value /= divisor;
            } else
                return value;
        }
    }
    long sum() {
        long value = product();
        for (;;) {
            if (take('+'))
                value += product();
            else if (take('-'))
                value -= product();
            else
                return value;
        }
    }

public:
    explicit Parser(const std::string &text) : text(text) {}
    long parse() {
        long value = sum();
        if (peek() != '\0')
            throw std::runtime_error("something is left");
        return value;
    }
};

int main(int, char **argv) {
    int repeat = atoi(argv[1]);
    const std::string texts[] = {
        "1 + 2 * (3 - 4) * 5 + 77 / (8 - 1) - -9",
        "((((1 + 2) * 3 + 4) * 5 + 6) * 7 + 8) * 9 - 12345 * 678 / 90",
        "12 * 34 * 56 * 78 - (9 * (10 - (11 + (12 - 13 * 14)))) + 1000000 / 3 / 5 / 7",
        "1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1*2*3*4*5",
        "4 / (2 - 1 - 1)",
    };
    long total = 0;
    for (int i = 0; i < repeat; i++) {
        for (int j = 0; j < 4; j++)
            total += Parser(texts[j]).parse();
        if (i % 64 == 0) {
            try {
                total += Parser(texts[4]).parse();
            } catch (const std::exception &error) {
                total += error.what()[0];
            }
        }
    }
    printf("%ld\n", total);
}
