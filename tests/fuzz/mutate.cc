#include "tests/fuzz/mutate.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <random>
#include <string_view>

namespace systolith::fuzz {
namespace {

constexpr size_t kMaxBytes = 1 << 20;

class Mutator {
 public:
  Mutator(const std::vector<std::string>& samples, uint64_t seed, uint64_t number)
      : samples_(samples), rng_(seed * 0x9e3779b97f4a7c15 + number) {}

  std::string Run() {
    std::string input = samples_[Below(samples_.size())];
    const bool keep_size = Below(2) == 0;  // lengths stay right: the change is seen deep inside
    const size_t changes = 1 + Below(6);
    for (size_t i = 0; i < changes && !input.empty(); ++i) {
      if (keep_size) {
        ChangeInPlace(input);
      } else {
        Change(input);
      }
    }
    if (input.size() > kMaxBytes) input.resize(kMaxBytes);
    return input;
  }

 private:
  // The distributions of <random> differ between libraries; a remainder does not.
  size_t Below(size_t limit) { return limit == 0 ? 0 : rng_() % limit; }

  void ChangeInPlace(std::string& input) {
    const size_t at = Below(input.size());
    switch (Below(5)) {
      case 0: input[at] = static_cast<char>(input[at] ^ (1 << Below(8))); break;
      case 1: input[at] = static_cast<char>(rng_()); break;
      case 2: {
        constexpr std::array<uint8_t, 10> kBytes = {0, 1, 2, 3, 5, 0x7f, 0x80, 0xfe, 0xff, 0x10};
        input[at] = static_cast<char>(kBytes[Below(kBytes.size())]);
        break;
      }
      case 3: input[at] = static_cast<char>(input[at] + (Below(2) == 0 ? 1 : -1)); break;
      default: {  // a byte or a stretch from elsewhere
        const std::string& other = samples_[Below(samples_.size())];
        const size_t from = Below(other.size());
        const size_t size = std::min({1 + Below(8), other.size() - from, input.size() - at});
        input.replace(at, size, other, from, size);
        break;
      }
    }
  }

  void Change(std::string& input) {
    const size_t at = Below(input.size());
    const size_t size = std::min(1 + Below(1 + Below(200)), input.size() - at);
    switch (Below(9)) {
      case 0: ChangeInPlace(input); break;
      case 1: input.resize(at); break;
      case 2: input.erase(at, size); break;
      case 3: input.insert(at, input.substr(Below(input.size()), size)); break;
      case 4: {
        const std::string& other = samples_[Below(samples_.size())];
        const size_t from = Below(other.size());
        input.insert(at, other, from, std::min(size, other.size() - from));
        break;
      }
      case 5: {  // the largest numbers of bytecode: 9, 8 and 5 bytes
        constexpr std::array<std::string_view, 3> kNumbers = {
            std::string_view("\0\xff\xff\xff\xff\xff\xff\xff\x7f", 9),
            std::string_view("\x80\xff\xff\xff\xff\xff\xff\x7f", 8),
            std::string_view("\xf0\xff\xff\xff\x07", 5)};
        input.replace(at, 1, kNumbers[Below(kNumbers.size())]);
        break;
      }
      case 6: BlowUpNumber(input, at); break;
      case 7: Nest(input, at); break;
      default: {  // a whole line again, elsewhere
        const size_t begin = input.rfind('\n', at) == std::string::npos ? 0 : input.rfind('\n', at);
        const size_t end = std::min(input.find('\n', at), input.size());
        const std::string line = input.substr(begin, end - begin);
        input.insert(Below(input.size()), line);
        break;
      }
    }
  }

  // The next number of a text becomes one that no program has.
  void BlowUpNumber(std::string& input, size_t at) {
    constexpr std::array<std::string_view, 9> kNumbers = {
        "0", "-1", "4294967296", "1099511627776", "1000000000000", "9223372036854775807",
        "99999999999999999999", "1e999", "65537"};
    while (at < input.size() && std::isdigit(static_cast<unsigned char>(input[at])) == 0) ++at;
    size_t end = at;
    while (end < input.size() && std::isdigit(static_cast<unsigned char>(input[end])) != 0) ++end;
    input.replace(at, end - at, kNumbers[Below(kNumbers.size())]);
  }

  void Nest(std::string& input, size_t at) {
    constexpr std::array<std::string_view, 10> kOpeners = {
        "[", "{", "(", "<", "tuple<", "dense<[", "{a = ", "\"stablehlo.if\"(%0) ({", "#stablehlo.x<",
        "array<i64: "};
    const std::string_view opener = kOpeners[Below(kOpeners.size())];
    const size_t count = size_t{1} << Below(15);
    std::string nest;
    for (size_t i = 0; i < count; ++i) nest += opener;
    input.insert(at, nest);
  }

  const std::vector<std::string>& samples_;
  std::mt19937_64 rng_;
};

}  // namespace

std::string Mutate(const std::vector<std::string>& samples, uint64_t seed, uint64_t number) {
  return Mutator(samples, seed, number).Run();
}

}  // namespace systolith::fuzz
