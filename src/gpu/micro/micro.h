// A microbenchmark: a small program that can only be slow for one reason, and the entries of the
// machine file that follow from its times.
//
//   Microbenchmark micro;
//   micro.name = "chase";
//   micro.source = kPrelude + "extern \"C\" __global__ void chase(u32* out, …) { … }";
//   micro.code = {{"chase", "LDG", 64}};            // what must stand between its clock reads
//   micro.launches = {{.label = "l1", .kernel = "chase", .output = MicroOutput::kSpan, …}};
//   micro.settle = [](const Readings& r, const Machine&) -> std::vector<Settled> {
//     return {{"l1.latency", r.at("l1").median() / 256, r.at("l1").spread()}};
//   };
//
// calibrate.h compiles it, holds its code against `code`, launches it and lets it settle.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "launch/launch.h"
#include "machine/machine.h"
#include "measure/device.h"
#include "measure/sample.h"

namespace burin::gpu {

// The GPU that is calibrated, as far as sources and launches depend on it.
struct GpuShape {
  read::Architecture arch;
  std::uint32_t sms = 0;
  std::uint64_t l2_bytes = 0;
};

// What must stand between the first and the last clock read of a kernel. A kernel whose code is
// other than it was meant to be is not timed.
struct CodeCheck {
  std::string kernel;
  std::string wanted;               // how the text of the timed instruction begins: "IMAD.WIDE"
  unsigned count = 0;               // so often, exactly
  std::vector<std::string> also{};  // mnemonics that may stand among them; others may not
};

enum class MicroOutput : std::uint8_t {
  kTimes,  // the launch is timed from outside; values are microseconds
  kSpan,   // buffer 0 holds clocks by pass and warp; values: first start to last end, a pass each
  kMean,   // likewise, warps of several SMs; values: the mean over the warps, a pass each
  kWords,  // buffer 0 holds whatever; `words` has it
};

struct MicroLaunch {
  std::string label;  // unique in the microbenchmark
  std::string kernel;
  MicroOutput output = MicroOutput::kSpan;
  launch::Dims grid{};
  launch::Dims block{};
  std::uint64_t shared_bytes = 0;
  std::vector<std::string> arguments{};  // behind buffer 0, the clocks, where there is one
  std::uint32_t warps = 0;               // that write clocks; 0: all of the launch
  std::uint64_t words = 0;               // kWords: of buffer 0
  measure::Caches caches = measure::Caches::kWarm;  // of timed launches
};

struct Reading {
  std::vector<double> values{};
  std::vector<std::uint32_t> words{};
  double clock_mhz = 0;  // of timed launches, as the driver told it

  double median() const { return measure::summarize(values).median; }
  double spread() const { return measure::summarize(values).spread(); }
  double cycles() const { return median() * clock_mhz; }  // of a timed launch
};

// By label; complete, as a microbenchmark of which a launch failed settles nothing.
using Readings = std::map<std::string, Reading, std::less<>>;

struct Settled {
  std::string entry;
  double value = 0;
  double spread = 0;  // as a share of the value
};

struct Microbenchmark {
  std::string name;  // "chase"; the source of an entry is "calibrate:chase"
  std::string what;  // one sentence for the documents and the machine file
  std::vector<std::string> entries{};
  std::string source;       // CUDA C++
  bool chip_only = false;   // needs the instructions of sm_90a
  unsigned oldest_sm = 80;  // it means nothing on older ones
  unsigned newest_sm = 999;
  std::vector<CodeCheck> code{};
  std::vector<MicroLaunch> launches{};
  // The machine has what was settled before, in the order of `microbenchmarks`.
  std::function<std::vector<Settled>(const Readings&, const machine::Machine&)> settle{};
  bool notes_only = false;  // its readings are kept and told, no entry holds them
};

// Passes of every clocked kernel; the first, which finds the caches cold, is not counted.
inline constexpr unsigned kPasses = 10;

// All of them, each group in a file of its own, in the order in which they must settle.
std::vector<Microbenchmark> microbenchmarks(const GpuShape& gpu);

std::vector<Microbenchmark> latency_benchmarks(const GpuShape& gpu);
std::vector<Microbenchmark> bandwidth_benchmarks(const GpuShape& gpu);
std::vector<Microbenchmark> sm_memory_benchmarks(const GpuShape& gpu);
std::vector<Microbenchmark> shared_benchmarks(const GpuShape& gpu);
std::vector<Microbenchmark> atomic_benchmarks(const GpuShape& gpu);
std::vector<Microbenchmark> class_benchmarks(const GpuShape& gpu);
std::vector<Microbenchmark> fetch_benchmarks(const GpuShape& gpu);
std::vector<Microbenchmark> wgmma_benchmarks(const GpuShape& gpu);
std::vector<Microbenchmark> loaded_benchmarks(const GpuShape& gpu);
std::vector<Microbenchmark> dispatch_benchmarks(const GpuShape& gpu);

}  // namespace burin::gpu
