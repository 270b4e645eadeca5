#include "advise/case/sequence.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "advise/case/origin.h"
#include "read/binary/container.h"
#include "read/binary/demangle.h"

namespace burin::advise {

namespace {

// From a kernel's code: offsets of the pointer parameters that it writes through.
std::optional<std::set<std::uint32_t>> written_by(const capture::Capture& capture,
                                                  const capture::CapturedKernel& kernel) {
  if (kernel.module == 0) return std::nullopt;
  const Result<std::vector<std::uint8_t>> cubin = capture.cubin(kernel.module);
  if (!cubin) return std::nullopt;
  const Result<read::Image> image =
      read::read_cubin(Bytes(cubin->data(), cubin->size()), std::nullopt);
  if (!image) return std::nullopt;
  const auto function = std::ranges::find(image->functions, kernel.name, &read::Function::name);
  if (function == image->functions.end()) return std::nullopt;
  const Result<read::Kernel> built = read::build_kernel(*image, *function);
  if (!built) return std::nullopt;
  return written_parameters(*built);
}

class Sequence {
 public:
  explicit Sequence(const capture::Capture& capture) : capture_(capture) {}

  NeighbourLaunch describe(const capture::CapturedLaunch& launch) {
    const capture::CapturedKernel& kernel = capture_.kernel(launch.kernel);
    NeighbourLaunch to{.kernel = read::demangle(kernel.name),
                       .grid = launch.grid,
                       .block = launch.block,
                       .start_us = static_cast<double>(launch.start_ns.value_or(0)) / 1e3,
                       .time_us = static_cast<double>(launch.duration_ns.value_or(0)) / 1e3};
    const Result<capture::CapturedArguments> arguments = capture_.arguments(launch.id);
    if (!arguments || !arguments->bytes) return to;
    const auto [known, added] = written_.try_emplace(kernel.id);
    if (added) known->second = written_by(capture_, kernel);
    for (const capture::CapturedAllocation& at : arguments->allocations) {
      std::uint64_t pointer = 0;
      if (at.argument_offset + sizeof pointer > arguments->bytes->size()) continue;
      std::memcpy(&pointer, arguments->bytes->data() + at.argument_offset, sizeof pointer);
      if (pointer < at.address || pointer >= at.address + at.size) continue;
      to.buffers.push_back({pointer, at.address + at.size - pointer});
      if (known->second) to.written.push_back(known->second->contains(at.argument_offset));
    }
    return to;
  }

 private:
  const capture::Capture& capture_;
  std::map<std::uint64_t, std::optional<std::set<std::uint32_t>>> written_;  // by kernel
};

}  // namespace

Result<LaunchSequence> sequence_of(const capture::Capture& capture, std::uint64_t launch,
                                   std::size_t around) {
  const auto& all = capture.launches();
  const auto own = std::ranges::find(all, launch, &capture::CapturedLaunch::id);
  if (own == all.end()) return Error{"the capture has no such launch"};
  if (!own->start_ns) return Error{"the launch has no start time"};
  std::vector<const capture::CapturedLaunch*> same;
  for (const capture::CapturedLaunch& l : all) {
    const bool together = l.process == own->process && l.context == own->context &&
                          l.stream == own->stream && l.start_ns && l.duration_ns;
    if (together || &l == &*own) same.push_back(&l);
  }
  std::ranges::stable_sort(same, {}, [](const capture::CapturedLaunch* l) { return l->start_ns; });
  const auto at = std::ranges::find(same, &*own);
  const auto place = static_cast<std::size_t>(at - same.begin());
  const std::size_t first = place - std::min(place, around);
  const std::size_t end = std::min(same.size(), place + around + 1);
  LaunchSequence sequence{.launches = {}, .at = place - first};
  Sequence describing(capture);
  for (std::size_t k = first; k < end; ++k) {
    sequence.launches.push_back(describing.describe(*same[k]));
  }
  return sequence;
}

std::uint64_t passed(const NeighbourLaunch& first, const NeighbourLaunch& second) {
  std::uint64_t bytes = 0;
  for (std::size_t k = 0; k < first.written.size(); ++k) {
    if (!first.written[k]) continue;
    const auto same =
        std::ranges::find(second.buffers, first.buffers[k].first, &AddressRange::first);
    if (same != second.buffers.end()) bytes += std::min(same->bytes, first.buffers[k].bytes);
  }
  return bytes;
}

}  // namespace burin::advise
