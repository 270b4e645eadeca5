#include "tune/unroll.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/format.h"
#include "launch/number.h"

namespace burin::tune {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Where code stands: neither in a comment nor in a string or character.
class CodeScan {
 public:
  explicit CodeScan(std::string_view text) : text_(text) {}

  // The position of the first for, while or do in each line that has one, other than the while that
  // ends a do.
  std::map<std::uint32_t, std::size_t> loops() {
    std::map<std::uint32_t, std::size_t> found;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
        ++at_;
      } else if (text_.substr(at_, 2) == "//") {
        skip_to("\n", 0);
      } else if (text_.substr(at_, 2) == "/*") {
        skip_to("*/", 2);
      } else if (c == '"' || c == '\'') {
        skip_quoted(c);
      } else if (is_word(c)) {
        std::size_t end = at_;
        while (end < text_.size() && is_word(text_[end])) ++end;
        const std::string_view word = text_.substr(at_, end - at_);
        const bool ends_do = word == "while" && last_ == '}';
        if (word == "for" || word == "do" || (word == "while" && !ends_do)) {
          found.emplace(line_, at_);
        }
        last_ = 'a';
        at_ = end;
      } else {
        if (std::isspace(static_cast<unsigned char>(c)) == 0) last_ = c;
        ++at_;
      }
    }
    return found;
  }

 private:
  void skip_to(std::string_view end, std::size_t beyond) {
    const std::size_t found = std::min(text_.find(end, at_ + 2), text_.size());
    const std::size_t next = std::min(found + beyond, text_.size());
    line_ += static_cast<std::uint32_t>(std::count(text_.begin() + static_cast<long>(at_),
                                                   text_.begin() + static_cast<long>(next), '\n'));
    at_ = next;
  }
  void skip_quoted(char quote) {
    // An apostrophe within a number separates digits.
    if (quote == '\'' && at_ > 0 &&
        std::isxdigit(static_cast<unsigned char>(text_[at_ - 1])) != 0) {
      ++at_;
      return;
    }
    for (++at_; at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    if (at_ < text_.size() && text_[at_] == quote) ++at_;
    last_ = quote;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  char last_ = ' ';  // the last character that is no white space
};

}  // namespace

std::optional<std::uint32_t> unrolled_line(std::string_view tunable) {
  constexpr std::string_view kPrefix = "unroll@";
  if (!tunable.starts_with(kPrefix)) return std::nullopt;
  return launch::parse_integer<std::uint32_t>(std::string(tunable.substr(kPrefix.size())));
}

Result<std::string> with_unrolling(std::string_view source, const std::string& path,
                                   const std::map<std::uint32_t, std::int64_t>& factors) {
  const std::map<std::uint32_t, std::size_t> loops = CodeScan(source).loops();
  std::string text = fmt::format("#line 1 \"{}\"\n", path);
  std::size_t from = 0;
  for (const auto& [line, factor] : factors) {
    const auto loop = loops.find(line);
    if (loop == loops.end()) {
      return Error{fmt::format("unroll@{}: no loop starts in line {} of {}", line, line, path),
                   Exit::kInput};
    }
    if (factor == 0) continue;
    text += source.substr(from, loop->second - from);
    text += fmt::format("\n#pragma unroll {}\n#line {} \"{}\"\n", factor, line, path);
    from = loop->second;
  }
  text += source.substr(from);
  return text;
}

}  // namespace burin::tune
