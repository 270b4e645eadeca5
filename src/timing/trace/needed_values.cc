#include "timing/trace/needed_values.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "emulate/state/lower.h"
#include "read/isa/traits.h"
#include "timing/trace/address_places.h"

namespace burin::timing {

namespace {

enum class Role : std::uint8_t {
  kOther,    // has effects: everything it reads is needed
  kValue,    // computes registers from registers
  kProduct,  // the same, but always executed, since others wait for it
  kLoad,
  kStore,
  kCopyIn,   // from global to shared memory
  kCopyOut,  // from shared memory to elsewhere
};

Role role_of(const read::Instruction& i) {
  if (read::is_plain_load(i)) return Role::kLoad;
  if (read::is_plain_store(i)) return Role::kStore;
  if (read::has(i, read::Trait::kCopy))
    return read::copies_from_shared(i) ? Role::kCopyOut : Role::kCopyIn;
  // Its duration depends on its values.
  if (!read::is_computation(i) || read::has(i, read::Trait::kValueTimed)) return Role::kOther;
  return read::has(i, read::Trait::kAsync) ? Role::kProduct : Role::kValue;
}

bool is_guard(const read::Instruction& instruction, const read::Dependence& d) {
  return d.kind == read::Dependence::Kind::kRegister && d.index == instruction.guard.index &&
         d.file == (instruction.guard.uniform ? read::RegisterFile::kUniformPredicate
                                              : read::RegisterFile::kPredicate);
}

class Search {
 public:
  Search(const read::Kernel& kernel, const emulate::ConstantMemory& constants,
         const emulate::GlobalMemory& memory)
      : kernel_(kernel),
        places_(kernel, constants, memory),
        place_of_(kernel.instructions.size()),
        needed_(kernel.instructions.size()),
        written_(kernel.instructions.size()) {
    for (const read::Instruction& i : kernel.instructions) roles_.push_back(role_of(i));
  }

  std::vector<std::uint8_t> run() {
    const auto count = static_cast<std::uint32_t>(roles_.size());
    for (std::uint32_t i = 0; i < count; ++i) begin(i);
    do {
      while (!open_.empty()) {
        const std::uint32_t next = open_.back();
        open_.pop_back();
        use(next);
      }
      for (std::uint32_t i = 0; i < count; ++i) write(i);
    } while (!open_.empty() || std::exchange(spread_, false));
    std::vector<std::uint8_t> unneeded(count);
    for (std::uint32_t i = 0; i < count; ++i) unneeded[i] = is_unneeded(i) ? 1 : 0;
    return unneeded;
  }

 private:
  read::Space space(std::uint32_t i) const {
    const read::Opcode* opcode = kernel_.instructions[i].opcode;
    return opcode == nullptr ? read::Space::kGeneric : opcode->space;
  }
  bool is_tensor(std::uint32_t i) const {
    return read::has(kernel_.instructions[i], read::Trait::kTensorMap);
  }
  bool is_mbarrier(std::uint32_t i) const {
    return read::sync_of(kernel_.instructions[i]) == read::Sync::kMbarrier;
  }
  bool touches(std::uint32_t i, read::Space which) const {
    return space(i) == which || space(i) == read::Space::kGeneric;
  }

  const AllocationSet& place(std::uint32_t i) {
    if (!place_of_[i]) place_of_[i] = places_.of(i);
    return *place_of_[i];
  }

  template <typename Which>
  void need_producers(std::uint32_t i, Which which) {
    for (const read::Dependence& d : kernel_.dependences_of(i)) {
      if (d.kind != read::Dependence::Kind::kRegister || needed_[d.producer] != 0 || !which(d))
        continue;
      needed_[d.producer] = 1;
      open_.push_back(d.producer);
    }
  }
  void need_all(std::uint32_t i) {
    need_producers(i, [](const read::Dependence&) { return true; });
  }

  // Marks operands that are needed even if the result is not.
  void begin(std::uint32_t i) {
    const read::Instruction& instruction = kernel_.instructions[i];
    switch (roles_[i]) {
      case Role::kValue:
      case Role::kProduct:
        return need_producers(i,
                              [&](const read::Dependence& d) { return is_guard(instruction, d); });
      case Role::kStore:
        return need_producers(i, [&](const read::Dependence& d) {
          return is_guard(instruction, d) || read::feeds_address(instruction, d);
        });
      case Role::kOther:
        // Barriers in shared memory are words of it.
        if (is_mbarrier(i)) shared_words_ = true;
        [[fallthrough]];
      case Role::kCopyIn:
      case Role::kCopyOut:
        if (is_tensor(i)) read_.add(place(i));  // its map
        [[fallthrough]];
      case Role::kLoad:
        return need_all(i);
    }
  }

  // The result is needed, so its operands are needed too.
  void use(std::uint32_t i) {
    if (roles_[i] == Role::kValue || roles_[i] == Role::kProduct) return need_all(i);
    const read::Opcode* opcode = kernel_.instructions[i].opcode;
    if (roles_[i] != Role::kLoad && (opcode == nullptr || !opcode->loads)) return;
    if (is_mbarrier(i)) return;  // its words are written by mbarrier instructions and plain stores
    if (touches(i, read::Space::kGlobal)) read_.add(place(i));
    if (touches(i, read::Space::kShared)) shared_ = true;
    if (touches(i, read::Space::kLocal)) local_ = true;
  }

  // Whether the memory that it writes may be needed.
  bool is_read(std::uint32_t i) {
    switch (roles_[i]) {
      case Role::kStore:
        return (touches(i, read::Space::kShared) && (shared_ || shared_words_)) ||
               (touches(i, read::Space::kLocal) && local_) ||
               (touches(i, read::Space::kGlobal) && read_.meets(place(i)));
      case Role::kCopyIn:
        return shared_;
      case Role::kCopyOut:
        return shared_ || !read_.empty();  // it may write the shared memory of another block
      default:
        return false;
    }
  }

  void write(std::uint32_t i) {
    if (written_[i] != 0 || !is_read(i)) return;
    written_[i] = 1;
    spread_ = true;
    if (roles_[i] == Role::kStore) need_all(i);
    // The address of a tensor is in its map.
    if (roles_[i] == Role::kCopyIn && is_tensor(i)) read_.any = true;
    if (roles_[i] == Role::kCopyIn) read_.add(place(i));
    if (roles_[i] == Role::kCopyOut) shared_ = true;
  }

  bool is_unneeded(std::uint32_t i) const {
    switch (roles_[i]) {
      case Role::kValue:
      case Role::kLoad:
        return needed_[i] == 0;
      case Role::kStore:
      case Role::kCopyIn:
      case Role::kCopyOut:
        return written_[i] == 0;
      default:
        return false;
    }
  }

  const read::Kernel& kernel_;
  AddressPlaces places_;
  std::vector<std::optional<AllocationSet>> place_of_;  // per instruction, computed on first use
  std::vector<Role> roles_;
  std::vector<std::uint8_t> needed_;   // per instruction: its result is needed
  std::vector<std::uint8_t> written_;  // per instruction: the memory that it writes is needed
  std::vector<std::uint32_t> open_;
  AllocationSet read_;  // global memory read by needed loads
  bool shared_ = false;
  bool local_ = false;
  bool shared_words_ = false;  // words stored to shared memory by lanes, not by copies
  bool spread_ = false;
};

}  // namespace

std::vector<std::uint8_t> unneeded_values(const read::Kernel& kernel,
                                          const emulate::ConstantMemory& constants,
                                          const emulate::GlobalMemory& memory) {
  // A call to an unknown target passes values without dependences.
  const bool lost = std::ranges::any_of(kernel.blocks, [&](const read::BasicBlock& b) {
    const read::Opcode* last = kernel.instructions[b.last].opcode;
    const bool calls = last != nullptr && last->flow == read::Opcode::kCall;
    return b.reachable && (b.unresolved || (calls && b.callee == read::kNoIndex));
  });
  if (lost || !kernel.partial.empty()) {
    return std::vector<std::uint8_t>(kernel.instructions.size());
  }
  return Search(kernel, constants, memory).run();
}

void leave_out(const std::vector<std::uint8_t>& unneeded, emulate::Program& program) {
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    if (unneeded[i] == 0) continue;
    emulate::Op& op = program.ops[i];
    op.idle = true;
    if (role_of(program.kernel->instructions[i]) == Role::kValue)
      op.execute = emulate::execute_nothing;
  }
}

}  // namespace burin::timing
