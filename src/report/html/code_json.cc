#include "report/html/code_json.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analyze/regions.h"
#include "read/isa/print.h"
#include "read/program/live_registers.h"
#include "report/html/source_json.h"
#include "report/inspect/flow.h"

namespace burin::report {
namespace {

constexpr unsigned kMaxCauses = 5;       // of one instruction
constexpr double kMinCauseShare = 0.01;  // of its stalls

template <typename Value>
void write_column(Json& json, const char* key, std::size_t count, Value value) {
  json.open(key, '[');
  for (std::uint32_t i = 0; i < count; ++i) json.element(value(i));
  json.close();
}

std::int64_t target_of(const read::Instruction& instruction) {
  if (!instruction.known() || instruction.opcode->flow != read::Opcode::kBranch) return -1;
  for (const read::Operand& operand : instruction.operands()) {
    if (operand.kind == read::Operand::Kind::kTarget)
      return operand.value / read::kInstructionBytes;
  }
  return -1;
}

void write_instructions(Json& json, const read::Kernel& kernel) {
  const std::size_t count = kernel.instructions.size();
  const auto control = [&](std::uint32_t i) -> const read::Control& {
    return kernel.instructions[i].control;
  };
  json.field("instructions", count);
  write_column(json, "text", count, [&](std::uint32_t i) {
    std::string text;
    read::print(kernel.instructions[i], text);
    return text;
  });
  write_column(json, "stall", count, [&](std::uint32_t i) { return unsigned{control(i).stall}; });
  write_column(json, "yield", count, [&](std::uint32_t i) { return control(i).yield ? 1 : 0; });
  write_column(json, "write_barrier", count,
               [&](std::uint32_t i) { return unsigned{control(i).write_barrier}; });
  write_column(json, "read_barrier", count,
               [&](std::uint32_t i) { return unsigned{control(i).read_barrier}; });
  write_column(json, "wait_mask", count,
               [&](std::uint32_t i) { return unsigned{control(i).wait_mask}; });
  write_column(json, "reuse", count, [&](std::uint32_t i) { return unsigned{control(i).reuse}; });
  const std::vector<std::uint16_t> live = read::live_registers(kernel);
  write_column(json, "live", count, [&](std::uint32_t i) { return unsigned{live[i]}; });
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
    const LineRange lines = lines_of(kernel, loop);
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

// The largest causes of each instruction's stalls; a throttled unit may have hundreds of holders.
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
  write_column(json, "issued", profile.issued.size(),
               [&](std::uint32_t i) { return rounded(profile.issued[i]); });
  using Key = std::tuple<std::uint32_t, launch::Stall>;
  std::map<Key, launch::StallCycles> stalls;
  for (const CodeProfile::Row& row : profile.rows) stalls[{row.waits, row.stall}] += row.cycles;
  json.open("stalls", '[');
  for (const auto& [key, cycles] : stalls) {
    const auto& [instruction, stall] = key;
    json.element(std::array<double, 3>{static_cast<double>(instruction), static_cast<double>(stall),
                                       rounded(cycles.sum())});
  }
  json.close();
  json.open("causes", '[');
  for (const CodeProfile::Row* row : main_causes(profile)) {
    json.element(
        std::array<double, 4>{static_cast<double>(row->waits), static_cast<double>(row->cause),
                              static_cast<double>(row->stall), rounded(row->cycles.sum())});
  }
  json.close();
  json.close();
}

// Only instructions that access memory.
void write_accesses(Json& json, const timing::Prediction& prediction) {
  json.open("accesses", '[');
  for (std::size_t i = 0; i < prediction.costs.size(); ++i) {
    const timing::InstructionCost& cost = prediction.costs[i];
    if (cost.sectors <= 0 && cost.passes <= 0) continue;
    json.element(std::array<double, 6>{static_cast<double>(i), rounded(cost.sectors),
                                       rounded(cost.l1_hits), rounded(cost.l2_hits),
                                       rounded(cost.passes), rounded(cost.ideal_passes)});
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
  json.field("schema", "burin.code/1");
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
