// PC samples of every context of the process, drained now and then into the spool.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "capture/spool/spool_writer.h"
#include "gpu/record/driver/cupti.h"
#include "gpu/record/driver/device_claim.h"
#include "gpu/record/driver/driver.h"
#include "gpu/record/settings.h"

namespace burin::gpu {

class Sampling {
 public:
  using Tell = std::function<void(const capture::SpoolProblem&)>;

  Sampling(const Cupti& cupti, const RecordDriver& driver, capture::SpoolWriter& out,
           const RecordSettings& settings, Tell tell);
  ~Sampling();

  // Inside the callback that announces the context, before its first kernel.
  void begin(void* context, std::uint32_t context_id, std::uint32_t device);

  // Before the context goes; null: before all of them go.
  void end(void* context);

  // Writes what was sampled since. Waits for no kernel, and for no other thread that drains: the
  // caller may hold a lock of the driver's that the other one needs.
  void drain();

  // In the child of a fork.
  void forget() { claims_.clear(); }

  // Of the whole process, known at the end.
  std::uint64_t lost() const { return lost_; }

 private:
  struct Context;
  bool claim(std::uint32_t device);
  CuptiStatus configure(Context& context);
  CuptiStatus read_reasons(Context& context);
  void drain(Context& context);
  void write(Context& context, CuptiSamplingData& data);

  const Cupti& cupti_;
  const RecordDriver& driver_;
  capture::SpoolWriter& out_;
  const RecordSettings& settings_;
  Tell tell_;
  std::timed_mutex mutex_;
  std::list<Context> contexts_;
  std::map<std::uint32_t, DeviceClaim> claims_;  // of GPUs, until the process ends
  std::uint64_t lost_ = 0;
};

}  // namespace burin::gpu
