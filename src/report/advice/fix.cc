#include "report/advice/fix.h"

#include <algorithm>

#include "base/format.h"
#include "base/numbers.h"

namespace burin::report {
namespace {

constexpr const char* kUnderFix = "              ";

std::string launch_dims(launch::Dims d) {
  if (d.z > 1) return fmt::format("{},{},{}", d.x, d.y, d.z);
  return d.y > 1 ? fmt::format("{},{}", d.x, d.y) : std::to_string(d.x);
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace

std::vector<std::string> fix_lines(const jobs::Fix& fix, const std::string& patch) {
  std::vector<std::string> lines;
  if (!fix.not_checked.empty()) {
    lines.push_back("fix           none: " + fix.not_checked);
  } else if (fix.steps.empty()) {
    lines.push_back("fix           none: no change that burin can make itself gains 5 %");
  } else {
    lines.push_back(fmt::format("fix           {} → {} predicted, {:.2f}×; {}",
                                time_text(fix.base_us), time_text(fix.time_us()),
                                fix.base_us / fix.time_us(), jobs::describe(*fix.check)));
  }
  for (const jobs::FixStep& step : fix.steps) {
    lines.push_back(fmt::format("{}{}  {}{}{}", kUnderFix, time_text(step.time_us),
                                step.change.title, step.change.condition.empty() ? "" : ". ",
                                step.change.condition));
  }
  if (!fix.patch.empty() && !patch.empty()) {
    lines.push_back(fmt::format("{}apply with: git {}apply {}", kUnderFix,
                                fix.folder.empty() ? "" : "-C " + fix.folder + " ", patch));
  }
  if (!fix.flags.empty()) {
    lines.push_back(fmt::format("{}compile with: nvcc {}", kUnderFix, joined(fix.flags)));
  }
  if (fix.block) {
    // If the changed text needs another shape, the kernel was executed with that shape.
    const bool proved =
        std::ranges::any_of(fix.steps, [](const auto& step) { return step.change.launch_only(); });
    lines.push_back(fmt::format("{}launch with: --grid {} --block {}{}", kUnderFix,
                                launch_dims(*fix.grid), launch_dims(*fix.block),
                                proved ? ", proved to give the same results" : ""));
  }
  if (!fix.steps.empty() && fix.patch.empty()) {
    lines.push_back(fmt::format("{}no change to the source: no patch was written", kUnderFix));
  }
  for (const jobs::RejectedChange& rejected : fix.rejected) {
    lines.push_back(fmt::format("not in fix    {}: {}", rejected.title, rejected.why));
  }
  return lines;
}

void write_fix(Output& out, const jobs::Fix& fix, const std::string& patch) {
  for (const std::string& line : fix_lines(fix, patch)) out.put(line, '\n');
}

void write_fix_json(Json& json, const jobs::Fix& fix) {
  json.open("fix", '{');
  json.field("predicted_us", fix.time_us());
  json.field("speedup", fix.base_us / fix.time_us());
  json.open("steps", '[');
  for (const jobs::FixStep& step : fix.steps) {
    json.open('{');
    json.field("change", step.change.title);
    json.field("condition", step.change.condition);
    json.field("predicted_us", step.time_us);
    json.close();
  }
  json.close();
  if (fix.check) {
    json.open("results", '{');
    json.field("same", fix.check->same);
    json.field("tolerance", fix.check->tolerance);
    json.field("blocks", fix.check->blocks);
    json.field("of_blocks", fix.check->all_blocks);
    json.close();
  }
  json.field("not_checked", fix.not_checked);
  json.open("rejected", '[');
  for (const jobs::RejectedChange& rejected : fix.rejected) {
    json.open('{');
    json.field("change", rejected.title);
    json.field("why", rejected.why);
    json.close();
  }
  json.close();
  json.field("file", fix.path);
  json.field("folder", fix.folder);
  json.field("patch", fix.patch);
  json.open("flags", '[');
  for (const std::string& flag : fix.flags) json.element(flag);
  json.close();
  if (fix.block) {
    json.field("grid", std::array{fix.grid->x, fix.grid->y, fix.grid->z});
    json.field("block", std::array{fix.block->x, fix.block->y, fix.block->z});
  }
  json.close();
}

}  // namespace burin::report
