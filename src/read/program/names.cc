#include "read/program/names.h"

#include <algorithm>
#include <cctype>

namespace burin::read {
namespace {

bool opens(char c) {
  return c == '(' || c == '<' || c == '{' || c == '[';
}
bool closes(char c) {
  return c == ')' || c == '>' || c == '}' || c == ']';
}

// The position of the bracket that the last character of `text` closes, npos where there is none.
std::size_t opening_of_last(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    if (closes(text[i])) ++depth;
    if (opens(text[i]) && --depth == 0) return i;
  }
  return std::string_view::npos;
}

// What follows the last `separator` that stands outside all brackets.
std::string_view after_last(std::string_view text, std::string_view separator) {
  std::size_t depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    if (closes(text[i])) ++depth;
    if (opens(text[i]) && depth > 0) --depth;
    if (depth == 0 && text.substr(i).starts_with(separator)) {
      return text.substr(i + separator.size());
    }
  }
  return text;
}

std::string_view without_template_arguments(std::string_view name) {
  if (!name.ends_with('>')) return name;
  const std::size_t open = opening_of_last(name);
  return open == std::string_view::npos || open == 0 ? name : name.substr(0, open);
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// CUB_300001_SM_900, THRUST_200200_900_NS: capitals, a version, more of the kind.
bool is_version(std::string_view name) {
  constexpr std::size_t kMinDigits = 5;
  const std::size_t digits = name.find('_') + 1;
  if (digits < 2 || name.size() < digits + kMinDigits) return false;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  return std::ranges::all_of(name.substr(0, digits - 1), is_capital) &&
         std::ranges::all_of(name.substr(digits, kMinDigits), is_digit) &&
         std::ranges::all_of(name.substr(digits + kMinDigits),
                             [&](char c) { return is_digit(c) || is_capital(c) || c == '_'; });
}

// Whether nobody wrote the namespace: a compiler or a library's version did.
bool is_internal(std::string_view name) {
  if (name.starts_with("_INTERNAL_") || name.starts_with("_GLOBAL__N_")) return true;
  if (name == "__cxx11" || is_version(name)) return true;
  return name.size() > 2 && name.starts_with("__") &&
         name.find_first_not_of("0123456789", 2) == std::string_view::npos;
}

// The length of a namespace at the start of `text`, with its "::", that a reader need not see.
std::size_t internal_namespace(std::string_view text) {
  for (const std::string_view unnamed : {"(anonymous namespace)::", "<unnamed>::"}) {
    if (text.starts_with(unnamed)) return unnamed.size();
  }
  const auto end = static_cast<std::size_t>(std::ranges::find_if_not(text, is_word) - text.begin());
  return text.substr(end).starts_with("::") && is_internal(text.substr(0, end)) ? end + 2 : 0;
}

}  // namespace

std::string readable_name(std::string_view demangled) {
  std::string name;
  for (std::size_t at = 0; at < demangled.size();) {
    if (name.empty() || !is_word(name.back())) {
      if (const std::size_t skipped = internal_namespace(demangled.substr(at)); skipped > 0) {
        at += skipped;
        continue;
      }
    }
    name += demangled[at++];
  }
  return name;
}

std::string_view bare_name(std::string_view demangled) {
  if (const std::size_t clone = demangled.find(" [clone"); clone != std::string_view::npos) {
    demangled = demangled.substr(0, clone);
  }
  if (demangled.ends_with(')')) {
    const std::size_t open = opening_of_last(demangled);
    if (open != std::string_view::npos && open != 0) demangled = demangled.substr(0, open);
  }
  return after_last(demangled, " ");
}

std::string_view plain_name(std::string_view demangled) {
  return after_last(without_template_arguments(bare_name(demangled)), "::");
}

std::string shorten(std::string_view full, std::size_t width) {
  const std::string demangled = readable_name(full);
  const std::string_view bare = bare_name(demangled);
  const std::string_view outer = without_template_arguments(bare);
  std::string abridged = std::string(outer) + (outer.size() < bare.size() ? "<…>" : "");
  const std::size_t abridged_width = outer.size() + (outer.size() < bare.size() ? 3 : 0);
  if (width == 0 || demangled.size() <= width) return demangled;
  if (bare.size() <= width) return std::string(bare);
  if (abridged_width <= width) return abridged;
  return std::string(outer.substr(0, width - 1)) + "…";
}

}  // namespace burin::read
