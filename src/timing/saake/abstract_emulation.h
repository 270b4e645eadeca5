// Abstract kernel emulation: Algorithm 1 of SAAKE (section 4 of the paper cited in
// docs/predict.md). The warps of one SM issue to resources. A resource is described by two numbers
// only: its latency, from accepting a request until the result is available, and its gap, until it
// accepts the next request. Each resource has an unbounded queue in front of it.
//
//   AbstractProgram program{.resources = {{.latency = 500, .gap = 100},    // global memory
//                                         {.latency = 100, .gap = 20}}};   // the functional unit
//   AbstractWarp& warp = program.warps.emplace_back();
//   warp.add(0, {});        // a load
//   warp.add(1, {});        // an addition
//   warp.add(1, {{1}});     // an addition that needs the first one: it issues at 101
//   AbstractTimes times = emulate_abstractly(program);
//   times.issued[0][2]      // 101
//
// Two points that the paper leaves open are resolved as follows: the clock never goes back (line 10
// of the algorithm would allow it), and of warps that have been ready equally long the first is
// selected.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace burin::timing {

struct AbstractResource {
  double latency = 0;  // cycles; at least the gap
  double gap = 0;
  // Resources of the same unit wait for one another, such as two kinds of instruction on one pipe.
  // Units are numbered from 0; kOwnUnit: not shared with any other resource.
  static constexpr std::uint32_t kOwnUnit = 0xffffffff;
  std::uint32_t unit = kOwnUnit;
  bool per_scheduler = false;  // one per scheduler; otherwise one per SM
};

struct AbstractInstruction {
  std::uint32_t resource = 0;
  std::uint32_t requests = 1;  // consecutive requests to the resource, for example for an
                               // uncoalesced access or a bank conflict; at least 1
  std::uint32_t first_predecessor = 0;
  std::uint32_t predecessors = 0;  // count, in AbstractWarp::predecessors
};

// A warp reaches the meeting `meeting` (a barrier) at its instruction `instruction`. A warp that
// arrives contributes the time at which everything it has issued is finished. A warp that waits
// issues nothing more before the latest of these times over all arriving warps. At a block barrier,
// a warp both arrives and waits.
struct AbstractMeeting {
  std::uint32_t instruction = 0;
  std::uint32_t meeting = 0;
  bool arrives = true;
  bool waits = true;
};

struct AbstractWarp {
  std::vector<AbstractInstruction> instructions;
  std::vector<std::uint32_t> predecessors;  // positions of earlier instructions of the warp
  std::vector<AbstractMeeting> meetings;    // sorted by instruction

  // Returns the position of the instruction.
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
  std::uint32_t schedulers = 1;  // a warp belongs to the scheduler with number (position of the
                                 // warp) % schedulers
};

struct AbstractTimes {
  double cycles = 0;         // until the last instruction is finished
  std::vector<double> busy;  // per resource: gap × requests, summed over all schedulers
  // Utilisation per resource as defined by the algorithm: the time from each issue to the next, but
  // at most the latency.
  std::vector<double> utilization;
  std::vector<std::vector<double>> issued;      // issue time, [warp][instruction]
  std::vector<std::vector<double>> finished;    // completion time, [warp][instruction]
  std::vector<std::vector<double>> meeting_at;  // [warp][position in AbstractWarp::meetings]: when
                                                // the meeting was complete, if the warp waits
};

// Each scheduler issues one instruction per cycle: from the warp it issued from last while that
// warp is ready, otherwise from the warp that has been ready longest. The result is deterministic.
// The run time is linear in the instructions times the logarithm of the warps.
AbstractTimes emulate_abstractly(const AbstractProgram& program);

}  // namespace burin::timing
