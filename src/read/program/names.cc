#include "read/program/names.h"

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

}  // namespace

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

std::string shorten(std::string_view demangled, std::size_t width) {
  const std::string_view bare = bare_name(demangled);
  const std::string_view outer = without_template_arguments(bare);
  std::string abridged = std::string(outer) + (outer.size() < bare.size() ? "<…>" : "");
  const std::size_t abridged_width = outer.size() + (outer.size() < bare.size() ? 3 : 0);
  if (width == 0 || demangled.size() <= width) return std::string(demangled);
  if (bare.size() <= width) return std::string(bare);
  if (abridged_width <= width) return abridged;
  return std::string(outer.substr(0, width - 1)) + "…";
}

}  // namespace burin::read
