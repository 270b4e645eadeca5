#include "coarsen/opencl/outline.h"

#include <algorithm>
#include <utility>

#include "base/format.h"
#include "coarsen/opencl/macros.h"

namespace burin::coarsen {
namespace {

// Pairs the brackets; an Error for the first one without a partner.
Result<std::vector<std::size_t>> pair_brackets(const OpenclScan& scan) {
  std::vector<std::size_t> partner(scan.tokens.size(), 0);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < scan.tokens.size(); ++i) {
    const OpenclToken& token = scan.tokens[i];
    if (token.is("(") || token.is("[") || token.is("{")) {
      open.push_back(i);
    } else if (token.is(")") || token.is("]") || token.is("}")) {
      const char wanted = token.text[0] == ')' ? '(' : token.text[0] == ']' ? '[' : '{';
      if (open.empty() || scan.tokens[open.back()].text[0] != wanted) {
        return Error{fmt::format("{}: '{}' closes nothing", scan.place(token.begin), token.text)};
      }
      partner[i] = open.back();
      partner[open.back()] = i;
      open.pop_back();
    }
  }
  if (open.empty()) return partner;
  const OpenclToken& left = scan.tokens[open.back()];
  return Error{fmt::format("{}: '{}' is never closed", scan.place(left.begin), left.text)};
}

// Every branch of an #if must leave as many brackets open as it found.
Result<void> check_branches(const OpenclScan& scan) {
  std::vector<int> depth = {0};  // in front of each token
  for (const OpenclToken& token : scan.tokens) {
    const bool opens = token.is("(") || token.is("[") || token.is("{");
    const bool closes = token.is(")") || token.is("]") || token.is("}");
    depth.push_back(depth.back() + (opens ? 1 : 0) - (closes ? 1 : 0));
  }
  std::vector<std::size_t> begun;  // directives
  for (std::size_t i = 0; i < scan.directives.size(); ++i) {
    const OpenclDirective& directive = scan.directives[i];
    if (directive.name.starts_with("if")) begun.push_back(i);
    const bool next = directive.name.starts_with("el");  // else, elif, elifdef
    const bool ends = directive.name == "endif";
    if ((!next && !ends) || begun.empty()) continue;
    const OpenclDirective& first = scan.directives[begun.back()];
    if (depth[directive.tokens_before] != depth[first.tokens_before]) {
      return Error{
          fmt::format("{}: the branch that begins here does not close the brackets that it "
                      "opens; expand the #if",
                      scan.place(first.begin))};
    }
    if (ends) begun.pop_back();
  }
  return {};
}

Result<void> check_includes(const OpenclScan& scan) {
  for (const OpenclDirective& directive : scan.directives) {
    if (!directive.name.starts_with("include") && directive.name != "import") continue;
    return Error{fmt::format("{}: #include: the other file is not read; put its text here",
                             scan.place(directive.begin))};
  }
  return {};
}

// Finds the declarations at file scope.
class OpenclDeclarations {
 public:
  explicit OpenclDeclarations(OpenclOutline& outline) : outline_(outline) {}

  void find() {
    for (std::size_t i = 0; i < outline_.scan.tokens.size(); ++i) {
      const OpenclToken& token = at(i);
      if (token.is("{") && !has_value_ && add_function(i, outline_.partner[i])) {
        i = outline_.partner[i];
        begin_after(i);
      } else if (token.is("(") || token.is("[") || token.is("{")) {
        i = outline_.partner[i];
      } else if (token.is("=")) {
        has_value_ = true;
      } else if (token.is(";")) {
        if (!at(first_).is_word() || at(first_).text != "typedef") {
          if (!has_value_) add_function(i, i);
        } else {
          add_aliases(i);
        }
        add_tags(i);
        begin_after(i);
      }
    }
  }

 private:
  const OpenclToken& at(std::size_t i) const { return outline_.scan.tokens[i]; }

  void begin_after(std::size_t i) {
    first_ = i + 1;
    has_value_ = false;
  }

  // Adds the function whose parameters end in front of token `body`, if they do.
  bool add_function(std::size_t body, std::size_t end) {
    OpenclFunction made{.is_defined = body != end, .first = first_, .body = body, .end = end};
    std::size_t after = body;
    while (after > first_ && at(after - 1).is(")")) {
      made.close = after - 1;
      made.open = outline_.partner[made.close];
      if (made.open <= first_ || !at(made.open - 1).is_word()) return false;
      made.name_at = made.open - 1;
      made.name = at(made.name_at).text;
      if (made.name != "__attribute__" && made.name != "__attribute") {
        // A name alone, and then ';', is a macro.
        if (made.name_at == first_ && !made.is_defined) return false;
        outline_.functions.push_back(std::move(made));
        return true;
      }
      after = made.name_at;
    }
    return false;
  }

  // The names that the typedef up to the ';' at `end` gives.
  void add_aliases(std::size_t end) {
    std::size_t word = end;
    for (std::size_t i = first_; i <= end; ++i) {
      const OpenclToken& token = at(i);
      if (token.is("(") && i + 2 < end && at(i + 1).is("*") && at(i + 2).is_word()) word = i + 2;
      if (token.is_word()) word = i;
      if ((token.is(",") || token.is(";") || token.is("[")) && word < i) add_type(word, end);
      if (token.is("(") || token.is("[") || token.is("{")) i = outline_.partner[i];
    }
  }
  void add_tags(std::size_t end) {
    for (std::size_t i = first_; i + 1 < end; ++i) {
      const bool tagged = at(i).text == "struct" || at(i).text == "union";
      if (tagged && at(i + 1).is_word()) add_type(i + 1, end);
    }
  }
  void add_type(std::size_t name_at, std::size_t end) {
    if (!outline_.types.empty() && outline_.types.back().name == at(name_at).text) return;
    outline_.types.push_back({.name = at(name_at).text, .first = first_, .end = end});
  }

  OpenclOutline& outline_;
  std::size_t first_ = 0;   // token of the declaration that is being read
  bool has_value_ = false;  // it has a '='
};

void mark_kernels(OpenclOutline& outline) {
  std::set<std::string> words = outline.mentioning({"__kernel", "kernel"});
  std::erase_if(words, [&](const std::string& word) { return !outline.has_macro(word); });
  words.insert({"__kernel", "kernel"});
  for (OpenclFunction& function : outline.functions) {
    for (std::size_t i = function.first; i < function.name_at; ++i) {
      function.is_kernel = function.is_kernel || words.contains(outline.scan.tokens[i].text);
    }
  }
}

void collect_words(std::span<const OpenclToken> tokens, const std::set<std::string>& parameters,
                   std::vector<const OpenclToken*>& words) {
  for (const OpenclToken& token : tokens) {
    if (token.is_word() && !token.after_dot && !parameters.contains(token.text)) {
      words.push_back(&token);
    }
  }
}

}  // namespace

std::vector<const OpenclToken*> OpenclOutline::words_of(std::string_view name) const {
  std::vector<const OpenclToken*> words;
  const auto found = names.find(name);
  if (found == names.end()) return words;
  const Meaning& meaning = found->second;
  for (const std::size_t i : meaning.functions) collect_words(tokens_of(functions[i]), {}, words);
  for (const std::size_t i : meaning.macros) {
    collect_words(macros[i].tokens, macros[i].parameters, words);
  }
  for (const std::size_t i : meaning.types) {
    const OpenclType& type = types[i];
    collect_words(std::span(scan.tokens).subspan(type.first, type.end - type.first), {}, words);
  }
  return words;
}

std::set<std::string> OpenclOutline::mentioning(const std::set<std::string>& words) const {
  std::map<std::string, std::set<std::string>> mentioned_by;
  for (const auto& [name, meaning] : names) {
    for (const OpenclToken* word : words_of(name)) mentioned_by[word->text].insert(name);
  }
  std::set<std::string> found;
  std::vector<std::string> open(words.begin(), words.end());
  while (!open.empty()) {
    const std::string word = std::move(open.back());
    open.pop_back();
    for (const std::string& name : mentioned_by[word]) {
      if (found.insert(name).second) open.push_back(name);
    }
  }
  return found;
}

std::vector<const OpenclToken*> OpenclOutline::file_scope_macros() const {
  std::vector<const OpenclToken*> found;
  std::size_t next = 0;  // function
  for (std::size_t i = 0; i < scan.tokens.size(); ++i) {
    if (next < functions.size() && i == functions[next].name_at) {
      i = functions[next++].end;
    } else if (scan.tokens[i].is_word() && has_macro(scan.tokens[i].text)) {
      found.push_back(&scan.tokens[i]);
    }
  }
  return found;
}

bool OpenclOutline::has_function(std::string_view name) const {
  const auto found = names.find(name);
  return found != names.end() && !found->second.functions.empty();
}

bool OpenclOutline::has_macro(std::string_view name) const {
  const auto found = names.find(name);
  return found != names.end() && !found->second.macros.empty();
}

bool OpenclOutline::has_directive(std::size_t first, std::size_t last) const {
  return std::ranges::any_of(scan.directives, [&](const OpenclDirective& directive) {
    return directive.tokens_before > first && directive.tokens_before <= last;
  });
}

Result<OpenclOutline> outline_opencl(std::string_view source, std::string_view options) {
  OpenclOutline outline{.scan = scan_opencl(source)};
  if (Result<void> fine = check_includes(outline.scan); !fine) return fine.error();
  Result<std::vector<std::size_t>> partner = pair_brackets(outline.scan);
  // Where the branches of an #if differ, that is the reason why brackets do not match.
  if (Result<void> fine = check_branches(outline.scan); !fine) return fine.error();
  if (!partner) return partner.error();
  outline.partner = std::move(*partner);
  outline.macros = macros_of_options(options);
  for (const OpenclDirective& directive : outline.scan.directives) {
    if (std::optional<OpenclMacro> macro = macro_of(directive)) {
      outline.macros.push_back(std::move(*macro));
    }
  }
  OpenclDeclarations(outline).find();
  for (std::size_t i = 0; i < outline.macros.size(); ++i) {
    outline.names[outline.macros[i].name].macros.push_back(i);
  }
  for (std::size_t i = 0; i < outline.functions.size(); ++i) {
    outline.names[outline.functions[i].name].functions.push_back(i);
  }
  for (std::size_t i = 0; i < outline.types.size(); ++i) {
    outline.names[outline.types[i].name].types.push_back(i);
  }
  mark_kernels(outline);
  return outline;
}

}  // namespace burin::coarsen
