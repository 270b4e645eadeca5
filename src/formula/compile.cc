// From a tree to the program of its Evaluator.
#include <algorithm>
#include <utility>

#include "formula/evaluator.h"
#include "formula/expression.h"
#include "formula/program.h"

namespace burin::formula {
namespace {

class Compiler {
 public:
  using Code = Instruction::Code;

  Compiler(std::span<const std::string> slots, const Names& constants, Program& program)
      : slots_(slots), constants_(constants), program_(program) {}

  void compile(const Node& node) {
    switch (node.op) {
      case Op::kLiteral:
        return push_constant(node, node.value);
      case Op::kName:
        return compile_name(node);
      case Op::kConditional:
        return compile_conditional(node);
      case Op::kOr:
      case Op::kAnd:
        return compile_logical(node);
      case Op::kCompare:
        return compile_comparison(node);
      case Op::kCall:
        return compile_call(node);
      default:
        break;
    }
    for (const Node& operand : node.operands) compile(operand);
    const bool two = node.operands.size() == 2;
    add(two ? Code::kBinary : Code::kUnary, node, two ? -1 : 0).op = node.op;
  }

 private:
  // `change` is how many values the instruction adds to the stack.
  Instruction& add(Code code, const Node& node, int change) {
    depth_ += change;
    program_.depth = std::max(program_.depth, static_cast<std::size_t>(depth_));
    Instruction& instruction = program_.code.emplace_back();
    instruction.code = code;
    instruction.offset = node.offset;
    return instruction;
  }

  std::size_t add_jump(Code code, const Node& node, int change) {
    add(code, node, change);
    return program_.code.size() - 1;
  }
  void land(std::size_t jump) {
    program_.code[jump].target = static_cast<std::uint32_t>(program_.code.size());
  }

  void push_constant(const Node& node, const Value& value) {
    Instruction& instruction = add(Code::kConstant, node, 1);
    instruction.constant = Scalar::of(value);
    if (instruction.constant.kind == Scalar::Kind::kText) {
      instruction.constant.text = &program_.texts.emplace_back(std::get<std::string>(value));
    }
  }

  void compile_name(const Node& node) {
    const auto slot = std::ranges::find(slots_, node.name);
    if (slot == slots_.end()) return push_constant(node, constants_.find(node.name)->second);
    add(Code::kSlot, node, 1).target = static_cast<std::uint32_t>(slot - slots_.begin());
  }

  void compile_conditional(const Node& node) {
    compile(node.operands[0]);
    const std::size_t if_not = add_jump(Code::kJumpIfFalsePop, node, -1);
    compile(node.operands[1]);
    const std::size_t end = add_jump(Code::kJump, node, -1);
    land(if_not);
    compile(node.operands[2]);
    land(end);
  }

  void compile_logical(const Node& node) {
    std::vector<std::size_t> jumps;
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      if (i > 0) {
        jumps.push_back(
            add_jump(node.op == Op::kOr ? Code::kJumpIfTrue : Code::kJumpIfFalse, node, 0));
        add(Code::kPop, node, -1);
      }
      compile(node.operands[i]);
    }
    for (const std::size_t jump : jumps) land(jump);
  }

  void compile_comparison(const Node& node) {
    std::vector<std::size_t> jumps;
    compile(node.operands[0]);
    for (std::size_t i = 0; i < node.comparisons.size(); ++i) {
      const Comparison comparison = node.comparisons[i];
      const Node& right = node.operands[i + 1];
      if (comparison >= Comparison::kIn) {  // the last one
        for (const Node& element : right.operands) {
          compile(element);
          jumps.push_back(add_jump(Code::kIsElement, node, -1));
          program_.code.back().comparison = comparison;
        }
        add(Code::kNotElement, node, 0).comparison = comparison;
        continue;
      }
      compile(right);
      const bool last = i + 1 == node.comparisons.size();
      if (!last) jumps.push_back(program_.code.size());
      add(last ? Code::kCompare : Code::kCompareNext, node, -1).comparison = comparison;
    }
    for (const std::size_t jump : jumps) land(jump);
  }

  void compile_call(const Node& node) {
    const bool any_number = node.function == Function::kMin || node.function == Function::kMax;
    compile(node.operands[0]);
    if (node.operands.size() == 1 && !any_number) {
      add(Code::kCall, node, 0).function = node.function;
    }
    for (std::size_t i = 1; i < node.operands.size(); ++i) {
      compile(node.operands[i]);
      add(Code::kCallTwo, node, -1).function = node.function;
    }
  }

  std::span<const std::string> slots_;
  const Names& constants_;
  Program& program_;
  int depth_ = 0;
};

}  // namespace

Result<Evaluator> Expression::evaluator(std::span<const std::string> slots,
                                        const Names& constants) const {
  std::vector<std::string> known(slots.begin(), slots.end());
  for (const auto& [name, value] : constants) known.push_back(name);
  if (const Result<void> checked = check_names(known); !checked) return checked.error();
  auto program = std::make_shared<Program>();
  program->text = *text_;
  Compiler(slots, constants, *program).compile(*root_);
  return Evaluator(std::move(program));
}

}  // namespace burin::formula
