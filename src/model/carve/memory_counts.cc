#include "model/carve/memory_counts.h"

#include <algorithm>
#include <cmath>

#include "emulate/values/sector.h"
#include "timing/memory/cache.h"

namespace burin::model {
namespace {

using timing::LineUse;
using timing::Request;

constexpr double kSectorBytes = 32;

double ceil_div(double a, double b) {
  return std::ceil(a / b);
}

// The sectors of lines that a block touches, each once.
class Touched {
 public:
  void add(const LineUse& use) { uses_.push_back(use.packed); }

  void add_to(const BufferSizes& sizes, double BufferUse::* bytes,
              std::map<std::uint64_t, BufferUse>& buffers) {
    std::ranges::sort(uses_);
    for (std::size_t i = 0; i < uses_.size();) {
      const std::uint64_t line = uses_[i] >> 4;
      unsigned sectors = 0;
      for (; i < uses_.size() && uses_[i] >> 4 == line; ++i)
        sectors |= static_cast<unsigned>(uses_[i] & 0xf);
      const std::uint64_t address = line * timing::kLineBytes;
      auto buffer = sizes.upper_bound(address + timing::kLineBytes - 1);
      if (buffer == sizes.begin()) continue;
      --buffer;
      if (address >= buffer->first + buffer->second) continue;
      BufferUse& use = buffers[buffer->first];
      use.size = buffer->second;
      use.*bytes += kSectorBytes * timing::count_sectors(sectors);
    }
  }

 private:
  std::vector<std::uint64_t> uses_;
};

class BlockCounter {
 public:
  BlockCounter(const timing::BlockTrace& trace, const machine::Machine& machine,
               const machine::Occupancy& occupancy, LaunchCounts& counts)
      : trace_(trace),
        machine_(machine),
        counts_(counts),
        l1_(std::max<std::uint64_t>(1, occupancy.l1 / std::max<std::uint64_t>(1, occupancy.blocks) /
                                           timing::kLineBytes),
            static_cast<unsigned>(machine.l1.ways)) {
    memory_.l1_hit.assign(trace.requests.size(), 0);
  }

  BlockMemory run(const BufferSizes& sizes) {
    std::size_t longest = 0;
    for (const auto& warp : trace_.warps) longest = std::max(longest, warp.size());
    for (std::size_t i = 0; i < longest; ++i) {
      for (const auto& warp : trace_.warps) {
        if (i < warp.size() && warp[i].request != timing::kNoRequest) count(warp[i].request);
      }
    }
    read_.add_to(sizes, &BufferUse::read_bytes, memory_.buffers);
    written_.add_to(sizes, &BufferUse::written_bytes, memory_.buffers);
    return std::move(memory_);
  }

 private:
  void count(std::uint32_t number) {
    const Request& request = trace_.requests[number];
    switch (request.kind) {
      case Request::Kind::kShared:
        return count_shared(request);
      case Request::Kind::kGlobal:
      case Request::Kind::kLocal:
      case Request::Kind::kCopy:
        return count_access(request, number);
      case Request::Kind::kBulk:
        return count_bulk(request);
      case Request::Kind::kConstant:
        counts_.constant_cycles += std::max<double>(1, request.wavefronts) *
                                   machine_.of(machine::TimingClass::kConstantLoad).gap /
                                   machine_.sm.schedulers;
        return;
      default:
        return;
    }
  }

  void count_shared(const Request& request) {
    const double passes = std::max<double>(1, request.wavefronts);
    const double again = std::max(0, request.collisions - 1) * machine_.shared.atomic_gap;
    counts_.shared_cycles += std::max(machine_.lsu.gap, passes + again);
    counts_.shared_bytes_moved += static_cast<double>(request.lanes) * request.bytes;
  }

  void count_access(const Request& request, std::uint32_t number) {
    const std::span<const LineUse> lines = trace_.lines_of(request);
    const bool global = request.kind != Request::Kind::kLocal;
    double sectors = 0;
    for (const LineUse& use : lines) sectors += timing::count_sectors(use.sectors());
    const double tags = static_cast<double>(lines.size()) / machine_.l1.tags;
    const double data = request.wavefronts * timing::kLineBytes / machine_.l1.bandwidth;
    counts_.l1_cycles += std::max({machine_.lsu.gap, tags, data});
    if (request.kind == Request::Kind::kCopy) counts_.shared_cycles += 1;
    counts_.l1_bytes += sectors * kSectorBytes;
    if (global) {
      ++counts_.requests;
      counts_.sectors += sectors;
      counts_.ideal_sectors +=
          std::max(1.0, ceil_div(static_cast<double>(request.lanes) * request.bytes, kSectorBytes));
    } else {
      counts_.local_bytes += sectors * kSectorBytes;
    }
    if (request.atomic) {
      counts_.atomics += sectors;
      counts_.l2_write_bytes += sectors * kSectorBytes;
      counts_.l2_requests += sectors;
      counts_.l2_write_requests += sectors;
      counts_.atomic_passes +=
          sectors * (request.passes.alone + request.passes.full + request.passes.other);
      for (const LineUse& use : lines) written_.add(use);
    } else if (request.store) {
      for (const LineUse& use : lines) {
        counts_.l2_write_bytes += kSectorBytes * timing::count_sectors(use.sectors());
        counts_.l2_requests += timing::halves(use.sectors());
        counts_.l2_write_requests += timing::halves(use.sectors());
        if (global) written_.add(use);
      }
    } else {
      memory_.l1_hit[number] = load(request, lines) ? 1 : 0;
      for (const LineUse& use : lines) {
        if (global) read_.add(use);
      }
    }
  }

  bool load(const Request& request, std::span<const LineUse> lines) {
    bool hit = true;
    for (const LineUse& use : lines) {
      timing::Leaving leaving;
      const bool bypasses = request.strong;
      timing::CacheLine& line = l1_.touch(use.line(), leaving);
      const unsigned missing = bypasses ? use.sectors() : use.sectors() & ~line.valid;
      line.valid = static_cast<std::uint8_t>(line.valid | use.sectors());
      if (missing == 0) continue;
      hit = false;
      counts_.l2_read_bytes += kSectorBytes * timing::count_sectors(missing);
      counts_.l2_requests += timing::halves(missing);
    }
    return hit;
  }

  void count_bulk(const Request& request) {
    for (const LineUse& use : trace_.lines_of(request)) {
      const double bytes = kSectorBytes * timing::count_sectors(use.sectors());
      (request.store ? counts_.l2_write_bytes : counts_.l2_read_bytes) += bytes;
      counts_.l2_requests += timing::halves(use.sectors());
      (request.store ? written_ : read_).add(use);
    }
  }

  const timing::BlockTrace& trace_;
  const machine::Machine& machine_;
  LaunchCounts& counts_;
  timing::Cache l1_;
  BlockMemory memory_;
  Touched read_;
  Touched written_;
};

}  // namespace

BlockMemory count_memory(const timing::BlockTrace& trace, const machine::Machine& machine,
                         const machine::Occupancy& occupancy, const BufferSizes& sizes,
                         LaunchCounts& counts) {
  return BlockCounter(trace, machine, occupancy, counts).run(sizes);
}

}  // namespace burin::model
