#include "coarsen/opencl/macros.h"

#include <algorithm>
#include <string>
#include <utility>

namespace burin::coarsen {
namespace {

std::vector<std::string> split_options(std::string_view options) {
  std::vector<std::string> words;
  bool inside = false;  // a word has begun
  char quote = '\0';
  for (std::size_t i = 0; i < options.size(); ++i) {
    const char c = options[i];
    const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (quote == '\0' && space) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == '\\' && quote != '\'' && i + 1 < options.size()) {
      words.back() += options[++i];
    } else {
      words.back() += c;
    }
  }
  return words;
}

}  // namespace

std::optional<OpenclMacro> macro_of(const OpenclDirective& directive) {
  if (directive.name != "define" || directive.tokens.empty()) return std::nullopt;
  const std::vector<OpenclToken>& tokens = directive.tokens;
  if (!tokens[0].is_word()) return std::nullopt;
  OpenclMacro macro{.name = tokens[0].text, .define = directive.begin};
  std::size_t first = 1;
  // Parameters begin directly after the name.
  if (tokens.size() > 1 && tokens[1].is("(") && tokens[1].begin == tokens[0].end) {
    while (++first < tokens.size() && !tokens[first].is(")")) {
      if (tokens[first].is_word()) macro.parameters.insert(tokens[first].text);
    }
    first = std::min(first + 1, tokens.size());
  }
  macro.tokens.assign(tokens.begin() + static_cast<std::ptrdiff_t>(first), tokens.end());
  macro.pastes = std::ranges::any_of(macro.tokens, [](const OpenclToken& t) { return t.is("##"); });
  return macro;
}

std::vector<OpenclMacro> macros_of_options(std::string_view options) {
  std::vector<OpenclMacro> macros;
  const std::vector<std::string> words = split_options(options);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("-D")) continue;
    std::string definition = words[i].substr(2);
    if (definition.empty() && i + 1 < words.size()) definition = words[++i];
    const std::size_t equals = definition.find('=');
    if (equals != std::string::npos) definition[equals] = ' ';
    std::ranges::replace(definition, '\n', ' ');
    const OpenclScan scan = scan_opencl("#define " + definition);
    if (scan.directives.empty()) continue;
    if (std::optional<OpenclMacro> macro = macro_of(scan.directives[0])) {
      macro->define.reset();
      macros.push_back(std::move(*macro));
    }
  }
  return macros;
}

}  // namespace burin::coarsen
