#include "advise/case/source_text.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <regex>
#include <set>

#include "analyze/code/regions.h"
#include "base/format.h"
#include "base/text.h"
#include "read/isa/traits.h"
#include "read/program/library.h"
#include "read/program/source.h"

namespace burin::advise {

namespace {

constexpr unsigned kMaxLines = 4;  // lines of a statement before and after the given one

// The text without comments and string literals.
std::string code_of(std::string_view line) {
  static const std::regex other(R"rx("(?:[^"\\]|\\.)*"|//.*|/\*.*?(?:\*/|$))rx");
  return std::regex_replace(std::string(line), other, " ");
}

bool ends_statement(const std::string& code) {
  const std::size_t last = code.find_last_not_of(" \t");
  return last == std::string::npos ||
         std::string_view(";{}:").find(code[last]) != std::string::npos;
}

// The statement that the line belongs to; empty if the text is not found.
std::string statement_at(const Case& c, std::string_view file, std::uint32_t line) {
  std::string text = c.source_line ? code_of(c.source_line(file, line)) : std::string();
  if (text.empty()) return text;
  bool ends = ends_statement(text);
  for (std::uint32_t k = 1; k <= kMaxLines && k < line; ++k) {
    const std::string above = code_of(c.source_line(file, line - k));
    if (ends_statement(above)) break;
    text = above + " " + text;
  }
  for (std::uint32_t k = 1; k <= kMaxLines && !ends; ++k) {
    const std::string below = code_of(c.source_line(file, line + k));
    if (below.empty()) break;
    ends = ends_statement(below);
    text += " " + below;
  }
  return text;
}

// Whether the text divides by something other than a literal. A division by a literal compiles to a
// product. A divisor in parentheses counts if it contains a name: (2 * s).
bool divides(const std::string& code) {
  static const std::regex name(R"(\b[A-Za-z_])");
  for (std::size_t at = code.find_first_of("/%"); at != std::string::npos;
       at = code.find_first_of("/%", at + 1)) {
    const std::size_t divisor = code.find_first_not_of(" =", at + 1);
    if (divisor == std::string::npos) return true;
    if (code[divisor] == '(') {
      const std::size_t length = code.find(')', divisor) - divisor;
      if (std::regex_search(code.substr(divisor, length), name)) return true;
    } else if (std::isdigit(code[divisor]) == 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool has_construct(std::string_view text, Construct construct) {
  static const std::regex macro(R"(\b[A-Z][A-Z0-9_]{2,}\s*\()");
  static const std::regex test(R"(\b(if|switch|case)\b|\?|&&|\|\|)");
  static const std::regex loop(R"(\b(for|while|do)\b)");
  const std::string code = code_of(text);
  if (std::regex_search(code, macro)) return true;
  switch (construct) {
    case Construct::kDivision:
      return divides(code);
    case Construct::kTest:
      return std::regex_search(code, test);
    case Construct::kCondition:
      return std::regex_search(code, test) || std::regex_search(code, loop);
    case Construct::kLoop:
      return std::regex_search(code, loop);
  }
  return true;
}

bool may_have(const Case& c, std::uint32_t instruction, Construct construct) {
  const read::Image& image = *c.kernel.image;
  bool known = false;
  for (const read::Location* at :
       read::call_chain(image, c.kernel.location_at(c.at(instruction).offset))) {
    const std::string_view path = read::path_of(image, *at);
    if (read::is_library(path)) continue;
    const std::string text = statement_at(c, path, at->line);
    if (text.empty() || has_construct(text, construct)) return true;
    known = true;
  }
  return !known;
}

bool may_be_written_test(const Case& c, std::uint32_t instruction) {
  // A comparison or a negation, not an arrow, a shift or an assignment.
  static const std::regex compares(R"((^|[^<>-])[<>]($|[^<>])|[=!]=|!)");
  const read::Image& image = *c.kernel.image;
  bool innermost = true;
  for (const read::Location* at :
       read::call_chain(image, c.kernel.location_at(c.at(instruction).offset))) {
    const std::string_view path = read::path_of(image, *at);
    if (read::is_library(path)) continue;
    const std::string text = statement_at(c, path, at->line);
    if (text.empty() || has_construct(text, Construct::kTest)) return true;
    if (innermost && !std::regex_search(text, compares)) return false;
    innermost = false;
  }
  return innermost;  // no line is known
}

std::string library_call(const read::Kernel& kernel, std::uint32_t instruction) {
  return read::user_line(*kernel.image, kernel.location_at(kernel.instructions[instruction].offset))
      .call;
}

std::string call_place(const Case& c, std::uint32_t access) {
  const std::string call = library_call(c.kernel, access);
  for (const read::Dependence& d : c.kernel.dependences_of(access)) {
    if (call.empty() || d.kind != read::Dependence::Kind::kRegister) continue;
    if (read::feeds_address(c.at(access), d) && library_call(c.kernel, d.producer) == call)
      return place_name(c.kernel, d.producer);
  }
  return place_name(c.kernel, access);
}

namespace {

// Maximum lines from a kernel's first code line up to its name.
constexpr std::uint32_t kMaxAbove = 80;
constexpr std::size_t kMaxText = 8192;  // characters of these lines
constexpr std::uint32_t kMaxBelow = 8;  // maximum lines of a definition after its first instruction

// The file of the kernel's own code, and its first line with instructions.
std::optional<analyze::SourceLine> first_line(const Case& c) {
  const read::Image& image = *c.kernel.image;
  std::optional<analyze::SourceLine> found;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (c.places.function_of(i) != 0) continue;
    const std::vector<const read::Location*> chain =
        read::call_chain(image, c.kernel.location_at(c.at(i).offset));
    if (chain.empty() || chain.back()->line == 0) continue;
    const std::string_view file = read::path_of(image, *chain.back());
    if (!found) found = {file, chain.back()->line};
    if (file == found->file) found->line = std::min(found->line, chain.back()->line);
  }
  return found;
}

// The text between the parentheses after the kernel's name; empty if not found.
std::string parameters_text(const Case& c, const analyze::SourceLine& at) {
  const std::string name = std::string(short_name(c.places.function_name(0)));
  const bool plain = std::ranges::all_of(
      name, [](unsigned char ch) { return std::isalnum(ch) != 0 || ch == '_'; });
  if (name.empty() || !plain) return {};  // a lambda's: it has no name in the source
  const std::regex definition("\\b" + name + R"(\s*\()");
  std::string text;
  for (std::uint32_t k = 0; k < kMaxBelow; ++k) {
    text += code_of(c.source_line(at.file, at.line + 1 + k)) + " ";
  }
  for (std::uint32_t k = 0; k <= kMaxAbove && k < at.line; ++k) {
    text = code_of(c.source_line(at.file, at.line - k)) + " " + text;
    if (text.size() > kMaxText) return {};
    std::smatch match;
    if (!std::regex_search(text, match, definition)) continue;
    int open = 1;
    const auto first = static_cast<std::size_t>(match.position() + match.length());
    for (std::size_t i = first; i < text.size(); ++i) {
      open += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
      if (open == 0) return text.substr(first, i - first);
    }
    return {};
  }
  return {};
}

}  // namespace

std::vector<std::string> parameter_declarations(const Case& c) {
  const std::optional<analyze::SourceLine> at = c.source_line ? first_line(c) : std::nullopt;
  const std::string text = at ? parameters_text(c, *at) : std::string();
  std::vector<std::string> all;
  int nested = 0;  // commas of template arguments
  std::size_t from = 0;
  for (std::size_t i = 0; i <= text.size() && !text.empty(); ++i) {
    const char ch = i < text.size() ? text[i] : ',';
    nested += ch == '<' || ch == '(' ? 1 : ch == '>' || ch == ')' ? -1 : 0;
    if (ch != ',' || nested != 0) continue;
    all.push_back(text.substr(from, i - from));
    from = i + 1;
  }
  return all.size() == c.kernel.function->parameters.size() ? all : std::vector<std::string>{};
}

std::vector<std::string> parameter_names(const Case& c) {
  static const std::regex last_name(R"(([A-Za-z_]\w*)\s*(\[[^\]]*\]\s*)*(=.*)?$)");
  std::vector<std::string> names;
  for (const std::string& one : parameter_declarations(c)) {
    std::smatch match;
    if (!std::regex_search(one, match, last_name)) return {};
    names.push_back(match[1]);
  }
  return names;
}

bool is_restrict(const Case& c, const std::set<std::uint32_t>& parameters) {
  const std::vector<std::string> all = parameter_declarations(c);
  return !all.empty() && std::ranges::all_of(parameters, [&](std::uint32_t offset) {
    const auto pointer = pointer_at(*c.kernel.function, offset);
    return pointer && all[*pointer].find("restrict") != std::string::npos;
  });
}

std::string argument_text(const Case& c, const Origins& origins, std::uint32_t instruction) {
  std::set<std::size_t> found;
  for (const std::uint32_t offset : origins.address_parameters(instruction)) {
    if (const auto pointer = pointer_at(*c.kernel.function, offset)) found.insert(*pointer);
  }
  if (found.size() != 1) return "";
  const std::vector<std::string> names = parameter_names(c);
  return names.empty() ? fmt::format(" of argument {}", *found.begin())
                       : fmt::format(" of `{}`", names[*found.begin()]);
}

std::string loop_name(const Case& c, std::uint32_t loop) {
  const std::optional<read::LoopLines> lines =
      loop == read::kNoIndex ? std::nullopt : c.places.loop_lines(loop);
  const auto has_loop = [&](std::uint32_t line) {
    const std::string text = c.source_line(lines->file, line);
    return !text.empty() && has_construct(text, Construct::kLoop);
  };
  if (!lines || !c.source_line || c.source_line(lines->file, lines->first).empty()) {
    return c.places.loop_name(loop);
  }
  std::uint32_t first = lines->first;
  for (std::uint32_t line = first; line <= lines->last; ++line) {
    if (has_loop(line)) return "loop at " + line_name(lines->file, first, lines->last);
  }
  for (std::uint32_t k = 1; k <= kMaxLines && k < lines->first; ++k) {
    if (has_loop(lines->first - k)) {
      return "loop at " + line_name(lines->file, lines->first - k, lines->last);
    }
  }
  return "loop made by the compiler at " + line_name(lines->file, first, lines->last);
}

}  // namespace burin::advise
