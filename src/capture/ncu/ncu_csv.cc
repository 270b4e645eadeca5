// The two pages of a report as text.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "capture/ncu/csv.h"
#include "capture/ncu/ncu_import.h"
#include "launch/number.h"
#include "launch/stall_profile.h"
#include "read/isa/instruction.h"

namespace burin::capture {
namespace {

constexpr std::string_view kNotIssued = " (Not Issued)";

// A number as ncu writes it, with or without commas; nothing for "-" and other words.
std::optional<double> number_in(const std::string& field) {
  std::string text;
  for (const char c : field) {
    if (c != ',') text += c;
  }
  return launch::parse_real<double>(text);
}

std::uint64_t count_in(const std::string& field) {
  const std::optional<double> value = number_in(field);
  constexpr double kMax = 9e18;
  return value && *value > 0 && *value < kMax ? static_cast<std::uint64_t>(*value) : 0;
}

// CUPTI's word for the reason of a column, so that one capture has one set of words.
std::string reason_of(std::string_view column) {
  if (column == "stall_selected") return "selected";
  if (column == "stall_tex") return "tex_throttle";
  if (const std::optional<launch::Stall> stall = launch::stall_named(column))
    return std::string(launch::name(*stall));
  return std::string(column.substr(6));
}

// What stands in which column of the source page.
class SourceColumns {
 public:
  explicit SourceColumns(const std::vector<std::string>& head) : head_(head) {
    for (std::size_t k = 0; k < head.size(); ++k) {
      const std::string_view name = head[k];
      if (name == "Address") address_ = k;
      if (name == "Source") source_ = k;
      if (name == "Warp Stall Sampling (All Samples)") all_ = k;
      if (!name.starts_with("stall_")) continue;
      const bool not_issued = name.ends_with(kNotIssued);
      const std::string_view word =
          not_issued ? name.substr(0, name.size() - kNotIssued.size()) : name;
      stalls_[reason_of(word)][not_issued ? 1 : 0] = k;
    }
  }

  static bool is_head(const std::vector<std::string>& fields) {
    const auto has = [&](const char* name) {
      return std::ranges::find(fields, name) != fields.end();
    };
    return has("Source") && (has("Address") || has("# Samples") || has("Instructions Executed"));
  }

  NcuInstruction read(const std::vector<std::string>& row) const {
    NcuInstruction made;
    const auto field = [&](std::optional<std::size_t> k) {
      return k && *k < row.size() ? row[*k] : std::string();
    };
    made.sass = field(source_);
    const std::size_t begin = made.sass.find_first_not_of(' ');
    if (begin != std::string::npos) made.sass.erase(0, begin);
    std::uint64_t told = 0;
    for (const auto& [reason, columns] : stalls_) {
      const NcuStall stall{reason, count_in(field(columns[0])), count_in(field(columns[1]))};
      told += stall.samples;
      if (stall.samples != 0 || stall.not_issued != 0) made.stalls.push_back(stall);
    }
    // Samples of reasons that have no column of their own are not lost.
    const std::uint64_t all = count_in(field(all_));
    if (all > told) made.stalls.push_back({"unattributed", all - told, 0});
    for (std::size_t k = 0; k < std::min(row.size(), head_.size()); ++k) {
      if (k == address_ || k == source_ || head_[k].starts_with("stall_")) continue;
      const std::optional<double> value = number_in(row[k]);
      if (value && *value != 0) made.metrics.emplace_back(head_[k], *value);
    }
    return made;
  }

  std::optional<std::uint64_t> address(const std::vector<std::string>& row) const {
    if (!address_ || *address_ >= row.size()) return std::nullopt;
    return launch::parse_integer<std::uint64_t>(row[*address_]);
  }

 private:
  std::vector<std::string> head_;
  std::optional<std::size_t> address_, source_, all_;
  std::map<std::string, std::array<std::optional<std::size_t>, 2>> stalls_;
};

// "(256, 1, 1)"
launch::Dims dims_in(const std::string& field) {
  std::array<std::uint32_t, 3> axes{1, 1, 1};
  const char* at = field.data();
  const char* const end = at + field.size();
  for (std::uint32_t& axis : axes) {
    while (at != end && (*at < '0' || *at > '9')) ++at;
    at = std::from_chars(at, end, axis).ptr;
  }
  return {axes[0], axes[1], axes[2]};
}

}  // namespace

Result<std::vector<NcuKernel>> read_ncu_source(std::string_view csv) {
  std::vector<NcuKernel> kernels;
  std::string name = "kernel";  // where the page does not name it
  std::optional<SourceColumns> columns;
  std::size_t width = 0;
  std::uint64_t first = 0;
  CsvReader in(csv);
  while (in.next()) {
    const std::vector<std::string>& row = in.fields();
    if (row.size() >= 2 && row[0] == "Kernel Name") {
      name = row[1];
      columns.reset();
    } else if (SourceColumns::is_head(row)) {
      columns.emplace(row);
      width = row.size();
      kernels.push_back({name, {}});
    } else if (columns && row.size() + 1 >= width) {
      NcuKernel& kernel = kernels.back();
      NcuInstruction made = columns->read(row);
      const std::optional<std::uint64_t> address = columns->address(row);
      if (kernel.instructions.empty()) first = address.value_or(0);
      made.offset = address && *address >= first
                        ? *address - first
                        : kernel.instructions.size() * read::kInstructionBytes;
      kernel.instructions.push_back(std::move(made));
    }
  }
  std::erase_if(kernels, [](const NcuKernel& kernel) { return kernel.instructions.empty(); });
  if (kernels.empty()) {
    return Error{
        "is not a source page of Nsight Compute; export one with `ncu -i REPORT.ncu-rep --page "
        "source --csv --print-units base`"};
  }
  return kernels;
}

Result<std::vector<NcuLaunch>> read_ncu_launches(std::string_view csv) {
  std::vector<NcuLaunch> launches;
  std::map<std::string, std::size_t, std::less<>> columns;
  CsvReader in(csv);
  while (in.next()) {
    const std::vector<std::string>& row = in.fields();
    if (columns.empty()) {
      if (std::ranges::find(row, "Kernel Name") == row.end() || row[0] != "ID") continue;
      for (std::size_t k = 0; k < row.size(); ++k) columns.emplace(row[k], k);
      continue;
    }
    const auto field = [&](std::string_view name) {
      const auto found = columns.find(name);
      return found == columns.end() || found->second >= row.size() ? std::string()
                                                                   : row[found->second];
    };
    if (!launch::parse_integer<std::uint64_t>(row[0])) continue;  // the row of units
    NcuLaunch launch{.kernel = field("Kernel Name"),
                     .pid = count_in(field("Process ID")),
                     .program = field("Process Name"),
                     .grid = dims_in(field("Grid Size")),
                     .block = dims_in(field("Block Size")),
                     .gpu = field("device__attribute_display_name"),
                     .duration_ns = number_in(field("gpu__time_duration.sum")).value_or(0),
                     .shared_bytes = static_cast<std::uint32_t>(
                         count_in(field("launch__shared_mem_per_block_dynamic")))};
    if (const auto capability = number_in(field("CC"))) {
      launch.sm = static_cast<std::uint32_t>(std::lround(*capability * 10));
    }
    launches.push_back(std::move(launch));
  }
  if (launches.empty()) return Error{"is not a raw page of Nsight Compute"};
  return launches;
}

}  // namespace burin::capture
