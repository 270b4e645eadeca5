#include "timing/saake/saake.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/format.h"
#include "base/text.h"
#include "emulate/traffic.h"
#include "timing/result/kernel_needs.h"
#include "timing/saake/saake_program.h"
#include "timing/saake/saake_stalls.h"
#include "timing/trace/check_blocks.h"
#include "timing/trace/trace_source.h"

namespace burin::timing {
namespace {

// Warp instructions of one block: their trace takes some hundred megabytes.
constexpr std::uint64_t kMaxInstructionsUnasked = 20'000'000;

// Executing blocks takes far longer than emulating them: beyond this many warp instructions, the
// executed blocks represent the others.
constexpr std::uint64_t kEnoughInstructions = 300'000;

using Traces = std::vector<std::shared_ptr<const BlockTrace>>;

// The blocks of the first SM: every `sms`-th.
Result<Traces> trace_blocks(TraceSource& source, std::uint64_t resident, std::uint64_t sms) {
  Traces traces;
  const auto trace = [&](std::uint64_t first, std::uint64_t end) -> Result<void> {
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t k = first; k < end; ++k) numbers.push_back(k * sms);
    Result<std::vector<BlockTrace>> traced = source.trace(numbers);
    if (!traced) return traced.error();
    for (BlockTrace& t : *traced) traces.push_back(std::make_shared<BlockTrace>(std::move(t)));
    return {};
  };
  if (const Result<void> first = trace(0, 1); !first) return first.error();
  const std::uint64_t steps = std::max(traces[0]->steps, std::uint64_t{1});
  const std::uint64_t traced = std::clamp(kEnoughInstructions / steps, std::uint64_t{1}, resident);
  if (traced > 1) {
    if (const Result<void> rest = trace(1, traced); !rest) return rest.error();
  }
  for (std::uint64_t k = traced; k < resident; ++k) traces.push_back(traces[k % traced]);
  return traces;
}

void add_busy(const SaakeProgram& program, const AbstractTimes& times, Prediction& to) {
  const double schedulers = program.abstract.schedulers;
  for (std::uint32_t r = 0; r < times.busy.size(); ++r) {
    const double copies = program.abstract.resources[r].per_scheduler ? schedulers : 1;
    to.busy[static_cast<std::size_t>(saake_row(r))] += times.busy[r] / copies / times.cycles;
  }
  to.busy[static_cast<std::size_t>(machine::Resource::kIssue)] =
      to.issued / schedulers / times.cycles;
  for (double& share : to.busy) share = std::min(share, 1.0);  // two units of one row
}

void scale(launch::StallCycles& cycles, double by) {
  cycles.active *= by;
  cycles.latency *= by;
}

// Scales the emulated values to the whole launch.
void scale(Prediction& p, double by) {
  for (InstructionCost& cost : p.costs) {
    for (launch::StallCycles& cycles : cost.stalls) scale(cycles, by);
    for (double* value : {&cost.issued, &cost.unknown, &cost.sectors, &cost.l1_hits, &cost.l2_hits,
                          &cost.passes, &cost.ideal_passes, &cost.padded_passes}) {
      *value *= by;
    }
  }
  for (launch::StallCycles& cycles : p.stalls) scale(cycles, by);
  for (Blame& blame : p.blames) scale(blame.cycles, by);
  p.warp_cycles *= by;
  p.issued *= by;
  p.dram_read_bytes *= by;
  p.dram_write_bytes *= by;
}

void add_sums(Prediction& p) {
  double sectors = 0, hits = 0, unknown = 0;
  for (const InstructionCost& cost : p.costs) {
    sectors += cost.sectors;
    hits += cost.l2_hits;
    unknown += cost.unknown;
  }
  p.instructions = p.issued;
  p.l2_bytes = emulate::kSectorBytes * sectors;
  p.l2_hit_rate = sectors == 0 ? 0 : hits / sectors;
  p.unknown_share = p.warp_cycles == 0 ? 0 : unknown / p.warp_cycles;
}

void add_notes(const PredictOptions& options, const SaakeProgram& program, Prediction& p) {
  if (!options.l2_hit && options.line_l2_hit.empty()) {
    p.notes.push_back("the SAAKE model has no caches: without --l2-hit every access goes to DRAM");
  }
  if (options.warm) p.notes.push_back("--warm has no effect in the SAAKE model");
  if (program.share < 1) {
    p.notes.push_back(
        fmt::format("only the first {:.2g} % of each warp's instructions were emulated; the rest "
                    "is extrapolated",
                    100 * program.share));
  }
}

}  // namespace

struct SaakeLaunch::Parts {
  read::Kernel kernel;  // with dependences
  Traces traces;
  SaakeProgram program;
  AbstractTimes times;
  Prediction prediction;
};

SaakeLaunch::SaakeLaunch(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
SaakeLaunch::~SaakeLaunch() = default;

const Prediction& SaakeLaunch::base() const {
  return parts_->prediction;
}

const read::Kernel& SaakeLaunch::kernel() const {
  return parts_->kernel;
}

Result<std::unique_ptr<SaakeLaunch>> SaakeLaunch::open(const read::Kernel& kernel,
                                                       const launch::Launch& launch,
                                                       const machine::Machine& machine,
                                                       const PredictOptions& options) {
  Prediction p;
  const Result<machine::Occupancy> fits = machine::occupancy(machine, needs_of(kernel, launch));
  if (!fits) return fits.error();
  p.occupancy = *fits;
  p.faults = check_blocks(kernel, launch, options.trips);

  Result<std::unique_ptr<TraceSource>> source = TraceSource::open(
      kernel, launch,
      {.trips = options.trips,
       .unknown = options.unknown,
       .threads = options.threads,
       .most_instructions =
           options.most_instructions != 0 ? options.most_instructions : kMaxInstructionsUnasked,
       .most_bytes = options.most_instructions != 0 ? 0 : kMaxTraceBytes,
       .heartbeat = options.heartbeat,
       .all_values = true});
  if (!source) return source.error();
  const auto blocks = static_cast<double>(launch.grid.total());
  const double sms = machine.sm.count;
  const double resident =
      std::min(static_cast<double>(p.occupancy.blocks), std::ceil(blocks / sms));
  Result<Traces> traces =
      trace_blocks(**source, static_cast<std::uint64_t>(resident), static_cast<std::uint64_t>(sms));
  if (!traces) return traces.error();

  Result<read::Kernel> dependences = read::build_kernel(*kernel.image, *kernel.function);
  if (!dependences) return dependences.error();
  auto parts = std::make_unique<Parts>();
  parts->kernel = std::move(*dependences);
  parts->traces = std::move(*traces);
  parts->program = make_saake_program(parts->kernel, parts->traces, machine, options);
  parts->times = emulate_abstractly(parts->program.abstract);
  const SaakeProgram& program = parts->program;
  const AbstractTimes& times = parts->times;

  p.costs = program.costs;
  p.dram_read_bytes = program.dram_read_bytes;
  p.dram_write_bytes = program.dram_write_bytes;
  account_saake(program, times, p);
  add_busy(program, times, p);
  p.executed = (*source)->executed();
  p.replayed = static_cast<std::uint64_t>(p.issued);
  scale(p, blocks / resident / program.share);
  add_sums(p);

  const double phases = std::max(1.0, blocks / (resident * sms));
  p.cycles = times.cycles * phases / program.share;
  p.clock_mhz = machine.sm.clock_mhz;
  p.time_us = 1e6 * machine.seconds(p.cycles);
  p.waves = blocks / (static_cast<double>(p.occupancy.blocks) * sms);
  p.ipc = p.instructions / (p.cycles * std::min(sms, blocks));
  p.extrapolated_share = 1 - times.cycles / p.cycles;
  add_notes(options, program, p);
  parts->prediction = std::move(p);
  return std::unique_ptr<SaakeLaunch>(new SaakeLaunch(std::move(parts)));
}

double SaakeLaunch::slowdown(const machine::Machine& other,
                             const read::InstructionSet* region) const {
  AbstractProgram changed = parts_->program.abstract;
  const std::vector<AbstractResource> resources = saake_resources(other);
  if (region == nullptr) {
    changed.resources = resources;
    return emulate_abstractly(changed).cycles / parts_->times.cycles;
  }
  // The region's instructions get their own resources, on the same units as the others.
  const auto count = static_cast<std::uint32_t>(resources.size());
  changed.resources.insert(changed.resources.end(), resources.begin(), resources.end());
  for (std::uint32_t r = 0; r < 2 * count; ++r) {
    std::uint32_t& unit = changed.resources[r].unit;
    if (unit == AbstractResource::kOwnUnit) unit = kSaakeUnits + r % count;
  }
  for (std::size_t w = 0; w < changed.warps.size(); ++w) {
    const SaakeProgram::Source& source = parts_->program.sources[w];
    const auto& steps = source.trace->warps[source.warp];
    std::vector<AbstractInstruction>& instructions = changed.warps[w].instructions;
    for (std::size_t k = 0; k < instructions.size(); ++k) {
      if ((*region)[steps[k].instruction] != 0) instructions[k].resource += count;
    }
  }
  return emulate_abstractly(changed).cycles / parts_->times.cycles;
}

Result<Prediction> predict_saake(const read::Kernel& kernel, const launch::Launch& launch,
                                 const machine::Machine& machine, const PredictOptions& options) {
  Result<std::unique_ptr<SaakeLaunch>> opened = SaakeLaunch::open(kernel, launch, machine, options);
  if (!opened) return opened.error();
  return (*opened)->base();
}

}  // namespace burin::timing
