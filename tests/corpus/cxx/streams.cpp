// Strings and streams: formatting flags, parsing with errors, string streams, files, user-defined operators and buffers.
#include <fstream>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <vector>

namespace {

struct Point {
    int x, y;
};
std::ostream &operator<<(std::ostream &out, const Point &p) { return out << '<' << p.x << '|' << p.y << '>'; }
std::istream &operator>>(std::istream &in, Point &p) {
    char open = 0, bar = 0, close = 0;
    if (in >> open >> p.x >> bar >> p.y >> close && (open != '<' || bar != '|' || close != '>')) in.setstate(std::ios::failbit);
    return in;
}

// Writes each character in upper case and counts the lines.
class Upper : public std::streambuf {
    std::streambuf *to;

  public:
    int lines = 0;
    explicit Upper(std::streambuf *t) : to(t) {}

  protected:
    int overflow(int c) override {
        if (c == '\n') lines++;
        return c == EOF ? 0 : to->sputc(char(c >= 'a' && c <= 'z' ? c - 32 : c));
    }
};

// A calculator with precedence: recursive descent over a stream, errors as exceptions.
struct Calculator {
    std::istringstream in;
    std::map<char, double> variables;
    explicit Calculator(const std::string &text) : in(text) {}
    char peek() {
        in >> std::ws;
        return char(in.peek());
    }
    double expression() {
        double value = term();
        while (peek() == '+' || peek() == '-') value = in.get() == '+' ? value + term() : value - term();
        return value;
    }
    double term() {
        double value = factor();
        while (peek() == '*' || peek() == '/') {
            if (in.get() == '*') {
                value *= factor();
            } else {
                double divisor = factor();
                if (divisor == 0) throw std::domain_error("division by zero");
                value /= divisor;
            }
        }
        return value;
    }
    double factor() {
        char c = peek();
        if (c == '(') {
            in.get();
            double value = expression();
            if (peek() != ')') throw std::invalid_argument("no closing parenthesis");
            in.get();
            return value;
        }
        if (c == '-') return in.get(), -factor();
        double value;
        if (!(in >> value)) throw std::invalid_argument(std::string("unexpected ") + (c == EOF ? "end" : std::string(1, c)));
        return value;
    }
};

void calculate(const std::string &text) {
    try {
        std::cout << text << " = " << Calculator(text).expression() << '\n';
    } catch (const std::logic_error &e) {
        std::cout << text << ": " << e.what() << '\n';
    }
}

std::vector<std::string> words(const std::string &text) {
    std::istringstream in(text);
    return {std::istream_iterator<std::string>(in), {}};
}

}  // namespace

int main() {
    std::cout << std::hex << std::showbase << 255 << ' ' << std::oct << 8 << std::dec << ' ' << std::setw(8) << std::setfill('*') << 42 << ' '
              << std::left << std::setw(6) << 7 << std::right << '\n';
    std::cout << std::fixed << std::setprecision(3) << 3.14159 << ' ' << std::scientific << 12345.678 << ' ' << std::defaultfloat << 0.1 << ' '
              << std::boolalpha << true << ' ' << std::showpos << 5 << std::noshowpos << ' ' << std::quoted("a \"b\"") << '\n';
    std::cout << std::numeric_limits<double>::infinity() << ' ' << -0.0 << ' ' << 1e300 * 10 << '\n' << std::setfill(' ');
    for (auto *text : {"1 + 2 * 3", "(1 + 2) * -3.5", "10 / 4 / 5", "1 / (2 - 2)", "2 * (3 + 4", "7 +", "2 * x"}) calculate(text);

    std::istringstream points("<1|2> <3|-4> <5,6>");
    Point p;
    while (points >> p) std::cout << p << ' ';
    std::cout << points.fail() << points.eof() << '\n';

    std::string text = "the rain in spain stays mainly";
    std::size_t at = 0;
    while ((at = text.find("ain", at)) != std::string::npos) text.replace(at, 3, "AIN!"), at += 4;
    std::cout << text << ' ' << text.substr(4, 6) << ' ' << text.rfind('s') << ' ' << text.find_first_of("xyz") << '\n';
    for (auto &word : words(text)) std::cout << std::setw(8) << word;
    std::cout << '\n' << (std::string("abc") < "abd") << ' ' << std::string(3, 'x') + "y" << ' ' << std::stoi("-17") + std::stod("0.5") << '\n';
    try {
        std::cout << std::stoi("none");
    } catch (const std::invalid_argument &e) {
        std::cout << "no number: " << e.what() << '\n';
    }
    try {
        std::cout << text.substr(1000);
    } catch (const std::out_of_range &) {
        std::cout << "out of range\n";
    }

    {
        std::ofstream file("streams.txt");
        for (int i = 0; i < 20; i++) file << i << '\t' << i * i << '\n';
    }
    std::ifstream file("streams.txt");
    std::string line;
    int total = 0, count = 0;
    while (std::getline(file, line)) total += std::stoi(line.substr(line.find('\t'))), count++;
    file.clear();
    file.seekg(4);
    std::getline(file, line, '\n');
    std::cout << count << ' ' << total << ' ' << line << ' ' << std::ifstream("missing").is_open() << '\n';

    std::ifstream failing("missing");
    failing.exceptions(std::ios::goodbit);
    try {
        failing.exceptions(std::ios::failbit);
    } catch (const std::ios::failure &) {
        std::cout << "failed\n";
    }

    Upper upper(std::cout.rdbuf());
    std::ostream shout(&upper);
    shout << "quiet words\nand more " << Point{1, 2} << std::endl;
    std::cout << upper.lines << '\n';
    std::wstring wide = L"wide";
    std::u16string sixteen = u"sixteen";
    std::cout << wide.size() + sixteen.find(u't') << '\n';
    std::cerr << "an error\n";
}
