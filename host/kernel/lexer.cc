#include "host/kernel/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

namespace systolith::kernel {
namespace {

constexpr std::array<std::string_view, 10> kLongSymbols = {"->", "..", "<<", ">>", "<=",
                                                           ">=", "==", "!=", "&&", "||"};
constexpr std::string_view kShortSymbols = "()[],=+-*/%<>&|^~!?:";

bool IsNameStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool IsNamePart(char c) { return IsNameStart(c) || IsDigit(c); }

// Cuts one line into tokens.
class LineLexer {
 public:
  LineLexer(std::string_view text, std::string file, int line)
      : text_(text), file_(std::move(file)), line_(line) {}

  Status Run(std::vector<Token>& tokens) {
    while (true) {
      while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
      if (at_ == text_.size() || text_[at_] == '#') return OkStatus();
      Token token;
      token.location = Here();
      RETURN_IF_ERROR(Next(token));
      tokens.push_back(std::move(token));
    }
  }
  Location Here() const { return {file_, line_, static_cast<int>(at_) + 1}; }

 private:
  Status Next(Token& token) {
    const char c = text_[at_];
    if (IsDigit(c)) return Number(token);
    if (IsNameStart(c)) {
      const size_t begin = at_;
      while (at_ < text_.size() && IsNamePart(text_[at_])) ++at_;
      token.text = text_.substr(begin, at_ - begin);
      token.kind = Token::Kind::kName;
      if (token.text == "inf" || token.text == "nan") {
        token.kind = Token::Kind::kFloat;
        token.real = token.text == "inf" ? std::numeric_limits<double>::infinity()
                                         : std::numeric_limits<double>::quiet_NaN();
      }
      return OkStatus();
    }
    token.kind = Token::Kind::kSymbol;
    const std::string_view rest = text_.substr(at_);
    for (const std::string_view symbol : kLongSymbols) {
      if (rest.starts_with(symbol)) token.text = symbol;
    }
    if (token.text.empty() && kShortSymbols.find(c) != std::string_view::npos) token.text = c;
    if (token.text.empty()) {
      const auto byte = static_cast<unsigned char>(c);
      return SyntaxError(Here(), byte < 0x80 && std::isprint(byte) != 0
                                     ? fmt::format("'{}' means nothing here", c)
                                     : fmt::format("byte 0x{:02x} means nothing here; only "
                                                   "comments may hold other characters than ASCII",
                                                   byte));
    }
    at_ += token.text.size();
    return OkStatus();
  }

  Status Number(Token& token) {
    const size_t begin = at_;
    if (text_.substr(at_).starts_with("0x")) {
      at_ += 2;
      while (at_ < text_.size() && IsNamePart(text_[at_])) ++at_;
      token.text = text_.substr(begin, at_ - begin);
      token.kind = Token::Kind::kBits;
      uint32_t bits = 0;
      const char* const end = token.text.data() + token.text.size();
      const auto [last, error] = std::from_chars(token.text.data() + 2, end, bits, 16);
      if (error != std::errc() || last != end) {
        return SyntaxError(token.location,
                           fmt::format("{} is no 32-bit hexadecimal number", token.text));
      }
      token.integer = bits;
      return OkStatus();
    }
    token.kind = Token::Kind::kInteger;
    const auto digits = [&] {
      while (at_ < text_.size() && IsDigit(text_[at_])) ++at_;
    };
    digits();
    // "0..4" is a range, not a number with two points.
    if (at_ < text_.size() && text_[at_] == '.' && !text_.substr(at_).starts_with("..")) {
      token.kind = Token::Kind::kFloat;
      ++at_;
      digits();
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      token.kind = Token::Kind::kFloat;
      ++at_;
      if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) ++at_;
      digits();
    }
    while (at_ < text_.size() && IsNamePart(text_[at_])) ++at_;  // "12abc" is one wrong token
    token.text = text_.substr(begin, at_ - begin);
    const char* const first = token.text.data();
    const char* const end = first + token.text.size();
    const auto [last, error] = token.kind == Token::Kind::kFloat
                                   ? std::from_chars(first, end, token.real)
                                   : std::from_chars(first, end, token.integer);
    if (error == std::errc::result_out_of_range && last == end) {
      return SyntaxError(token.location,
                         fmt::format("{} is out of range: {}", token.text,
                                     token.kind == Token::Kind::kFloat
                                         ? "write inf or 0.0"
                                         : "an integer has 63 bits; with a point it is f32"));
    }
    if (error != std::errc() || last != end) {
      return SyntaxError(token.location, fmt::format("{} is no number", token.text));
    }
    if (token.kind == Token::Kind::kFloat) RoundOnce(token);
    return OkStatus();
  }

  // A text that lies next to the middle of two f32 may become that middle as a double, and then
  // the wrong f32. The neighbouring double on the text's side becomes the right one.
  static void RoundOnce(Token& token) {
    float nearest = 0;
    const char* const end = token.text.data() + token.text.size();
    if (std::from_chars(token.text.data(), end, nearest).ec != std::errc()) return;
    if (static_cast<float>(token.real) == nearest) return;
    token.real = std::nextafter(token.real, static_cast<double>(nearest));
  }

  std::string_view text_;
  std::string file_;
  int line_;
  size_t at_ = 0;
};

}  // namespace

Status SyntaxError(const Location& location, const std::string& message) {
  return InvalidArgument(
      fmt::format("{}:{}:{}: {}", location.file, location.line, location.column, message));
}

Result<std::vector<std::vector<Token>>> Lex(std::string_view source, const std::string& file) {
  std::vector<std::vector<Token>> lines;
  bool goes_on = false;
  int number = 0;
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (source.starts_with(kByteOrderMark)) source.remove_prefix(kByteOrderMark.size());
  while (!source.empty()) {
    const size_t end = std::min(source.find('\n'), source.size());
    LineLexer lexer(source.substr(0, end), file, ++number);
    source.remove_prefix(std::min(end + 1, source.size()));
    std::vector<Token> tokens;
    RETURN_IF_ERROR(lexer.Run(tokens));
    if (tokens.empty()) continue;
    if (goes_on) {
      lines.back().insert(lines.back().end(), tokens.begin(), tokens.end());
    } else {
      lines.push_back(std::move(tokens));
    }
    goes_on = lines.back().back().text == ",";
  }
  for (std::vector<Token>& line : lines) {
    Token end;
    end.location = line.back().location;
    end.location.column += static_cast<int>(line.back().text.size());
    line.push_back(std::move(end));
  }
  return lines;
}

}  // namespace systolith::kernel
