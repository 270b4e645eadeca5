#include "timing/saake/saake_program.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>

#include "emulate/traffic.h"
#include "launch/random.h"
#include "timing/code/timed_code.h"
#include "timing/result/hit_rates.h"
#include "timing/saake/saake.h"

namespace burin::timing {
namespace {

constexpr double kBankPassBytes = 128;
constexpr std::uint64_t kSeed = 4;  // seed of the random choice between L2 and DRAM

// The FP32 unit that also multiplies integers, if there is a second FP32 unit.
constexpr auto kHeavyUnit = static_cast<std::uint32_t>(machine::kResources);

constexpr std::uint32_t unit(machine::Resource resource) {
  return static_cast<std::uint32_t>(resource);
}

bool multiplies_integers(machine::TimingClass c) {
  return c == machine::TimingClass::kFmaHeavy || c == machine::TimingClass::kFmaWide ||
         c == machine::TimingClass::kFmaHigh;
}

// The schedulers of an SM share these units.
bool is_shared_by_schedulers(machine::Resource resource) {
  return resource == machine::Resource::kLsu || resource == machine::Resource::kShared;
}

bool waits_by_scoreboard(machine::TimingClass c) {
  const machine::Resource resource = machine::resource_of(c);
  return resource == machine::Resource::kXu || resource == machine::Resource::kLsu ||
         resource == machine::Resource::kShared || resource == machine::Resource::kConstant;
}

class ProgramMaker {
 public:
  ProgramMaker(const read::Kernel& kernel, const machine::Machine& machine,
               const PredictOptions& options)
      : kernel_(kernel), last_(kernel.instructions.size(), read::kNoIndex) {
    made_.abstract.resources = saake_resources(machine);
    made_.abstract.schedulers = static_cast<std::uint32_t>(machine.sm.schedulers);
    made_.costs.resize(kernel.instructions.size());
    for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
      classes_.push_back(machine::timing_class(kernel.instructions[i]));
      hit_rates_.push_back(given_l2_hit(kernel, i, options));
    }
  }

  SaakeProgram make(std::span<const std::shared_ptr<const BlockTrace>> blocks) {
    std::uint64_t steps = 0;
    for (const auto& block : blocks) steps += block->steps;
    const double wanted = std::min(1.0, static_cast<double>(kMaxAbstractSteps) /
                                            static_cast<double>(std::max(steps, std::uint64_t{1})));
    std::uint64_t held = 0;
    for (const auto& block : blocks) {
      for (std::uint32_t w = 0; w < block->warps.size(); ++w) {
        const double all = static_cast<double>(block->warps[w].size());
        add_warp(*block, w, static_cast<std::size_t>(std::ceil(all * wanted)));
        held += made_.abstract.warps.back().instructions.size();
      }
      for (const auto& phases : block->arrivals) {
        first_meeting_ += static_cast<std::uint32_t>(phases.size()) + 1;
      }
    }
    made_.share = steps == 0 ? 1 : static_cast<double>(held) / static_cast<double>(steps);
    return std::move(made_);
  }

 private:
  struct Use {
    std::uint32_t resource = 0;
    std::uint32_t requests = 1;
  };

  void add_warp(const BlockTrace& block, std::uint32_t w, std::size_t count) {
    std::ranges::fill(last_, read::kNoIndex);
    AbstractWarp& warp = made_.abstract.warps.emplace_back();
    made_.sources.push_back({&block, w});
    std::vector<std::uint32_t> needs;
    for (std::uint32_t k = 0; k < count; ++k) {
      const TraceStep& step = block.warps[w][k];
      needs.clear();
      for (const read::Dependence& d : kernel_.dependences_of(step.instruction)) {
        if (d.kind != read::Dependence::Kind::kRegister || last_[d.producer] == read::kNoIndex)
          continue;
        if (std::ranges::find(needs, last_[d.producer]) == needs.end()) {
          needs.push_back(last_[d.producer]);
        }
      }
      const Use use = use_of(block, step);
      warp.add(use.resource, needs, use.requests);
      last_[step.instruction] = k;
      made_.costs[step.instruction].issued += 1;
      if (step.request != kNoRequest) add_meetings(warp, block, block.requests[step.request], k);
    }
  }

  // Meetings are numbered block by block, barrier by barrier, phase by phase.
  void add_meetings(AbstractWarp& warp, const BlockTrace& block, const Request& request,
                    std::uint32_t position) {
    for (const PhaseUse& use : block.phases_of(request)) {
      std::uint32_t meeting = first_meeting_ + use.phase;
      for (std::uint32_t b = 0; b < use.barrier; ++b) {
        meeting += static_cast<std::uint32_t>(block.arrivals[b].size()) + 1;
      }
      warp.meetings.push_back({position, meeting, use.arrives, use.waits});
    }
  }

  Use use_of(const BlockTrace& block, const TraceStep& step) {
    const machine::TimingClass c = classes_[step.instruction];
    const Request* request = step.request == kNoRequest ? nullptr : &block.requests[step.request];
    if (c == machine::TimingClass::kWgmma) {
      // The machine's numbers are for 8 columns.
      return {saake_index(c), product_columns(kernel_.instructions[step.instruction]) / 8};
    }
    if (c == machine::TimingClass::kMatrixLoad) {
      return {saake_index(c), std::max(1u, request != nullptr ? request->wavefronts : 1u)};
    }
    if (c != machine::TimingClass::kMemory && c != machine::TimingClass::kBulk)
      return {saake_index(c)};
    if (request == nullptr || (request->kind != Request::Kind::kBulk && request->lanes == 0)) {
      return {saake_index(machine::TimingClass::kOther)};  // no lane's guard was true
    }
    return request->kind == Request::Kind::kShared ? shared_use(*request, step)
                                                   : global_use(block, *request, step);
  }

  Use shared_use(const Request& request, const TraceStep& step) {
    InstructionCost& cost = made_.costs[step.instruction];
    const std::uint32_t passes = std::max<std::uint32_t>(1, request.wavefronts);
    cost.passes += passes;
    cost.ideal_passes += std::ceil(request.lanes * request.bytes / kBankPassBytes);
    cost.padded_passes += request.padded_wavefronts;
    if (!request.atomic) return {saake_index(SaakeMemory::kShared), passes};
    return {saake_index(SaakeMemory::kSharedAtomic),
            std::max<std::uint32_t>(passes, request.collisions)};
  }

  Use global_use(const BlockTrace& block, const Request& request, const TraceStep& step) {
    InstructionCost& cost = made_.costs[step.instruction];
    std::uint32_t sectors = 0;
    for (const LineUse& line : block.lines_of(request)) {
      sectors += static_cast<std::uint32_t>(std::popcount(line.sectors()));
    }
    if (sectors == 0) return {saake_index(machine::TimingClass::kOther)};
    cost.sectors += sectors;
    if (request.atomic) {
      cost.l2_hits += sectors;
      return {saake_index(SaakeMemory::kL2Atomic), std::max<std::uint32_t>(1, request.lanes)};
    }
    const std::optional<double> rate = hit_rates_[step.instruction];
    if (rate && launch::unit_f64(launch::random_word(kSeed, draws_++)) < *rate) {
      cost.l2_hits += sectors;
      return {saake_index(SaakeMemory::kL2), sectors};
    }
    (request.load ? made_.dram_read_bytes : made_.dram_write_bytes) +=
        emulate::kSectorBytes * sectors;
    return {saake_index(SaakeMemory::kGlobal), sectors};
  }

  const read::Kernel& kernel_;
  SaakeProgram made_;
  std::vector<machine::TimingClass> classes_;     // per instruction
  std::vector<std::optional<double>> hit_rates_;  // per instruction
  std::vector<std::uint32_t> last_;  // per instruction: position of its last execution by the warp
  std::uint32_t first_meeting_ = 0;  // of the current block
  std::uint64_t draws_ = 0;
};

}  // namespace

std::vector<AbstractResource> saake_resources(const machine::Machine& machine) {
  std::vector<AbstractResource> resources;
  for (std::size_t k = 0; k < machine::kTimingClasses; ++k) {
    const auto c = static_cast<machine::TimingClass>(k);
    const machine::ClassTiming& timing = machine.classes[k];
    AbstractResource& resource = resources.emplace_back();
    resource.gap = timing.gap;
    if (c == machine::TimingClass::kFma) resource.gap /= machine.issue.fma_units;
    resource.latency = std::max(timing.latency, resource.gap);
    resource.unit = machine.issue.fma_units > 1 && multiplies_integers(c)
                        ? kHeavyUnit
                        : unit(machine::resource_of(c));
    resource.per_scheduler = !is_shared_by_schedulers(machine::resource_of(c));
  }
  const double sms = machine.sm.count;
  const std::array<AbstractResource, kSaakeMemories> memories = {{
      {machine.shared.latency, kBankPassBytes / machine.shared.bandwidth,
       unit(machine::Resource::kShared)},
      {machine.shared.atomic_latency, machine.shared.atomic_gap, unit(machine::Resource::kShared)},
      {machine.dram.latency, emulate::kSectorBytes * sms / machine.dram.bandwidth,
       unit(machine::Resource::kDram)},
      {machine.l2.latency, emulate::kSectorBytes * sms / machine.l2.bandwidth,
       unit(machine::Resource::kL2)},
      {machine.l2.atomic_latency, sms / machine.l2.atomic_bandwidth, unit(machine::Resource::kL2)},
  }};
  resources.insert(resources.end(), memories.begin(), memories.end());
  return resources;
}

machine::Resource saake_row(std::uint32_t resource) {
  if (resource < machine::kTimingClasses)
    return machine::resource_of(static_cast<machine::TimingClass>(resource));
  constexpr std::array<machine::Resource, kSaakeMemories> kOfMemories = {
      machine::Resource::kShared, machine::Resource::kShared, machine::Resource::kDram,
      machine::Resource::kL2, machine::Resource::kL2};
  return kOfMemories[resource - machine::kTimingClasses];
}

launch::Stall saake_stall(std::uint32_t resource) {
  if (resource >= machine::kTimingClasses) {
    const machine::Resource row = saake_row(resource);
    return row == machine::Resource::kShared ? launch::Stall::kShortScoreboard
                                             : launch::Stall::kLongScoreboard;
  }
  const auto c = static_cast<machine::TimingClass>(resource);
  if (c == machine::TimingClass::kWgmma) return launch::Stall::kGmma;
  return waits_by_scoreboard(c) ? launch::Stall::kShortScoreboard : launch::Stall::kWait;
}

SaakeProgram make_saake_program(const read::Kernel& dependences,
                                std::span<const std::shared_ptr<const BlockTrace>> blocks,
                                const machine::Machine& machine, const PredictOptions& options) {
  return ProgramMaker(dependences, machine, options).make(blocks);
}

}  // namespace burin::timing
