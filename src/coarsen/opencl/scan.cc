#include "coarsen/opencl/scan.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/format.h"

namespace burin::coarsen {
namespace {

class OpenclScanner {
 public:
  explicit OpenclScanner(std::string_view source) : source_(source) {}

  OpenclScan scan() {
    result_.counts.push_back({});
    result_.line_begins.push_back(0);
    for (std::size_t i = 0; i < source_.size(); ++i) {
      if (source_[i] == '\n') result_.line_begins.push_back(i + 1);
    }
    bool line_begin = true;
    while (true) {
      line_begin = skip_space(line_begin, /*in_directive=*/false);
      if (at_ == source_.size()) break;
      if (line_begin && peek() == '#') {
        directive();
      } else if (OpenclToken next = token(result_.tokens); left_out_ == 0) {
        result_.tokens.push_back(std::move(next));
      }
      line_begin = false;
    }
    return std::move(result_);
  }

 private:
  static bool is_word_begin(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
  }
  static bool is_word_part(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  // The character `ahead` places on; 0 at the end.
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }

  // Length of a backslash and the newline after it at `at_`; 0: none.
  std::size_t joined_line() const {
    if (peek() != '\\') return 0;
    if (peek(1) == '\n') return 2;
    return peek(1) == '\r' && peek(2) == '\n' ? 3 : 0;
  }

  // Skips white space and comments; in a directive, not the newline that ends it. Returns whether
  // nothing but them is in front on the line.
  bool skip_space(bool line_begin, bool in_directive) {
    while (at_ < source_.size()) {
      if (const std::size_t joined = joined_line()) {
        at_ += joined;
      } else if (peek() == '/' && peek(1) == '/') {
        while (at_ < source_.size() && peek() != '\n')
          at_ += std::max<std::size_t>(joined_line(), 1);
      } else if (peek() == '/' && peek(1) == '*') {
        const std::size_t end = source_.find("*/", at_ + 2);
        at_ = end == std::string_view::npos ? source_.size() : end + 2;
      } else if (peek() == '\n') {
        if (in_directive) break;
        line_begin = true;
        ++at_;
      } else if (std::isspace(static_cast<unsigned char>(peek())) != 0) {
        ++at_;
      } else {
        break;
      }
    }
    return line_begin;
  }

  // Appends characters to `text` as long as `wanted` holds for the next, across joined lines.
  template <typename Wanted>
  void take(std::string& text, Wanted wanted) {
    while (at_ < source_.size()) {
      if (const std::size_t joined = joined_line()) {
        at_ += joined;
        continue;
      }
      if (!wanted(peek())) return;
      text += source_[at_++];
    }
  }

  void take_literal(std::string& text) {
    const char quote = peek();
    text += source_[at_++];
    bool escaped = false;
    bool ended = false;
    take(text, [&](char c) {
      if (ended || c == '\n') return false;
      ended = !escaped && c == quote;
      escaped = !escaped && c == '\\';
      return true;
    });
  }

  OpenclToken token(const std::vector<OpenclToken>& before) {
    OpenclToken made{.begin = at_};
    if (is_word_begin(peek())) {
      made.kind = OpenclToken::Kind::kWord;
      take(made.text, is_word_part);
      made.after_dot = !before.empty() && (before.back().is(".") || before.back().is("->"));
    } else if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) {
      made.kind = OpenclToken::Kind::kNumber;
      char last = '\0';
      take(made.text, [&](char c) {
        const bool exponent = (last | 0x20) == 'e' || (last | 0x20) == 'p';
        if (!is_word_part(c) && c != '.' && !(exponent && (c == '+' || c == '-'))) return false;
        last = c;
        return true;
      });
    } else if (peek() == '"' || peek() == '\'') {
      made.kind = OpenclToken::Kind::kLiteral;
      take_literal(made.text);
    } else {
      const bool pair = (peek() == '-' && peek(1) == '>') || (peek() == '#' && peek(1) == '#') ||
                        (peek() == '=' && peek(1) == '=');
      made.text = source_.substr(at_, pair ? 2 : 1);
      at_ += made.text.size();
    }
    made.end = at_;
    return made;
  }

  void directive() {
    OpenclDirective made{.begin = at_, .end = at_ + 1, .tokens_before = result_.tokens.size()};
    ++at_;
    while (true) {
      skip_space(false, /*in_directive=*/true);
      if (at_ == source_.size() || peek() == '\n') break;
      made.tokens.push_back(token(made.tokens));
      made.end = at_;
    }
    if (!made.tokens.empty() && made.tokens[0].is_word()) {
      made.name = made.tokens[0].text;
      made.tokens.erase(made.tokens.begin());
    }
    count_lines(made);
    leave_out(made);
    if (left_out_ == 0) result_.directives.push_back(std::move(made));
  }

  // What stands in `#if 0` is as good as a comment.
  void leave_out(const OpenclDirective& directive) {
    if (left_out_ == 0) {
      if (directive.name == "if" && directive.tokens.size() == 1 &&
          directive.tokens[0].text == "0") {
        result_.directives.push_back(directive);
        left_out_ = 1;
      }
    } else if (directive.name.starts_with("if")) {
      ++left_out_;
    } else if (directive.name == "endif" || (left_out_ == 1 && directive.name.starts_with("el"))) {
      --left_out_;
    }
  }

  // `#line 12 "a.h"` and `# 12 "a.h"` number the line after them.
  void count_lines(const OpenclDirective& directive) {
    if (directive.name != "line" && !directive.name.empty()) return;
    if (directive.tokens.empty() || directive.tokens[0].kind != OpenclToken::Kind::kNumber) return;
    OpenclScan::Count count{.from = std::min(at_ + 1, source_.size()), .line = 0};
    for (const char c : directive.tokens[0].text) {
      if (!is_digit(c) || count.line > 0xffffffff) return;
      count.line = count.line * 10 + static_cast<std::uint64_t>(c - '0');
    }
    count.file = result_.counts.back().file;
    if (directive.tokens.size() > 1 && directive.tokens[1].text.size() >= 2) {
      const std::string& quoted = directive.tokens[1].text;
      if (quoted.front() == '"') count.file = quoted.substr(1, quoted.size() - 2);
    }
    result_.counts.push_back(std::move(count));
  }

  std::string_view source_;
  std::size_t at_ = 0;
  std::size_t left_out_ = 0;  // depth of the #if that leave this part out
  OpenclScan result_;
};

}  // namespace

std::uint64_t OpenclScan::line(std::size_t at) const {
  const auto line_of = [&](std::size_t byte) {
    return static_cast<std::uint64_t>(std::ranges::upper_bound(line_begins, byte) -
                                      line_begins.begin());
  };
  const auto after = std::ranges::upper_bound(counts, at, {}, &Count::from);
  const Count& count = *std::prev(after);
  return count.line + line_of(at) - line_of(count.from);
}

std::string OpenclScan::place(std::size_t at) const {
  const std::string& file = std::prev(std::ranges::upper_bound(counts, at, {}, &Count::from))->file;
  return file.empty() ? fmt::format("line {}", line(at)) : fmt::format("{}:{}", file, line(at));
}

OpenclScan scan_opencl(std::string_view source) {
  return OpenclScanner(source).scan();
}

}  // namespace burin::coarsen
