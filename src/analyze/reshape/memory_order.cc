#include "analyze/reshape/memory_order.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "read/isa/traits.h"

namespace burin::analyze {

namespace {

using read::Instruction;
using read::Operand;

using Producers = std::set<std::pair<std::uint32_t, std::uint16_t>>;  // instruction, register

struct GlobalAccess {
  std::uint32_t instruction = 0;
  Producers producers{};
  std::set<std::uint64_t> buffers{};  // empty: any
};

class Accesses {
 public:
  Accesses(const read::Kernel& kernel, const ThreadValues& values, const launch::Launch& launch)
      : kernel_(kernel), values_(values), launch_(launch) {}

  MemoryOrder first_conflict() const {
    std::vector<GlobalAccess> loads;
    std::vector<GlobalAccess> stores;
    for (std::uint32_t i = 0; i < kernel_.instructions.size(); ++i) {
      const Instruction& at = kernel_.instructions[i];
      if (!kernel_.blocks[kernel_.block_of[i]].reachable || !read::may_be_global(at)) continue;
      if (at.opcode->stores) stores.push_back(access(i));
      if (at.opcode->loads && !read::is_read_only_load(at) && !read::is_atomic(at))
        loads.push_back(access(i));
    }
    for (const GlobalAccess& load : loads) {
      for (const GlobalAccess& store : stores) {
        if (overlap(load, store) && !own_element(load, store))
          return {load.instruction, store.instruction};
      }
    }
    return {};
  }

 private:
  GlobalAccess access(std::uint32_t instruction) const {
    GlobalAccess access{.instruction = instruction};
    const Instruction& i = kernel_.instructions[instruction];
    for (const read::Dependence& d : kernel_.dependences_of(instruction))
      if (read::feeds_address(i, d)) access.producers.insert({d.producer, d.index});
    find_buffers(access);
    return access;
  }

  // The parameters that the address is computed from, not counting those behind a loaded value.
  void find_buffers(GlobalAccess& access) const {
    std::set<std::uint32_t> seen;
    std::vector<std::uint32_t> open;
    for (const auto& [producer, index] : access.producers)
      if (seen.insert(producer).second) open.push_back(producer);
    note_parameters(kernel_.instructions[access.instruction], access.buffers);
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      const Instruction& i = kernel_.instructions[at];
      note_parameters(i, access.buffers);
      const bool loads = i.known() && i.opcode->loads && i.opcode->space != read::Space::kConstant;
      for (const read::Dependence& d : kernel_.dependences_of(at)) {
        if (d.kind != read::Dependence::Kind::kRegister || loads) continue;
        if (seen.insert(d.producer).second) open.push_back(d.producer);
      }
    }
  }

  void note_parameters(const Instruction& i, std::set<std::uint64_t>& buffers) const {
    for (const Operand& o : i.operands()) {
      if (o.kind != Operand::Kind::kConstant || o.bank != 0) continue;
      const std::int64_t offset = o.value - kernel_.function->parameter_base;
      const std::vector<read::Parameter>& all = kernel_.function->parameters;
      for (std::size_t p = 0; p < all.size(); ++p) {
        const auto first = std::int64_t{all[p].offset};
        if (offset + 4 <= first || offset >= first + all[p].size) continue;
        if (const auto buffer = buffer_of(p, offset - first)) buffers.insert(*buffer);
      }
    }
  }

  // A name for the buffer that the parameter points to; structures count by the word inside them.
  // Empty for numbers.
  std::optional<std::uint64_t> buffer_of(std::size_t parameter, std::int64_t inside) const {
    constexpr std::uint64_t kArgument = std::uint64_t{1} << 63;
    const std::uint32_t size = kernel_.function->parameters[parameter].size;
    if (size < 8) return std::nullopt;
    const std::uint64_t own = kArgument | parameter << 16 | static_cast<std::uint64_t>(inside) / 8;
    if (parameter >= launch_.arguments.size()) return own;
    const auto* bytes = std::get_if<std::vector<std::uint8_t>>(&launch_.arguments[parameter].value);
    const auto at = static_cast<std::size_t>(inside) / 8 * 8;
    if (bytes == nullptr || at + 8 > bytes->size()) return own;
    std::uint64_t address = 0;
    std::memcpy(&address, bytes->data() + at, sizeof address);
    for (const launch::PlacedBuffer& placed : launch_.memory) {
      const bool within =
          address >= placed.address && address - placed.address < placed.buffer.size;
      if (within) return placed.address;
    }
    return own;
  }

  static bool overlap(const GlobalAccess& a, const GlobalAccess& b) {
    if (a.buffers.empty() || b.buffers.empty()) return true;
    return std::ranges::any_of(a.buffers, [&](std::uint64_t x) { return b.buffers.contains(x); });
  }

  bool own_element(const GlobalAccess& load, const GlobalAccess& store) const {
    const Instruction& first = kernel_.instructions[load.instruction];
    const Instruction& second = kernel_.instructions[store.instruction];
    if (load.producers != store.producers || load.producers.empty() || read::is_atomic(second))
      return false;
    const std::int64_t from = read::address_of(first)->value;
    const std::int64_t to = read::address_of(second)->value;
    const std::int64_t span =
        std::max(from + read::access_bytes(first), to + read::access_bytes(second)) -
        std::min(from, to);
    return from == to || span <= stride(load.instruction);
  }

  // Bytes between the addresses of neighbouring threads; 0: unknown.
  std::int64_t stride(std::uint32_t instruction) const {
    const Operand* address = read::address_of(kernel_.instructions[instruction]);
    if (address->base == Operand::kNoRegister || address->base == read::kZeroRegister) return 0;
    const ThreadForm form = values_.read(instruction, read::RegisterFile::kGeneral, address->base);
    std::int64_t least = 0;
    for (const AxisForm& axis : form.axes) {
      const auto factor =
          std::abs(std::int64_t{static_cast<std::int32_t>(axis.factors[AxisForm::kThread])});
      if (factor != 0) least = least == 0 ? factor : std::min(least, factor);
    }
    return least;
  }

  const read::Kernel& kernel_;
  const ThreadValues& values_;
  const launch::Launch& launch_;
};

}  // namespace

MemoryOrder memory_order(const read::Kernel& kernel, const ThreadValues& values,
                         const launch::Launch& launch) {
  return Accesses(kernel, values, launch).first_conflict();
}

}  // namespace burin::analyze
