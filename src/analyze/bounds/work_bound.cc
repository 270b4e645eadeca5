#include "analyze/bounds/work_bound.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "read/isa/traits.h"
#include "timing/code/timed_code.h"

namespace burin::analyze {
namespace {

constexpr std::uint64_t kSectorBytes = 32;
constexpr std::size_t kMaxRanges = 1 << 21;

// Sectors [first, last) of memory; disjoint and in order.
struct Range {
  std::int64_t first = 0, last = 0;
};
using Ranges = std::vector<Range>;

void merge(Ranges& ranges) {
  std::ranges::sort(ranges, {}, &Range::first);
  std::size_t kept = 0;
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    if (kept > 0 && ranges[k].first <= ranges[kept - 1].last) {
      ranges[kept - 1].last = std::max(ranges[kept - 1].last, ranges[k].last);
    } else {
      ranges[kept++] = ranges[k];
    }
  }
  ranges.resize(kept);
}

double count(const Ranges& ranges) {
  double sum = 0;
  for (const Range& r : ranges) sum += static_cast<double>(r.last - r.first);
  return sum;
}

std::int64_t sectors_in(std::int64_t bytes) {
  return static_cast<std::int64_t>(
      std::floor(static_cast<double>(bytes) / static_cast<double>(kSectorBytes)));
}

// The union of `copies` copies of the ranges, each `stride` bytes after the one before. Built by
// doubling; adjacent ranges are merged, so a whole array stays a single range.
void repeat(Ranges& ranges, std::int64_t stride, std::uint64_t copies) {
  if (stride == 0) return;
  Ranges all;
  std::uint64_t shift = 0;  // copies that `all` covers
  Ranges power = ranges;    // 2^k copies
  for (std::uint64_t bit = 1; bit != 0 && bit <= copies; bit <<= 1) {
    const auto move = [&](const Ranges& from, std::uint64_t by, Ranges& to) {
      const std::int64_t sectors = sectors_in(stride * static_cast<std::int64_t>(by));
      for (const Range& r : from) to.push_back({r.first + sectors, r.last + sectors});
      merge(to);
    };
    if ((copies & bit) != 0) {
      move(power, shift, all);
      shift += bit;
    }
    if (power.size() + all.size() > kMaxRanges) break;  // still a lower bound
    Ranges doubled = power;
    move(power, bit, doubled);
    power = std::move(doubled);
  }
  ranges = std::move(all);
}

// Data-dependent addresses: expected distinct sectors of `requests` random ones among `extent`.
struct Scattered {
  Range extent{};
  double requests = 0;
};

// The sectors that one instruction touches in the whole launch.
void over_the_grid(const timing::Strides& strides, const timing::BlockNumbers& numbers,
                   std::uint64_t traced_block, Ranges& ranges) {
  // Shift the ranges back to the first block.
  const std::int64_t back = sectors_in(strides.shift(step_between(0, traced_block, numbers)));
  for (Range& r : ranges) r = {r.first - back, r.last - back};
  const auto rows = [](std::uint32_t blocks, std::uint32_t row) {
    const std::uint64_t within = std::min<std::uint64_t>(blocks, row);
    return std::pair(within, (blocks + within - 1) / within);
  };
  const auto [x, rows_x] = rows(numbers.grid.x, numbers.row_x);
  const auto [y, rows_y] = rows(numbers.grid.y, numbers.row_y);
  repeat(ranges, strides.x, x);
  repeat(ranges, strides.row_x, rows_x);
  repeat(ranges, strides.y, y);
  repeat(ranges, strides.row_y, rows_y);
  repeat(ranges, strides.z, numbers.grid.z);
}

// The sectors of the launch's buffers. No block touches memory past them.
Ranges buffers_of(const timing::TracedLaunch& traced) {
  Ranges buffers;
  for (std::size_t k = 0; k < traced.buffers.size(); ++k) {
    if (traced.buffers[k] == 0 || k >= traced.launch->arguments.size()) continue;
    const Result<const launch::Buffer*> buffer = launch::buffer_at(*traced.launch, k);
    if (!buffer) continue;
    const auto first = static_cast<std::int64_t>(traced.buffers[k] / kSectorBytes);
    const std::uint64_t sectors = ((*buffer)->size + kSectorBytes - 1) / kSectorBytes;
    buffers.push_back({first, first + static_cast<std::int64_t>(sectors)});
  }
  merge(buffers);
  return buffers;
}

Ranges within(const Ranges& ranges, const Ranges& buffers) {
  Ranges kept;
  std::size_t b = 0;
  for (const Range& r : ranges) {
    while (b > 0 && buffers[b - 1].last > r.first) --b;
    for (; b < buffers.size() && buffers[b].first < r.last; ++b) {
      const Range both{std::max(r.first, buffers[b].first), std::min(r.last, buffers[b].last)};
      if (both.first < both.last) kept.push_back(both);
    }
  }
  merge(kept);
  return kept;
}

class Footprint {
 public:
  Footprint(const Study& study, bool stores) : study_(study), stores_(stores) {
    const timing::TracedLaunch& traced = study.traced();
    std::vector<Ranges> of(study.kernel().instructions.size());
    add_block(traced.reference, of);
    for (std::size_t i = 0; i < of.size(); ++i) add_instruction(i, of[i]);
    const Ranges buffers = buffers_of(traced);
    if (!buffers.empty()) all_ = within(all_, buffers);
  }

  double bytes() const {
    double sectors = count(all_);
    for (const Scattered& each : scattered_) {
      const auto extent = static_cast<double>(each.extent.last - each.extent.first);
      const double covered = count(within(all_, {each.extent}));
      const double hit = extent * -std::expm1(-each.requests / extent);
      sectors += hit * (1 - std::min(1.0, covered / extent));
    }
    return sectors * static_cast<double>(kSectorBytes);
  }

 private:
  void add_block(const timing::BlockTrace& block, std::vector<Ranges>& of) const {
    for (const auto& warp : block.warps) {
      for (const timing::TraceStep& step : warp) {
        if (step.request == timing::kNoRequest) continue;
        const timing::Request& request = block.requests[step.request];
        if (!moves(request)) continue;
        for (const timing::LineUse& use : block.lines_of(request)) {
          if (use.line() >= timing::kLocalLines) continue;
          for (unsigned s = 0; s < 4; ++s) {
            if ((use.sectors() >> s & 1) == 0) continue;
            const auto first = static_cast<std::int64_t>(use.line() * 4 + s);
            of[step.instruction].push_back({first, first + 1});
          }
        }
        if (of[step.instruction].size() > kMaxRanges) merge(of[step.instruction]);
      }
    }
  }

  bool moves(const timing::Request& r) const {
    using Kind = timing::Request::Kind;
    if (r.kind != Kind::kGlobal && r.kind != Kind::kCopy && r.kind != Kind::kBulk) return false;
    return stores_ ? r.store || r.atomic : r.load || r.atomic;
  }

  void add_instruction(std::size_t i, Ranges& ranges) {
    if (ranges.empty()) return;
    merge(ranges);
    const timing::StrideTable& table = study_.traced().strides;
    const timing::Strides& strides = table.of[i];
    if (strides.kind == timing::Strides::Kind::kIrregular) {
      scattered_.push_back({{static_cast<std::int64_t>(strides.low / kSectorBytes),
                             static_cast<std::int64_t>(strides.high / kSectorBytes) + 1},
                            study_.base().costs[i].sectors});
      return;
    }
    over_the_grid(strides, table.numbers, study_.traced().reference.linear, ranges);
    all_.insert(all_.end(), ranges.begin(), ranges.end());
    merge(all_);
  }

  const Study& study_;
  const bool stores_;
  Ranges all_;
  std::vector<Scattered> scattered_;
};

// Cycles of the arithmetic units, SMs evenly loaded.
double arithmetic_cycles(const Study& study, double& operations) {
  const machine::Machine& m = study.machine();
  const std::vector<timing::TimedOp> code = timing::timed_code(study.kernel(), m);
  const std::vector<timing::LaneUse>& lanes = study.traced().reference.lanes;
  double fma = 0, fp64 = 0, matrix = 0;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const read::Instruction& at = study.kernel().instructions[i];
    const double issued = study.base().costs[i].issued;
    if (read::arithmetic_of(at) == read::Arithmetic::kMatrix) {
      matrix += issued * code[i].gap;
      continue;
    }
    const double each = read::float_operations(at);
    if (each == 0) continue;
    double used = 1;  // share of the lanes
    if (i < lanes.size() && lanes[i].executions > 0) {
      used =
          static_cast<double>(lanes[i].guarded) / (32.0 * static_cast<double>(lanes[i].executions));
    }
    operations += issued * 32 * used * each;
    const bool is_double = at.opcode->operand_type == read::ValueType::kF64;
    (is_double ? fp64 : fma) +=
        issued * used * each / 2 * code[i].gap / (is_double ? 1 : m.issue.fma_units);
  }
  return std::max({fma, fp64, matrix}) / m.sm.schedulers / m.sm.count;
}

}  // namespace

WorkBound work_bound(const Study& study) {
  const machine::Machine& m = study.machine();
  const timing::Prediction& p = study.base();
  const auto time = [&](double cycles) { return m.seconds(cycles) * 1e6; };
  WorkBound work;
  work.read_bytes = std::min(Footprint(study, false).bytes(), p.dram_read_bytes);
  work.write_bytes = std::min(Footprint(study, true).bytes(), p.dram_write_bytes);
  work.dram_us =
      time(work.read_bytes / m.dram.bandwidth + work.write_bytes / m.dram.write_bandwidth);
  work.arithmetic_us = time(arithmetic_cycles(study, work.operations));
  work.launch_us = time(m.dispatch.launch);
  work.time_us = std::min(p.time_us, std::max({work.dram_us, work.arithmetic_us, work.launch_us}));
  return work;
}

}  // namespace burin::analyze
