#include "machine/occupancy.h"

#include <algorithm>

#include "base/format.h"

namespace burin::machine {
namespace {

constexpr std::uint64_t kWarpThreads = 32;
// Eight on every GPU with clusters, sixteen where the kernel says that it may.
constexpr std::uint64_t kMaxClusterBlocks = 16;
constexpr std::uint16_t kFirstWithClusters = 90;
// Earlier GPUs have enough named barriers for all blocks that they hold.
constexpr std::uint16_t kFirstShortOfBarriers = 90;

std::uint64_t whole(double value) {
  return static_cast<std::uint64_t>(value);
}

std::uint64_t divide_up(std::uint64_t value, std::uint64_t by) {
  return (value + by - 1) / by;
}

std::uint64_t round_up(std::uint64_t value, std::uint64_t granule) {
  return divide_up(value, granule) * granule;
}

Error cannot_be_resident(const std::string& block, const std::string& limit) {
  return {fmt::format("{} does not fit on an SM: {}", block, limit)};
}

// Numbers so large that the sums below would wrap are refused by the same sentences.
Result<void> check_block(const Machine& machine, const KernelNeeds& needs) {
  const auto& limit = machine.limit;
  if (needs.threads == 0) return Error{"a block needs at least 1 thread"};
  if (needs.threads > whole(limit.threads)) {
    return cannot_be_resident(
        fmt::format("a block of {} threads", needs.threads),
        fmt::format("{} allows at most {} threads per block", machine.name, limit.threads));
  }
  if (needs.registers > whole(limit.registers_per_thread)) {
    return cannot_be_resident(fmt::format("a thread with {} registers", needs.registers),
                              fmt::format("{} allows at most {} registers per thread", machine.name,
                                          limit.registers_per_thread));
  }
  if (needs.shared > whole(limit.shared_per_block)) {
    return cannot_be_resident(
        fmt::format("a block with {} bytes of shared memory", needs.shared),
        fmt::format("{} allows at most {} bytes per block", machine.name, limit.shared_per_block));
  }
  if (needs.cluster > 1 && machine.arch.sm < kFirstWithClusters) {
    return cannot_be_resident(fmt::format("a cluster of {} blocks", needs.cluster),
                              fmt::format("{} does not support clusters", machine.name));
  }
  if (needs.cluster == 0 || needs.cluster > kMaxClusterBlocks) {
    return cannot_be_resident(fmt::format("a cluster of {} blocks", needs.cluster),
                              fmt::format("a cluster has 1 to {} blocks", kMaxClusterBlocks));
  }
  return {};
}

}  // namespace

std::vector<std::string_view> Occupancy::limiters() const {
  std::vector<std::string_view> names;
  for (const Limit& limit : limits) {
    if (limit.blocks == blocks) names.push_back(limit.name);
  }
  return names;
}

Result<Occupancy> occupancy(const Machine& machine, const KernelNeeds& needs) {
  if (const Result<void> checked = check_block(machine, needs); !checked) return checked.error();
  const auto& limit = machine.limit;
  const std::uint64_t schedulers = whole(machine.sm.schedulers);
  const std::uint64_t block_warps = divide_up(needs.threads, kWarpThreads);

  // Registers are given to warps, each from its scheduler's part of the file.
  const std::uint64_t warp_registers =
      round_up(needs.registers * kWarpThreads, whole(limit.register_granule));
  // The launch check counts a full set of schedulers, even if the block's last warps need fewer.
  const std::uint64_t counted = warp_registers * round_up(block_warps, schedulers);
  if (counted > whole(limit.registers_per_block)) {
    return cannot_be_resident(
        fmt::format("a block of {} threads with {} registers each", needs.threads, needs.registers),
        fmt::format("it needs {} registers and {} allows at most {} per block", counted,
                    machine.name, limit.registers_per_block));
  }

  Occupancy found;
  found.registers_per_block = warp_registers * block_warps;
  found.shared_per_block =
      round_up(needs.shared + whole(limit.shared_reserved), whole(limit.shared_granule));
  const bool short_of_barriers = machine.arch.sm >= kFirstShortOfBarriers && needs.barriers > 0;
  found.limits = {{
      {"warps", whole(limit.warps) / block_warps},
      {"blocks", whole(limit.blocks)},
      {"registers", warp_registers == 0 ? Occupancy::kUnlimited
                                        : whole(limit.registers) / schedulers / warp_registers *
                                              schedulers / block_warps},
      {"shared memory", found.shared_per_block == 0 ? Occupancy::kUnlimited
                                                    : whole(limit.shared) / found.shared_per_block},
      {"barriers",
       short_of_barriers ? whole(limit.barriers) / needs.barriers : Occupancy::kUnlimited},
      {"clusters", needs.cluster > 1 ? whole(machine.cluster.blocks) : Occupancy::kUnlimited},
  }};
  found.blocks = std::ranges::min(found.limits, {}, &Occupancy::Limit::blocks).blocks;
  if (found.blocks == 0) {
    return cannot_be_resident(
        fmt::format("a block of {} threads with {} registers each, {} bytes of shared memory and "
                    "{} barriers",
                    needs.threads, needs.registers, needs.shared, needs.barriers),
        fmt::format("an SM of {} has too few {}", machine.name, fmt::join(found.limiters(), ", ")));
  }
  found.warps = found.blocks * block_warps;

  const std::uint64_t used = found.blocks * found.shared_per_block;
  const auto carve_out =
      std::ranges::find_if(limit.carve_outs, [&](double size) { return whole(size) >= used; });
  found.carve_out = carve_out == limit.carve_outs.end() ? whole(limit.shared) : whole(*carve_out);
  found.l1 = whole(machine.l1.size) - found.carve_out;
  return found;
}

}  // namespace burin::machine
