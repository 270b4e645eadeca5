// CUDA C++ source as tokens: enough to find and change functions, loops, literals and declarations.
// There is no preprocessor and no type information, so code hidden in macros is not seen. An edit
// that cannot be decided from the text is refused.
//
//   const CudaText source("__global__ void f(float* a) {\n  for (int i = 0; i < 4; ++i) a[i]
//   = 1.0;\n}"); source.is(0, "__global__")                            true
//   functions_of(source)[0].name                          "f"
//   loops_of(source, functions_of(source)[0])[0].line     2
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace burin::advise {

// Comments are no tokens. A directive is one token, with its continued lines.
struct Token {
  enum class Kind : std::uint8_t { kWord, kNumber, kString, kPunctuation, kDirective };
  Kind kind = Kind::kWord;
  std::size_t offset = 0;
  std::size_t length = 0;
  std::uint32_t line = 1;  // line of its first character
};

class CudaText {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  explicit CudaText(std::string text);

  const std::string& text() const { return text_; }
  const std::vector<Token>& tokens() const { return tokens_; }
  // Text of a token; "" past the end.
  std::string_view of(std::size_t token) const;
  bool is(std::size_t token, std::string_view text) const { return of(token) == text; }
  bool is_word(std::size_t token) const;
  // The matching bracket of a bracket; kNone if brackets do not match.
  std::size_t partner(std::size_t token) const;
  // The next and the previous token that is no directive; kNone: none.
  std::size_t next(std::size_t token) const;
  std::size_t previous(std::size_t token) const;
  // Names that the file itself defines as macros.
  bool is_macro(std::string_view name) const { return macros_.contains(std::string(name)); }

  std::size_t lines() const { return line_starts_.size(); }
  std::size_t line_start(std::uint32_t line) const { return line_starts_[line - 1]; }
  std::string_view line(std::uint32_t line) const;  // with its line ending
  std::uint32_t line_at(std::size_t offset) const;
  bool starts_line(std::size_t token) const;  // only spaces before it
  std::string_view line_ending() const { return crlf_ ? "\r\n" : "\n"; }

 private:
  void tokenize();
  std::size_t end_of_directive(std::size_t at) const;
  void match_brackets();

  std::string text_;
  std::vector<Token> tokens_;
  std::vector<std::size_t> partners_;
  std::vector<std::size_t> line_starts_;
  std::set<std::string> macros_;
  bool crlf_ = false;
};

// The definition of a __global__ or __device__ function. All but `name` are tokens.
struct FunctionText {
  std::string name{};
  bool is_kernel = false;
  bool is_template = false;
  std::size_t qualifier = 0;  // __global__ or __device__
  std::size_t name_token = 0;
  std::size_t open_parameters = 0, close_parameters = 0;
  std::size_t open_body = 0, close_body = 0;
  std::uint32_t first_line = 0, last_line = 0;
};
std::vector<FunctionText> functions_of(const CudaText& source);

// A for, while or do statement.
struct LoopText {
  std::size_t keyword = 0;
  std::size_t last = 0;  // token that ends it
  std::uint32_t line = 0, last_line = 0;
  std::size_t parent = CudaText::kNone;  // index of the loop around it
  bool innermost = true;
};
// In the order of the text.
std::vector<LoopText> loops_of(const CudaText& source, const FunctionText& function);

// The token that ends the statement which begins at a token; kNone if that is not clear.
std::size_t end_of_statement(const CudaText& source, std::size_t first);

}  // namespace burin::advise
