// PTX as it is written: functions, declarations and instructions, each with the bytes of the text
// that hold it.
//
//   Result<Module> module = parse(text);
//   const Function* kernel = module->find_function("saxpy");
//   for (const Statement& statement : kernel->body) …
//
// Nothing is lost: the items of a module are pieces of its text, in order, with nothing but white
// space and comments between them, so that print() (print.h) gives back the bytes of a module that
// nobody changed. A span starts at the first word and ends after the last character: the semicolon,
// the brace, the colon of a label. White space and comments belong to the item that follows them,
// but not to its span.
//
// No meaning is attached to opcodes here: any word with dots is an opcode. roles.h says which
// operands an opcode writes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace burin::read::ptx {

// Bytes begin … end - 1 of the module's text.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  friend bool operator==(Span, Span) = default;
};

// Both count from 1.
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

struct Operand {
  enum class Kind : std::uint8_t {
    kName,     // %r1, tile, $L__BB0_2, %tid.x, _ (a result that nobody wants)
    kNumber,   // 42, -1, 0f3F800000, 0x1F; also WARP_SZ
    kAddress,  // [%rd1+16], [tile+4], [tex, {%f1, %f2}]; `parts` are what the brackets hold:
               // %rd1 and 16. A minus belongs to its number: [%rd1+-4] is %rd1 and -4
    kVector,   // {%f1, %f2}
    kPair,     // %p1|%p2
    kSum,      // tile+16, outside of brackets
    kList,     // (param0, param1), of a call
  };
  Kind kind = Kind::kName;
  bool negated = false;     // !%p1, -%r1; false for numbers, whose text has the sign
  Span span{};              // with the negation
  std::string_view name{};  // kName: the whole word
  std::vector<Operand> parts{};
};

struct Guard {
  std::string_view predicate;
  bool negated = false;
};

struct Instruction {
  Span span{};  // from the guard to the semicolon
  Position position{};
  std::optional<Guard> guard{};
  std::string_view opcode{};  // with its modifiers: "ld.global.nc.v4.f32"
  std::vector<Operand> operands{};

  std::string_view base() const { return opcode.substr(0, opcode.find('.')); }
  bool has_modifier(std::string_view modifier) const;  // "volatile": between dots
};

// `.reg .b32 %r<10>;`, `.shared .align 4 .b8 tile[4096];`, a parameter of a function. A statement
// that declares several names (`.reg .b32 a, b;`) is one Declaration for each, all with its span.
struct Declaration {
  Span span{};
  Position position{};
  std::string_view space{};              // "reg", "shared", "local", "param", "global", "const"
  std::string_view type{};               // "b32"; "v4.f32" for vectors
  std::string_view name{};               // "%r" for %r<10>
  std::optional<std::uint32_t> count{};  // 10 for %r<10>: the names are %r0 … %r9
  std::uint32_t alignment = 0;           // in bytes; 0: that of its type
  std::optional<std::uint64_t> bytes{};  // of a variable; empty for `tile[]`, whose size the launch
                                         // gives, and for registers
  bool is_extern = false;
  bool has_value = false;  // = {…}
};

struct Label {
  Span span{};
  Position position{};
  std::string_view name{};
};

// `.loc 1 4 0`, `.pragma "nounroll";`, `.branchtargets L1, L2;`, or anything else that starts with
// a dot and declares nothing.
struct Directive {
  Span span{};
  Position position{};
  std::string_view word{};  // "loc", "pragma"
};

struct ScopeBegin {
  Span span{};
};
struct ScopeEnd {
  Span span{};
};

using Statement = std::variant<Instruction, Declaration, Label, Directive, ScopeBegin, ScopeEnd>;
Span span_of(const Statement& statement);

// `.maxntid 256, 1, 1`, between a function's parameters and its body.
struct Attribute {
  Span span{};
  std::string_view word{};  // "maxntid"
  std::vector<std::uint64_t> values{};
};

struct Function {
  Span span{};  // from its first word to the closing brace or semicolon
  Position position{};
  bool is_entry = false;  // a kernel
  std::string_view name{};
  Span name_span{};
  std::vector<Declaration> results{};
  std::vector<Declaration> parameters{};
  std::vector<Attribute> attributes{};
  bool has_body = false;          // not a mere prototype
  Span body_span{};               // from the opening brace to after the closing one
  std::vector<Statement> body{};  // what stands between the braces
};

// An item of a module. What is neither a function nor a variable is a directive: .version, .file,
// .section … {…}, .alias.
using Item = std::variant<Directive, Declaration, Function>;

struct Module {
  std::shared_ptr<const std::string> text{};  // the string_views above point into it
  unsigned version_major = 0;                 // of the PTX ISA
  unsigned version_minor = 0;
  std::string_view target{};  // "sm_90a"
  unsigned address_size = 64;
  std::vector<Item> items{};

  std::string_view text_of(Span span) const {
    return std::string_view(*text).substr(span.begin, span.end - span.begin);
  }
  Position position_of(std::uint32_t byte) const;
  const Function* find_function(std::string_view name) const;  // with a body, if there is one
  std::vector<const Function*> entries() const;                // those with a body
};

}  // namespace burin::read::ptx
