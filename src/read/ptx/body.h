// The body of a function made ready for analysis: its registers numbered, its statements grouped
// into operations and basic blocks.
//
//   Result<Body> body = build_body(module, function);
//   for (const Block& block : body->blocks)
//     for (const Operation& operation : body->operations_of(block)) …
//
// An operation is one instruction, one directive (`.loc`, `.pragma`), a chain of additions that
// pass the carry flag on, or a whole inner scope `{ … }` as inline assembly and calls make them. An
// inner scope is left in one piece: its declarations are its own, and ptxas expects the parameters
// of a call beside the call.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "read/dominator_tree.h"
#include "read/ptx/module.h"

namespace burin::read::ptx {

using Register = std::uint32_t;  // position in Body::registers

// A name as it stands in the text: a register of the function (`%v` of `%v.x`), a special register
// or a variable. Names that an inner scope declares are not listed.
struct NameUse {
  std::string_view text;
  Register number = kNoIndex;  // kNoIndex: no register of the function
};

struct Operation {
  Span span{};  // of all its statements
  Position position{};
  std::vector<const Instruction*> instructions{};  // none: a directive
  std::vector<NameUse> names{};                    // in the order of the text
  std::vector<Register> reads{};  // also guards, and what a guarded instruction writes: it may
                                  // keep the old value
  std::vector<Register> writes{};
  bool is_scope = false;
};

// Where control goes after the last operation of a block.
struct Branch {
  enum class Kind : std::uint8_t {
    kNone,         // to the next block
    kJump,         // to `target`
    kConditional,  // to `target` or to the next block
    kReturn,
    kGuardedReturn,  // returns, or goes on to the next block
  };
  Kind kind = Kind::kNone;
  const Instruction* instruction = nullptr;  // not among the block's operations; null for kNone
  Register predicate = kNoIndex;
  bool negated = false;             // taken if the predicate is false
  std::uint32_t target = kNoIndex;  // block
};

struct Block {
  std::string_view label{};  // the first of those before it; "": none
  std::uint32_t first = 0;   // operations first … end - 1
  std::uint32_t end = 0;
  Branch branch{};
};

struct RegisterName {
  std::string_view name;  // "%r12"
  std::string_view type;  // "b32"
};

struct Body {
  const Module* module = nullptr;
  const Function* function = nullptr;
  std::vector<RegisterName> registers{};
  std::vector<Operation> operations{};
  std::vector<Block> blocks{};                     // in the order of the text; block 0 is the entry
  std::vector<const Declaration*> declarations{};  // of the outermost scope, in order

  // The node of the flow graph that every return goes to.
  std::uint32_t exit() const { return static_cast<std::uint32_t>(blocks.size()); }
  Graph flow() const;  // blocks, and the exit
  std::span<const Operation> operations_of(const Block& block) const {
    return std::span(operations).subspan(block.first, block.end - block.first);
  }
};

// An Error ("line 12: …") for a body that cannot be analysed: labels or branches in an inner scope,
// indirect branches, a branch to an unknown label.
Result<Body> build_body(const Module& module, const Function& function);

}  // namespace burin::read::ptx
