#include "guided/examination.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/file.h"
#include "base/format.h"
#include "tune/formats/gzip.h"

namespace burin::guided_bench {

using machine::Resource;
using nlohmann::json;

std::string line_of(std::uint64_t index, const Recorded& recorded) {
  const model::Examined& e = recorded.examined;
  if (!e.works()) return json{index, e.failure}.dump();
  std::string demands;
  for (std::size_t r = 0; r < machine::kResources; ++r) {
    if (e.demand_us[r] <= 0) continue;
    demands += fmt::format("{}\"{}\": {:.5g}", demands.empty() ? "" : ", ",
                           machine::name(static_cast<Resource>(r)), e.demand_us[r]);
  }
  return fmt::format("[{}, {:.6g}, {:.5g}, \"{}\", {}, {}, {}, {:.3f}, {:.3f}, {{{}}}, {:.6g}]",
                     index, e.time_us, e.chain_us, machine::name(e.waits_for), e.warps, e.threads,
                     e.registers, recorded.compile_seconds, recorded.examine_seconds, demands,
                     e.estimate_us);
}

namespace {

constexpr std::size_t kMaxSize = std::size_t{1} << 28;

Resource resource_named(const std::string& name) {
  for (std::size_t r = 0; r < machine::kResources; ++r) {
    if (machine::name(static_cast<Resource>(r)) == name) return static_cast<Resource>(r);
  }
  return Resource::kIssue;
}

Recorded recorded_of(const json& line) {
  Recorded recorded;
  model::Examined& e = recorded.examined;
  if (line[1].is_string()) {
    e.failure = line[1];
    return recorded;
  }
  e.time_us = line[1];
  e.chain_us = line[2];
  e.waits_for = resource_named(line[3]);
  e.warps = line[4];
  e.threads = line[5];
  e.registers = line[6];
  recorded.compile_seconds = line[7];
  recorded.examine_seconds = line[8];
  for (const auto& [name, demand_us] : line[9].items()) {
    e.demand_us[static_cast<std::size_t>(resource_named(name))] = demand_us;
  }
  e.estimate_us = line[10];
  return recorded;
}

}  // namespace

Result<std::map<std::uint64_t, Recorded>> read_examinations(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  const Bytes bytes = file->bytes();
  Result<std::string> text = std::string(bytes.begin(), bytes.end());
  if (tune::is_gzip(bytes)) text = tune::unpack_gzip(bytes, kMaxSize);
  if (!text) return text.error().within(path);
  std::map<std::uint64_t, Recorded> found;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    const json parsed = json::parse(line, nullptr, false);
    if (parsed.is_discarded() || !parsed.is_array() || (parsed.size() != 2 && parsed.size() != 11))
      continue;
    found[parsed[0].get<std::uint64_t>()] = recorded_of(parsed);
  }
  return found;
}

}  // namespace burin::guided_bench
