#include "read/isa/form_flags.h"

#include <optional>
#include <span>
#include <utility>

#include "base/text.h"

namespace burin::read::isa {
namespace {

template <typename Value>
using Names = std::span<const std::pair<std::string_view, Value>>;

constexpr std::pair<std::string_view, Space> kSpaces[] = {
    {"generic", Space::kGeneric}, {"global", Space::kGlobal},     {"shared", Space::kShared},
    {"local", Space::kLocal},     {"constant", Space::kConstant}, {"tmem", Space::kTensor},
};
constexpr std::pair<std::string_view, Opcode::Flow> kFlows[] = {
    {"branch", Opcode::kBranch}, {"call", Opcode::kCall}, {"return", Opcode::kReturn},
    {"exit", Opcode::kExit},     {"push", Opcode::kPush}, {"sync", Opcode::kSync},
    {"trap", Opcode::kTrap},
};
constexpr std::pair<std::string_view, Sync> kSyncs[] = {
    {"block_barrier", Sync::kBlockBarrier},
    {"barrier_result", Sync::kBarrierResult},
    {"cluster_arrive", Sync::kClusterArrive},
    {"cluster_wait", Sync::kClusterWait},
    {"warp_sync", Sync::kWarp},
    {"mbarrier", Sync::kMbarrier},
    {"copy_arrive", Sync::kCopyArrive},
    {"fence", Sync::kFence},
    {"proxy_fence", Sync::kProxyFence},
    {"error_barrier", Sync::kErrorBarrier},
    {"scoreboard", Sync::kScoreboard},
    {"copy_commit", Sync::kCopyCommit},
    {"products", Sync::kProducts},
};
constexpr std::pair<std::string_view, Arithmetic> kArithmetic[] = {
    {"add", Arithmetic::kAdd},
    {"multiply", Arithmetic::kMultiply},
    {"multiply_add", Arithmetic::kMultiplyAdd},
    {"matrix", Arithmetic::kMatrix},
    {"shift", Arithmetic::kShift},
    {"shift_add", Arithmetic::kShiftAdd},
    {"logic", Arithmetic::kLogic},
    {"absolute", Arithmetic::kAbsolute},
};
constexpr std::pair<std::string_view, ValueType> kTypes[] = {
    {"int", ValueType::kInteger}, {"f8", ValueType::kF8},   {"f16", ValueType::kF16},
    {"f32", ValueType::kF32},     {"f64", ValueType::kF64},
};
constexpr std::pair<std::string_view, Trait> kTraits[] = {
    {"atomic", Trait::kAtomic},
    {"reduce", Trait::kReduction},
    {"async", Trait::kAsync},
    {"copy", Trait::kCopy},
    {"map", Trait::kTensorMap},
    {"lanes", Trait::kCrossLane},
    {"move", Trait::kMove},
    {"transfer", Trait::kTransfer},
    {"pass", Trait::kPass},
    {"compare", Trait::kCompare},
    {"extremum", Trait::kExtremum},
    {"of_sum", Trait::kOfSum},
    {"pair", Trait::kPair},
    {"special", Trait::kSpecialFunction},
    {"division_check", Trait::kDivisionCheck},
    {"indirect", Trait::kIndirect},
    {"cache", Trait::kCacheControl},
    {"value_timed", Trait::kValueTimed},
};

template <typename Value>
std::optional<Value> find(Names<Value> names, std::string_view flag) {
  for (const auto& [name, value] : names)
    if (flag == name) return value;
  return std::nullopt;
}

// Takes a flag that is one of `names`, where `to` has no other value yet. Sets `wrong` where it
// has.
template <typename Value>
bool take(Names<Value> names, std::string_view flag, Value none, Value& to, bool& wrong) {
  const std::optional<Value> value = find(names, flag);
  if (!value) return false;
  wrong = wrong || to != none;
  to = *value;
  return true;
}

void add(Opcode& opcode, Trait trait) {
  opcode.traits |= std::uint32_t{1} << static_cast<unsigned>(trait);
}

bool take_type(std::string_view flag, Opcode& opcode) {
  const std::size_t arrow = flag.find('>');
  const auto from = find(Names<ValueType>(kTypes), flag.substr(0, arrow));
  if (!from) return false;
  opcode.operand_type = opcode.result_type = *from;
  if (arrow == std::string_view::npos) return true;
  const auto to = find(Names<ValueType>(kTypes), flag.substr(arrow + 1));
  if (!to) return false;
  opcode.result_type = *to;
  add(opcode, Trait::kConversion);
  return true;
}

ValueType type_of(Pipe pipe) {
  return pipe == Pipe::kFp64   ? ValueType::kF64
         : pipe == Pipe::kHalf ? ValueType::kF16
                               : ValueType::kInteger;
}

}  // namespace

bool read_flags(std::string_view flags, Form& form) {
  Opcode& opcode = form.opcode;
  opcode.operand_type = opcode.result_type = type_of(opcode.pipe);
  bool wrong = false;
  for (const std::string_view flag : split(flags, ' ')) {
    if (flag.empty()) continue;
    if (flag == "load") {
      opcode.loads = true;
    } else if (flag == "store") {
      opcode.stores = true;
    } else if (flag == "imad") {
      form.imad = true;
    } else if (flag == "uguard") {
      form.uniform_guard = true;
    } else if (const auto trait = find(Names<Trait>(kTraits), flag)) {
      add(opcode, *trait);
    } else if (!take_type(flag, opcode) &&
               !take(Names<Space>(kSpaces), flag, Space::kNone, opcode.space, wrong) &&
               !take(Names<Opcode::Flow>(kFlows), flag, Opcode::kNext, opcode.flow, wrong) &&
               !take(Names<Sync>(kSyncs), flag, Sync::kNone, opcode.sync, wrong) &&
               !take(Names<Arithmetic>(kArithmetic), flag, Arithmetic::kNone, opcode.arithmetic,
                     wrong)) {
      return false;
    }
  }
  return !wrong;
}

}  // namespace burin::read::isa
