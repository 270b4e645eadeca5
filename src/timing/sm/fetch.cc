#include "timing/sm/fetch.h"

#include <algorithm>

namespace burin::timing {

namespace {

constexpr double kBankBytes = 65536;  // bank 0, which holds the parameters, is the first

}  // namespace

void Fetch::Level::put(std::uint32_t line, double when) {
  if (ready[line] >= 0) return;
  ready[line] = when;
  order.push_back(line);
  if (order.size() - oldest > most) ready[order[oldest++]] = -1;
}

void Fetch::Level::bring(std::uint32_t line, double from, double gap, double latency) {
  const double begin = std::max(from, free);
  free = begin + gap;
  put(line, begin + latency);
}

Fetch::Fetch(const machine::Machine& machine, std::size_t lines, bool cold,
             std::optional<std::uint32_t> fresh_from)
    : l0_(static_cast<std::size_t>(machine.sm.schedulers)),
      cold_(cold),
      fresh_from_(fresh_from),
      max_constants_(std::max<std::size_t>(
          1, static_cast<std::size_t>(machine.constant.size / machine.constant.line))),
      buffers_(l0_.size()),
      max_buffered_(std::max<std::size_t>(
          1, static_cast<std::size_t>(machine.constant.buffer / machine.constant.line))) {
  const auto level = [&](Level& l, double bytes) {
    l.most = std::max<std::size_t>(1, static_cast<std::size_t>(bytes / machine.fetch.line));
    l.ready.assign(lines, -1);
  };
  for (Level& l : l0_) level(l, machine.fetch.l0);
  level(l1_, machine.fetch.l1);
  if (cold) return;
  for (std::uint32_t line = 0; line < lines; ++line) {
    l1_.put(line, 0);
    for (Level& l : l0_) l.put(line, 0);
  }
}

double Fetch::from_sm(std::uint32_t line, double now, const machine::Machine& machine) {
  if (l1_.ready[line] < 0) {
    const auto end = static_cast<std::uint32_t>(std::min<std::size_t>(
        l1_.ready.size(), line + static_cast<std::size_t>(machine.fetch.l1_ahead)));
    for (std::uint32_t k = line; k < end; ++k) {
      if (l1_.ready[k] >= 0) continue;
      l1_.bring(k, now, machine.fetch.l2_gap, machine.fetch.l2_latency);
    }
  }
  return std::max(now, l1_.ready[line]);
}

double Fetch::instruction(unsigned scheduler, std::uint32_t line, double now,
                          const machine::Machine& machine) {
  Level& l0 = l0_[scheduler];
  const auto end = static_cast<std::uint32_t>(std::min<std::size_t>(
      l0.ready.size(), line + 1 + static_cast<std::size_t>(machine.fetch.l0_ahead)));
  for (std::uint32_t k = line; k < end; ++k) {
    if (l0.ready[k] >= 0) continue;
    l0.bring(k, from_sm(k, now, machine), machine.fetch.l1_gap, machine.fetch.l1_latency);
  }
  return std::max(now, l0.ready[line]);
}

// Replaces lines first in, first out.
void Fetch::hold_constant(std::uint32_t line) {
  held_constants_.push_back(line);
  if (held_constants_.size() <= max_constants_) return;
  constants_[held_constants_.front()].held = false;
  held_constants_.pop_front();
}

double Fetch::constant(std::uint32_t line, double now, const machine::Machine& machine) {
  const auto [at, first] = constants_.try_emplace(line);
  ConstantLine& there = at->second;
  if (!first && there.held) return std::max(now, there.ready);
  if (!first) {
    there.ready = now + machine.constant.miss_latency;
  } else if (cold_) {
    there.ready = now + machine.constant.cold_latency;
  } else if (fresh_from_ && line >= *fresh_from_ && line < kBankBytes / machine.constant.line) {
    there.ready = now + machine.l2.latency;
  }
  there.held = true;
  hold_constant(line);
  return std::max(now, there.ready);
}

double Fetch::indexed_constant(unsigned scheduler, std::uint32_t line, double now,
                               const machine::Machine& machine) {
  std::vector<Buffered>& buffer = buffers_[scheduler];
  const auto found = std::ranges::find(buffer, line, &Buffered::line);
  if (found != buffer.end()) {
    std::rotate(found, found + 1, buffer.end());
    return std::max(now, buffer.back().ready);
  }
  const double begin = std::max(now, buffers_free_);
  buffers_free_ = begin + machine.constant.buffer_gap;
  if (buffer.size() == max_buffered_) buffer.erase(buffer.begin());
  buffer.push_back({line, constant(line, begin, machine) + machine.constant.buffer_gap});
  return buffer.back().ready;
}

}  // namespace burin::timing
