#include "analyze/reshape/thread_values.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

#include "read/isa/traits.h"

namespace burin::analyze {

namespace {

using read::Instruction;
using read::Operand;
using read::RegisterFile;

// Where sm_70 to sm_90 keep blockDim and gridDim in constant bank 0 (docs/run.md).
constexpr std::int64_t kBlockOffset = 0;
constexpr std::int64_t kGridOffset = 12;
constexpr std::int64_t kDimsEnd = 24;

bool is_index(std::uint16_t reg) {
  return reg != Operand::kNoRegister && reg != read::kZeroRegister;
}

bool is_predicate(const Operand& o) {
  return o.is_register(RegisterFile::kPredicate) || o.is_register(RegisterFile::kUniformPredicate);
}

bool is_local(const Instruction& i) {
  return i.known() &&
         (i.opcode->space == read::Space::kLocal || i.opcode->space == read::Space::kGeneric);
}

ThreadForm inverted(const ThreadForm& form) {  // ~x = -x - 1
  return form_sum(form_scaled(form, ~0u), constant_form(~0u), form.instruction);
}

}  // namespace

ThreadValues::ThreadValues(const read::Kernel& kernel, const launch::Launch& launch,
                           bool whole_warps, LiteralSize literals)
    : kernel_(kernel), whole_warps_(whole_warps), positions_(all_positions(launch)) {
  if (literals == LiteralSize::kBlockDim)
    literal_blocks_ = {launch.block.x, launch.block.y, launch.block.z};
  read_parameters(launch);
  const auto count = static_cast<std::uint32_t>(kernel.instructions.size());
  for (const Instruction& i : kernel.instructions) {
    first_.push_back(static_cast<std::uint32_t>(definitions_.size()));
    read::for_each_write(i, [&](RegisterFile file, std::uint16_t first, unsigned words) {
      for (unsigned k = 0; k < words; ++k)
        definitions_.push_back({file, static_cast<std::uint16_t>(first + k), {}});
    });
  }
  first_.push_back(static_cast<std::uint32_t>(definitions_.size()));
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t i = 0; i < count; ++i) changed |= evaluate(i);
  }
}

void ThreadValues::read_parameters(const launch::Launch& launch) {
  if (launch.arguments.size() < kernel_.function->parameters.size()) return;
  const std::vector<std::uint64_t> addresses(launch.arguments.size());
  parameters_ = launch::parameter_block(launch, *kernel_.function, addresses);
  known_.assign(parameters_.size(), true);
  const std::vector<read::Parameter>& all = kernel_.function->parameters;
  for (std::size_t a = 0; a < std::min(all.size(), launch.arguments.size()); ++a) {
    const launch::Argument& argument = launch.arguments[a];
    if (argument.buffer() == nullptr && argument.tensor_map() == nullptr) continue;
    for (std::size_t k = all[a].offset; k < all[a].offset + all[a].size && k < known_.size(); ++k)
      known_[k] = false;
  }
}

ThreadForm ThreadValues::read(std::uint32_t instruction, RegisterFile file,
                              std::uint16_t index) const {
  if (index == read::kZeroRegister) return constant_form(0);
  constexpr auto kUnknown = ShapeUse::Kind::kUnknown;
  if (std::ranges::binary_search(kernel_.partial, instruction))
    return changing_form(kUnknown, instruction);
  ThreadForm form;
  bool produced = false;
  for (const read::Dependence& d : kernel_.dependences_of(instruction)) {
    if (d.kind != read::Dependence::Kind::kRegister || d.file != file || d.index != index) continue;
    produced = true;
    for (std::uint32_t k = first_[d.producer]; k < first_[d.producer + 1]; ++k) {
      const Definition& definition = definitions_[k];
      if (definition.file == file && definition.index == index)
        form = form_either(form, definition.form);
    }
  }
  return produced ? form : changing_form(kUnknown, instruction);
}

ThreadForm ThreadValues::read(std::uint32_t instruction, const Operand& operand,
                              unsigned word) const {
  ThreadForm form;
  switch (operand.kind) {
    case Operand::Kind::kRegister:
      if (is_predicate(operand)) return read(instruction, operand.file, operand.index);
      form = operand.index == read::kZeroRegister
                 ? constant_form(0)
                 : read(instruction, operand.file,
                        static_cast<std::uint16_t>(operand.index +
                                                   std::min<unsigned>(word, operand.count - 1u)));
      if (operand.index != read::kZeroRegister && word >= operand.count) form = unknown_form();
      break;
    case Operand::Kind::kImmediate:
      form = constant_form(static_cast<std::uint32_t>(static_cast<std::uint64_t>(operand.value) >>
                                                      (word == 0 ? 0 : 32)));
      break;
    case Operand::Kind::kConstant:
      form = constant_word(instruction, operand, word);
      break;
    case Operand::Kind::kSpecial:
      form = special(instruction, operand);
      break;
    default:
      return unknown_form();
  }
  if (!form.reached) return form;
  if (operand.absolute) form = form_bent(form, form);
  if (operand.inverted) form = inverted(form);
  return operand.negated ? form_scaled(form, ~0u) : form;
}

ThreadForm ThreadValues::guard(std::uint32_t instruction) const {
  const read::Guard& guard = kernel_.instructions[instruction].guard;
  if (guard.index == read::kZeroRegister) return constant_form(0);
  return read(instruction,
              guard.uniform ? RegisterFile::kUniformPredicate : RegisterFile::kPredicate,
              guard.index);
}

ThreadForm ThreadValues::result(std::uint32_t instruction) const {
  const std::uint32_t first = first_[instruction];
  return first < first_[instruction + 1] ? definitions_[first].form : ThreadForm{};
}

// blockIdx * 32 + threadIdx in blocks of 32 threads becomes blockIdx * blockDim + threadIdx.
void ThreadValues::replace_literals(ThreadForm& form) const {
  for (unsigned d = 0; d < kAxes; ++d) {
    auto& f = form.axes[d].factors;
    const std::uint32_t thread = f[AxisForm::kThread];
    if (literal_blocks_[d] == 0 || thread == 0 || f[AxisForm::kBlockStart] != 0) continue;
    if (f[AxisForm::kBlock] != literal_blocks_[d] * thread) continue;
    f[AxisForm::kBlock] = 0;
    f[AxisForm::kBlockStart] = thread;
  }
}

ThreadForm ThreadValues::all_read(std::uint32_t instruction) const {
  ThreadForm all = unknown_form();
  const Instruction& i = kernel_.instructions[instruction];
  read::for_each_read(i, [&](RegisterFile file, std::uint16_t first, unsigned count) {
    for (unsigned k = 0; k < count; ++k) {
      const ThreadForm form = read(instruction, file, static_cast<std::uint16_t>(first + k));
      if (form.reached) all = form_bent(all, form);
    }
  });
  for (const Operand& o : i.operands()) {
    if (o.kind == Operand::Kind::kConstant || o.kind == Operand::Kind::kSpecial)
      all = form_bent(all, read(instruction, o));
  }
  return all;
}

ThreadForm ThreadValues::special(std::uint32_t instruction, const Operand& operand) const {
  static constexpr struct {
    std::string_view name;
    unsigned axis;
    AxisForm::Term term;
  } kRows[] = {{"SR_TID.X", 0, AxisForm::kThread},  {"SR_TID.Y", 1, AxisForm::kThread},
               {"SR_TID.Z", 2, AxisForm::kThread},  {"SR_CTAID.X", 0, AxisForm::kBlock},
               {"SR_CTAID.Y", 1, AxisForm::kBlock}, {"SR_CTAID.Z", 2, AxisForm::kBlock}};
  static constexpr std::string_view kOfLane[] = {"SR_LANEID", "SR_EQMASK", "SR_LTMASK",
                                                 "SR_LEMASK", "SR_GTMASK", "SR_GEMASK"};
  if (operand.suffix == "SRZ") return constant_form(0);
  if (whole_warps_ && std::ranges::find(kOfLane, operand.suffix) != std::end(kOfLane))
    return unknown_form();
  for (const auto& row : kRows) {
    if (operand.suffix != row.name) continue;
    ThreadForm form = term_form(row.axis, row.term, instruction);
    // blockIdx of blocks of one thread is the position; threadIdx is 0.
    if (literal_blocks_[row.axis] == 1) {
      if (row.term == AxisForm::kThread) return constant_form(0);
      form.axes[row.axis].factors = {};
      form.axes[row.axis].factors[AxisForm::kThread] = 1;
      form.axes[row.axis].factors[AxisForm::kBlockStart] = 1;
    }
    return form;
  }
  return changing_form(ShapeUse::Kind::kWarpPosition, instruction);
}

ThreadForm ThreadValues::constant_word(std::uint32_t instruction, const Operand& o,
                                       unsigned word) const {
  ThreadForm index = unknown_form();
  if (is_index(o.base)) index = read(instruction, RegisterFile::kGeneral, o.base);
  if (is_index(o.uniform)) index = read(instruction, RegisterFile::kUniform, o.uniform);
  const bool indexed =
      is_index(o.base) || is_index(o.uniform) || o.descriptor != Operand::kNoRegister;
  if (indexed) return index.reached ? form_bent(index, index) : index;
  const std::int64_t offset = o.value + 4 * std::int64_t{word};
  if (o.bank != 0 || offset < 0 || offset % 4 != 0) return unknown_form();
  if (offset < kDimsEnd) {
    const bool grid = offset >= kGridOffset;
    const auto axis = static_cast<unsigned>((offset - (grid ? kGridOffset : kBlockOffset)) / 4);
    return term_form(axis, grid ? AxisForm::kGridSize : AxisForm::kBlockSize, instruction);
  }
  return parameter_word(offset - kernel_.function->parameter_base);
}

ThreadForm ThreadValues::parameter_word(std::int64_t offset) const {
  if (offset < 0 || offset + 4 > static_cast<std::int64_t>(parameters_.size()))
    return unknown_form();
  std::uint32_t value = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const auto at = static_cast<std::size_t>(offset) + k;
    if (!known_[at]) return unknown_form();
    value |= std::uint32_t{parameters_[at]} << (8 * k);
  }
  return constant_form(value);
}

// Evaluates all that the instruction writes; returns whether any of it changed.
bool ThreadValues::evaluate(std::uint32_t instruction) {
  const Instruction& i = kernel_.instructions[instruction];
  bool changed = false;
  if (is_local(i) && i.opcode->stores) {
    const ThreadForm stored = form_bent(local_, all_read(instruction));
    changed = !stored.same_value(local_);
    local_ = stored;
  }
  if (first_[instruction] == first_[instruction + 1]) return changed;
  std::vector<ThreadForm> words;
  evaluate_words(instruction, words);
  const bool logic = read::arithmetic_of(i) == read::Arithmetic::kLogic;
  const ThreadForm other = logic && !words.empty() ? words[0] : all_read(instruction);
  const ThreadForm guarded = guard(instruction);
  unsigned word = 0;  // of the registers that are no predicates
  for (std::uint32_t k = first_[instruction]; k < first_[instruction + 1]; ++k) {
    Definition& definition = definitions_[k];
    const bool predicate = definition.file == RegisterFile::kPredicate ||
                           definition.file == RegisterFile::kUniformPredicate;
    ThreadForm form = !predicate && word < words.size() ? words[word] : other;
    if (!predicate) ++word;
    if (!form.reached) continue;
    // Whether it is written at all changes with the shape: so does what the register holds then.
    for (unsigned d = 0; d < kAxes && guarded.reached; ++d) {
      if (guarded.change(d) == ShapeChange::kNone) continue;
      form = form_bent(form, guarded);
      break;
    }
    replace_literals(form);
    form = form_either(definition.form, form);
    changed |= !form.same_value(definition.form);
    definition.form = form;
  }
  return changed;
}

// The values of the registers that are written, as far as they are better known than by
// all_read().
void ThreadValues::evaluate_words(std::uint32_t instruction, std::vector<ThreadForm>& words) const {
  const Instruction& i = kernel_.instructions[instruction];
  if (!i.known()) return;
  if (i.opcode->loads) return evaluate_load(instruction, words);
  const std::vector<const Operand*> from = sources(instruction);
  const bool plain = i.modifier("x").empty() && i.modifier("x2").empty();
  if (read::has(i, read::Trait::kMove) || read::has(i, read::Trait::kTransfer)) {
    const bool special = from.size() == 1 && from[0]->kind == Operand::Kind::kSpecial;
    const bool predicates = std::ranges::any_of(
        i.operands(), [](const Operand& o) { return o.kind == Operand::Kind::kPredicateSet; });
    if (from.empty() || predicates || read::sync_of(i) != read::Sync::kNone) return;
    words.push_back(read(instruction, *from[0]));
    if (special)
      words.push_back(words[0].is_constant()
                          ? words[0]
                          : changing_form(ShapeUse::Kind::kWarpPosition, instruction));
    return;
  }
  if (i.opcode->operand_type != read::ValueType::kInteger || !plain) return;
  switch (i.opcode->arithmetic) {
    case read::Arithmetic::kAdd:
      words.push_back(added(instruction));
      return;
    case read::Arithmetic::kMultiplyAdd:
      if (!i.modifier("hi").empty()) return;
      words.push_back(multiplied(instruction));
      if (!i.modifier("wide").empty()) words.push_back(upper_product(instruction, words[0]));
      return;
    case read::Arithmetic::kShift:
      words.push_back(shifted(instruction));
      return;
    case read::Arithmetic::kShiftAdd:
      words.push_back(shifted_and_added(instruction));
      return;
    case read::Arithmetic::kLogic:
      words.push_back(combined_bits(instruction));
      return;
    default:
      return;
  }
}

void ThreadValues::evaluate_load(std::uint32_t instruction, std::vector<ThreadForm>& words) const {
  const Instruction& i = kernel_.instructions[instruction];
  const bool narrow = read::access_bytes(i) < 4;
  for (std::uint32_t k = first_[instruction]; k < first_[instruction + 1]; ++k) {
    const std::uint32_t word = k - first_[instruction];
    if (i.opcode->space == read::Space::kConstant && !narrow && i.operands().size() > 1) {
      words.push_back(read(instruction, i.operands()[1], word));
    } else {
      const ThreadForm loaded = all_read(instruction);
      words.push_back(is_local(i) ? form_bent(loaded, local_) : loaded);
    }
  }
}

// The operands that are read and are no predicates.
std::vector<const Operand*> ThreadValues::sources(std::uint32_t instruction) const {
  std::vector<const Operand*> from;
  for (const Operand& o : kernel_.instructions[instruction].operands())
    if (!o.written && !is_predicate(o)) from.push_back(&o);
  return from;
}

}  // namespace burin::analyze
