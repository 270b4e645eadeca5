#include "emulate/timing/memory_system.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace burin {

namespace {

constexpr unsigned kSectorBytes = 32;
constexpr std::uint64_t kSliceLines = 4;  // neighbours that one slice has
constexpr double kChance = 2;  // standard deviations by which the fullest of many is above the mean
constexpr std::uint32_t kSparseLines = 4;  // a request to so many lines goes here and there
constexpr double kHeld = 400;              // cycles of stores on their way to the L2 cache
constexpr double kLately = 1500;           // cycles over which DRAM's load is taken
constexpr double kForget = 0.98;           // of reads and writes, per request
constexpr double kMostLoad = 0.93;         // where its latency is taken to grow no more
constexpr std::uint64_t kAnywhere = std::uint64_t{1} << 52;  // lines of Unknown addresses lie here

unsigned count(unsigned sectors) {
  return static_cast<unsigned>(std::popcount(sectors));
}

// Halves of a line, 64 bytes, that have one of the sectors.
unsigned halves(unsigned sectors) {
  return ((sectors & 3) != 0 ? 1u : 0u) + ((sectors & 12) != 0 ? 1u : 0u);
}

// The sectors that are read from DRAM when these miss.
unsigned fetched(unsigned sectors, const Machine& machine) {
  if (machine.l2.fetch >= kLineBytes) return 0xf;
  if (machine.l2.fetch <= kSectorBytes) return sectors;
  return ((sectors & 3) != 0 ? 3u : 0u) | ((sectors & 12) != 0 ? 12u : 0u);
}

// Cycles more until wide results are written: the path back is 64 bytes wide.
double wide(unsigned bytes) {
  return bytes >= 16 ? 6 : bytes == 8 ? 2 : 0;
}

}  // namespace

MemorySystem::MemorySystem(const MachineOf& machines, const StrideTable& strides,
                           MemoryOptions options)
    : machines_(machines),
      machine_(&machines.whole()),
      strides_(strides),
      options_(std::move(options)),
      l1_(static_cast<std::uint64_t>(std::max(0.0, machine_->l1.size - options_.shared_bytes)) /
              kLineBytes,
          static_cast<unsigned>(machine_->l1.ways)),
      l2_(static_cast<std::size_t>(machine_->l2.partitions),
          Cache(options_.known
                    ? 1
                    : static_cast<std::uint64_t>(machine_->l2.size / machine_->l2.partitions) /
                          kLineBytes / options_.sample,
                static_cast<unsigned>(machine_->l2.ways))),
      by_instruction_(strides.of.size()),
      miss_rate_(strides.of.size()),
      in_flight_(std::max<std::size_t>(1, static_cast<std::size_t>(machine_->l1.misses))),
      slice_passes_(std::max<std::size_t>(1, static_cast<std::size_t>(machine_->l2.slices))) {}

std::vector<MemorySystem::InstructionTraffic> MemorySystem::take_by_instruction() {
  return std::exchange(by_instruction_, std::vector<InstructionTraffic>(by_instruction_.size()));
}

void MemorySystem::take_busy(std::array<double, kResources>& to) {
  for (std::size_t r = 0; r < kResources; ++r) to[r] += std::exchange(busy_[r], 0.0);
}

void MemorySystem::restart(FoundLines* record, const FoundLines* given) {
  record_ = record;
  given_ = given;
  if (record != nullptr) record->dram_latency = machines_.whole().dram.latency;
  l1_.clear();
  lsu_free_ = l2_free_ = dram_free_ = fill_free_ = drain_free_ = tma_free_ = atomic_free_ = 0;
  constant_free_ = remote_free_ = load_ = load_time_ = 0;
  std::fill(in_flight_.begin(), in_flight_.end(), 0.0);
  std::fill(slice_passes_.begin(), slice_passes_.end(), 0.0);
  all_passes_ = most_passes_ = 0;
  for (Cache& part : l2_) part.forget_times();
}

void MemorySystem::fill_l2(std::uint64_t address, std::uint64_t bytes) {
  Found ignored;
  for (std::uint64_t line = address / kLineBytes; line * kLineBytes < address + bytes; ++line) {
    for (unsigned side = 0; side < l2_.size(); ++side) look(side, line, 0xf, false, ignored, false);
  }
}

unsigned MemorySystem::home(std::uint64_t line) const {
  return l2_.size() > 1 ? static_cast<unsigned>(scatter(line) >> 20 & 1) : 0;
}

// What is written goes to the partition that the memory belongs to; whole sectors are not read.
void MemorySystem::write(unsigned side, std::uint64_t line, unsigned sectors, Found& found) {
  const unsigned to = home(line);
  std::uint8_t evicted = 0;
  CacheLine& l = l2_[to].touch(line, evicted);
  found.written += count(evicted) * options_.sample;
  l.valid = static_cast<std::uint8_t>(l.valid | sectors);
  l.dirty = static_cast<std::uint8_t>(l.dirty | sectors);
  if (to == side) return;
  if (CacheLine* copy = l2_[side].find(line)) {
    copy->valid = static_cast<std::uint8_t>(copy->valid | sectors);
  }
}

void MemorySystem::look(unsigned side, std::uint64_t line, unsigned sectors, bool write,
                        Found& found, bool own) {
  if ((scatter(line) & (options_.sample - 1)) != 0) return;
  if (write) return this->write(side, line, sectors, found);
  std::uint8_t evicted = 0;
  CacheLine& l = l2_[side].touch(line, evicted);
  found.written += count(evicted) * options_.sample;
  const unsigned missing = fetched(sectors, *machine_) & ~static_cast<unsigned>(l.valid);
  found.missed += count(sectors & missing) * options_.sample;
  if ((sectors & missing) == 0) {
    if (own && l.ready > now_) found.pending = l.ready;
    return;
  }
  l.valid = static_cast<std::uint8_t>(l.valid | missing);
  unsigned from_dram = missing;
  const unsigned memory = home(line);
  float ready = 0;
  if (memory != side) {
    CacheLine& there = l2_[memory].touch(line, evicted);
    found.written += count(evicted) * options_.sample;
    found.across += halves(missing) * options_.sample;
    from_dram &= ~static_cast<unsigned>(there.valid);
    there.valid = static_cast<std::uint8_t>(there.valid | missing);
    ready = there.ready;
    if (from_dram != 0) {
      there.ready = static_cast<float>(std::max(now_, dram_free_) + machine_->dram.latency);
    }
  }
  if (from_dram != 0) {
    found.missing += count(from_dram) * options_.sample;
    if (sparse_ && halves(from_dram) == 1) found.scattered += count(from_dram) * options_.sample;
    ready = static_cast<float>(std::max(now_, dram_free_) + machine_->dram.latency);
  }
  l.ready = ready;
  if (!own) return;
  found.own_miss = from_dram != 0;
  found.own_far = memory != side;
  if (!found.own_miss && ready > now_) found.pending = ready;
}

// The same of sectors that have moved by bytes that need not be whole lines.
void MemorySystem::look_moved(unsigned side, std::uint64_t address, unsigned sectors, bool write,
                              Found& found) {
  const std::uint64_t line = address / kLineBytes;
  const auto by = static_cast<unsigned>(address % kLineBytes / kSectorBytes);
  if (by == 0) return look(side, line, sectors, write, found, false);
  if (const unsigned low = sectors << by & 0xf; low != 0) {
    look(side, line, low, write, found, false);
  }
  if (const unsigned high = sectors >> (4 - by); high != 0) {
    look(side, line + 1, high, write, found, false);
  }
}

MemorySystem::Found MemorySystem::find(std::uint32_t instruction, std::uint64_t line,
                                       unsigned sectors, bool write, const Asker& asker,
                                       std::uint32_t position) {
  if (given_ != nullptr) {
    const FoundLine f = given_->get(asker.job, position);
    // A line under way comes as much later as DRAM is slower.
    const double slower = machine_->dram.latency / given_->dram_latency;
    return {.missed = f.missed,
            .missing = f.missing,
            .scattered = f.scattered,
            .written = f.written,
            .across = f.across,
            .own_miss = f.own_miss,
            .own_far = f.own_far,
            .pending = f.pending > 0 ? now_ + f.pending * slower : 0};
  }
  const Found found = contents(instruction, line, sectors, write, asker);
  if (record_ != nullptr) {
    record_->put(asker.job, position,
                 {.missed = static_cast<float>(found.missed),
                  .missing = static_cast<float>(found.missing),
                  .scattered = static_cast<float>(found.scattered),
                  .written = static_cast<float>(found.written),
                  .across = static_cast<float>(found.across),
                  .pending = static_cast<float>(std::max(0.0, found.pending - now_)),
                  .own_miss = found.own_miss,
                  .own_far = found.own_far});
  }
  return found;
}

MemorySystem::Found MemorySystem::contents(std::uint32_t instruction, std::uint64_t line,
                                           unsigned sectors, bool write, const Asker& asker) {
  Found found;
  const double all = static_cast<double>(asker.others.size() + 1);
  double given = options_.l2_hit;
  if (!options_.l2_hit_of.empty() && options_.l2_hit_of[instruction] >= 0) {
    given = static_cast<double>(options_.l2_hit_of[instruction]);
  }
  MissRate& rate = miss_rate_[instruction];
  if (given >= 0) {
    if (write) return found;
    rate.debt += 1 - given;
    found.own_miss = rate.debt >= 1;
    if (found.own_miss) rate.debt -= 1;
    found.missing = found.missed = all * count(sectors) * (1 - given);
    return found;
  }
  const Strides& s = strides_.of[instruction];
  const bool sampled = (scatter(line) & (options_.sample - 1)) == 0;
  look(0, line, sectors, write, found, true);
  if (s.kind == Strides::Kind::kAffine || s.kind == Strides::Kind::kUnseen) {
    unsigned side = 0;
    for (const BlockStep& step : asker.others) {
      side = side + 1 < l2_.size() ? side + 1 : 0;
      const std::int64_t shift = s.shift(step) - s.shift(asker.own);
      look_moved(side, line * kLineBytes + static_cast<std::uint64_t>(shift), sectors, write,
                 found);
    }
  } else if (s.kind == Strides::Kind::kIrregular) {
    const std::uint64_t low = s.low / kLineBytes;
    const std::uint64_t extent = std::max<std::uint64_t>(1, (s.high - s.low) / kLineBytes);
    for (std::size_t k = 0; k < asker.others.size(); ++k) {
      const std::uint64_t by = scatter(++salt_ * 0x2545f4914f6cdd1du) % extent;
      look(static_cast<unsigned>(k + 1) % static_cast<unsigned>(l2_.size()),
           low + (line - low + by) % extent, sectors, write, found, false);
    }
  }
  if (s.kind == Strides::Kind::kSame && l2_.size() > 1) {
    look(1, line, sectors, write, found, false);
  }
  if (!write) {
    const double among = s.kind == Strides::Kind::kSame ? 1 : all;
    rate.sectors = rate.sectors * 0.999 + among * count(sectors);
    rate.misses = rate.misses * 0.999 + found.missing;
  }
  if (!sampled && !write) {
    // By what the sample shows of this instruction, spread evenly.
    rate.debt += rate.sectors > 0 ? rate.misses / rate.sectors : 1;
    found.own_miss = rate.debt >= 1;
    if (found.own_miss) rate.debt -= 1;
  }
  return found;
}

// The latency of DRAM grows with its load.
double MemorySystem::dram(double now, const Found& found, double weight) {
  const double read = found.missing * kSectorBytes;
  const double written = found.written * kSectorBytes;
  if (read + written <= 0) return now;
  const double scattered = found.scattered * kSectorBytes;
  lately_read_ = lately_read_ * kForget + read;
  lately_written_ = lately_written_ * kForget + written;
  const double mix = 2 * std::min(lately_read_, lately_written_) / (lately_read_ + lately_written_);
  const double cycles =
      ((read - scattered) / machine_->dram.bandwidth + scattered / machine_->dram.scattered +
       written / machine_->dram.write_bandwidth) *
      (1 + mix * machine_->dram.turnaround);
  const double begin = std::max(now, dram_free_);
  dram_free_ = begin + cycles;
  load_ = load_ * std::exp(std::min(0.0, load_time_ - begin) / kLately) + cycles / kLately;
  load_time_ = std::max(load_time_, begin);
  busy(Resource::kDram) += weight * cycles;
  traffic_.dram_read += weight * read;
  traffic_.dram_write += weight * written;
  return begin + 0.5 * cycles;
}

double MemorySystem::l2(double now, std::uint32_t instruction, std::uint64_t line, unsigned sectors,
                        Use use, const Asker& asker, std::uint32_t position, double weight) {
  now_ = now;
  const bool write = use == Use::kWrite;
  const double all = static_cast<double>(asker.others.size() + 1);
  const double bytes = all * count(sectors) * kSectorBytes;
  const Found found = find(instruction, line, sectors, write, asker, position);
  double taken = 0;
  switch (use) {
    case Use::kRead:
      taken = std::max(bytes / machine_->l2.bandwidth,
                       (all * halves(sectors) + found.across) / machine_->l2.requests);
      break;
    case Use::kBulkRead:
      // Whole boxes come faster than what warps ask for: all SMs were seen to get theirs at once.
      taken = bytes / (machine_->bulk.tma_bandwidth * machine_->sm.count);
      break;
    case Use::kWrite:
      taken = std::max(bytes / machine_->l2.write_bandwidth,
                       all * halves(sectors) / machine_->l2.write_requests);
      break;
    case Use::kReduce:  // access() has the slices' time
      break;
    case Use::kAtomic:
      taken = all * count(sectors) / machine_->l2.atomic_requests;
  }
  if (use == Use::kRead && asker.pair != nullptr) {
    const Strides& s = strides_.of[instruction];
    if (s.kind == Strides::Kind::kSame ||
        (s.kind == Strides::Kind::kAffine && s.shift(*asker.pair) == s.shift(asker.own))) {
      taken /= machine_->l2.sharing;
    }
  }
  const double begin = std::max(now, l2_free_);
  double own = begin + 0.5 * taken;
  l2_free_ = begin + taken;
  busy(Resource::kL2) += weight * taken;
  const double from = dram(own, found, weight);
  const double sum = count(sectors);
  InstructionTraffic& by = by_instruction_[instruction];
  traffic_.l2_sectors += weight * sum;
  traffic_.all_l2_sectors += weight * all * sum;
  if (write) traffic_.all_l2_written += weight * all * sum;
  traffic_.all_l2_hits += weight * std::max(0.0, all * sum - found.missed);
  by.l2_sectors += weight * sum;
  if (!found.own_miss) {
    traffic_.l2_hits += weight * sum;
    by.l2_hits += weight * sum;
  }
  double latency = machine_->l2.latency;
  if (found.own_miss) {
    own = from;
    const double load = std::min(load_, kMostLoad);
    latency = machine_->dram.latency + 2 * machine_->dram.loaded * load;
  } else if (found.own_far) {
    latency += machine_->l2.far_latency;
  }
  return std::max(own + latency, found.pending);
}

// How many slices of the L2 cache work at the same time on atomics: by how evenly those of this SM
// fall on them, the one that has the most decides. Blocks that go their own ways use all; where
// they go anywhere, this SM's places are no measure alone, and the extent of all counts too.
double MemorySystem::slices(std::uint64_t line, double passes, std::uint32_t instruction) {
  const Strides& s = strides_.of[instruction];
  if (s.kind == Strides::Kind::kAffine) return machine_->l2.slices;
  const std::uint64_t granule = line / kSliceLines;
  double& here = slice_passes_[(granule ^ granule >> 7) % slice_passes_.size()];
  here += passes;
  all_passes_ += passes;
  most_passes_ = std::max(most_passes_, here);
  // Less what chance alone may put there.
  const double most = most_passes_ - kChance * std::sqrt(most_passes_ * machine_->l2.atomic_gap);
  const auto limited = [&](double count) { return std::clamp(count, 1.0, machine_->l2.slices); };
  const double own = limited(all_passes_ / std::max(most, 1e-9));
  if (s.kind != Strides::Kind::kIrregular) return own;
  const double granules = static_cast<double>(s.high - s.low) / (kSliceLines * kLineBytes);
  return std::sqrt(own * limited(granules));
}

std::uint64_t MemorySystem::own_line(const LineUse& use, std::uint32_t instruction,
                                     const Request& request, const Asker& asker) const {
  if (request.kind == Request::Kind::kLocal) return asker.local_base + use.line();
  if (use.line() * kLineBytes >= kAnywhere) return use.line() + scatter(salt_) % (1u << 24);
  const std::int64_t shift = strides_.of[instruction].shift(asker.own);
  return use.line() + static_cast<std::uint64_t>(shift / static_cast<std::int64_t>(kLineBytes));
}

MemorySystem::Answer MemorySystem::shared(double now, std::uint32_t instruction, unsigned passes,
                                          double latency, double weight) {
  machine_ = &machines_.of(instruction);
  const double begin = std::max(now, lsu_free_);
  const double data = passes * kLineBytes / machine_->shared.bandwidth;
  const double cycles = std::max(machine_->lsu.gap, data);
  lsu_free_ = begin + cycles;
  busy(Resource::kLsu) += weight * machine_->lsu.gap;
  busy(Resource::kShared) += weight * data;
  return {begin, begin + machine_->lsu.release, begin + cycles,
          begin + latency + cycles - machine_->lsu.gap};
}

MemorySystem::Answer MemorySystem::remote_shared(double now, std::uint32_t instruction,
                                                 unsigned sectors, double weight) {
  const Answer sent = shared(now, instruction, 1, machines_.of(instruction).shared.latency, weight);
  const double begin = std::max(sent.taken, remote_free_);
  remote_free_ = begin + sectors * machine_->cluster.sector_gap;
  busy(Resource::kShared) += weight * sectors * machine_->cluster.sector_gap;
  return {begin, sent.operands, sent.sent,
          begin + machine_->bulk.cluster_latency + sectors * machine_->cluster.sector_gap};
}

MemorySystem::Answer MemorySystem::constant(double now, std::uint32_t instruction, unsigned words,
                                            double weight) {
  machine_ = &machines_.of(instruction);
  const ClassTiming& timing = machine_->of(TimingClass::kConstantLoad);
  const double begin = std::max(now, constant_free_);
  // A scheduler's gap is for one word; different ones come one by one.
  const double each = timing.gap / machine_->sm.schedulers;
  const double cycles = each * std::max(1u, words);
  constant_free_ = begin + cycles;
  busy(Resource::kConstant) += weight * cycles;
  return {begin, begin + machine_->lsu.release, begin + cycles,
          begin + timing.latency + cycles - each};
}

MemorySystem::Answer MemorySystem::access(double now, std::uint32_t instruction,
                                          const BlockTrace& trace, const Request& request,
                                          const Asker& asker, double weight) {
  machine_ = &machines_.of(instruction);
  const double begin = std::max(now, lsu_free_);
  const double tags = std::ceil(request.lines / machine_->l1.tags);
  const double data = request.wavefronts * kLineBytes / machine_->l1.bandwidth;
  const double cycles = std::max({machine_->lsu.gap, tags, data});
  lsu_free_ = begin + cycles;
  busy(Resource::kLsu) += weight * machine_->lsu.gap;
  busy(Resource::kL1) += weight * std::max(tags, data);
  const bool writes = request.store && request.kind != Request::Kind::kCopy;
  Answer answer{begin, begin + (writes ? machine_->lsu.release_store : machine_->lsu.release),
                begin + cycles,
                begin + machine_->l1.latency + cycles - machine_->lsu.gap + wide(request.bytes)};
  InstructionTraffic& by = by_instruction_[instruction];
  ++salt_;
  sparse_ = request.lines >= kSparseLines;

  double at = begin;
  std::uint32_t position = request.first_line;
  for (const LineUse& use : trace.lines_of(request)) {
    const std::uint32_t here = position++;
    const std::uint64_t line = own_line(use, instruction, request, asker);
    unsigned wanted = use.sectors();
    const double sectors = count(wanted);
    traffic_.l1_sectors += weight * sectors;
    by.sectors += weight * sectors;
    if (!writes) {
      std::uint8_t evicted = 0;
      CacheLine& held = l1_.touch(line, evicted);
      const unsigned hit = wanted & held.valid;
      traffic_.l1_hits += weight * count(hit);
      by.l1_hits += weight * count(hit);
      if (hit != 0) answer.done = std::max(answer.done, static_cast<double>(held.ready));
      wanted &= ~hit;
      if (wanted == 0) continue;
      for (unsigned k = 0; k < count(wanted); ++k) {
        at = std::max(at, in_flight_[(next_in_flight_ + k) % in_flight_.size()]);
      }
      at = std::max(at, fill_free_);
      fill_free_ = at + count(wanted) * kSectorBytes / machine_->l1.fill;
      const double ready = l2(at, instruction, line, wanted, Use::kRead, asker, here, weight);
      for (unsigned k = 0; k < count(wanted); ++k) {
        in_flight_[next_in_flight_++ % in_flight_.size()] = ready;
      }
      held.valid = static_cast<std::uint8_t>(held.valid | wanted);
      held.ready = static_cast<float>(ready);
      answer.done = std::max(answer.done, ready);
      continue;
    }
    if (!request.atomic) {
      // What is written stays, and goes on to the L2 cache all the same.
      std::uint8_t evicted = 0;
      CacheLine& held = l1_.touch(line, evicted);
      const double hits = count(wanted & held.valid);
      traffic_.l1_hits += weight * hits;
      by.l1_hits += weight * hits;
      held.valid = static_cast<std::uint8_t>(held.valid | wanted);
    }
    at = std::max(at, drain_free_);
    drain_free_ = at + count(wanted) * kSectorBytes / machine_->l1.drain;
    if (request.atomic) {
      const double all = static_cast<double>(asker.others.size() + 1);
      const double passes = request.collisions * machine_->l2.atomic_gap / request.lines;
      const double lanes = static_cast<double>(request.lanes) / request.lines;
      const double there = std::max(at, atomic_free_);
      atomic_free_ = there + all * std::max(passes / slices(line, passes, instruction),
                                            lanes / machine_->l2.atomic_bandwidth);
      const double ready = l2(there, instruction, line, wanted,
                              request.returns ? Use::kAtomic : Use::kReduce, asker, here, weight);
      if (given_ == nullptr) contents(instruction, line, wanted, true, asker);
      answer.done =
          std::max(answer.done, ready + machine_->l2.atomic_latency - machine_->l2.latency);
      // Requests wait for their slice; the SM holds a few.
      at = std::max(at, there - kHeld);
    } else {
      answer.done = std::max(answer.done,
                             l2(at, instruction, line, wanted, Use::kWrite, asker, here, weight));
    }
    // What the L2 cache has not taken keeps what follows.
    at = std::max(at, l2_free_ - kHeld);
  }
  answer.sent = std::max(answer.sent, at);
  // The stage stands still while what it sends cannot leave.
  lsu_free_ = std::max(lsu_free_, at);
  return answer;
}

MemorySystem::Answer MemorySystem::bulk(double now, std::uint32_t instruction,
                                        const BlockTrace& trace, const Request& request,
                                        const Asker& asker, double weight) {
  machine_ = &machines_.of(instruction);
  sparse_ = false;
  double at = std::max(now, tma_free_);
  const double begin = at;
  Answer answer{begin, begin + machine_->lsu.release, begin, begin + machine_->bulk.tma_latency};
  const double more = machine_->bulk.tma_latency - machine_->l2.latency;
  std::uint32_t position = request.first_line;
  for (const LineUse& use : trace.lines_of(request)) {
    const std::uint64_t line = own_line(use, instruction, request, asker);
    const double ready =
        l2(at, instruction, line, use.sectors(), request.store ? Use::kWrite : Use::kBulkRead,
           asker, position++, weight) +
        more;
    answer.done = std::max(answer.done, ready);
    at += count(use.sectors()) * kSectorBytes / machine_->bulk.tma_bandwidth;
  }
  tma_free_ = std::max(at, begin + machine_->bulk.tma_gap);
  return answer;
}

void MemorySystem::skip(std::uint32_t instruction, const BlockTrace& trace, const Request& request,
                        const Asker& asker) {
  if (request.lines == 0) return;
  const bool writes = request.store && request.kind != Request::Kind::kCopy;
  for (const LineUse& use : trace.lines_of(request)) {
    const std::uint64_t line = own_line(use, instruction, request, asker);
    unsigned wanted = use.sectors();
    if (!writes && request.kind != Request::Kind::kBulk) {
      std::uint8_t evicted = 0;
      CacheLine& held = l1_.touch(line, evicted);
      wanted &= ~static_cast<unsigned>(held.valid);
      held.valid = static_cast<std::uint8_t>(held.valid | use.sectors());
    }
    if (wanted != 0 && given_ == nullptr) contents(instruction, line, wanted, writes, asker);
  }
}

}  // namespace burin
