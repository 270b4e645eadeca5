// What was measured inside of the kernels of a capture: samples and counts.
#include <algorithm>

#include "capture/capture.h"

namespace burin::capture {
namespace {

Result<std::vector<CapturedCounter>> read_counters(store::Statement& row) {
  std::vector<CapturedCounter> counters;
  while (row.next()) {
    counters.push_back({row.number(0), row.number(1), row.number(2), row.text(3), row.real(4)});
  }
  if (!row.ok()) return row.error();
  return counters;
}

}  // namespace

Result<std::vector<CapturedSample>> Capture::samples(std::uint64_t kernel) const {
  std::vector<CapturedSample> samples;
  store::Statement row = database_.statement(
      "SELECT kernel, launch, byte_offset, name, samples, not_issued FROM sample "
      "JOIN reason ON reason.id = reason WHERE kernel = ? ORDER BY launch, byte_offset, reason");
  for (row.start(kernel); row.next();) {
    samples.push_back(
        {row.number(0), row.number(1), row.number(2), row.text(3), row.number(4), row.number(5)});
  }
  if (!row.ok()) return row.error();
  return samples;
}

Result<std::vector<CapturedCounter>> Capture::counters(std::uint64_t kernel) const {
  // The rows of a launch stand for all launches that were counted the same.
  store::Statement row = database_.statement(
      "SELECT kernel, 0, byte_offset, name, sum(value * CASE WHEN EXISTS("
      "SELECT 1 FROM counted WHERE launch = counter.launch) THEN ("
      "SELECT count(*) FROM counted WHERE same_as = counter.launch) ELSE 1 END) FROM counter "
      "JOIN metric ON metric.id = metric WHERE kernel = ? GROUP BY byte_offset, metric "
      "ORDER BY byte_offset, metric");
  row.start(kernel);
  return read_counters(row);
}

Result<std::vector<CapturedCounter>> Capture::counts(const CapturedLaunch& launch) const {
  store::Statement row = database_.statement(
      "SELECT kernel, ?, byte_offset, name, value FROM counter "
      "JOIN metric ON metric.id = metric WHERE kernel = ? AND "
      "launch = coalesce((SELECT same_as FROM counted WHERE counted.launch = ?), ?) "
      "ORDER BY byte_offset, metric");
  row.start(launch.id, launch.kernel, launch.id, launch.id);
  return read_counters(row);
}

std::vector<std::uint64_t> Capture::sample_counts() const {
  std::vector<std::uint64_t> counts(kernels_.size());
  store::Statement row =
      database_.statement("SELECT kernel, sum(samples) FROM sample GROUP BY kernel");
  for (row.start(); row.next();) {
    const std::uint64_t kernel = row.number(0);
    if (kernel != 0 && kernel <= counts.size()) counts[kernel - 1] = row.number(1);
  }
  return counts;
}

Result<launch::StallProfile> Capture::profile(std::uint64_t kernel, std::uint64_t launch) const {
  const Result<std::vector<CapturedSample>> all = samples(kernel);
  if (!all) return all.error();
  launch::StallProfile profile{.unit = launch::StallProfile::Unit::kSamples};
  for (const CapturedSample& sample : *all) {
    if (launch != 0 && sample.launch != launch) continue;
    const std::uint64_t latency = std::min(sample.samples, sample.not_issued);
    profile.add(sample.offset, sample.reason,
                {.active = static_cast<double>(sample.samples - latency),
                 .latency = static_cast<double>(latency)});
  }
  return profile;
}

}  // namespace burin::capture
