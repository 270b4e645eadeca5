#include "timing/memory/memory_system.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "emulate/values/lanes.h"

namespace burin::timing {

namespace {

constexpr std::uint32_t kMinSparseLines = 4;  // lines of a request that counts as scattered
constexpr unsigned kTagBanks = 4;             // selected by two hash bits
constexpr unsigned kNarrowBytes = 4;          // per lane, written back without an additional pass
constexpr unsigned kMaxWidth = 16;

// Bytes that a store writes of each of its sectors, on average. Contiguous bytes fill all sectors
// but the first and the last; those are assumed to be filled by the neighbouring stores.
unsigned written_of(const BlockTrace& trace, const Request& request) {
  if (!request.partial) return emulate::kSectorBytes;
  unsigned sectors = 0;
  for (const LineUse& use : trace.lines_of(request)) sectors += count_sectors(use.sectors());
  const unsigned bytes = unsigned{request.lanes} * request.bytes;
  if (sectors > 2 && bytes > (sectors - 2) * emulate::kSectorBytes) return emulate::kSectorBytes;
  return std::clamp((bytes + sectors / 2) / std::max(1u, sectors), 1u, emulate::kSectorBytes);
}

// L1 looks up one line a cycle in each of its tag banks. Each bit of the bank's number is the
// parity of some bits of the line's number: loads of 2 to 32 lines in rows that are 32 to 32768
// bytes apart take an H200, to the cycle, as long as the fullest bank needs.
// Returns the cycles that the busiest bank needs.
unsigned tag_passes(std::span<const LineUse> lines, const machine::Machine& machine) {
  const auto low = static_cast<std::uint64_t>(machine.l1.tag_hash_0);
  const auto high = static_cast<std::uint64_t>(machine.l1.tag_hash_1);
  const auto parity = [](std::uint64_t bits) {
    return static_cast<unsigned>(std::popcount(bits)) & 1u;
  };
  std::array<unsigned, kTagBanks> in{};
  for (const LineUse& use : lines) ++in[parity(use.line() & low) | parity(use.line() & high) << 1];
  return *std::max_element(in.begin(), in.end());
}

// Takes `cycles` of a queue that all SMs share and returns when they begin. Real SMs drift apart by
// `skew` cycles, so the replayed SM's bursts are its own: in the cycles in which it made no
// request, the other SMs have already used the queue for what they would request now.
double take(double& free, double now, double cycles, double skew) {
  const double begin = std::max(free, now - skew);
  free = begin + cycles;
  return std::max(now, begin);
}

// Deviation of the DRAM latency for this line, in cycles: exponentially distributed with mean 0,
// equal for all lines of a row. A request waits for the slowest of its rows: on an H200, loads of 1
// to 32 distant lines take 667 + 133 · (1/2 + … + 1/lines) cycles, within 20 cycles.
double row_latency(std::uint64_t line, const machine::Machine& machine) {
  const auto row_lines = static_cast<std::uint64_t>(machine.dram.row) / kLineBytes;
  const double uniform = static_cast<double>(scatter(line / row_lines) >> 11) * 0x1p-53;
  return -machine.dram.row_spread * (std::log1p(-uniform) + 1) * machine.dram.latency;
}

bool is_store(const Request& request) {
  return request.store && request.kind != Request::Kind::kCopy;
}

std::uint8_t with_sectors(std::uint8_t valid, unsigned sectors) {
  return static_cast<std::uint8_t>(valid | sectors);
}

}  // namespace

double writeback_cycles(unsigned bytes, const machine::Machine& machine) {
  const unsigned wide = std::clamp(bytes, kNarrowBytes, kMaxWidth) - kNarrowBytes;
  return emulate::kWarpLanes * wide / machine.lsu.writeback;
}

MemorySystem::MemorySystem(const MachineOf& machines, const StrideTable& strides,
                           MemoryOptions options)
    : machines_(machines),
      strides_(strides),
      unknown_lines_(std::max<std::uint64_t>(1, options.unknown_lines)),
      l1_(static_cast<std::uint64_t>(
              std::max(0.0, machines.whole().l1.size - options.shared_bytes)) /
              kLineBytes,
          static_cast<unsigned>(machines.whole().l1.ways)),
      stores_(static_cast<std::size_t>(machines.whole().l1.gathers), machines.whole().l1.gathering),
      l2_contents_(machines.whole(), strides, std::move(options.l2)),
      by_instruction_(strides.of.size()),
      in_flight_(std::max<std::size_t>(1, static_cast<std::size_t>(machines.whole().l1.misses))),
      slices_(machines.whole(), strides) {}

std::vector<MemorySystem::InstructionTraffic> MemorySystem::take_by_instruction() {
  return std::exchange(by_instruction_, std::vector<InstructionTraffic>(by_instruction_.size()));
}

void MemorySystem::take_busy(std::array<double, machine::kResources>& to) {
  for (std::size_t r = 0; r < machine::kResources; ++r) to[r] += std::exchange(busy_[r], 0.0);
}

void MemorySystem::restart(L2LookupLog* record, const L2LookupLog* given, bool in_step) {
  record_ = record;
  given_ = given;
  in_step_ = in_step;
  if (record != nullptr) record->dram_latency = machines_.whole().dram.latency;
  l1_.clear();
  stores_.clear();
  lsu_free_ = l2_free_ = dram_free_ = fill_free_ = drain_free_ = tma_free_ = 0;
  constant_free_ = remote_free_ = dram_load_ = dram_load_time_ = latest_l2_request_ = 0;
  std::fill(in_flight_.begin(), in_flight_.end(), 0.0);
  slices_.restart();
  l2_contents_.forget_times();
}

void MemorySystem::fill_l2(std::uint64_t address, std::uint64_t bytes) {
  l2_contents_.fill(address, bytes);
}

L2Request MemorySystem::make_request(const LineRequest& line, bool write, double now) const {
  return {.instruction = line.from().instruction,
          .line = line.line,
          .sectors = line.sectors,
          .write = write,
          .bytes = line.transfer.written,
          .sparse = line.from().request.lines >= kMinSparseLines &&
                    line.from().request.kind != Request::Kind::kBulk,
          .now = now,
          .arrives = std::max(now, dram_free_) + line.machine().dram.latency};
}

L2Lookup MemorySystem::look_up(const L2Request& request, const LineRequest& line) {
  const std::uint32_t job = line.from().requester.job;
  if (given_ != nullptr) {
    const LoggedLookup f = given_->get(job, line.position);
    // A line in flight is delayed by the difference in DRAM latency.
    const double slower = line.machine().dram.latency / given_->dram_latency;
    return {.missed = f.missed,
            .missing = f.missing,
            .scattered = f.scattered,
            .written = f.written,
            .partial = f.partial,
            .across = f.across,
            .own_miss = f.own_miss,
            .own_far = f.own_far,
            .pending = f.pending > 0 ? request.now + f.pending * slower : 0};
  }
  const L2Lookup lookup = l2_contents_.find(request, line.from().requester);
  if (record_ != nullptr) {
    record_->put(job, line.position,
                 {.missed = static_cast<float>(lookup.missed),
                  .missing = static_cast<float>(lookup.missing),
                  .scattered = static_cast<float>(lookup.scattered),
                  .written = static_cast<float>(lookup.written),
                  .partial = static_cast<float>(lookup.partial),
                  .across = static_cast<float>(lookup.across),
                  .pending = static_cast<float>(std::max(0.0, lookup.pending - request.now)),
                  .own_miss = lookup.own_miss,
                  .own_far = lookup.own_far});
  }
  return lookup;
}

double MemorySystem::sm_skew_cycles(double now) const {
  const auto& sm = machines_.whole().sm;
  return in_step_ ? std::min(sm.max_skew, sm.drift * now) : sm.max_skew;
}

double MemorySystem::read_write_mix() const {
  const double all = recently_read_ + recently_written_;
  return all > 0 ? 2 * std::min(recently_read_, recently_written_) / all : 0;
}

// Latency grows with the load. Reads alone hardly wait until DRAM is saturated; reads mixed with
// writes wait for bus turnarounds.
double MemorySystem::dram_latency(const machine::Machine& machine) const {
  const double load = std::min(dram_load_, machine.dram.max_load);
  const double waits = read_write_mix() + (1 - read_write_mix()) * load;
  return machine.dram.latency + 2 * machine.dram.loaded * load * waits;
}

double MemorySystem::dram(double now, const L2Lookup& lookup, const LineRequest& line) {
  const auto& timing = line.machine().dram;
  const double read = lookup.missing * emulate::kSectorBytes;
  const double written = lookup.written * emulate::kSectorBytes;
  if (read + written <= 0) return now;
  const double scattered = lookup.scattered * emulate::kSectorBytes;
  recently_read_ = recently_read_ * timing.mix_decay + read;
  recently_written_ = recently_written_ * timing.mix_decay + written;
  // A single sector takes as long as a whole burst, to read and to write.
  const double single = lookup.partial * emulate::kSectorBytes;
  const double padding = 2 * timing.burst / emulate::kSectorBytes - 1;
  const double cycles =
      ((read - scattered) / timing.bandwidth + (scattered + padding * single) / timing.scattered +
       (written - single) / timing.write_bandwidth) *
      (1 + read_write_mix() * timing.turnaround);
  const double begin = take(dram_free_, now, cycles, sm_skew_cycles(now));
  const double window = timing.load_window;
  dram_load_ =
      dram_load_ * std::exp(std::min(0.0, dram_load_time_ - begin) / window) + cycles / window;
  dram_load_time_ = std::max(dram_load_time_, begin);
  busy(machine::Resource::kDram) += line.weight() * cycles;
  // Skipped steps also look up the L2 contents, and their bytes are counted there. With a log they
  // do not, and this request represents them.
  const double times = given_ != nullptr ? line.weight() : 1;
  traffic_.dram_read += times * read;
  traffic_.dram_write += times * written;
  return begin + 0.5 * cycles;
}

// Cycles of the L2 cache for all SMs' versions of the line.
double MemorySystem::l2_cycles(const LineRequest& line, const L2Lookup& lookup, Use use) const {
  const machine::Machine& machine = line.machine();
  const double all = line.all_sms();
  const unsigned sectors = line.sectors & line.fresh;
  const double bytes = all * count_sectors(sectors) * emulate::kSectorBytes;
  double cycles = 0;
  switch (use) {
    case Use::kRead:
      cycles = std::max(bytes / machine.l2.bandwidth,
                        (all * halves(sectors) + lookup.across) / machine.l2.requests);
      break;
    case Use::kBulkRead:
      // Measured: bulk copies of all SMs run at full speed concurrently, unlike loads of warps.
      cycles = bytes / (machine.bulk.tma_bandwidth * machine.sm.count);
      break;
    case Use::kWrite:
      cycles = std::max(bytes / machine.l2.write_bandwidth,
                        all * halves(sectors) / machine.l2.write_requests);
      break;
    case Use::kReduce:  // atomic_line() has waited for the slice
      cycles = line.slice_cycles;
      break;
    case Use::kAtomic:
      cycles =
          std::max(all * count_sectors(sectors) / machine.l2.atomic_requests, line.slice_cycles);
  }
  const Requester& requester = line.from().requester;
  if (use == Use::kRead && requester.pair != nullptr) {
    const Strides& s = strides_.of[line.from().instruction];
    if (s.kind == Strides::Kind::kSame ||
        (s.kind == Strides::Kind::kAffine && s.shift(*requester.pair) == s.shift(requester.own))) {
      cycles /= machine.l2.sharing;
    }
  }
  return cycles;
}

void MemorySystem::count_l2(const LineRequest& line, const L2Lookup& lookup, Use use) {
  const double sectors = count_sectors(line.sectors & line.fresh);
  const double all = line.all_sms();
  const double weight = line.weight();
  InstructionTraffic& by = by_instruction_[line.from().instruction];
  traffic_.l2_sectors += weight * sectors;
  traffic_.all_l2_sectors += weight * all * sectors;
  if (use == Use::kWrite) traffic_.all_l2_written += weight * all * sectors;
  traffic_.all_l2_hits += weight * std::max(0.0, all * sectors - lookup.missed);
  by.l2_sectors += weight * sectors;
  if (lookup.own_miss) return;
  traffic_.l2_hits += weight * sectors;
  by.l2_hits += weight * sectors;
}

double MemorySystem::l2(double now, const LineRequest& line, Use use) {
  latest_l2_request_ = now;
  L2Request request = make_request(line, use == Use::kWrite, now);
  request.atomic = use == Use::kReduce || use == Use::kAtomic;
  const L2Lookup lookup = look_up(request, line);
  const double cycles = l2_cycles(line, lookup, use);
  double begin = take(l2_free_, now, cycles, sm_skew_cycles(now)) + 0.5 * cycles;
  busy(machine::Resource::kL2) += line.weight() * std::max(cycles, line.slices_busy);
  traffic_.atomic_cycles += line.weight() * line.slices_busy;
  const double from_dram = dram(begin, lookup, line);
  count_l2(line, lookup, use);
  const machine::Machine& machine = line.machine();
  double latency = machine.l2.latency;
  if (lookup.own_miss) {
    begin = from_dram;
    // Measured: bulk copies do not wait for the slowest of their many rows.
    latency = dram_latency(machine) + (use == Use::kBulkRead ? 0 : row_latency(line.line, machine));
  } else if (lookup.own_far) {
    latency += machine.l2.far_latency;
  }
  return std::max(begin + latency, lookup.pending);
}

std::uint64_t MemorySystem::own_line(const LineUse& use, const MemoryRequest& from) const {
  if (from.request.kind == Request::Kind::kLocal) return from.requester.local_base + use.line();
  if (use.line() >= kUnknownLines) {
    return kUnknownLines + scatter(use.line() ^ scatter(salt_)) % unknown_lines_;
  }
  const std::int64_t shift = strides_.of[from.instruction].shift(from.requester.own);
  return use.line() + static_cast<std::uint64_t>(shift / static_cast<std::int64_t>(kLineBytes));
}

MemorySystem::Answer MemorySystem::shared(double now, std::uint32_t instruction, unsigned passes,
                                          double latency, double weight) {
  const machine::Machine& machine = machines_.of(instruction);
  const double begin = std::max(now, lsu_free_);
  const double data = passes * kLineBytes / machine.shared.bandwidth;
  const double cycles = std::max(machine.lsu.gap, data);
  lsu_free_ = begin + cycles;
  busy(machine::Resource::kLsu) += weight * machine.lsu.gap;
  busy(machine::Resource::kShared) += weight * data;
  return {begin, begin + machine.lsu.release, begin + cycles,
          begin + latency + cycles - machine.lsu.gap};
}

MemorySystem::Answer MemorySystem::remote_shared(double now, std::uint32_t instruction,
                                                 unsigned sectors, double weight) {
  const machine::Machine& machine = machines_.of(instruction);
  const Answer sent = shared(now, instruction, 1, machine.shared.latency, weight);
  const double begin = std::max(sent.taken, remote_free_);
  remote_free_ = begin + sectors * machine.cluster.sector_gap;
  busy(machine::Resource::kShared) += weight * sectors * machine.cluster.sector_gap;
  return {begin, sent.operands, sent.sent,
          begin + machine.bulk.cluster_latency + sectors * machine.cluster.sector_gap};
}

double MemorySystem::remote_arrival(double now, std::uint32_t instruction, double weight) {
  const machine::Machine& machine = machines_.of(instruction);
  remote_free_ = std::max(now, remote_free_) + machine.cluster.sector_gap;
  busy(machine::Resource::kShared) += weight * machine.cluster.sector_gap;
  return remote_free_;
}

MemorySystem::Answer MemorySystem::constant(double now, std::uint32_t instruction, unsigned words,
                                            double weight) {
  const machine::Machine& machine = machines_.of(instruction);
  const machine::ClassTiming& timing = machine.of(machine::TimingClass::kConstantLoad);
  const double begin = std::max(now, constant_free_);
  // The scheduler's gap is for one word; different words are served one by one.
  const double each = timing.gap / machine.sm.schedulers;
  const double cycles = each * std::max(1u, words);
  constant_free_ = begin + cycles;
  busy(machine::Resource::kConstant) += weight * cycles;
  const double more = std::max(each, machine.constant.word_latency) * (std::max(1u, words) - 1);
  return {begin, begin + machine.lsu.release, begin + cycles, begin + timing.latency + more};
}

MemorySystem::Answer MemorySystem::access(double now, const MemoryRequest& from, double weight) {
  const machine::Machine& machine = machines_.of(from.instruction);
  const Request& request = from.request;
  const std::span<const LineUse> lines = from.trace.lines_of(request);
  const double begin = std::max(now, lsu_free_);
  const double tags = tag_passes(lines, machine) * kTagBanks / machine.l1.tags;
  const double data = request.wavefronts * kLineBytes / machine.l1.bandwidth;
  const double cycles = std::max({machine.lsu.gap, tags, data});
  lsu_free_ = begin + cycles;
  busy(machine::Resource::kLsu) += weight * machine.lsu.gap;
  busy(machine::Resource::kL1) += weight * std::max(tags, data);
  const bool writes = is_store(request);
  Transfer transfer{
      .from = from,
      .machine = machine,
      .weight = weight,
      .cycles = cycles,
      .written = written_of(from.trace, request),
      .at = begin,
      .answer = {begin, begin + (writes ? machine.lsu.release_store : machine.lsu.release),
                 begin + cycles,
                 begin + machine.l1.latency + cycles - machine.lsu.gap +
                     writeback_cycles(request.bytes, machine)}};
  InstructionTraffic& by = by_instruction_[from.instruction];
  ++salt_;
  std::uint32_t position = request.first_line;
  for (const LineUse& use : lines) {
    const LineRequest line{.transfer = transfer,
                           .position = position++,
                           .line = own_line(use, from),
                           .sectors = use.sectors()};
    const double sectors = count_sectors(line.sectors);
    traffic_.l1_sectors += weight * sectors;
    by.sectors += weight * sectors;
    if (!writes) {
      load_line(transfer, line);
    } else if (request.atomic) {
      atomic_line(transfer, line);
    } else {
      store_line(transfer, line);
    }
  }
  transfer.answer.sent = std::max(transfer.answer.sent, transfer.at);
  // The stage stalls while its requests cannot leave.
  lsu_free_ = std::max(
      lsu_free_, writes && !request.atomic ? transfer.at - machine.l1.stores_in_sm : transfer.at);
  return transfer.answer;
}

void MemorySystem::load_line(Transfer& transfer, LineRequest line) {
  const machine::Machine& machine = transfer.machine;
  Answer& answer = transfer.answer;
  Leaving ignored;
  CacheLine& held = l1_.touch(line.line, ignored);
  held.passing = false;
  const unsigned hit = transfer.from.request.strong ? 0 : line.sectors & held.valid;
  traffic_.l1_hits += transfer.weight * count_sectors(hit);
  by_instruction_[transfer.from.instruction].l1_hits += transfer.weight * count_sectors(hit);
  if (hit != 0) answer.done = std::max(answer.done, static_cast<double>(held.ready));
  line.sectors &= ~hit;
  if (line.sectors == 0) return;
  const unsigned sectors = count_sectors(line.sectors);
  double& at = transfer.at;
  for (unsigned k = 0; k < sectors; ++k) {
    at = std::max(at, in_flight_[(next_in_flight_ + k) % in_flight_.size()]);
  }
  at = std::max(at, fill_free_);
  fill_free_ = at + sectors * emulate::kSectorBytes / machine.l1.fill;
  const double ready = l2(at, line, Use::kRead);
  for (unsigned k = 0; k < sectors; ++k) {
    in_flight_[next_in_flight_++ % in_flight_.size()] = ready;
  }
  held.valid = with_sectors(held.valid, line.sectors);
  held.ready = static_cast<float>(ready);
  // Data from L2 passes through L1 in the same way as hits.
  answer.done = std::max(answer.done, ready + transfer.cycles - machine.lsu.gap);
}

void MemorySystem::drain(Transfer& transfer, unsigned sectors, double gap) {
  if (sectors == 0) return;
  transfer.at = std::max(transfer.at, drain_free_);
  const double cycles = count_sectors(sectors) * emulate::kSectorBytes / transfer.machine.l1.drain;
  drain_free_ = transfer.at + std::max(gap, cycles);
}

void MemorySystem::store_line(Transfer& transfer, LineRequest line) {
  const machine::Machine& machine = transfer.machine;
  // L1 keeps written data, which also goes to the L2 cache (write-through).
  Leaving ignored;
  CacheLine& held = l1_.touch(line.line, ignored);
  const double hits = count_sectors(line.sectors & held.valid);
  traffic_.l1_hits += transfer.weight * hits;
  by_instruction_[transfer.from.instruction].l1_hits += transfer.weight * hits;
  held.valid = with_sectors(held.valid, line.sectors);
  line.fresh = stores_.join(&transfer.from.requester, line.line, line.sectors, transfer.at);
  // Stores leave line by line, however few bytes of each are written, at the SM's share of the L2
  // write rate.
  drain(transfer, line.fresh, line.all_sms() / machine.l2.write_requests);
  transfer.answer.done = std::max(transfer.answer.done, l2(transfer.at, line, Use::kWrite));
  // Stores that the L2 cache has not yet accepted block subsequent requests.
  transfer.at = std::max(transfer.at, l2_free_ - machine.l1.stores_in_flight);
}

void MemorySystem::atomic_line(Transfer& transfer, LineRequest line) {
  const machine::Machine& machine = transfer.machine;
  const MemoryRequest& from = transfer.from;
  drain(transfer, line.sectors, 0);
  const AtomicSlices::Turn turn = slices_.take(
      transfer.at, {from.instruction, line.line, from.request, from.requester}, machine);
  line.slice_cycles = turn.cycles;
  line.slices_busy = turn.busy;
  const double ready = l2(turn.begin, line, from.request.returns ? Use::kAtomic : Use::kReduce);
  if (given_ == nullptr) {
    const L2Lookup left = l2_contents_.find(make_request(line, true, turn.begin), from.requester);
    traffic_.dram_write += left.written * emulate::kSectorBytes;
  }
  Answer& answer = transfer.answer;
  answer.done = std::max(answer.done, ready + machine.l2.atomic_latency - machine.l2.latency);
  // Atomics wait for their slice. The SM buffers a few of them, and more that the L2 cache has not
  // yet accepted.
  transfer.at = std::max(transfer.at, turn.begin - machine.l1.stores_in_flight);
  transfer.at = std::max(transfer.at, l2_free_ - machine.l1.stores_in_flight);
}

MemorySystem::Answer MemorySystem::bulk(double now, const MemoryRequest& from, double weight) {
  const machine::Machine& machine = machines_.of(from.instruction);
  const Request& request = from.request;
  const double begin = std::max(now, tma_free_);
  Transfer transfer{
      .from = from,
      .machine = machine,
      .weight = weight,
      .written = emulate::kSectorBytes,
      .at = begin,
      .answer = {begin, begin + machine.lsu.release, begin, begin + machine.bulk.tma_latency}};
  Answer& answer = transfer.answer;
  const double more = machine.bulk.tma_latency - machine.l2.latency;
  std::uint32_t position = request.first_line;
  for (const LineUse& use : from.trace.lines_of(request)) {
    const LineRequest line{.transfer = transfer,
                           .position = position++,
                           .line = own_line(use, from),
                           .sectors = use.sectors()};
    const double ready = l2(transfer.at, line, request.store ? Use::kWrite : Use::kBulkRead) + more;
    answer.done = std::max(answer.done, ready);
    const double bytes = count_sectors(use.sectors()) * emulate::kSectorBytes;
    traffic_.bulk += weight * bytes;
    transfer.at += bytes / machine.bulk.tma_bandwidth;
  }
  tma_free_ = std::max(transfer.at, begin + machine.bulk.tma_gap);
  return answer;
}

void MemorySystem::skip(const MemoryRequest& from) {
  const Request& request = from.request;
  if (request.lines == 0) return;
  const bool writes = is_store(request);
  const Transfer transfer{.from = from,
                          .machine = machines_.of(from.instruction),
                          .written = written_of(from.trace, request)};
  for (const LineUse& use : from.trace.lines_of(request)) {
    LineRequest line{.transfer = transfer, .line = own_line(use, from), .sectors = use.sectors()};
    if (!writes && request.kind != Request::Kind::kBulk) {
      Leaving ignored;
      CacheLine& held = l1_.touch(line.line, ignored);
      if (held.valid == 0) held.passing = true;
      if (!request.strong) line.sectors &= ~static_cast<unsigned>(held.valid);
      held.valid = with_sectors(held.valid, use.sectors());
    }
    if (line.sectors == 0 || given_ != nullptr) continue;
    const L2Lookup lookup =
        l2_contents_.find(make_request(line, writes, latest_l2_request_), from.requester);
    traffic_.dram_read += lookup.missing * emulate::kSectorBytes;
    traffic_.dram_write += lookup.written * emulate::kSectorBytes;
  }
}

void MemorySystem::let_pass(const MemoryRequest& from, bool stays) {
  if (from.request.store || from.request.kind == Request::Kind::kBulk) return;
  for (const LineUse& use : from.trace.lines_of(from.request)) {
    CacheLine* line = l1_.find(own_line(use, from));
    if (line == nullptr || (!stays && !line->passing)) continue;
    line->passing = false;
    line->valid = stays ? with_sectors(line->valid, use.sectors()) : 0;
  }
}

}  // namespace burin::timing
