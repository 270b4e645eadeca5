#include "report/coarsen/coarsen.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"
#include "coarsen/allow_list.h"
#include "read/program/names.h"

namespace burin::report {
namespace {

using jobs::CompiledVersion;
using Size = std::array<std::uint32_t, 3>;

std::string dims(const Size& size) {
  if (size[2] != 1) return fmt::format("{},{},{}", size[0], size[1], size[2]);
  if (size[1] != 1) return fmt::format("{},{}", size[0], size[1]);
  return std::to_string(size[0]);
}

std::string names(const std::vector<coarsen::Coarsening>& coarsenings) {
  std::string text;
  for (const coarsen::Coarsening& coarsening : coarsenings) {
    text += (text.empty() ? "" : "; ") + coarsen::describe(coarsening);
  }
  return text.empty() ? "not coarsened" : text;
}

void row(Output& out, std::string_view what, std::string_view before, std::string_view after,
         std::string_view remark = "", Style style = Style::kPlain) {
  out.put(fmt::format("{:<14} {:>12} {:>12}{}", what, before, after, remark.empty() ? "" : "  "),
          style, remark, Style::kPlain, '\n');
}

std::string ratio_text(double before, double after) {
  if (before / after >= 1.005) return fmt::format("{:.2f}× faster", before / after);
  if (after / before >= 1.005) return fmt::format("{:.2f}× slower", after / before);
  return "the same";
}

void write_check(Output& out, const jobs::CoarsenCheck& check) {
  if (!check.equal()) {
    out.put(Style::kBad, "check failed: the results differ (compiled with -fmad=false)\n",
            Style::kPlain);
    for (const emulate::CheckedOutput& output : check.outputs) {
      if (!output.passed()) out.put("  ", emulate::describe(output), "\n");
    }
    return;
  }
  out.put(Style::kGood, "check passed", Style::kPlain,
          fmt::format(": both executed on the CPU, {} of {} compared, {}\n",
                      count_of(check.compared_bytes(), "byte"),
                      count_of(check.outputs.size(), "buffer"),
                      check.float_atomics    ? "equal up to the order of floating-point atomics"
                      : check.rounds_alike() ? "equal bit for bit"
                                             : "equal bit for bit if compiled with -fmad=false"));
  if (check.rounds_alike()) return;
  double largest = 0;
  for (const emulate::CheckedOutput& output : check.as_compiled) {
    largest = std::max(largest, output.comparison.largest_error);
  }
  out.put(
      fmt::format("rounding may differ: ptxas fuses other multiplications and additions; the "
                  "largest difference is {:.2g}\n",
                  largest));
}

void write_candidates(Output& out, const jobs::CoarsenedKernel& kernel) {
  out.put("\npredicted coarsenings\n");
  std::vector<const jobs::CoarsenCandidate*> ranked;
  for (const jobs::CoarsenCandidate& candidate : kernel.candidates) {
    if (candidate.predicted_us) ranked.push_back(&candidate);
  }
  std::ranges::stable_sort(ranked, {}, [](const auto* c) { return *c->predicted_us; });
  constexpr std::size_t kShown = 10;
  std::size_t width = 0;
  for (std::size_t i = 0; i < std::min(ranked.size(), kShown); ++i) {
    width = std::max(width, names(ranked[i]->coarsenings).size());
  }
  for (std::size_t i = 0; i < std::min(ranked.size(), kShown); ++i) {
    out.put(fmt::format("  {:<{}} {:>10}  {}\n", names(ranked[i]->coarsenings), width,
                        time_text(*ranked[i]->predicted_us),
                        ratio_text(*kernel.before.predicted_us, *ranked[i]->predicted_us)));
  }
  if (ranked.size() > kShown) out.put(fmt::format("  … and {} more\n", ranked.size() - kShown));
  const std::size_t refused = kernel.candidates.size() - ranked.size();
  if (refused == 0) return;
  const auto first =
      std::ranges::find_if(kernel.candidates, [](const auto& c) { return !c.predicted_us; });
  out.put(fmt::format("  {} refused: {}\n", refused, first->refused));
}

}  // namespace

void write_coarsened(Output& out, const CoarsenReport& report) {
  const jobs::CoarsenedKernel& kernel = report.kernel;
  const CompiledVersion& before = kernel.before;
  const CompiledVersion& after = kernel.after;
  out.put(Style::kBold, read::shorten(kernel.kernel, out.width()), Style::kPlain, " on ",
          kernel.machine, ": ", names(kernel.coarsenings), "\n\n");
  row(out, "", "original", "coarsened");
  row(out, "grid", dims(before.launch.grid), dims(after.launch.grid),
      kernel.specialised_grid ? "the kernel is now for this grid only" : "");
  row(out, "block", dims(before.launch.block), dims(after.launch.block));
  if (before.launch.shared_bytes + after.launch.shared_bytes > 0) {
    row(out, "dynamic smem", std::to_string(before.launch.shared_bytes),
        std::to_string(after.launch.shared_bytes), "bytes per block: pass this at the launch");
  }
  if (before.static_shared + after.static_shared > 0) {
    row(out, "static smem", std::to_string(before.static_shared),
        std::to_string(after.static_shared), "bytes per block");
  }
  if (kernel.compiled) {
    row(out, "registers", std::to_string(before.registers), std::to_string(after.registers),
        "per thread");
  }
  if (before.local_bytes + after.local_bytes > 0) {
    row(out, "local memory", std::to_string(before.local_bytes), std::to_string(after.local_bytes),
        after.local_bytes > before.local_bytes ? "bytes per thread: check for spills"
                                               : "bytes per thread");
  }
  if (before.predicted_us && after.predicted_us) {
    row(out, "predicted", time_text(*before.predicted_us), time_text(*after.predicted_us),
        ratio_text(*before.predicted_us, *after.predicted_us),
        *after.predicted_us < *before.predicted_us ? Style::kGood : Style::kBad);
  }
  if (!kernel.candidates.empty()) write_candidates(out, kernel);
  if (!kernel.candidates.empty() && kernel.coarsenings.empty()) {
    out.put("\nNo coarsening is clearly faster (5 % or more): the kernel is left as it is.\n");
  }
  if (kernel.check || !report.output.empty()) out.put("\n");
  if (kernel.check) write_check(out, *kernel.check);
  if (!report.output.empty()) out.put("written to ", report.output, "\n");
  if (!kernel.compiled && !kernel.is_opencl) {
    out.put("\nptxas is not installed: registers and times are not known.\n");
  } else if (!before.predicted_us && !kernel.is_opencl) {
    out.put("\nWith --arg, burin also predicts both times.\n");
  }
}

namespace {

void write_size(Json& json, std::string_view name, const Size& size) {
  json.open(name, '[');
  for (const std::uint32_t n : size) json.element(n);
  json.close();
}

void write_shape(Json& json, std::string_view name, const coarsen::LaunchShape& launch) {
  json.open(name, '{');
  write_size(json, "grid", launch.grid);
  write_size(json, "block", launch.block);
  json.field("smem", launch.shared_bytes);
  json.close();
}

template <typename T>
void write_pair(Json& json, std::string_view name, T before, T after) {
  json.open(name, '[');
  json.element(before);
  json.element(after);
  json.close();
}

void write_coarsenings(Json& json, const std::vector<coarsen::Coarsening>& coarsenings) {
  json.open("coarsenings", '[');
  for (const coarsen::Coarsening& coarsening : coarsenings) {
    json.open('{');
    json.field("level", coarsening.level == coarsen::Level::kThread ? "thread" : "block");
    json.field("axis", std::string_view("xyz").substr(coarsening.axis, 1));
    json.field("factor", coarsening.factor);
    if (coarsening.stride > 0) json.field("stride", coarsening.stride);
    json.close();
  }
  json.close();
}

void write_check_json(Json& json, const jobs::CoarsenCheck& check) {
  json.open("check", '{');
  json.field("equal", check.equal());
  json.field("compiled_with", "-fmad=false");
  json.field("compared_bytes", check.compared_bytes());
  std::uint64_t differences = 0;
  std::string first;
  for (const emulate::CheckedOutput& output : check.outputs) {
    differences += output.comparison.different + output.unknown_bytes;
    if (!output.passed() && first.empty()) first = emulate::describe(output);
  }
  json.field("differences", differences);
  if (!first.empty()) json.field("first_difference", first);
  json.field("float_atomics", check.float_atomics);
  json.field("equal_as_compiled", check.rounds_alike());
  json.close();
}

}  // namespace

void write_coarsened_json(Json& json, const CoarsenReport& report) {
  const jobs::CoarsenedKernel& kernel = report.kernel;
  json.open('{');
  json.field("schema", "burin.coarsen/1");
  json.field("file", report.file);
  json.field("kernel", kernel.kernel);
  json.field("machine", kernel.machine);
  write_coarsenings(json, kernel.coarsenings);
  write_shape(json, "original_launch", kernel.before.launch);
  write_shape(json, "launch", kernel.after.launch);
  json.field("specialised_grid", kernel.specialised_grid);
  if (kernel.compiled) {
    write_pair(json, "registers", kernel.before.registers, kernel.after.registers);
    write_pair(json, "spill_bytes", kernel.before.local_bytes, kernel.after.local_bytes);
  }
  if (kernel.before.predicted_us && kernel.after.predicted_us) {
    write_pair(json, "predicted_us", *kernel.before.predicted_us, *kernel.after.predicted_us);
  }
  if (kernel.check) write_check_json(json, *kernel.check);
  if (!kernel.candidates.empty()) {
    json.open("candidates", '[');
    for (const jobs::CoarsenCandidate& candidate : kernel.candidates) {
      json.open('{');
      write_coarsenings(json, candidate.coarsenings);
      if (candidate.predicted_us) json.field("predicted_us", *candidate.predicted_us);
      if (!candidate.refused.empty()) json.field("refused", candidate.refused);
      json.close();
    }
    json.close();
  }
  if (!report.output.empty()) json.field("output", report.output);
  json.close();
}

void write_opcode_rules(Output& out) {
  for (const coarsen::OpcodeRule& rule : coarsen::opcode_rules()) {
    out.put(Style::kBold, rule.opcodes, Style::kPlain, "\n  ", coarsen::describe(rule.treatment));
    if (!rule.reason.empty()) out.put(": ", rule.reason);
    if (!rule.modifiers.empty()) out.put("; modifiers: ", rule.modifiers);
    out.put("\n");
  }
  out.put("\ngroups of modifiers\n");
  for (const coarsen::ModifierGroup& group : coarsen::modifier_groups()) {
    out.put("  ", group.name, ": ", group.modifiers, "\n");
  }
}

}  // namespace burin::report
