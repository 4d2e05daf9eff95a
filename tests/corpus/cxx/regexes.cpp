// Regular expressions: matching, searching, capturing, replacing, iterating, errors.
#include <cstdio>
#include <iterator>
#include <regex>
#include <string>

int main() {
    const std::regex mail(R"((\w+)@(\w+)\.(com|org))");
    const std::string text = "ann@example.com, bob at home, eve@site.org; joe@nowhere.net";
    for (std::sregex_iterator it(text.begin(), text.end(), mail), end; it != end; ++it)
        std::printf("%s at %s (%s), position %ld\n", (*it)[1].str().c_str(), (*it)[2].str().c_str(), (*it)[3].str().c_str(), long(it->position()));
    std::puts(std::regex_replace(text, mail, "<$2:$1>").c_str());

    for (auto *number : {"12", "-3.25", "1e5", "0x1f", ".5", "1.2.3", ""})
        std::printf("'%s' %d\n", number, std::regex_match(number, std::regex(R"([+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?)")));
    std::printf("%d %d\n", std::regex_match("aaaa", std::regex("(a|aa)+")), std::regex_match("ABcd", std::regex("[a-c]+d", std::regex::icase)));

    const std::regex separator("[,;] *");
    for (std::sregex_token_iterator it(text.begin(), text.end(), separator, -1), end; it != end; ++it) std::printf("[%s]", it->str().c_str());
    std::puts("");
    std::smatch match;
    const std::string repeated = "hello abcabc world";
    if (std::regex_search(repeated, match, std::regex(R"((\w{3})\1)")))
        std::printf("%s|%s|%s\n", match.prefix().str().c_str(), match[1].str().c_str(), match.suffix().str().c_str());
    for (auto *broken : {"(", "[z-a]", "*", "a{2,1}", "\\"}) {
        try {
            std::regex regex(broken);
            std::puts("accepted");
        } catch (const std::regex_error &e) {
            std::printf("%s: error %d\n", broken, int(e.code()));
        }
    }
}
