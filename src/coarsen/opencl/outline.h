// The functions, macros and types of an OpenCL C source, found without a compiler: what each of
// them mentions, and where its parts stand.
//
//   Result<OpenclOutline> outline = outline_opencl(
//       "#define LANE get_local_id(0)\n"
//       "__kernel void f(__global int* out) { out[LANE] = 0; }\n", "-DN=4");
//   outline->functions[0].name == "f", outline->functions[0].is_kernel
//   outline->macros[0].name == "N", outline->macros[1].tokens[0].text == "get_local_id"
//   outline->mentioning({"get_local_id"}) == {"LANE", "f"}
//
// All branches of #if count, since which of them is compiled is not known here.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "coarsen/opencl/scan.h"

namespace burin::coarsen {

// A function that is defined, or declared by a prototype. Positions are indices of tokens.
struct OpenclFunction {
  std::string name{};
  bool is_kernel = false;
  bool is_defined = false;
  std::size_t first = 0;    // of the declaration, or of a macro before it that ends without ';'
  std::size_t name_at = 0;  // its name
  std::size_t open = 0;     // the '(' of its parameters
  std::size_t close = 0;    // the ')' of its parameters
  std::size_t body = 0;     // the '{'; of a prototype, the ';'
  std::size_t end = 0;      // the '}'; of a prototype, the ';'
};

struct OpenclMacro {
  std::string name{};
  std::vector<OpenclToken> tokens{};  // what it stands for
  std::set<std::string> parameters{};
  bool pastes = false;                  // ## makes words that are not in the source
  std::optional<std::size_t> define{};  // byte of its #define; none if it comes from the options
};

// A typedef, struct or union at file scope.
struct OpenclType {
  std::string name{};
  std::size_t first = 0;  // token of its declaration
  std::size_t end = 0;    // the ';'
};

struct OpenclOutline {
  OpenclScan scan{};
  std::vector<std::size_t> partner{};  // of each bracket token, the index of its other half
  std::vector<OpenclFunction> functions{};
  std::vector<OpenclMacro> macros{};  // those of the options first
  std::vector<OpenclType> types{};

  // What a name stands for: indices of functions, macros and types. There are several where #if
  // chooses between definitions, or a prototype is repeated.
  struct Meaning {
    std::vector<std::size_t> functions{};
    std::vector<std::size_t> macros{};
    std::vector<std::size_t> types{};
  };
  std::map<std::string, Meaning, std::less<>> names{};

  std::span<const OpenclToken> tokens_of(const OpenclFunction& function) const {
    return std::span(scan.tokens).subspan(function.first, function.end - function.first + 1);
  }
  // The words that a name's functions, macros and types mention, in the order of the source; no
  // members and no macro parameters.
  std::vector<const OpenclToken*> words_of(std::string_view name) const;
  // The names that mention one of `words`, themselves or through another name.
  std::set<std::string> mentioning(const std::set<std::string>& words) const;

  // The macros that are used outside of functions, and in the heads of functions up to their name.
  std::vector<const OpenclToken*> file_scope_macros() const;

  bool has_function(std::string_view name) const;
  bool has_macro(std::string_view name) const;
  // Does a directive stand between the two tokens?
  bool has_directive(std::size_t first, std::size_t last) const;
};

// `options` are those of the OpenCL compiler, for the macros that -D defines. Returns an Error with
// the line if brackets do not match, if the branches of an #if open different brackets, and for
// #include, since the text of the other file is not here.
Result<OpenclOutline> outline_opencl(std::string_view source, std::string_view options);

}  // namespace burin::coarsen
