#include "timing/trace/check_blocks.h"

#include <algorithm>
#include <optional>

#include "emulate/execute/cluster_runner.h"
#include "emulate/execute/session.h"

namespace burin::timing {

namespace {

constexpr std::uint64_t kChecked = 1'000'000;  // warp instructions

// A block that was not executed may have initialised the memory.
bool depends_on_others(const emulate::Fault& fault, const read::Kernel& kernel) {
  return fault.kind == emulate::Fault::Kind::kUninitialised &&
         read::may_be_global(kernel.instructions[fault.instruction]);
}

}  // namespace

std::vector<emulate::Fault> check_blocks(const read::Kernel& kernel, const launch::Launch& launch,
                                         const std::vector<launch::TripCount>& trips) {
  emulate::RunOptions options;
  options.trips = trips;
  options.most_instructions = kChecked;
  const Result<std::unique_ptr<emulate::Session>> session =
      emulate::open_session(kernel, launch, options);
  if (!session) return {};
  emulate::Grid& grid = (*session)->grid;
  grid.products = false;
  const std::uint64_t last = (*session)->clusters - 1;
  std::vector<std::uint64_t> wanted{last / 2};
  for (const std::uint64_t cluster : {last, std::uint64_t{0}}) {
    if (std::ranges::find(wanted, cluster) == wanted.end()) wanted.push_back(cluster);
  }
  emulate::ClusterRunner runner(grid, *(*session)->program, nullptr);
  std::size_t begun = 0;
  runner.run(
      [&]() -> std::optional<std::uint64_t> {
        if (begun == wanted.size()) return std::nullopt;
        return wanted[begun++];
      },
      [] {});
  std::vector<emulate::Fault> faults = grid.faults.take();
  std::erase_if(faults, [&](const emulate::Fault& f) { return depends_on_others(f, kernel); });
  return faults;
}

}  // namespace burin::timing
