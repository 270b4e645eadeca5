// The model of the SAAKE paper (`--model saake`): abstract kernel emulation as published, for the
// blocks resident on one SM. It serves as a comparison with burin's own model.
//
//   Result<Prediction> p = predict_saake(kernel, launch, machine, {.l2_hit = 0.6});
//
// How the model is applied:
//   - the warps' instructions, addresses and trip counts come from executing the blocks of one SM
//     (trace/trace_source.h), whereas the paper's authors supplied some of them by hand;
//   - an instruction waits for the instructions whose registers it reads, not for its control code;
//   - an instruction class uses its unit of one scheduler; a shared-memory access makes one request
//     per pass over the banks; a global or local access makes one request per 32-byte sector,
//     against one SM's share of the DRAM bandwidth;
//   - if a hit rate is given, an access goes to the L2 cache with that probability, else to DRAM;
//     without one, all accesses go to DRAM. The random generator has a fixed seed, so results are
//     reproducible;
//   - a block barrier holds its warps until everything they have issued is finished;
//   - time = time of the SM's blocks × blocks / (blocks of the SM × SMs), with the quotient not
//     rounded up but at least 1. Kernel launch overhead is not included.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "launch/launch.h"
#include "machine/machine.h"
#include "read/program/instruction_set.h"
#include "read/program/kernel.h"
#include "timing/result/predict_options.h"
#include "timing/result/prediction.h"

namespace burin::timing {

// Traces longer than this many warp instructions are truncated, each warp's to the same share. The
// time is scaled to the whole trace, and a note says so.
inline constexpr std::uint64_t kMaxAbstractSteps = 2'000'000;

Result<Prediction> predict_saake(const read::Kernel& kernel, const launch::Launch& launch,
                                 const machine::Machine& machine, const PredictOptions& options);

// One launch, traced once and emulated abstractly many times with other latencies and gaps: what
// the paper's sensitivity analysis needs.
//
//   Result<std::unique_ptr<SaakeLaunch>> launch = SaakeLaunch::open(kernel, launch, machine, {});
//   (*launch)->slowdown(changed, &loop)         1.03: 3 % more time
class SaakeLaunch {
 public:
  // The arguments must outlive the result.
  static Result<std::unique_ptr<SaakeLaunch>> open(const read::Kernel& kernel,
                                                   const launch::Launch& launch,
                                                   const machine::Machine& machine,
                                                   const PredictOptions& options);
  ~SaakeLaunch();

  const Prediction& base() const;
  const read::Kernel& kernel() const;  // with dependences
  // Returns the time with the latencies and gaps of `other`, as a multiple of the base's time: for
  // all instructions, or for those of `region` only.
  double slowdown(const machine::Machine& other,
                  const read::InstructionSet* region = nullptr) const;

 private:
  struct Parts;
  explicit SaakeLaunch(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace burin::timing
