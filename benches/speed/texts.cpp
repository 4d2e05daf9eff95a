// std::string: joining, splitting, replacing, comparing, numbers to text and back, and counting words.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

static std::vector<std::string> split(const std::string &text, char at) {
    std::vector<std::string> parts;
    std::string part;
    for (char c : text)
        if (c == at) {
            parts.push_back(part);
            part.clear();
        } else
            part += c;
    parts.push_back(part);
    return parts;
}

static std::string join(const std::vector<std::string> &parts, const std::string &between) {
    std::string text;
    for (const auto &part : parts) {
        if (!text.empty())
            text += between;
        text += part;
    }
    return text;
}

static std::string replaced(std::string text, std::string_view from, std::string_view to) {
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
    return text;
}

static std::string shifted(std::string text, int by) {
    for (char &c : text)
        if (c >= 'a' && c <= 'z')
            c = char('a' + (c - 'a' + by) % 26);
        else if (c >= 'A' && c <= 'Z')
            c = char('A' + (c - 'A' + by) % 26);
    return text;
}

static bool palindrome(const std::string &text) {
    auto left = text.begin(), right = text.end();
    while (left < right)
        if (*left++ != *--right)
            return false;
    return true;
}

static int distance(std::string_view a, std::string_view b) {
    std::vector<int> row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); j++)
        row[j] = int(j);
    for (size_t i = 1; i <= a.size(); i++) {
        int corner = row[0];
        row[0] = int(i);
        for (size_t j = 1; j <= b.size(); j++) {
            int above = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, corner + (a[i - 1] != b[j - 1])});
            corner = above;
        }
    }
    return row.back();
}

int main(int, char **argv) {
    int repeat = atoi(argv[1]);
    const std::string text = "it was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness";
    size_t sum = 0;
    for (int i = 0; i < repeat; i++) {
        auto words = split(text, ' ');
        std::sort(words.begin(), words.end());
        words.erase(std::unique(words.begin(), words.end()), words.end());
        std::string joined = join(words, "--");
        sum += joined.size() + replaced(text, "was", i % 2 ? "is" : "will be").size();
        std::string secret = shifted(joined, i % 26);
        sum = sum * 31 + secret[i % secret.size()];
        for (const auto &word : words)
            sum += palindrome(word) + (word < secret) + word.find_first_of("aeiou");
        sum += distance(words[i % words.size()], words[(i + 3) % words.size()]);
        std::string number = std::to_string(i * 7919);
        std::reverse(number.begin(), number.end());
        sum += std::stoul(number);
        if (i % 16 == 0) {
            std::ostringstream out;
            out << i << ' ' << 0.5 * i << ' ' << number;
            sum += out.str().size();
        }
    }
    printf("%zu\n", sum);
}
