#include "model/carve/warp_walk.h"

#include <algorithm>
#include <array>

#include "read/isa/traits.h"

namespace burin::model {
namespace {

using timing::Request;
using timing::TimedOp;

constexpr std::size_t kScoreboards = 6;

// What sets a scoreboard, and when it is done.
struct Pending {
  enum class Kind : std::uint8_t { kShort, kLong, kSpecial };
  Kind kind = Kind::kShort;
  double ready = 0;
  std::uint64_t region = 0;  // kLong: in which it was issued
};

bool is_long_load(const Request& request) {
  const bool far = request.kind == Request::Kind::kGlobal || request.kind == Request::Kind::kLocal;
  return far && (request.load || (request.atomic && request.returns));
}

bool waits_at_barrier(const timing::BlockTrace& trace, const Request& request) {
  return request.kind == Request::Kind::kBarrier &&
         std::ranges::any_of(trace.phases_of(request), &timing::PhaseUse::waits);
}

class Walk {
 public:
  Walk(const timing::BlockTrace& trace, std::span<const TimedOp> code,
       std::span<const char> special_blocks, std::span<const float> latencies,
       const machine::Machine& machine)
      : trace_(trace),
        code_(code),
        special_blocks_(special_blocks),
        latencies_(latencies),
        machine_(machine) {}

  WarpWalk run(std::span<const timing::TraceStep> warp) {
    for (std::size_t i = 0; i < warp.size(); ++i) {
      const std::uint32_t at = warp[i].instruction;
      const TimedOp& op = code_[at];
      wait(op, special_blocks_[at] != 0);
      const Request* request =
          warp[i].request == timing::kNoRequest ? nullptr : &trace_.requests[warp[i].request];
      if (request != nullptr && waits_at_barrier(trace_, *request)) {
        ++walk_.barriers;
        ++region_;
        now_ += machine_.barrier.latency;
      }
      start(op, request, warp[i].request);
      now_ += std::max(op.stall, op.slots);
      const bool taken = i + 1 < warp.size() && warp[i + 1].instruction != at + 1;
      if (op.kind == TimedOp::Kind::kBranch && taken) {
        now_ += std::max(0.0, machine_.issue.branch - op.stall);
      }
    }
    for (const auto& board : boards_) {
      for (const Pending& pending : board) now_ = std::max(now_, pending.ready);
    }
    walk_.cycles = now_;
    return walk_;
  }

 private:
  // Waits until at most `left` of the board's setters are pending.
  void wait_for(std::vector<Pending>& board, std::size_t left, Pending::Kind& longest) {
    if (board.size() <= left) return;
    const auto end = board.end() - static_cast<std::ptrdiff_t>(left);
    double ready = now_;
    for (auto pending = board.begin(); pending != end; ++pending) {
      if (pending->kind == Pending::Kind::kLong) {
        longest = Pending::Kind::kLong;
        latest_ = std::max(latest_, pending->region);
      } else if (pending->kind == Pending::Kind::kSpecial && longest == Pending::Kind::kShort) {
        longest = Pending::Kind::kSpecial;
      }
      ready = std::max(ready, pending->ready);
    }
    if (longest == Pending::Kind::kLong) walk_.exposed_cycles += ready - now_;
    now_ = ready;
    board.erase(board.begin(), end);
  }

  void wait(const TimedOp& op, bool special_blocks) {
    Pending::Kind longest = Pending::Kind::kShort;
    latest_ = 0;
    for (std::size_t b = 0; b < kScoreboards; ++b) {
      if ((op.wait_mask >> b & 1) != 0) wait_for(boards_[b], 0, longest);
    }
    if (op.kind == TimedOp::Kind::kDepbar && op.scoreboard < kScoreboards) {
      wait_for(boards_[op.scoreboard], op.left, longest);
    }
    // Loads of one region are in flight together, and arrive together: waiting for another one of
    // them is not blocking again.
    if (longest == Pending::Kind::kLong && latest_ >= waited_for_) {
      ++walk_.long_waits;
      waited_for_ = latest_ + 1;
      ++region_;
    }
    if (longest == Pending::Kind::kSpecial && special_blocks) {
      ++walk_.special_waits;
      ++region_;
    }
  }

  void start(const TimedOp& op, const Request* request, std::uint32_t number) {
    Pending result{.ready = now_ + op.latency};
    if (request != nullptr) {
      if (is_long_load(*request)) {
        ++walk_.long_loads;
        result = {Pending::Kind::kLong, now_ + latencies_[number], region_};
      } else if (request->kind == Request::Kind::kShared) {
        const double passes = std::max<double>(1, request->wavefronts);
        result.ready = now_ + machine_.shared.latency + passes - 1;
      } else if (request->kind == Request::Kind::kCopy) {
        ++walk_.long_loads;
        copied_ = std::max(copied_, now_ + latencies_[number]);
        copied_in_ = region_;
        result.ready = now_ + machine_.lsu.release;
      }
    } else if (op.timing_class == machine::TimingClass::kMufu) {
      result.kind = Pending::Kind::kSpecial;
    }
    if (op.kind == TimedOp::Kind::kCopyCommit) result = {Pending::Kind::kLong, copied_, copied_in_};
    if (op.write_barrier < kScoreboards) boards_[op.write_barrier].push_back(result);
    if (op.read_barrier < kScoreboards) {
      boards_[op.read_barrier].push_back({.ready = now_ + machine_.lsu.release});
    }
  }

  const timing::BlockTrace& trace_;
  std::span<const TimedOp> code_;
  std::span<const char> special_blocks_;
  std::span<const float> latencies_;
  const machine::Machine& machine_;
  std::array<std::vector<Pending>, kScoreboards> boards_;
  double now_ = 0;
  double copied_ = 0;             // when the asynchronous copies so far will have ended
  std::uint64_t copied_in_ = 0;   // region of the last one
  std::uint64_t region_ = 0;      // blocking instructions so far
  std::uint64_t waited_for_ = 0;  // loads of earlier regions than this have arrived
  std::uint64_t latest_ = 0;      // region of the loads that an instruction waits for
  WarpWalk walk_;
};

bool blocks_by_itself(const read::Instruction& instruction) {
  if (read::sync_of(instruction) == read::Sync::kBlockBarrier) return true;
  if (read::is_returning_atomic(instruction)) return read::may_be_global(instruction);
  return read::is_plain_load(instruction) &&
         (read::may_be_global(instruction) || instruction.opcode->space == read::Space::kLocal);
}

}  // namespace

std::vector<char> only_special(const read::Kernel& kernel) {
  // One entry per loop, the last one for code outside of loops.
  std::vector<char> longer(kernel.loops.size() + 1, 0);
  const auto loop_of = [&](std::size_t i) {
    const std::uint32_t loop = kernel.blocks[kernel.block_of[i]].loop;
    return loop == read::kNoIndex ? kernel.loops.size() : loop;
  };
  for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
    if (blocks_by_itself(kernel.instructions[i])) longer[loop_of(i)] = 1;
  }
  std::vector<char> only(kernel.instructions.size());
  for (std::size_t i = 0; i < only.size(); ++i) only[i] = longer[loop_of(i)] == 0;
  return only;
}

WarpWalk walk_warp(const timing::BlockTrace& trace, std::span<const timing::TraceStep> warp,
                   std::span<const TimedOp> code, std::span<const char> special_blocks,
                   std::span<const float> latencies, const machine::Machine& machine) {
  return Walk(trace, code, special_blocks, latencies, machine).run(warp);
}

}  // namespace burin::model
