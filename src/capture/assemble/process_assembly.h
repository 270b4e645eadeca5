// Copies one recorded process from the spool into the capture, translating its numbers for modules,
// kernels and launches into ids of the capture.
//
//   ProcessAssembly process(writer, sums, launched, first_run);
//   while (const std::optional<SpoolRecord> record = reader.next()) std::visit(process, *record);
//   process.finish(reader.truncated());
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "capture/assemble/assemble.h"
#include "capture/assemble/counter_assembly.h"
#include "capture/assemble/host_symbols.h"
#include "capture/spool/spool.h"
#include "capture/writer.h"

namespace burin::capture {

class ProcessAssembly {
 public:
  // Records the process's launches in `launches`, so that counts of the second run can be matched.
  ProcessAssembly(CaptureWriter& writer, Assembled& sums, std::set<std::uint64_t>& launched,
                  FirstRun& launches)
      : writer_(writer), sums_(sums), launched_(launched), first_(launches) {}

  void operator()(const SpoolProcess& r);
  void operator()(const SpoolEnd& r);
  void operator()(const SpoolDevice& r);
  void operator()(const SpoolModule& r);
  void operator()(const SpoolKernel& r);
  void operator()(const SpoolLaunch& r);
  void operator()(const SpoolTimes& r);
  void operator()(const SpoolStack& r);
  void operator()(const SpoolMemory& r);
  void operator()(const SpoolContent& r);
  void operator()(const SpoolSampling& r);
  void operator()(const SpoolSamples& r);
  void operator()(const SpoolCounters& r);
  void operator()(const SpoolProblem& r);
  void operator()(const SpoolVariable& r);
  void operator()(const SpoolTexture& r);

  // Call after the last record.
  void finish(bool truncated);

 private:
  using LaunchKey = std::pair<std::uint32_t, std::uint64_t>;  // correlation and graph node

  std::uint64_t function(const SpoolFunction& function);
  std::uint64_t module_with(const std::string& function, std::uint64_t crc) const;
  void add_samples(const SpoolSamples& r, const SpoolSample& sample);
  void warn(std::uint32_t kind, std::uint64_t count, std::uint64_t launch, std::string sentence);

  CaptureWriter& writer_;
  HostSymbols symbols_;
  Assembled& sums_;
  std::set<std::uint64_t>& launched_;  // ids of launched kernels
  FirstRun& first_;
  std::uint64_t process_ = 0;
  std::uint64_t pid_ = 0;
  bool ended_ = false;
  bool is_cut_short_ = false;  // the disk was full
  std::uint64_t kept_ = 0;
  std::unordered_map<std::uint32_t, std::uint64_t> gpus_, modules_, kernels_, stacks_;
  std::unordered_map<std::uint32_t, std::string> names_;  // kernel names, by the process's number
  struct Cubin {
    std::uint64_t module = 0;  // id in the capture
    std::uint64_t crc = 0;     // as given by CUPTI
    Bytes bytes;
  };
  std::vector<Cubin> cubins_;
  std::map<std::pair<std::uint64_t, std::string>, std::uint64_t> functions_;  // by crc and name
  std::unordered_map<std::uint64_t, std::uint64_t> launches_;  // by the process's number
  // Pages of memory: their bytes in the spool, and the content ids of pages that a launch uses.
  std::unordered_map<std::uint64_t, Bytes> pages_;
  std::unordered_map<std::uint64_t, std::uint64_t> contents_;
  std::map<LaunchKey, std::uint64_t> untimed_;
  std::map<LaunchKey, SpoolTime> times_;  // times that arrived before their launch
  std::unordered_map<std::uint32_t, std::uint64_t> by_correlation_;
  // A sampling counter such as "smsp__pcsamp_warps_issue_stalled_wait_not_issued" belongs to one of
  // two families.
  struct Reason {
    std::string name;  // "": not a stall counter
    bool not_issued = false;
  };
  struct Context {
    CapturedSampling sampling;
    std::vector<Reason> reasons;
  };
  std::map<std::uint32_t, Context> contexts_;
};

}  // namespace burin::capture
