#include "report/html/code_json.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "analyze/code/regions.h"
#include "read/isa/print.h"
#include "read/program/live_registers.h"
#include "read/program/loop_lines.h"
#include "report/html/columns.h"
#include "report/html/source_json.h"
#include "report/inspect/flow.h"

namespace burin::report {
namespace {

constexpr unsigned kMaxCauses = 5;       // of one instruction
constexpr double kMinCauseShare = 0.01;  // of its stalls

std::int64_t target_of(const read::Instruction& instruction) {
  if (!instruction.known() || instruction.opcode->flow != read::Opcode::kBranch) return -1;
  for (const read::Operand& operand : instruction.operands()) {
    if (operand.kind == read::Operand::Kind::kTarget)
      return operand.value / read::kInstructionBytes;
  }
  return -1;
}

// Most instructions of a long kernel repeat, and their control codes more so.
void write_instructions(Json& json, const read::Kernel& kernel) {
  const std::size_t count = kernel.instructions.size();
  Distinct<std::string> texts;
  Distinct<std::array<unsigned, 6>> controls;
  for (const read::Instruction& instruction : kernel.instructions) {
    std::string text;
    read::print(instruction, text);
    texts.add(text);
    const read::Control& control = instruction.control;
    controls.add({control.stall, control.yield ? 1u : 0u, control.write_barrier,
                  control.read_barrier, control.wait_mask, control.reuse});
  }
  json.field("instructions", count);
  write_column(json, "texts", texts.values());
  write_column(json, "text", texts.indices());
  write_column(json, "controls", controls.values());
  write_column(json, "control", controls.indices());
  const std::vector<std::uint16_t> live = read::live_registers(kernel);
  write_differences(json, "live", {live.begin(), live.end()});
  json.open("branches", '[');
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::int64_t target = target_of(kernel.instructions[i]);
    if (target >= 0) json.element(std::array<std::int64_t, 2>{i, target});
  }
  json.close();
}

void write_loops(Json& json, const read::Kernel& kernel) {
  json.open("loops", '[');
  for (std::uint32_t k = 0; k < kernel.loops.size(); ++k) {
    const read::Loop& loop = kernel.loops[k];
    const LoopSize size = size_of(kernel, k);
    const read::LoopLines lines = lines_of(kernel, loop);
    json.open('{');
    json.field("first", size.first_offset / read::kInstructionBytes);
    json.field("last", size.last_offset / read::kInstructionBytes);
    json.field("depth", loop.depth);
    json.field("parent", loop.parent == read::kNoIndex ? std::optional<std::uint32_t>()
                                                       : std::optional(loop.parent));
    json.field("instructions", size.instructions);
    if (lines.first != 0) {
      json.field("file", lines.file);
      json.field("lines", std::array{lines.first, lines.last});
    }
    json.close();
  }
  json.close();
}

// The largest causes of each instruction's stalls; a throttled unit may have hundreds of causes.
std::vector<const CodeProfile::Row*> main_causes(const CodeProfile& profile) {
  std::vector<double> stalled(profile.issued.size(), 0);
  std::vector<const CodeProfile::Row*> rows;
  for (const CodeProfile::Row& row : profile.rows) {
    stalled[row.waits] += row.cycles.sum();
    if (row.cause != row.waits && row.cycles.sum() > 0) rows.push_back(&row);
  }
  std::ranges::sort(rows, [](const CodeProfile::Row* a, const CodeProfile::Row* b) {
    if (a->waits != b->waits) return a->waits < b->waits;
    if (a->cycles.sum() != b->cycles.sum()) return a->cycles.sum() > b->cycles.sum();
    return a->cause < b->cause;
  });
  std::vector<unsigned> kept(profile.issued.size(), 0);
  std::erase_if(rows, [&](const CodeProfile::Row* row) {
    return row->cycles.sum() < kMinCauseShare * stalled[row->waits] ||
           ++kept[row->waits] > kMaxCauses;
  });
  return rows;
}

void write_profile(Json& json, const CodeProfile& profile) {
  json.open('{');
  json.field("source", profile.source);
  json.field("total", profile.total);
  std::vector<double> issued;
  for (const double amount : profile.issued) issued.push_back(rounded(amount));
  write_column(json, "issued", issued);
  std::map<std::pair<std::uint32_t, launch::Stall>, launch::StallCycles> stalls;
  for (const CodeProfile::Row& row : profile.rows) stalls[{row.waits, row.stall}] += row.cycles;
  std::vector<std::int64_t> instructions, reasons;
  std::vector<double> amounts;
  for (const auto& [key, cycles] : stalls) {
    instructions.push_back(key.first);
    reasons.push_back(static_cast<std::int64_t>(key.second));
    amounts.push_back(rounded(cycles.sum()));
  }
  json.open("stalls", '{');
  write_differences(json, "instruction", instructions);
  write_column(json, "reason", reasons);
  write_column(json, "amount", amounts);
  json.close();
  std::vector<std::int64_t> waits, distances, why;
  std::vector<double> waited;
  for (const CodeProfile::Row* row : main_causes(profile)) {
    waits.push_back(row->waits);
    distances.push_back(std::int64_t{row->waits} - row->cause);
    why.push_back(static_cast<std::int64_t>(row->stall));
    waited.push_back(rounded(row->cycles.sum()));
  }
  json.open("causes", '{');
  write_differences(json, "instruction", waits);
  write_column(json, "distance", distances);
  write_column(json, "reason", why);
  write_column(json, "amount", waited);
  json.close();
  json.close();
}

// Only instructions that access memory.
void write_accesses(Json& json, const timing::Prediction& prediction) {
  using Cost = timing::InstructionCost;
  static constexpr std::array<std::pair<const char*, double Cost::*>, 5> kCounts = {{
      {"sectors", &Cost::sectors},
      {"l1_hits", &Cost::l1_hits},
      {"l2_hits", &Cost::l2_hits},
      {"wavefronts", &Cost::passes},
      {"ideal_wavefronts", &Cost::ideal_passes},
  }};
  std::vector<std::int64_t> instructions;
  for (std::size_t i = 0; i < prediction.costs.size(); ++i) {
    const Cost& cost = prediction.costs[i];
    if (cost.sectors > 0 || cost.passes > 0) instructions.push_back(static_cast<std::int64_t>(i));
  }
  json.open("accesses", '{');
  write_differences(json, "instruction", instructions);
  for (const auto& [name, member] : kCounts) {
    json.open(name, '[');
    for (const std::int64_t i : instructions) {
      json.element(rounded(prediction.costs[static_cast<std::size_t>(i)].*member));
    }
    json.close();
  }
  json.close();
}

}  // namespace

CodeProfile profile_of(const timing::Prediction& prediction) {
  CodeProfile profile{.source = "emulated", .total = prediction.warp_cycles};
  std::map<std::pair<std::uint32_t, launch::Stall>, launch::StallCycles> caused;
  for (const timing::Blame& blame : prediction.blames) {
    if (blame.cause == blame.waits) continue;
    profile.rows.push_back({blame.waits, blame.cause, blame.stall, blame.cycles});
    caused[{blame.waits, blame.stall}] += blame.cycles;
  }
  for (std::uint32_t i = 0; i < prediction.costs.size(); ++i) {
    const timing::InstructionCost& cost = prediction.costs[i];
    profile.issued.push_back(cost.issued);
    for (std::size_t s = 0; s < launch::kStalls; ++s) {
      const auto stall = static_cast<launch::Stall>(s);
      launch::StallCycles own = cost.stalls[s];
      if (const auto at = caused.find({i, stall}); at != caused.end()) {
        own.active = std::max(0.0, own.active - at->second.active);
        own.latency = std::max(0.0, own.latency - at->second.latency);
      }
      if (own.sum() > 0) profile.rows.push_back({i, i, stall, own});
    }
  }
  return profile;
}

CodeProfile profile_of(const advise::BlamedProfile& blamed) {
  const bool sampled = blamed.source == advise::BlamedProfile::Source::kSamples;
  CodeProfile profile{
      .source = sampled ? "samples" : "emulated", .total = blamed.total, .issued = blamed.issued};
  for (const advise::BlamedStall& stall : blamed.stalls) {
    profile.rows.push_back({stall.waits, stall.cause, stall.stall, stall.cycles});
  }
  return profile;
}

void write_code_json(Json& json, const CodeReport& report) {
  const read::Kernel& kernel = report.kernel;
  json.open('{');
  json.field("schema", "burin.code/2");
  json.field("kernel", kernel.function->name);
  json.field("demangled", kernel.function->demangled);
  json.field("arch", read::to_string(kernel.image->arch));
  json.field("registers", kernel.function->registers);
  write_instructions(json, kernel);
  write_loops(json, kernel);
  write_source_json(json, kernel, report.source);
  json.open("reasons", '[');
  for (std::size_t s = 0; s < launch::kStalls; ++s)
    json.element(launch::name(static_cast<launch::Stall>(s)));
  json.close();
  json.open("profiles", '[');
  for (const CodeProfile& profile : report.profiles) write_profile(json, profile);
  json.close();
  if (report.prediction != nullptr) write_accesses(json, *report.prediction);
  json.close();
}

}  // namespace burin::report
