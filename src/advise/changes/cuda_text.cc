#include "advise/changes/cuda_text.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace burin::advise {
namespace {

bool starts_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool continues_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The end of a quoted text, or the end of the line if the quote is never closed.
std::size_t end_of_quote(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (++at; at < text.size() && text[at] != quote && text[at] != '\n'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(text.size(), at + 1);
}

std::size_t end_of_raw_string(std::string_view text, std::size_t quote) {
  const std::size_t open = text.find('(', quote);
  if (open == std::string_view::npos) return text.size();
  const std::string close = ")" + std::string(text.substr(quote + 1, open - quote - 1)) + "\"";
  const std::size_t end = text.find(close, open);
  return end == std::string_view::npos ? text.size() : end + close.size();
}

// A number as the preprocessor sees it: 1.5e-3f, 0x1p-2, 1'000.
std::size_t end_of_number(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const char c = text[at];
    const bool sign = (c == '+' || c == '-') &&
                      std::string_view("eEpP").find(text[at - 1]) != std::string_view::npos;
    if (!(continues_word(c) || c == '.' || c == '\'' || sign)) break;
    ++at;
  }
  return at;
}

// The name that a directive defines: "N" of "#define N 4"; "" if it is another directive.
std::string_view macro_name(std::string_view directive) {
  const auto skip = [&](std::string_view characters) {
    directive.remove_prefix(std::min(directive.size(), directive.find_first_not_of(characters)));
  };
  skip("# \t");
  constexpr std::string_view kDefine = "define";
  if (!directive.starts_with(kDefine)) return {};
  directive.remove_prefix(kDefine.size());
  skip(" \t");
  std::size_t length = 0;
  while (length < directive.size() && continues_word(directive[length])) ++length;
  return directive.substr(0, length);
}

}  // namespace

CudaText::CudaText(std::string text) : text_(std::move(text)) {
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n' && i + 1 < text_.size()) line_starts_.push_back(i + 1);
  }
  const std::size_t first = text_.find('\n');
  crlf_ = first != std::string::npos && first > 0 && text_[first - 1] == '\r';
  tokenize();
  match_brackets();
}

std::size_t CudaText::end_of_directive(std::size_t at) const {
  while (at < text_.size()) {
    const std::size_t end = text_.find('\n', at);
    if (end == std::string::npos) return text_.size();
    const std::size_t last = end > 0 && text_[end - 1] == '\r' ? end - 1 : end;
    if (last == 0 || text_[last - 1] != '\\') return last;
    at = end + 1;
  }
  return at;
}

void CudaText::tokenize() {
  const std::string_view text = text_;
  bool line_is_empty = true;
  std::uint32_t line = 1;
  std::size_t counted = 0;
  const auto add = [&](Token::Kind kind, std::size_t from, std::size_t to) {
    line += static_cast<std::uint32_t>(
        std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
                   text.begin() + static_cast<std::ptrdiff_t>(from), '\n'));
    counted = from;
    tokens_.push_back({kind, from, to - from, line});
    line_is_empty = false;
  };
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '\n') line_is_empty = true;
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at;
    } else if (text.substr(at, 2) == "//") {
      at = std::min(text.size(), text.find('\n', at));
    } else if (text.substr(at, 2) == "/*") {
      const std::size_t end = text.find("*/", at + 2);
      at = end == std::string_view::npos ? text.size() : end + 2;
    } else if (c == '#' && line_is_empty) {
      const std::size_t end = end_of_directive(at);
      add(Token::Kind::kDirective, at, end);
      if (const std::string_view name = macro_name(text.substr(at, end - at)); !name.empty()) {
        macros_.emplace(name);
      }
      at = end;
    } else if (c == '"' || c == '\'') {
      const std::size_t end = end_of_quote(text, at);
      add(Token::Kind::kString, at, end);
      at = end;
    } else if (is_digit(c) || (c == '.' && at + 1 < text.size() && is_digit(text[at + 1]))) {
      const std::size_t end = end_of_number(text, at);
      add(Token::Kind::kNumber, at, end);
      at = end;
    } else if (starts_word(c)) {
      std::size_t end = at;
      while (end < text.size() && continues_word(text[end])) ++end;
      const bool raw = end < text.size() && text[end] == '"' && text[end - 1] == 'R';
      if (raw) end = end_of_raw_string(text, end);
      add(raw ? Token::Kind::kString : Token::Kind::kWord, at, end);
      at = end;
    } else {
      add(Token::Kind::kPunctuation, at, at + 1);
      ++at;
    }
  }
}

void CudaText::match_brackets() {
  partners_.assign(tokens_.size(), kNone);
  std::vector<std::size_t> open;
  static constexpr std::string_view kOpen = "([{", kClose = ")]}";
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    if (tokens_[i].kind != Token::Kind::kPunctuation) continue;
    const char c = text_[tokens_[i].offset];
    if (kOpen.find(c) != std::string_view::npos) open.push_back(i);
    const std::size_t kind = kClose.find(c);
    if (kind == std::string_view::npos) continue;
    // A bracket closed by a different kind stays without a partner, as do all brackets inside it.
    if (open.empty()) continue;
    const std::size_t at = open.back();
    open.pop_back();
    if (text_[tokens_[at].offset] != kOpen[kind]) continue;
    partners_[at] = i;
    partners_[i] = at;
  }
}

std::string_view CudaText::of(std::size_t token) const {
  if (token >= tokens_.size()) return {};
  return std::string_view(text_).substr(tokens_[token].offset, tokens_[token].length);
}

bool CudaText::is_word(std::size_t token) const {
  return token < tokens_.size() && tokens_[token].kind == Token::Kind::kWord;
}

std::size_t CudaText::partner(std::size_t token) const {
  return token < partners_.size() ? partners_[token] : kNone;
}

std::size_t CudaText::next(std::size_t token) const {
  for (std::size_t i = token + 1; i < tokens_.size(); ++i) {
    if (tokens_[i].kind != Token::Kind::kDirective) return i;
  }
  return kNone;
}

std::size_t CudaText::previous(std::size_t token) const {
  for (std::size_t i = token; i > 0; --i) {
    if (tokens_[i - 1].kind != Token::Kind::kDirective) return i - 1;
  }
  return kNone;
}

std::string_view CudaText::line(std::uint32_t line) const {
  if (line == 0 || line > lines()) return {};
  const std::size_t from = line_starts_[line - 1];
  const std::size_t to = line < lines() ? line_starts_[line] : text_.size();
  return std::string_view(text_).substr(from, to - from);
}

std::uint32_t CudaText::line_at(std::size_t offset) const {
  const auto after = std::ranges::upper_bound(line_starts_, offset);
  return static_cast<std::uint32_t>(after - line_starts_.begin());
}

bool CudaText::starts_line(std::size_t token) const {
  const std::size_t offset = tokens_[token].offset;
  const std::size_t start = line_start(tokens_[token].line);
  return text_.find_first_not_of(" \t", start) == offset;
}

namespace {

// Attributes with parentheses that may appear between __global__ and the function name.
constexpr std::array<std::string_view, 9> kAttributes = {
    "__launch_bounds__", "__attribute__", "__align__", "__maxnreg__", "__cluster_dims__",
    "__block_size__",    "alignas",       "decltype",  "explicit"};

bool is_attribute(std::string_view word) {
  return std::ranges::find(kAttributes, word) != kAttributes.end();
}

// Whether the declaration that the token is in begins with `template`.
std::size_t start_of_declaration(const CudaText& source, std::size_t token) {
  std::size_t first = token;
  for (std::size_t i = source.previous(token); i != CudaText::kNone; i = source.previous(i)) {
    const std::string_view text = source.of(i);
    if (text == ";" || text == "{" || text == "}") break;
    first = i;
  }
  return first;
}

std::optional<FunctionText> function_at(const CudaText& source, std::size_t qualifier) {
  FunctionText f;
  f.qualifier = qualifier;
  f.is_kernel = source.is(qualifier, "__global__");
  std::size_t i = source.next(qualifier);
  for (; i != CudaText::kNone; i = source.next(i)) {
    const std::string_view text = source.of(i);
    if (text == ";" || text == "{" || text == "}" || text == "=") return std::nullopt;
    if (text != "(") continue;
    const std::size_t name = source.previous(i);
    if (!source.is_word(name)) return std::nullopt;
    if (!is_attribute(source.of(name))) {
      f.name_token = name;
      f.open_parameters = i;
      break;
    }
    i = source.partner(i);
    if (i == CudaText::kNone) return std::nullopt;
  }
  if (i == CudaText::kNone) return std::nullopt;
  f.name = source.of(f.name_token);
  f.close_parameters = source.partner(f.open_parameters);
  if (f.close_parameters == CudaText::kNone) return std::nullopt;
  std::size_t body = source.next(f.close_parameters);
  while (source.is(body, "const") || source.is(body, "noexcept")) body = source.next(body);
  if (!source.is(body, "{") || source.partner(body) == CudaText::kNone) return std::nullopt;
  f.open_body = body;
  f.close_body = source.partner(body);
  const std::size_t first = start_of_declaration(source, qualifier);
  f.is_template = source.is(first, "template") ||
                  (source.is(first, "extern") && source.is(source.next(first), "template"));
  f.first_line = source.tokens()[first].line;
  f.last_line = source.tokens()[f.close_body].line;
  return f;
}

}  // namespace

std::vector<FunctionText> functions_of(const CudaText& source) {
  std::vector<FunctionText> found;
  for (std::size_t i = 0; i < source.tokens().size(); ++i) {
    if (!source.is(i, "__global__") && !source.is(i, "__device__")) continue;
    if (!found.empty() && i < found.back().close_body) continue;
    if (std::optional<FunctionText> f = function_at(source, i)) found.push_back(std::move(*f));
  }
  return found;
}

std::size_t end_of_statement(const CudaText& source, std::size_t first) {
  const auto after_condition = [&](std::size_t keyword) {
    const std::size_t open = source.next(keyword);
    const std::size_t close = source.is(open, "(") ? source.partner(open) : CudaText::kNone;
    return close == CudaText::kNone ? CudaText::kNone : source.next(close);
  };
  if (first == CudaText::kNone) return CudaText::kNone;
  const std::string_view word = source.of(first);
  if (word == "{") return source.partner(first);
  if (word == "for" || word == "while" || word == "switch") {
    return end_of_statement(source, after_condition(first));
  }
  if (word == "if") {
    std::size_t condition = first;
    if (source.is(source.next(first), "constexpr")) condition = source.next(first);
    const std::size_t end = end_of_statement(source, after_condition(condition));
    const std::size_t other = end == CudaText::kNone ? CudaText::kNone : source.next(end);
    return source.is(other, "else") ? end_of_statement(source, source.next(other)) : end;
  }
  if (word == "do") {
    const std::size_t body = end_of_statement(source, source.next(first));
    const std::size_t tail = body == CudaText::kNone ? CudaText::kNone : source.next(body);
    const std::size_t end = source.is(tail, "while") ? after_condition(tail) : CudaText::kNone;
    return source.is(end, ";") ? end : CudaText::kNone;
  }
  for (std::size_t i = first; i != CudaText::kNone; i = source.next(i)) {
    const std::string_view text = source.of(i);
    if (text == ";") return i;
    if (text == "}") return CudaText::kNone;
    if (text == "(" || text == "[" || text == "{") {
      i = source.partner(i);
      if (i == CudaText::kNone) return CudaText::kNone;
    }
  }
  return CudaText::kNone;
}

std::vector<LoopText> loops_of(const CudaText& source, const FunctionText& function) {
  std::vector<LoopText> loops;
  std::set<std::size_t> tails;  // the `while` of a do statement
  for (std::size_t i = function.open_body; i < function.close_body; ++i) {
    const std::string_view word = source.of(i);
    if (!source.is_word(i) || (word != "for" && word != "while" && word != "do")) continue;
    if (tails.contains(i)) continue;
    LoopText loop;
    loop.keyword = i;
    loop.last = end_of_statement(source, i);
    if (loop.last == CudaText::kNone || loop.last > function.close_body) continue;
    if (word == "do") {
      const std::size_t body = end_of_statement(source, source.next(i));
      tails.insert(source.next(body));
    }
    loop.line = source.tokens()[i].line;
    loop.last_line = source.tokens()[loop.last].line;
    for (std::size_t k = loops.size(); k-- > 0;) {
      if (loops[k].last < i) continue;
      loop.parent = k;
      loops[k].innermost = false;
      break;
    }
    loops.push_back(loop);
  }
  return loops;
}

}  // namespace burin::advise
