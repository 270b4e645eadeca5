// PC sampling of every context of the process; samples are periodically drained to the spool.
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
  using Warn = std::function<void(const capture::SpoolProblem&)>;

  Sampling(const Cupti& cupti, const RecordDriver& driver, capture::SpoolWriter& out,
           const RecordSettings& settings, Warn warn);
  ~Sampling();

  // Called inside the callback that reports the new context, before its first kernel.
  void begin(void* context, std::uint32_t context_id, std::uint32_t device);

  // Called before the context is destroyed; null: before all contexts are destroyed.
  void end(void* context);

  // Writes the samples taken since the last drain. Waits neither for a kernel nor for another
  // thread that is draining: the caller may hold a driver lock that the other thread needs.
  void drain();

  // Called in the child after a fork.
  void forget() { claims_.clear(); }

  // Samples lost in the whole process; final once sampling has ended.
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
  Warn warn_;
  std::timed_mutex mutex_;
  std::list<Context> contexts_;
  std::map<std::uint32_t, DeviceClaim> claims_;  // by GPU, held until the process ends
  std::uint64_t lost_ = 0;
};

}  // namespace burin::gpu
