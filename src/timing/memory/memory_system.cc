#include "timing/memory/memory_system.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace burin {

namespace {

constexpr std::uint32_t kSparseLines = 4;  // a request to so many lines goes here and there
constexpr double kHeld = 400;              // cycles of stores on their way to the L2 cache
constexpr double kLeaving = 16;            // … of which so many wait in the SM itself
constexpr double kLately = 1500;           // cycles over which DRAM's load is taken
constexpr double kForget = 0.98;           // of reads and writes, per request
constexpr double kMostLoad = 0.93;         // where its latency is taken to grow no more
constexpr double kDrift = 0.1;             // of a launch's time so far: SMs are so far apart,
constexpr double kMostApart = 1000;        // … or so many cycles, as far as bursts even out

// Bytes that a store writes of each of its sectors, on average. Bytes in a row fill all but the
// first and the last; those are taken to be filled by who writes what is beside them.
unsigned written_of(const BlockTrace& trace, const Request& request) {
  if (!request.partial) return kSectorBytes;
  unsigned sectors = 0;
  for (const LineUse& use : trace.lines_of(request)) sectors += count_sectors(use.sectors());
  const unsigned bytes = unsigned{request.lanes} * request.bytes;
  if (sectors > 2 && bytes > (sectors - 2) * kSectorBytes) return kSectorBytes;
  return std::clamp((bytes + sectors / 2) / std::max(1u, sectors), 1u, kSectorBytes);
}

// L1 looks lines up in four banks, of each one line a cycle. The bank's number has two bits, each
// the parity of some bits of the line's: so loads of 2 to 32 lines in rows that are 32 to 32768
// bytes apart take an H200, to the cycle, as long as the fullest of the banks needs.
constexpr std::uint64_t kTagBits[] = {0xf6f, 0x15da};
constexpr unsigned kTagBanks = 4;

unsigned tag_bank(std::uint64_t line) {
  const auto odd = [&](std::uint64_t bits) { return std::popcount(line & bits) & 1u; };
  return static_cast<unsigned>(odd(kTagBits[0]) | odd(kTagBits[1]) << 1);
}

unsigned tag_passes(std::span<const LineUse> lines) {
  std::array<unsigned, kTagBanks> in{};
  for (const LineUse& use : lines) ++in[tag_bank(use.line())];
  return *std::max_element(in.begin(), in.end());
}

// Takes so many cycles of a queue that all SMs share: when they begin. The emulated SM's bursts are
// its own, as real SMs drift `apart`: those cycles in which it asked for nothing, others have used
// the queue for what they would ask for now.
double take(double& free, double now, double cycles, double apart) {
  const double begin = std::max(free, now - apart);
  free = begin + cycles;
  return std::max(now, begin);
}

// By how much DRAM's latency differs for this line, as a share of it: exponentially distributed
// with mean 0, alike for all lines of a row. So a request waits for the slowest of its rows: on an
// H200 loads of 1 to 32 lines far apart take, within 20 cycles, 667 + 133 · (1/2 + … + 1/lines).
double chance(std::uint64_t line) {
  constexpr double kSpread = 0.2;
  constexpr std::uint64_t kRowLines = 8;
  const double any = static_cast<double>(scatter(line / kRowLines) >> 11) * 0x1p-53;
  return -kSpread * (std::log1p(-any) + 1);
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
      l1_(static_cast<std::uint64_t>(std::max(0.0, machine_->l1.size - options.shared_bytes)) /
              kLineBytes,
          static_cast<unsigned>(machine_->l1.ways)),
      stores_(static_cast<std::size_t>(machine_->l1.gathers), machine_->l1.gathering),
      l2_contents_(*machine_, strides, std::move(options.l2)),
      by_instruction_(strides.of.size()),
      in_flight_(std::max<std::size_t>(1, static_cast<std::size_t>(machine_->l1.misses))),
      slices_(*machine_, strides) {}

std::vector<MemorySystem::InstructionTraffic> MemorySystem::take_by_instruction() {
  return std::exchange(by_instruction_, std::vector<InstructionTraffic>(by_instruction_.size()));
}

void MemorySystem::take_busy(std::array<double, kResources>& to) {
  for (std::size_t r = 0; r < kResources; ++r) to[r] += std::exchange(busy_[r], 0.0);
}

void MemorySystem::restart(FoundLines* record, const FoundLines* given, bool in_step) {
  record_ = record;
  given_ = given;
  in_step_ = in_step;
  if (record != nullptr) record->dram_latency = machines_.whole().dram.latency;
  l1_.clear();
  stores_.clear();
  lsu_free_ = l2_free_ = dram_free_ = fill_free_ = drain_free_ = tma_free_ = 0;
  constant_free_ = remote_free_ = load_ = load_time_ = 0;
  std::fill(in_flight_.begin(), in_flight_.end(), 0.0);
  slices_.restart();
  l2_contents_.forget_times();
}

void MemorySystem::fill_l2(std::uint64_t address, std::uint64_t bytes) {
  l2_contents_.fill(address, bytes);
}

L2Request MemorySystem::asked(std::uint32_t instruction, std::uint64_t line, unsigned sectors,
                              bool write) const {
  return {.instruction = instruction,
          .line = line,
          .sectors = sectors,
          .write = write,
          .bytes = written_,
          .sparse = sparse_,
          .now = now_,
          .arrives = std::max(now_, dram_free_) + machine_->dram.latency};
}

Found MemorySystem::find(const L2Request& request, const Asker& asker, std::uint32_t position) {
  if (given_ != nullptr) {
    const FoundLine f = given_->get(asker.job, position);
    // A line under way comes as much later as DRAM is slower.
    const double slower = machine_->dram.latency / given_->dram_latency;
    return {.missed = f.missed,
            .missing = f.missing,
            .scattered = f.scattered,
            .written = f.written,
            .partial = f.partial,
            .across = f.across,
            .own_miss = f.own_miss,
            .own_far = f.own_far,
            .pending = f.pending > 0 ? now_ + f.pending * slower : 0};
  }
  const Found found = l2_contents_.find(request, asker);
  if (record_ != nullptr) {
    record_->put(asker.job, position,
                 {.missed = static_cast<float>(found.missed),
                  .missing = static_cast<float>(found.missing),
                  .scattered = static_cast<float>(found.scattered),
                  .written = static_cast<float>(found.written),
                  .partial = static_cast<float>(found.partial),
                  .across = static_cast<float>(found.across),
                  .pending = static_cast<float>(std::max(0.0, found.pending - now_)),
                  .own_miss = found.own_miss,
                  .own_far = found.own_far});
  }
  return found;
}

double MemorySystem::apart(double now) const {
  return in_step_ ? std::min(kMostApart, kDrift * now) : kMostApart;
}

double MemorySystem::mix() const {
  const double all = lately_read_ + lately_written_;
  return all > 0 ? 2 * std::min(lately_read_, lately_written_) / all : 0;
}

// It grows with the load: reads alone hardly wait until DRAM is full, among writes they wait for
// its direction to change.
double MemorySystem::dram_latency() const {
  const double load = std::min(load_, kMostLoad);
  const double waits = mix() + (1 - mix()) * load;
  return machine_->dram.latency + 2 * machine_->dram.loaded * load * waits;
}

double MemorySystem::dram(double now, const Found& found, double weight) {
  const double read = found.missing * kSectorBytes;
  const double written = found.written * kSectorBytes;
  if (read + written <= 0) return now;
  const double scattered = found.scattered * kSectorBytes;
  lately_read_ = lately_read_ * kForget + read;
  lately_written_ = lately_written_ * kForget + written;
  // A single sector takes DRAM as long as two in a row, to read and to write.
  const double single = found.partial * kSectorBytes;
  const double cycles = ((read - scattered) / machine_->dram.bandwidth +
                         (scattered + 3 * single) / machine_->dram.scattered +
                         (written - single) / machine_->dram.write_bandwidth) *
                        (1 + mix() * machine_->dram.turnaround);
  const double begin = take(dram_free_, now, cycles, apart(now));
  load_ = load_ * std::exp(std::min(0.0, load_time_ - begin) / kLately) + cycles / kLately;
  load_time_ = std::max(load_time_, begin);
  busy(Resource::kDram) += weight * cycles;
  // What is skipped is looked for in the L2 cache as well, and counted; where it is not, this
  // stands for it.
  const double times = given_ != nullptr ? weight : 1;
  traffic_.dram_read += times * read;
  traffic_.dram_write += times * written;
  return begin + 0.5 * cycles;
}

double MemorySystem::l2(double now, std::uint32_t instruction, std::uint64_t line, unsigned sectors,
                        Use use, const Asker& asker, std::uint32_t position, double weight,
                        unsigned fresh) {
  now_ = now;
  const bool write = use == Use::kWrite;
  const double all = static_cast<double>(asker.others.size() + 1);
  L2Request request = asked(instruction, line, sectors, write);
  request.atomic = use == Use::kReduce || use == Use::kAtomic;
  const Found found = find(request, asker, position);
  sectors &= fresh;
  const double bytes = all * count_sectors(sectors) * kSectorBytes;
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
    case Use::kReduce:  // access() has the time of a slice that has much to do
      taken = held_;
      break;
    case Use::kAtomic:
      taken = std::max(all * count_sectors(sectors) / machine_->l2.atomic_requests, held_);
  }
  if (use == Use::kRead && asker.pair != nullptr) {
    const Strides& s = strides_.of[instruction];
    if (s.kind == Strides::Kind::kSame ||
        (s.kind == Strides::Kind::kAffine && s.shift(*asker.pair) == s.shift(asker.own))) {
      taken /= machine_->l2.sharing;
    }
  }
  double own = take(l2_free_, now, taken, apart(now)) + 0.5 * taken;
  busy(Resource::kL2) += weight * taken;
  const double from = dram(own, found, weight);
  const double sum = count_sectors(sectors);
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
    // Boxes were not seen to wait for the slowest of their many rows.
    latency = dram_latency() + (use == Use::kBulkRead ? 0 : chance(line) * machine_->dram.latency);
  } else if (found.own_far) {
    latency += machine_->l2.far_latency;
  }
  return std::max(own + latency, found.pending);
}

std::uint64_t MemorySystem::own_line(const LineUse& use, std::uint32_t instruction,
                                     const Request& request, const Asker& asker) const {
  if (request.kind == Request::Kind::kLocal) return asker.local_base + use.line();
  if (use.line() >= kUnknownLines) return use.line() + scatter(salt_) % (1u << 24);
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

double MemorySystem::remote_arrival(double now, std::uint32_t instruction, double weight) {
  machine_ = &machines_.of(instruction);
  remote_free_ = std::max(now, remote_free_) + machine_->cluster.sector_gap;
  busy(Resource::kShared) += weight * machine_->cluster.sector_gap;
  return remote_free_;
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
  const double tags = tag_passes(trace.lines_of(request)) * kTagBanks / machine_->l1.tags;
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
  written_ = written_of(trace, request);

  double at = begin;
  std::uint32_t position = request.first_line;
  for (const LineUse& use : trace.lines_of(request)) {
    const std::uint32_t here = position++;
    const std::uint64_t line = own_line(use, instruction, request, asker);
    unsigned wanted = use.sectors();
    const double sectors = count_sectors(wanted);
    traffic_.l1_sectors += weight * sectors;
    by.sectors += weight * sectors;
    if (!writes) {
      Leaving ignored;
      CacheLine& held = l1_.touch(line, ignored);
      held.passing = false;
      const unsigned hit = request.strong ? 0 : wanted & held.valid;
      traffic_.l1_hits += weight * count_sectors(hit);
      by.l1_hits += weight * count_sectors(hit);
      if (hit != 0) answer.done = std::max(answer.done, static_cast<double>(held.ready));
      wanted &= ~hit;
      if (wanted == 0) continue;
      for (unsigned k = 0; k < count_sectors(wanted); ++k) {
        at = std::max(at, in_flight_[(next_in_flight_ + k) % in_flight_.size()]);
      }
      at = std::max(at, fill_free_);
      fill_free_ = at + count_sectors(wanted) * kSectorBytes / machine_->l1.fill;
      const double ready = l2(at, instruction, line, wanted, Use::kRead, asker, here, weight);
      for (unsigned k = 0; k < count_sectors(wanted); ++k) {
        in_flight_[next_in_flight_++ % in_flight_.size()] = ready;
      }
      held.valid = static_cast<std::uint8_t>(held.valid | wanted);
      held.ready = static_cast<float>(ready);
      // What comes from beyond passes L1 as hits do.
      answer.done = std::max(answer.done, ready + cycles - machine_->lsu.gap);
      continue;
    }
    if (!request.atomic) {
      // What is written stays, and goes on to the L2 cache all the same.
      Leaving ignored;
      CacheLine& held = l1_.touch(line, ignored);
      const double hits = count_sectors(wanted & held.valid);
      traffic_.l1_hits += weight * hits;
      by.l1_hits += weight * hits;
      held.valid = static_cast<std::uint8_t>(held.valid | wanted);
    }
    const unsigned fresh = request.atomic ? wanted : stores_.join(&asker, line, wanted, at);
    if (fresh != 0) at = std::max(at, drain_free_);
    // Stores leave by lines, however little of each is written, at the SM's share of what the L2
    // cache takes of all.
    const double all = static_cast<double>(asker.others.size() + 1);
    const double line_gap = request.atomic ? 0 : all / machine_->l2.write_requests;
    if (fresh != 0) {
      drain_free_ =
          at + std::max(line_gap, count_sectors(fresh) * kSectorBytes / machine_->l1.drain);
    }
    if (request.atomic) {
      const AtomicSlices::Turn turn =
          slices_.take(at, {instruction, line, request, asker}, *machine_);
      const double there = turn.begin;
      held_ = turn.cycles;
      const double ready = l2(there, instruction, line, wanted,
                              request.returns ? Use::kAtomic : Use::kReduce, asker, here, weight);
      if (given_ == nullptr) {
        const Found left = l2_contents_.find(asked(instruction, line, wanted, true), asker);
        traffic_.dram_write += left.written * kSectorBytes;
      }
      answer.done =
          std::max(answer.done, ready + machine_->l2.atomic_latency - machine_->l2.latency);
      // Requests wait for their slice; the SM holds a few.
      at = std::max(at, there - kHeld);
    } else {
      answer.done = std::max(
          answer.done, l2(at, instruction, line, wanted, Use::kWrite, asker, here, weight, fresh));
    }
    // What the L2 cache has not taken keeps what follows.
    at = std::max(at, l2_free_ - kHeld);
  }
  answer.sent = std::max(answer.sent, at);
  // The stage stands still while what it sends cannot leave.
  lsu_free_ = std::max(lsu_free_, writes && !request.atomic ? at - kLeaving : at);
  return answer;
}

MemorySystem::Answer MemorySystem::bulk(double now, std::uint32_t instruction,
                                        const BlockTrace& trace, const Request& request,
                                        const Asker& asker, double weight) {
  machine_ = &machines_.of(instruction);
  sparse_ = false;
  written_ = kSectorBytes;
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
    at += count_sectors(use.sectors()) * kSectorBytes / machine_->bulk.tma_bandwidth;
  }
  tma_free_ = std::max(at, begin + machine_->bulk.tma_gap);
  return answer;
}

void MemorySystem::skip(std::uint32_t instruction, const BlockTrace& trace, const Request& request,
                        const Asker& asker) {
  if (request.lines == 0) return;
  const bool writes = request.store && request.kind != Request::Kind::kCopy;
  written_ = written_of(trace, request);
  for (const LineUse& use : trace.lines_of(request)) {
    const std::uint64_t line = own_line(use, instruction, request, asker);
    unsigned wanted = use.sectors();
    if (!writes && request.kind != Request::Kind::kBulk) {
      Leaving ignored;
      CacheLine& held = l1_.touch(line, ignored);
      if (held.valid == 0) held.passing = true;
      if (!request.strong) wanted &= ~static_cast<unsigned>(held.valid);
      held.valid = static_cast<std::uint8_t>(held.valid | use.sectors());
    }
    if (wanted == 0 || given_ != nullptr) continue;
    const Found found = l2_contents_.find(asked(instruction, line, wanted, writes), asker);
    traffic_.dram_read += found.missing * kSectorBytes;
    traffic_.dram_write += found.written * kSectorBytes;
  }
}

void MemorySystem::let_pass(std::uint32_t instruction, const BlockTrace& trace,
                            const Request& request, const Asker& asker, bool stays) {
  if (request.store || request.kind == Request::Kind::kBulk) return;
  for (const LineUse& use : trace.lines_of(request)) {
    CacheLine* line = l1_.find(own_line(use, instruction, request, asker));
    if (line == nullptr || (!stays && !line->passing)) continue;
    line->passing = false;
    line->valid = stays ? static_cast<std::uint8_t>(line->valid | use.sectors()) : 0;
  }
}

}  // namespace burin
