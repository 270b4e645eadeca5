// The postfix program of an Evaluator.
//
//   "a * 2 <= b and c"      kSlot a, kConstant 2, kBinary *, kSlot b, kCompare <=,
//                           kJumpIfFalse to the end, kPop, kSlot c
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "formula/node.h"
#include "formula/scalar.h"

namespace burin::formula {

struct Instruction {
  enum class Code : std::uint8_t {
    kConstant,
    kSlot,         // target: the slot
    kUnary,        // op
    kBinary,       // op
    kCall,         // function of one value
    kCallTwo,      // function of two values
    kCompare,      // comparison
    kCompareNext,  // in a chain: drops the left value; to target, with False, if it fails
    kIsElement,    // drops an element; to target, with the answer, if the value equals it
    kNotElement,   // after the last element: replaces the value by the answer
    kPop,
    kJump,            // to target
    kJumpIfFalse,     // to target; the value stays
    kJumpIfTrue,      // to target; the value stays
    kJumpIfFalsePop,  // to target; the value is dropped in any case
  };
  Code code = Code::kConstant;
  union {
    Op op = Op::kLiteral;
    Function function;
    Comparison comparison;
  };
  std::uint32_t target = 0;
  std::size_t offset = 0;  // in the text, for errors
  Scalar constant;
};

struct Program {
  std::string text;
  std::vector<Instruction> code;
  std::deque<std::string> texts;  // that constants refer to
  std::size_t depth = 0;          // values on the stack at most
};

// The message for a Fault of `instruction`: 'division by zero'. `right` is only looked at where the
// instruction takes two values.
std::string describe(Fault fault, const Instruction& instruction, const Scalar& left,
                     const Scalar& right);

}  // namespace burin::formula
