#include "emulate/state/lower.h"

#include <cassert>
#include <string_view>
#include <unordered_map>

#include "emulate/state/unlikely.h"
#include "emulate/state/warp.h"
#include "read/isa/traits.h"
#include "read/program/later_reads.h"

namespace burin::emulate {

namespace {

constexpr std::size_t kMaxPooled = 0xfff0;  // Source::slot has 16 bits

void execute_refused(Warp& warp, const Op&) {
  warp.refuse("this instruction is not supported");
}

using Rows = std::unordered_map<std::string_view, const LowerRow*>;

const Rows& rows() {
  static const Rows kRows = [] {
    Rows all;
    for (const auto& table :
         {integer_rows(),   multiply_rows(), logic_rows(),   shift_rows(),   compare_rows(),
          video_rows(),     move_rows(),     permute_rows(), special_rows(), lane_rows(),
          float_rows(),     double_rows(),   half_rows(),    convert_rows(), memory_rows(),
          atomic_rows(),    control_rows(),  barrier_rows(), tensor_rows(),  texture_rows(),
          warpgroup_rows(), bulk_rows()}) {
      for (const LowerRow& row : table) {
        [[maybe_unused]] const bool added = all.emplace(row.mnemonic, &row).second;
        assert(added);
      }
    }
    return all;
  }();
  return kRows;
}

std::uint16_t slot_of(const read::Operand& o, std::uint16_t zero) {
  assert(o.kind == read::Operand::Kind::kRegister);
  if (o.index == read::kZeroRegister) return zero;
  return o.file == read::RegisterFile::kUniform ? static_cast<std::uint16_t>(kUniformSlot + o.index)
                                                : o.index;
}

// A register beyond the slots (UR63 and up exist from sm_100 on; a pair may start at the last one),
// more constants than a Source can name, or a constant of a bank that a register names
// (cx[UR4][0x10]), which only loads may have: the instruction is refused.
bool fits(const Op& op, const read::Instruction& i, const Program& program) {
  for (const read::Operand& o : i.operands()) {
    const unsigned registers =
        o.file == read::RegisterFile::kUniform ? kSlots - kUniformSlot : kZeroSlot;
    if (o.kind == read::Operand::Kind::kRegister && o.index != read::kZeroRegister &&
        o.index + o.count > registers) {
      return false;
    }
    if (o.kind == read::Operand::Kind::kConstant && o.descriptor != read::Operand::kNoRegister &&
        i.opcode->space != read::Space::kConstant) {
      return false;
    }
  }
  for (const Source& s : op.source)
    if (!s.pooled && s.slot >= kSlots) return false;
  for (const std::uint16_t d : op.destination)
    if (d >= kSlots) return false;
  return program.pool.size() <= kMaxPooled;
}

bool is_uniform(const read::Instruction& i) {
  return i.opcode->pipe == read::Pipe::kUniform;
}

}  // namespace

ConstantMemory::Word ConstantMemory::word(std::uint32_t bank, std::uint64_t offset) const {
  const auto found = banks.find(bank);
  Word word;
  if (found == banks.end()) return word;
  const Bank& b = found->second;
  for (unsigned k = 0; k < 4 && offset + k < b.bytes.size(); ++k) {
    word.value |= std::uint32_t{b.bytes[offset + k]} << (8 * k);
    if (!b.unknown.empty() && b.unknown[offset + k]) word.unknown = true;
  }
  return word;
}

Source Lowering::pooled(std::span<const std::uint32_t> words) {
  std::vector<std::uint64_t> key(words.begin(), words.end());
  const auto [entry, is_new] =
      pooled_.emplace(std::move(key), static_cast<std::uint16_t>(program_.pool.size()));
  if (is_new) {
    for (const std::uint32_t word : words) {
      Lanes lanes;
      for (std::uint32_t& lane : lanes.lane) lane = word;
      program_.pool.push_back(lanes);
      program_.pool_unknown.push_back(0);
    }
  }
  return {.slot = entry->second, .pooled = true};
}

Source Lowering::constant(const read::Operand& operand, unsigned words) {
  constexpr std::uint64_t kUnknown = std::uint64_t{1} << 32;
  std::vector<std::uint64_t> key;
  for (unsigned k = 0; k < words; ++k) {
    const ConstantMemory::Word w =
        program_.constants.word(operand.bank, static_cast<std::uint64_t>(operand.value) + 4 * k);
    key.push_back(w.value | (w.unknown ? kUnknown : 0));
  }
  const auto [entry, is_new] =
      pooled_.emplace(key, static_cast<std::uint16_t>(program_.pool.size()));
  for (std::size_t k = 0; is_new && k < key.size(); ++k) {
    Lanes lanes;
    for (std::uint32_t& lane : lanes.lane) lane = static_cast<std::uint32_t>(key[k]);
    program_.pool.push_back(lanes);
    program_.pool_unknown.push_back((key[k] & kUnknown) != 0 ? kAllLanes : 0);
  }
  return {.slot = entry->second, .pooled = true};
}

Source Lowering::source(const read::Operand& operand) {
  Source s;
  switch (operand.kind) {
    case read::Operand::Kind::kRegister:
      s.slot = slot_of(operand, kZeroSlot);
      break;
    case read::Operand::Kind::kConstant:
      s = constant(operand, 1);
      break;
    default: {
      const std::uint32_t word = static_cast<std::uint32_t>(operand.value);
      s = pooled({&word, 1});
    }
  }
  if (operand.negated) s.change = Source::Change::kNegate;
  if (operand.inverted) s.change = Source::Change::kInvert;
  return s;
}

Source Lowering::float_source(const read::Operand& operand) {
  Source s = source(operand);
  s.change = operand.absolute  ? operand.negated ? Source::Change::kFloatNegateAbsolute
                                                 : Source::Change::kFloatAbsolute
             : operand.negated ? Source::Change::kFloatNegate
                               : Source::Change::kNone;
  return s;
}

Source Lowering::wide_source(const read::Operand& operand, bool zero_extended) {
  switch (operand.kind) {
    case read::Operand::Kind::kRegister:
      return {.slot = slot_of(operand, kZeroSlot)};
    case read::Operand::Kind::kConstant:
      return constant(operand, 2);
    default: {
      const auto low = static_cast<std::uint32_t>(operand.value);
      std::uint32_t words[] = {low, zero_extended ? 0 : (low >> 31 ? 0xffffffff : 0)};
      if (operand.kind == read::Operand::Kind::kFloat &&
          operand.format == read::Operand::Format::kF64) {
        words[1] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(operand.value) >> 32);
      }
      return pooled(words);
    }
  }
}

std::uint16_t Lowering::destination(const read::Operand& operand) const {
  return slot_of(operand, kSinkSlot);
}

std::uint8_t Lowering::predicate_destination(const read::Operand& operand) const {
  if (operand.index == read::kZeroRegister) return kPredicateSinkSlot;
  return static_cast<std::uint8_t>(
      operand.index +
      (operand.file == read::RegisterFile::kUniformPredicate ? kUniformPredicateSlot : 0));
}

PredicateSource Lowering::predicate(const read::Operand& operand) const {
  const std::uint8_t slot = predicate_destination(operand);
  return {.slot = slot == kPredicateSinkSlot ? kTrueSlot : slot, .negated = operand.inverted};
}

std::unique_ptr<Program> lower(const read::Kernel& kernel, ConstantMemory constants) {
  auto program = std::make_unique<Program>();
  program->kernel = &kernel;
  program->constants = std::move(constants);
  program->ops.resize(kernel.instructions.size());
  program->unread.resize(kernel.instructions.size());
  program->unlikely = unlikely_blocks(kernel);
  Lowering lowering(*program);
  for (std::size_t k = 0; k < kernel.instructions.size(); ++k) {
    const read::Instruction& i = kernel.instructions[k];
    Op op;
    if (i.known()) {
      const auto row = rows().find(i.mnemonic());
      op.instruction = &i;
      if (row == rows().end() || !row->second->lower(lowering, i, op) || !fits(op, i, *program)) {
        op = {};
      }
      op.uniform = is_uniform(i);
      if (i.guard.index != read::kZeroRegister) {
        op.guard = static_cast<std::uint8_t>(i.guard.index +
                                             (i.guard.uniform ? kUniformPredicateSlot : 0));
      }
      if (i.guard.negated) op.guard_flip = kAllLanes;
    }
    if (op.execute == nullptr) op.execute = execute_refused;
    op.instruction = &i;
    program->ops[k] = op;
    if (read::is_plain_load(i)) {
      program->unread[k] =
          static_cast<std::uint8_t>(read::unread_results(kernel, static_cast<std::uint32_t>(k)));
    }
  }
  decide_by_clock(*program);
  return program;
}

}  // namespace burin::emulate
