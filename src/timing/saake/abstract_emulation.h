// Abstract kernel emulation: Algorithm 1 of SAAKE (section 4 of the paper that docs/predict.md
// names). The warps of one SM issue to resources, and of a resource only two numbers count: its
// latency, from the moment it takes a request to the moment the result is there, and its gap, until
// it takes the next. In front of each waits a queue without end.
//
//   AbstractProgram program{.resources = {{.latency = 500, .gap = 100},    // global memory
//                                         {.latency = 100, .gap = 20}}};   // the functional unit
//   AbstractWarp& warp = program.warps.emplace_back();
//   warp.add(0, {});        // a load
//   warp.add(1, {});        // an addition
//   warp.add(1, {{1}});     // one that needs the first: it issues at 101
//   AbstractTimes times = emulate_abstractly(program);
//   times.issued[0][2]      // 101
//
// What the paper leaves open is read so: the clock never goes back (its line 10 would let it), and
// of warps that have been ready equally long the first is taken.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace burin::timing {

struct AbstractResource {
  double latency = 0;  // cycles; at least the gap
  double gap = 0;
  // Resources of one unit wait for one another: two kinds of instruction on one pipe. Units are
  // numbered from 0; kOwnUnit: shared with no other resource.
  static constexpr std::uint32_t kOwnUnit = 0xffffffff;
  std::uint32_t unit = kOwnUnit;
  bool per_scheduler = false;  // each scheduler has one; else one for the SM
};

struct AbstractInstruction {
  std::uint32_t resource = 0;
  std::uint32_t requests = 1;  // of the resource, one behind another: an access that is not
                               // coalesced, a bank conflict. At least 1
  std::uint32_t first_predecessor = 0;
  std::uint32_t predecessors = 0;  // in AbstractWarp::predecessors
};

// At its instruction `instruction` a warp comes to the meeting `meeting`. A warp that arrives
// brings the time at which all it has issued is finished; one that waits issues nothing more before
// the latest of these times, of all the warps that arrive. A block's barrier is both.
struct AbstractMeeting {
  std::uint32_t instruction = 0;
  std::uint32_t meeting = 0;
  bool arrives = true;
  bool waits = true;
};

struct AbstractWarp {
  std::vector<AbstractInstruction> instructions;
  std::vector<std::uint32_t> predecessors;  // positions of earlier instructions of the warp
  std::vector<AbstractMeeting> meetings;    // by instruction

  // Returns the instruction's position.
  std::uint32_t add(std::uint32_t resource, std::span<const std::uint32_t> needs,
                    std::uint32_t requests = 1);
  std::uint32_t add(std::uint32_t resource, std::initializer_list<std::uint32_t> needs,
                    std::uint32_t requests = 1) {
    return add(resource, std::span(needs.begin(), needs.size()), requests);
  }
};

struct AbstractProgram {
  std::vector<AbstractResource> resources{};
  std::vector<AbstractWarp> warps{};
  std::uint32_t schedulers = 1;  // a warp belongs to the one of its position modulo these
};

struct AbstractTimes {
  double cycles = 0;         // until the last instruction is finished
  std::vector<double> busy;  // per resource: gap × requests, over all schedulers
  // Per resource, as the algorithm counts it: from each issue to the next, but at most the latency.
  std::vector<double> utilization;
  std::vector<std::vector<double>> issued;      // [warp][instruction]
  std::vector<std::vector<double>> finished;    // likewise
  std::vector<std::vector<double>> meeting_at;  // [warp][position in AbstractWarp::meetings]: when
                                                // the meeting was complete, if the warp waits
};

// Each scheduler issues one instruction a cycle: of the warp it issued from last while that is
// ready, then of the one that has been ready longest. Deterministic; linear in the instructions,
// times the logarithm of the warps.
AbstractTimes emulate_abstractly(const AbstractProgram& program);

}  // namespace burin::timing
