// Compresses made-up texts in every way that snappy has, and checks that they come back.
//
// usage: snappy levels|pieces|vectors|broken

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "snappy-sinksource.h"
#include "snappy.h"

namespace {

struct Random {
  uint64_t state;
  uint32_t operator()() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state >> 33);
  }
};

uint32_t checksum(const std::string &text) {
  uint32_t hash = 2166136261u;
  for (unsigned char c : text) hash = (hash ^ c) * 16777619u;
  return hash;
}

std::vector<std::string> inputs() {
  Random random{20};
  std::vector<std::string> all = {"", "a", "abcabcabcabcabcabcabcabcabcabcabcabc", std::string(70000, 'x')};
  const char *words[] = {"graph", "region", "state", "value", "loop", "branch", "edge", "the", "of", "a"};
  std::string text;
  while (text.size() < 200000) text += std::string(words[random() % 10]) + (random() % 8 ? " " : ".\n");
  all.push_back(text);
  std::string noise;
  while (noise.size() < 90000) noise += static_cast<char>(random());
  all.push_back(noise);
  std::string runs;
  while (runs.size() < 150000) runs.append(random() % 300, static_cast<char>('a' + random() % 4));
  all.push_back(runs);
  std::string periods;
  for (size_t period = 1; period < 100; period++) {
    std::string unit;
    for (size_t i = 0; i < period; i++) unit += static_cast<char>('A' + random() % 50);
    while (unit.size() < 700) unit += unit;
    periods += unit;
  }
  all.push_back(periods);
  return all;
}

/// Gives a text in pieces of changing length.
class Pieces : public snappy::Source {
 public:
  explicit Pieces(const std::string &text) : text_(text) {}
  size_t Available() const override { return text_.size() - at_; }
  const char *Peek(size_t *length) override {
    size_t piece = 1 + (at_ * 7919) % 1500;
    *length = piece < Available() ? piece : Available();
    return text_.data() + at_;
  }
  void Skip(size_t n) override { at_ += n; }

 private:
  const std::string &text_;
  size_t at_ = 0;
};

/// Takes what comes up to a limit, over which it throws.
class Limited : public snappy::Sink {
 public:
  explicit Limited(size_t limit) : limit_(limit) {}
  void Append(const char *bytes, size_t n) override {
    appends++;
    if (text.size() + n > limit_) throw std::length_error("over " + std::to_string(limit_));
    text.append(bytes, n);
  }
  std::string text;
  size_t appends = 0;

 private:
  size_t limit_;
};

void levels() {
  for (const std::string &text : inputs()) {
    for (int level = 1; level <= 2; level++) {
      std::string packed, back;
      size_t size = snappy::Compress(text.data(), text.size(), &packed, snappy::CompressionOptions{level});
      bool ok = snappy::Uncompress(packed.data(), packed.size(), &back);
      printf("%zu at level %d: %zu %08x, valid %d, back %d %d\n", text.size(), level, size, checksum(packed),
             snappy::IsValidCompressedBuffer(packed.data(), packed.size()), ok, back == text);
    }
  }
}

void pieces() {
  for (const std::string &text : inputs()) {
    Pieces source(text);
    Limited packed(SIZE_MAX);
    snappy::Compress(&source, &packed);
    Pieces packed_source(packed.text);
    Limited back(SIZE_MAX);
    bool ok = snappy::Uncompress(&packed_source, &back);
    printf("%zu in pieces: %zu %08x in %zu, back %d %d in %zu\n", text.size(), packed.text.size(),
           checksum(packed.text), packed.appends, ok, back.text == text, back.appends);
    for (size_t limit : {size_t{3}, text.size() / 2}) {
      Pieces again(text);
      Limited small(limit);
      try {
        size_t size = snappy::Compress(&again, &small);
        printf("  fits in %zu: %zu\n", limit, size);
      } catch (const std::length_error &error) {
        printf("  %s after %zu\n", error.what(), small.appends);
      }
    }
  }
}

void vectors() {
  for (const std::string &text : inputs()) {
    Random random{text.size()};
    std::string copy = text;
    std::vector<iovec> parts;
    for (size_t at = 0; at < copy.size();) {
      size_t length = random() % 5000;
      if (length > copy.size() - at) length = copy.size() - at;
      parts.push_back({copy.data() + at, length});
      at += length;
    }
    std::string packed;
    snappy::CompressFromIOVec(parts.data(), parts.size(), &packed);
    std::memset(copy.data(), 0, copy.size());
    bool ok = snappy::RawUncompressToIOVec(packed.data(), packed.size(), parts.data(), parts.size());
    printf("%zu in %zu parts: %zu %08x, back %d %d\n", text.size(), parts.size(), packed.size(), checksum(packed), ok,
           copy == text);
  }
}

void broken() {
  Random random{7};
  for (const std::string &text : inputs()) {
    std::string packed;
    snappy::Compress(text.data(), text.size(), &packed);
    int valid = 0, same = 0;
    size_t salvaged = 0;
    for (int round = 0; round < 40; round++) {
      std::string bad = packed;
      for (uint32_t count = random() % 3 + 1; count > 0 && !bad.empty(); count--) bad[random() % bad.size()] ^= 1 << random() % 8;
      if (round % 4 == 0) bad.resize(random() % (bad.size() + 1));
      size_t length = 0;
      if (!snappy::GetUncompressedLength(bad.data(), bad.size(), &length) || length > 1 << 20) continue;
      valid += snappy::IsValidCompressedBuffer(bad.data(), bad.size());
      std::string back;
      same += snappy::Uncompress(bad.data(), bad.size(), &back) && back == text;
      Limited sink(SIZE_MAX);
      snappy::ByteArraySource source(bad.data(), bad.size());
      salvaged += snappy::UncompressAsMuchAsPossible(&source, &sink);
    }
    printf("%zu broken: %d valid, %d the same, %zu bytes salvaged\n", text.size(), valid, same, salvaged);
  }
}

}  // namespace

int main(int argc, char **argv) {
  std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "levels") levels();
  else if (mode == "pieces") pieces();
  else if (mode == "vectors") vectors();
  else if (mode == "broken") broken();
  else return 2;
}
