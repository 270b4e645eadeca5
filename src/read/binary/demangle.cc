#include "read/binary/demangle.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

namespace burin::read {
namespace {

constexpr std::uint64_t kMaxUnfolded = 1 << 23;  // more is not worth the time
constexpr std::uint64_t kMaxText = 1 << 16;      // more is not worth showing
constexpr std::uint64_t kEndless = ~std::uint64_t{0} / 4;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

// Reads a mangled name from left to right and adds up what its tokens can print. Parts are numbered
// in the order in which they end, so the part that S3_ stands for had ended before the first token
// that speaks of part 3 or a later one, and is no longer than all that came before that token.
//
// Whether digits begin an identifier can depend on more than the token before them. Where this
// reader cannot tell, it says so (`lost_`), and from there on any reference may double everything.
class Unfolding {
 public:
  explicit Unfolding(std::string_view name) : name_(name) {}

  std::uint64_t bound() {
    while (at_ < name_.size() && bytes_ < kEndless) step();
    return bytes_;
  }

 private:
  void step() {
    const char c = name_[at_];
    if (const auto end = reference_end(at_)) {
      refer(at_, *end);
      at_ = *end;
    } else if (c == 'L') {
      literal();
    } else if (is_digit(c)) {
      identifier();
    } else {
      // Pack expansions, conversions and local names print parts out of this order; digits after
      // the others are numbers, not lengths.
      for (const std::string_view odd :
           {"Dp", "sp", "cv", "Z", "Dv", "DB", "Ul", "Ut", "A", "fp", "fL"})
        if (name_.substr(at_).starts_with(odd)) lost_ = true;
      if (c == 'C' || c == 'D') bytes_ += name_.size();  // constructors repeat an identifier
      plain(1);
    }
  }

  // "Li128E", "Lb0E", "L6layout1E", "LS3_2E": the digits before the E are a value.
  void literal() {
    plain(1);
    if (at_ >= name_.size()) return;
    if (const auto end = reference_end(at_)) {
      refer(at_, *end);
      at_ = *end;
    } else if (is_lower(name_[at_])) {
      plain(1);
    } else if (is_digit(name_[at_])) {
      identifier();
    } else {
      lost_ = true;
      return;
    }
    while (at_ < name_.size() && (is_digit(name_[at_]) || name_[at_] == 'n')) plain(1);
  }

  void identifier() {
    std::size_t length = 0;
    while (at_ < name_.size() && is_digit(name_[at_]) && length <= name_.size()) {
      length = length * 10 + static_cast<std::size_t>(name_[at_] - '0');
      plain(1);
    }
    if (length > name_.size() - at_) lost_ = true;
    if (lost_) return;
    bytes_ += length;
    at_ += length;
  }

  // Where the reference at `at` ends: S_, S0_ … SZZ_, T_, T0_ …
  std::optional<std::size_t> reference_end(std::size_t at) const {
    if (name_[at] != 'S' && name_[at] != 'T') return std::nullopt;
    std::size_t end = at + 1;
    while (end < name_.size() && (is_digit(name_[end]) || is_upper(name_[end]))) ++end;
    if (end >= name_.size() || name_[end] != '_') return std::nullopt;
    return end + 1;
  }

  void refer(std::size_t at, std::size_t end) {
    constexpr std::size_t kMaxParts = 4096;
    std::size_t part = 0;  // S_ is part 0, S0_ part 1
    for (std::size_t i = at + 1; i + 1 < end && part < kMaxParts; ++i)
      part = part * 36 +
             static_cast<std::size_t>(is_digit(name_[i]) ? name_[i] - '0' : name_[i] - 'A' + 10);
    if (end - at > 2) ++part;
    std::uint64_t size = bytes_;
    if (!lost_ && name_[at] == 'T') {
      if (arguments_ == 0) arguments_ = bytes_;  // template arguments end before they are used
      size = arguments_;
    } else if (!lost_ && part < kMaxParts) {
      while (parts_.size() <= part) parts_.push_back(bytes_);
      size = parts_[part];
    }
    bytes_ += size;
  }

  void plain(std::size_t count) {
    constexpr std::uint64_t kLongestToken =
        26;  // Si: std::basic_istream<char, std::char_traits<char> >
    bytes_ += count * kLongestToken;
    at_ += count;
  }

  std::string_view name_;
  std::size_t at_ = 2;  // behind _Z
  std::uint64_t bytes_ = 1;
  bool lost_ = false;
  std::uint64_t arguments_ = 0;
  std::vector<std::uint64_t> parts_;  // at most how long each is
};

}  // namespace

std::uint64_t unfolding_bound(std::string_view name) {
  return Unfolding(name).bound();
}

std::string demangle(std::string_view name) {
  std::string text(name);
  if (!name.starts_with("_Z") || unfolding_bound(name) > kMaxUnfolded) return text;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || demangled == nullptr) return text;
  const std::string_view readable(demangled.get());
  if (readable.size() <= kMaxText) text = readable;
  return text;
}

}  // namespace burin::read
