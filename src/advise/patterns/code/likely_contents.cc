#include "advise/patterns/code/likely_contents.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <variant>
#include <vector>

#include "advise/case/origin.h"
#include "advise/case/place.h"
#include "advise/case/requests.h"
#include "advise/patterns/code/access_run.h"
#include "machine/occupancy.h"
#include "read/isa/traits.h"
#include "timing/result/kernel_needs.h"
#include "timing/trace/traced_launch.h"

namespace burin::advise {

namespace {

constexpr std::uint64_t kAnyInteger = std::uint64_t{1} << 32;
constexpr std::uint64_t kMaxKinds = 256;
constexpr double kMinInside = 0.97;  // of an instruction's lines; the rest is at the edges
constexpr double kMinStep = 0.01;    // lower limit of the reduction per try
constexpr int kMaxTries = 5;
constexpr double kInventedConfidence = 0.8;  // factor on the confidence for invented contents

enum class Meaning : std::uint8_t { kSingle, kDouble, kHalf, kInteger, kPassed };

// The type that an instruction assumes for a value that it reads; kPassed: it only moves the value.
Meaning meaning_of(const read::Instruction& i) {
  if (read::copies_register(i) || read::has(i, read::Trait::kPass)) return Meaning::kPassed;
  switch (i.opcode->operand_type) {
    case read::ValueType::kF16:
      return Meaning::kHalf;
    case read::ValueType::kF32:
      return Meaning::kSingle;
    case read::ValueType::kF64:
      return Meaning::kDouble;
    case read::ValueType::kInteger:
    case read::ValueType::kF8:
      return Meaning::kInteger;
  }
  return Meaning::kInteger;
}

// One more than the constant that the instruction compares an integer with for equality; 0: it does
// not compare for equality.
std::uint64_t kinds_tested(const read::Instruction& i) {
  const std::string_view compare = i.modifier("compare");
  if (!read::compares_integers(i) || (compare != "EQ" && compare != "NE")) return 0;
  for (const read::Operand& o : i.operands()) {
    if (o.is_register(read::RegisterFile::kGeneral) && o.index == read::kZeroRegister) return 1;
    const auto number = static_cast<std::uint64_t>(o.value);
    if (o.kind == read::Operand::Kind::kImmediate && number < kMaxKinds) return number + 1;
  }
  return 0;
}

// The readers of each instruction's result.
using Readers = std::vector<std::vector<const read::Dependence*>>;

Readers readers_of(const read::Kernel& kernel) {
  Readers readers(kernel.instructions.size());
  for (const read::Dependence& d : kernel.dependences) {
    if (d.kind == read::Dependence::Kind::kRegister) readers[d.producer].push_back(&d);
  }
  return readers;
}

// The uses of a loaded value.
struct Flow {
  std::set<Meaning> meanings{};  // assumed by instructions that read the value unchanged
  bool to_shared = false;        // stored to shared memory; then its readers there count
  bool compared = false;         // the value, or one computed from it, is compared as a number
  std::uint64_t kinds = 0;       // number of values that it is tested for; 0: none
  std::set<std::uint32_t> addresses_of;  // global accesses whose address depends on it
};

Flow follow(const read::Kernel& kernel, const Readers& readers, std::uint32_t load) {
  Flow flow;
  std::set<std::uint32_t> seen{load};
  struct Open {
    std::uint32_t at;
    bool as_it_is;
  };
  std::vector<Open> open{{load, true}};
  while (!open.empty()) {
    const Open now = open.back();
    open.pop_back();
    for (const read::Dependence* d : readers[now.at]) {
      const read::Instruction& i = kernel.instructions[d->consumer];
      if (!i.known()) continue;
      if (touches_global(i) || touches_shared(i)) {
        if (read::feeds_address(i, *d)) {
          if (touches_global(i)) flow.addresses_of.insert(d->consumer);
          if (now.as_it_is) flow.meanings.insert(Meaning::kInteger);
        } else if (touches_shared(i) && now.as_it_is) {
          flow.to_shared = true;
        }
        continue;
      }
      const Meaning meaning = meaning_of(i);
      flow.compared |= read::compares_integers(i);
      if (now.as_it_is && meaning != Meaning::kPassed) flow.meanings.insert(meaning);
      if (now.as_it_is) flow.kinds = std::max(flow.kinds, kinds_tested(i));
      const bool goes_on = meaning == Meaning::kPassed || meaning == Meaning::kInteger;
      if (goes_on && seen.insert(d->consumer).second) {
        open.push_back({d->consumer, now.as_it_is && meaning == Meaning::kPassed});
      }
    }
  }
  return flow;
}

// The pointer parameters in an access's address.
std::vector<std::uint32_t> pointers_of(const read::Kernel& kernel, const Origins& origins,
                                       std::uint32_t access) {
  std::vector<std::uint32_t> found;
  for (const std::uint32_t offset : origins.address_parameters(access)) {
    for (const read::Parameter& p : kernel.function->parameters) {
      if (p.size == 8 && offset >= p.offset && offset < p.offset + p.size) {
        found.push_back(p.offset);
      }
    }
  }
  return found;
}

// What is known about one pointer parameter.
struct Use {
  std::set<Meaning> meanings{};  // assumed for its elements
  unsigned bytes = 0;            // of an element; 0: it is not read
  bool added_to = false;         // by atomics
  bool rows = false;             // adjacent elements are loaded together and bound a loop
  std::uint64_t kinds = 0;       // see Flow
  std::map<std::uint32_t, unsigned>
      chooses_in{};  // indexed pointers, and the bytes of their elements

  bool is(Meaning m) const { return meanings.contains(m); }
};
using Uses = std::map<std::uint32_t, Use>;  // by the parameter's offset

// The types assumed by all readers of shared memory.
std::set<Meaning> meanings_in_shared(const read::Kernel& kernel, const Readers& readers) {
  std::set<Meaning> all;
  for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
    const read::Instruction& at = kernel.instructions[i];
    if (!at.known() || !touches_shared(at) || !at.opcode->loads) continue;
    all.merge(follow(kernel, readers, i).meanings);
  }
  return all;
}

Uses uses_of(const read::Kernel& kernel) {
  const Origins origins(kernel);
  const Readers readers = readers_of(kernel);
  const std::set<Meaning> in_shared = meanings_in_shared(kernel, readers);
  std::set<std::uint32_t> neighbours;
  for (const AccessRun& run : access_runs(kernel)) {
    if (run.bytes == 4) neighbours.insert(run.instructions.begin(), run.instructions.end());
  }
  Uses uses;
  for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
    const read::Instruction& at = kernel.instructions[i];
    if (!at.known() || !touches_global(at) || !at.opcode->loads) continue;
    Flow flow = follow(kernel, readers, i);
    if (flow.to_shared) flow.meanings.insert(in_shared.begin(), in_shared.end());
    for (const std::uint32_t pointer : pointers_of(kernel, origins, i)) {
      Use& use = uses[pointer];
      use.bytes =
          use.bytes == 0 ? read::access_bytes(at) : std::min(use.bytes, read::access_bytes(at));
      use.meanings.insert(flow.meanings.begin(), flow.meanings.end());
      use.added_to |= at.opcode->stores;
      use.rows |= neighbours.contains(i) && flow.compared;
      use.kinds = std::max(use.kinds, flow.kinds);
      for (const std::uint32_t access : flow.addresses_of) {
        for (const std::uint32_t other : pointers_of(kernel, origins, access)) {
          unsigned& bytes = use.chooses_in[other];
          bytes = std::max(bytes, read::access_bytes(kernel.instructions[access]));
        }
      }
    }
  }
  return uses;
}

template <typename AnyLaunch>
auto* buffer_of(AnyLaunch& launch, const read::Function& function, std::uint32_t parameter) {
  using Found = decltype(&launch.memory[0]);
  const auto at = std::ranges::find(function.parameters, parameter, &read::Parameter::offset);
  const auto k = static_cast<std::size_t>(at - function.parameters.begin());
  if (k >= launch.arguments.size()) return Found{nullptr};
  const auto* bytes = std::get_if<std::vector<std::uint8_t>>(&launch.arguments[k].value);
  if (bytes == nullptr || bytes->size() != 8) return Found{nullptr};
  std::uint64_t address = 0;
  std::memcpy(&address, bytes->data(), 8);
  const auto found = std::ranges::find_if(launch.memory, [&](const launch::PlacedBuffer& b) {
    return address >= b.address && address - b.address < b.buffer.size;
  });
  return found == launch.memory.end() ? Found{nullptr} : &*found;
}

bool is_unknown(const launch::PlacedBuffer& placed) {
  return placed.buffer.kind == launch::Fill::kNone;
}

launch::Fill kind_of(const Use& use) {
  const bool floats =
      use.is(Meaning::kSingle) || use.is(Meaning::kDouble) || use.is(Meaning::kHalf);
  if (use.added_to) return launch::Fill::kZero;
  if (use.bytes == 1) return launch::Fill::kU8;
  if (!floats) return launch::Fill::kInt;
  if (use.bytes == 2 || (use.is(Meaning::kHalf) && !use.is(Meaning::kSingle)))
    return launch::Fill::kF16;
  return use.is(Meaning::kDouble) && !use.is(Meaning::kSingle) ? launch::Fill::kF64
                                                               : launch::Fill::kF32;
}

// Limits indices to the size of the smallest array that they index, and detects row pointers.
void set_limit(launch::Launch& launch, const read::Function& function, const Use& use,
               launch::Buffer& buffer) {
  buffer.limit = use.kinds > 0 ? std::max<std::uint64_t>(use.kinds, 2) : kAnyInteger;
  for (const auto& [pointer, bytes] : use.chooses_in) {
    const launch::PlacedBuffer* other = buffer_of(launch, function, pointer);
    if (other == nullptr || bytes == 0) continue;
    buffer.limit = std::clamp<std::uint64_t>(other->buffer.size / bytes, 1, buffer.limit);
  }
  const std::uint64_t rows = std::max<std::uint64_t>(buffer.size / 4, 2) - 1;
  if (use.rows && buffer.limit < kAnyInteger && buffer.limit >= rows) {
    buffer.kind = launch::Fill::kRowptr;
    buffer.limit /= rows;
  }
}

bool is_index(const launch::PlacedBuffer& placed) {
  return placed.buffer.kind == launch::Fill::kInt && placed.buffer.limit < kAnyInteger;
}

// Fills the buffers that can be filled. Returns their positions in launch.memory.
std::vector<std::size_t> fill(const read::Kernel& kernel, launch::Launch& launch) {
  std::vector<std::size_t> filled;
  for (const auto& [pointer, use] : uses_of(kernel)) {
    launch::PlacedBuffer* const placed = buffer_of(launch, *kernel.function, pointer);
    if (placed == nullptr || !is_unknown(*placed) || use.bytes == 0) continue;
    launch::Buffer& buffer = placed->buffer;
    const launch::Fill kind = kind_of(use);
    if (buffer.size % launch::element_bytes(kind) != 0) continue;
    buffer.kind = kind;
    buffer.seed = filled.size();
    if (kind == launch::Fill::kInt) set_limit(launch, *kernel.function, use, buffer);
    filled.push_back(static_cast<std::size_t>(placed - launch.memory.data()));
  }
  return filled;
}

// The smallest fraction, over all instructions, of touched lines that lie inside buffers.
double least_inside(const timing::BlockTrace& trace, const launch::Launch& launch,
                    std::size_t instructions) {
  std::vector<double> all(instructions);
  std::vector<double> inside(instructions);
  for (const auto& steps : trace.warps) {
    for (const timing::TraceStep& step : steps) {
      if (step.request == timing::kNoRequest) continue;
      const timing::Request& request = trace.requests[step.request];
      if (request.kind != timing::Request::Kind::kGlobal) continue;
      for (const timing::LineUse& line : trace.lines_of(request)) {
        const std::uint64_t address = line.line() * timing::kLineBytes;
        all[step.instruction] += 1;
        inside[step.instruction] +=
            std::ranges::any_of(launch.memory, [&](const launch::PlacedBuffer& b) {
              return address + timing::kLineBytes > b.address &&
                     address < b.address + b.buffer.size;
            });
      }
    }
  }
  double least = 1;
  for (std::size_t i = 0; i < instructions; ++i) {
    if (all[i] > 0) least = std::min(least, inside[i] / all[i]);
  }
  return least;
}

}  // namespace

std::optional<launch::Launch> likely_launch(const read::Kernel& kernel,
                                            const launch::Launch& launch,
                                            const machine::Machine& machine,
                                            const timing::PredictOptions& options) {
  if (std::ranges::none_of(launch.memory, is_unknown)) return std::nullopt;
  launch::Launch likely = launch;
  const std::vector<std::size_t> filled = fill(kernel, likely);
  if (filled.empty()) return std::nullopt;
  const Result<machine::Occupancy> occupancy =
      burin::machine::occupancy(machine, timing::needs_of(kernel, likely));
  if (!occupancy || std::ranges::none_of(likely.memory, is_index)) return likely;
  // An index may count rows of unknown length. Most accesses then fall outside the buffer, and the
  // limit of the indices is reduced accordingly.
  for (int tries = 0; tries < kMaxTries; ++tries) {
    const auto traced = timing::trace_launch(kernel, likely, machine, *occupancy, options);
    if (!traced) return std::nullopt;
    const double inside = least_inside((*traced)->reference, likely, kernel.instructions.size());
    if (inside >= kMinInside) return likely;
    for (launch::PlacedBuffer& placed : likely.memory) {
      if (!is_index(placed)) continue;
      const double fewer = static_cast<double>(placed.buffer.limit) * std::max(inside, kMinStep);
      placed.buffer.limit = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(fewer));
    }
  }
  return std::nullopt;
}

double buffer_bytes(const launch::Launch& launch, const read::Function& function,
                    std::uint32_t parameter) {
  if (const auto* placed = buffer_of(launch, function, parameter)) {
    return static_cast<double>(placed->buffer.size);
  }
  const auto at = std::ranges::find(function.parameters, parameter, &read::Parameter::offset);
  const auto k = static_cast<std::size_t>(at - function.parameters.begin());
  const launch::Buffer* buffer =
      k < launch.arguments.size() ? launch.arguments[k].buffer() : nullptr;
  return buffer != nullptr ? static_cast<double>(buffer->size) : 0;
}

void note_made_up_contents(std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    if (!finding.speedup_emulated) continue;
    finding.trust += "; memory contents were synthesised";
    finding.confidence *= kInventedConfidence;
  }
}

}  // namespace burin::advise
