#include "advise/case/requests.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "emulate/values/sector.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr std::uint32_t kRegisterBytes = 4;
constexpr std::uint32_t kRegistersOfSm = 65'536;  // on all GPUs whose code burin reads
constexpr std::uint16_t kFrameRegister = 1;  // R1 points to the frame, by the calling convention

constexpr double kMinStrideShare = 0.8;  // of the requests with the same stride
// Sectors of a request, relative to those of lanes at equal distances.
constexpr double kMinSectorsOfStride = 0.75;
constexpr unsigned kSectorsOfLine = timing::kLineBytes / emulate::kSectorBytes;
constexpr std::size_t kSampledBlocks = 8;
constexpr std::size_t kSampledWarps = 4;  // of the traced block, representing all of its warps

// Whether lanes at this distance, the first of which is at request.first_address, meet the sectors
// of these lines, one line each.
bool meets_sectors(const timing::Request& request, std::span<const timing::LineUse> lines,
                   std::uint64_t stride) {
  const bool down = lines.back().line() < lines.front().line();
  std::uint64_t address = request.first_address;
  for (const timing::LineUse& use : lines) {
    const std::uint64_t sector = address % timing::kLineBytes / emulate::kSectorBytes;
    if (use.line() != address / timing::kLineBytes || (use.sectors() >> sector & 1) == 0)
      return false;
    address += down ? 0 - stride : stride;
  }
  return true;
}

// The distance of lanes that have one line each, `gap` lines apart: rows of 192 bytes are one or
// two lines apart.
std::uint64_t distance_of(const timing::Request& request, std::span<const timing::LineUse> lines,
                          std::uint64_t gap) {
  const std::uint64_t in_lines = gap * timing::kLineBytes;
  if (request.bytes == 0 || meets_sectors(request, lines, in_lines)) return in_lines;
  const std::uint64_t least = in_lines - std::min(in_lines, std::uint64_t{timing::kLineBytes});
  for (std::uint64_t stride = least; stride <= in_lines + timing::kLineBytes;
       stride += request.bytes) {
    if (meets_sectors(request, lines, stride)) return stride;
  }
  return in_lines;
}

// The lane stride of a request. With one line per lane, it is the distance between lanes that meets
// the sectors of all of them; if several lanes share a line, it follows from the number of lines.
// If a warp covers several rows of the block, only the lanes of its first row are adjacent.
std::optional<std::uint64_t> stride_of(const timing::BlockTrace& trace,
                                       const timing::Request& request, std::uint64_t row) {
  if (request.lanes < 4 || request.lines < 2) return std::nullopt;
  std::span<const timing::LineUse> lines = trace.lines_of(request);
  const bool row_apart =
      row >= 2 && row < request.lanes && request.lines >= row && request.lanes % row == 0;
  if (row_apart) lines = lines.first(row);
  std::uint64_t least = lines[0].line();
  std::uint64_t most = least;
  for (const timing::LineUse& use : lines) {
    least = std::min(least, use.line());
    most = std::max(most, use.line());
  }
  const std::uint64_t span = most - least;
  const std::uint64_t gap = span / (lines.size() - 1);
  if (request.lines < request.lanes && !(row_apart && gap > 1)) {
    // Adjacent lanes: the bytes of the lines divided by the lanes.
    if (gap != 1 || span != request.lines - 1) return std::nullopt;
    const std::uint64_t apart = request.lines * timing::kLineBytes / request.lanes;
    // Lanes in groups, as in the rows of a tile, leave gaps between the groups.
    const double expected =
        std::min<double>(1, static_cast<double>(apart) / emulate::kSectorBytes) * request.lanes;
    unsigned sectors = 0;
    for (const timing::LineUse& use : lines)
      sectors += static_cast<unsigned>(std::popcount(use.sectors()));
    if (sectors < kMinSectorsOfStride * expected) return std::nullopt;
    return apart;
  }
  for (std::size_t k = 1; k < lines.size(); ++k) {
    const std::uint64_t a = std::min(lines[k].line(), lines[k - 1].line());
    const std::uint64_t b = std::max(lines[k].line(), lines[k - 1].line());
    if (b - a + 1 < gap || b - a > gap + 1) return std::nullopt;
  }
  return distance_of(request, lines, gap);
}

template <typename Visit>
void for_each_request(const timing::BlockTrace& trace, Visit visit) {
  for (const auto& steps : trace.warps) {
    for (const timing::TraceStep& step : steps) {
      if (step.request == timing::kNoRequest) continue;
      const timing::Request& request = trace.requests[step.request];
      if (request.kind == timing::Request::Kind::kGlobal ||
          request.kind == timing::Request::Kind::kCopy) {
        visit(step.instruction, request);
      }
    }
  }
}

bool touches(const read::Instruction& instruction, read::Space space) {
  return instruction.known() && (instruction.opcode->loads || instruction.opcode->stores) &&
         instruction.opcode->space == space;
}

bool has_spare_registers(const read::Function& function) {
  std::uint32_t most = function.max_registers.value_or(kMaxThreadRegisters);
  if (function.max_threads) {
    const auto& [x, y, z] = *function.max_threads;
    most = std::min(most, kRegistersOfSm / std::max(1u, x * y * z));
  }
  return function.registers + kRegisterGranularity <= most;
}

}  // namespace

bool touches_global(const read::Instruction& instruction) {
  return touches(instruction, read::Space::kGlobal) || touches(instruction, read::Space::kGeneric);
}

bool touches_shared(const read::Instruction& instruction) {
  return touches(instruction, read::Space::kShared);
}

std::optional<std::int64_t> frame_place(const read::Instruction& at) {
  if (!touches(at, read::Space::kLocal)) return std::nullopt;
  const read::Operand* address = read::address_of(at);
  if (address == nullptr || address->base != kFrameRegister) return std::nullopt;
  return static_cast<std::int64_t>(address->value);
}

read::InstructionSet spills_in(const read::Kernel& kernel) {
  read::InstructionSet spills(kernel.instructions.size());
  bool has_arrays = false;
  for (std::size_t i = 0; i < spills.size(); ++i) {
    const read::Instruction& at = kernel.instructions[i];
    if (!touches(at, read::Space::kLocal)) continue;
    const bool fixed = frame_place(at).has_value();
    has_arrays |= !fixed;
    spills[i] = fixed && read::access_bytes(at) >= kRegisterBytes ? 1 : 0;
  }
  if (has_arrays && has_spare_registers(*kernel.function)) std::ranges::fill(spills, 0);
  return spills;
}

double latency_of(const analyze::Study& study, std::uint32_t load) {
  const timing::InstructionCost& cost = study.base().costs[load];
  const machine::Machine& m = study.machine();
  if (cost.sectors <= 0) return m.l2.latency;
  const double missed = cost.sectors - cost.l1_hits - cost.l2_hits;
  return (cost.l1_hits * m.l1.latency + cost.l2_hits * m.l2.latency + missed * m.dram.latency) /
         cost.sectors;
}

Requests::Requests(const analyze::Study& study)
    : traced_(study.traced()),
      trace_(traced_.reference),
      shapes_(study.kernel().instructions.size()) {
  std::vector<std::map<std::uint64_t, double>> strides(shapes_.size());
  for_each_request(trace_, [&](std::uint32_t i, const timing::Request& request) {
    RequestShape& shape = shapes_[i];
    ++shape.requests;
    shape.lanes += request.lanes;
    shape.lines += request.lines;
    shape.collisions += request.collisions;
    for (const timing::LineUse& use : trace_.lines_of(request)) {
      shape.sectors += std::popcount(use.sectors());
    }
    const std::uint64_t row = study.launch().block.x;
    if (const auto stride = stride_of(trace_, request, row)) ++strides[i][*stride];
  });
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    RequestShape& shape = shapes_[i];
    if (shape.requests <= 0) continue;
    shape.lanes /= shape.requests;
    shape.lines /= shape.requests;
    shape.collisions /= shape.requests;
    shape.sectors /= shape.requests;
    const auto most =
        std::ranges::max_element(strides[i], {}, [](const auto& s) { return s.second; });
    if (most != strides[i].end() && most->second >= kMinStrideShare * shape.requests) {
      shape.stride = most->first;
    }
  }
}

Requests::Sectors Requests::sectors(const read::InstructionSet& instructions) const {
  std::unordered_map<std::uint64_t, unsigned> touched;  // sectors of each line
  Sectors all;
  for_each_request(trace_, [&](std::uint32_t i, const timing::Request& request) {
    if (instructions[i] == 0) return;
    for (const timing::LineUse& use : trace_.lines_of(request)) {
      all.asked += std::popcount(use.sectors());
      touched[use.line()] |= use.sectors();
    }
  });
  for (const auto& [line, sectors] : touched) all.different += std::popcount(sectors);
  return all;
}

std::vector<double> Requests::shared_sectors() const {
  std::vector<double> shared(shapes_.size());
  std::vector<double> all(shapes_.size());
  struct LineUsers {
    std::array<std::uint32_t, timing::kLineBytes / emulate::kSectorBytes> first{};  // 0: none
    unsigned several = 0;  // sectors of two instructions or more
  };
  const auto each_sector = [&](const std::vector<timing::TraceStep>& steps, const auto& visit) {
    for (const timing::TraceStep& step : steps) {
      if (step.request == timing::kNoRequest) continue;
      const timing::Request& request = trace_.requests[step.request];
      if (request.kind != timing::Request::Kind::kGlobal) continue;
      for (const timing::LineUse& use : trace_.lines_of(request)) {
        for (unsigned s = 0; s < timing::kLineBytes / emulate::kSectorBytes; ++s) {
          if ((use.sectors() >> s & 1) != 0) visit(step.instruction, use.line(), s);
        }
      }
    }
  };
  for (std::size_t w = 0; w < std::min<std::size_t>(trace_.warps.size(), kSampledWarps); ++w) {
    std::unordered_map<std::uint64_t, LineUsers> lines;
    each_sector(trace_.warps[w], [&](std::uint32_t i, std::uint64_t line, unsigned s) {
      LineUsers& users = lines[line];
      if (users.first[s] == 0) users.first[s] = i + 1;
      if (users.first[s] != i + 1) users.several |= 1u << s;
    });
    each_sector(trace_.warps[w], [&](std::uint32_t i, std::uint64_t line, unsigned s) {
      all[i] += 1;
      shared[i] += lines[line].several >> s & 1;
    });
  }
  for (std::size_t i = 0; i < shared.size(); ++i) {
    if (all[i] > 0) shared[i] /= all[i];
  }
  return shared;
}

namespace {

// Whether two requests of a warp access the same bytes in each lane.
bool is_same(const timing::BlockTrace& trace, const timing::Request& a, const timing::Request& b) {
  // Equal sectors are not enough, since neighbouring elements share sectors.
  if (a.first_address != b.first_address || a.shape != b.shape) return false;
  return std::ranges::equal(trace.lines_of(a), trace.lines_of(b),
                            [](timing::LineUse x, timing::LineUse y) {
                              return x.line() == y.line() && x.sectors() == y.sectors();
                            });
}

// Visits the global loads with adjacent lanes, warp by warp.
template <typename NextWarp, typename Visit>
void for_each_dense_load(const timing::BlockTrace& trace, NextWarp next_warp, Visit visit) {
  for (const auto& steps : trace.warps) {
    next_warp();
    for (const timing::TraceStep& step : steps) {
      if (step.request == timing::kNoRequest) continue;
      const timing::Request& request = trace.requests[step.request];
      if (request.kind != timing::Request::Kind::kGlobal || request.store) continue;
      unsigned sectors = 0;
      for (const timing::LineUse& use : trace.lines_of(request)) {
        sectors += static_cast<unsigned>(std::popcount(use.sectors()));
      }
      const bool dense =
          sectors * emulate::kSectorBytes <= request.lanes * request.bytes + emulate::kSectorBytes;
      visit(step.instruction, request, dense);
    }
  }
}

}  // namespace

Requests::Repeats Requests::repeated(std::span<const std::uint32_t> kinds) const {
  struct Counts {
    double requests = 0;
    double own = 0;      // that repeat the instruction's preceding request
    double of_kind = 0;  // … or the preceding request of its kind
  };
  std::vector<Counts> counts(shapes_.size());
  std::unordered_map<std::uint32_t, const timing::Request*> last_of_kind;
  std::unordered_map<std::uint32_t, const timing::Request*> last;  // by instruction
  const auto count = [&](const timing::BlockTrace& trace) {
    for_each_dense_load(
        trace,
        [&] {
          last_of_kind.clear();
          last.clear();
        },
        [&](std::uint32_t i, const timing::Request& request, bool dense) {
          const timing::Request*& of_kind = last_of_kind[kinds[i]];
          const timing::Request*& own = last[i];
          const bool own_again = dense && own != nullptr && is_same(trace, *own, request);
          const bool again =
              own_again || (dense && of_kind != nullptr && is_same(trace, *of_kind, request));
          ++counts[i].requests;
          counts[i].own += own_again ? 1 : 0;
          counts[i].of_kind += again ? 1 : 0;
          of_kind = own = &request;
        });
  };
  count(trace_);
  std::size_t blocks = 1;
  for (const timing::TracedWindow& window : traced_.windows) {
    const std::size_t apart = std::max<std::size_t>(1, window.traces.size() / kSampledBlocks);
    for (std::size_t k = 0; k < window.traces.size() && blocks < kSampledBlocks; k += apart) {
      count(window.traces[k]);
      ++blocks;
    }
  }
  std::map<std::uint32_t, Counts> sums;
  for (std::uint32_t i = 0; i < counts.size(); ++i) {
    sums[kinds[i]].requests += counts[i].requests;
    sums[kinds[i]].of_kind += counts[i].of_kind;
  }
  Repeats again{.share = std::vector<double>(counts.size()),
                .own = std::vector<double>(counts.size()),
                .of_last = std::vector<double>(counts.size())};
  for (std::uint32_t i = 0; i < counts.size(); ++i) {
    if (counts[i].requests <= 0) continue;
    const double own = again.own[i] = counts[i].own / counts[i].requests;
    const Counts& all = sums[kinds[i]];
    again.share[i] = std::max(own, all.of_kind / all.requests);
    again.of_last[i] = counts[i].of_kind / counts[i].requests;
  }
  return again;
}

std::vector<double> Requests::passed_on(std::span<const std::uint32_t> kinds) const {
  std::vector<double> known(shapes_.size());
  std::unordered_map<std::uint64_t, std::pair<std::uint32_t, const timing::Request*>> loaded;
  std::unordered_map<std::uint32_t, const timing::Request*> last_of_kind;
  for_each_dense_load(
      trace_,
      [&] {
        loaded.clear();
        last_of_kind.clear();
      },
      [&](std::uint32_t i, const timing::Request& request, bool dense) {
        auto& [by, before] = loaded[request.first_address ^ request.shape];
        const timing::Request*& last = last_of_kind[kinds[i]];
        const bool again = last != nullptr && is_same(trace_, *last, request);
        if (dense && !again && before != nullptr && by != i && is_same(trace_, *before, request)) {
          known[i] += 1;
        }
        by = i;
        before = last = &request;
      });
  return shares(std::move(known));
}

std::vector<double> Requests::shares(std::vector<double> counts) const {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (shapes_[i].requests > 0) counts[i] /= shapes_[i].requests;
  }
  return counts;
}

std::uint64_t Requests::alignment_of(std::uint32_t instruction) const {
  std::uint64_t bits = 0;
  for_each_request(trace_, [&](std::uint32_t i, const timing::Request& request) {
    if (i == instruction) bits |= request.first_address;
  });
  return bits == 0 ? std::uint64_t{1} << 63 : bits & -bits;
}

std::optional<std::uint64_t> Requests::step_of(std::uint32_t instruction) const {
  for (const auto& steps : trace_.warps) {
    std::optional<std::uint64_t> before;
    for (const timing::TraceStep& step : steps) {
      if (step.instruction != instruction || step.request == timing::kNoRequest) continue;
      const std::uint64_t at = trace_.requests[step.request].first_address;
      if (before && at > *before) return at - *before;
      if (before) return std::nullopt;
      before = at;
    }
  }
  return std::nullopt;
}

std::size_t Requests::stretches(const read::InstructionSet& instructions) const {
  std::set<std::uint64_t> sectors;
  for_each_request(trace_, [&](std::uint32_t i, const timing::Request& request) {
    if (instructions[i] == 0) return;
    for (const timing::LineUse& use : trace_.lines_of(request)) {
      for (unsigned s = 0; s < kSectorsOfLine; ++s) {
        if ((use.sectors() >> s & 1) != 0) sectors.insert(use.line() * kSectorsOfLine + s);
      }
    }
  });
  return static_cast<std::size_t>(std::ranges::count_if(
      sectors, [&](std::uint64_t sector) { return !sectors.contains(sector - 1); }));
}

double Requests::reuse(const read::InstructionSet& instructions) const {
  const Sectors all = sectors(instructions);
  return all.different > 0 ? all.asked / all.different : 0;
}

double Requests::span(const read::InstructionSet& instructions) const {
  std::uint64_t first = ~std::uint64_t{0};
  std::uint64_t last = 0;
  for_each_request(trace_, [&](std::uint32_t i, const timing::Request& request) {
    if (instructions[i] == 0) return;
    for (const timing::LineUse& use : trace_.lines_of(request)) {
      first = std::min(first, use.line());
      last = std::max(last, use.line());
    }
  });
  return first > last ? 0 : static_cast<double>(last - first + 1) * timing::kLineBytes;
}

double Requests::sharers(const read::InstructionSet& instructions) const {
  double of_warps = 0;
  for (const auto& steps : trace_.warps) {
    std::unordered_map<std::uint64_t, unsigned> touched;
    for (const timing::TraceStep& step : steps) {
      if (step.request == timing::kNoRequest || instructions[step.instruction] == 0) continue;
      for (const timing::LineUse& use : trace_.lines_of(trace_.requests[step.request])) {
        touched[use.line()] |= use.sectors();
      }
    }
    for (const auto& [line, sectors] : touched) of_warps += std::popcount(sectors);
  }
  const double different = sectors(instructions).different;
  return different > 0 ? of_warps / different : 0;
}

double Requests::bytes(const read::InstructionSet& instructions) const {
  return sectors(instructions).different * emulate::kSectorBytes;
}

}  // namespace burin::advise
