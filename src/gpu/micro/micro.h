// A microbenchmark: a small kernel whose time is limited by a single factor, and the machine file
// entries that are derived from its times.
//
//   Microbenchmark micro;
//   micro.name = "chase";
//   micro.source = kPrelude + "extern \"C\" __global__ void chase(u32* out, …) { … }";
//   micro.code = {{"chase", "LDG", 64}};            // required between its clock reads
//   micro.launches = {{.label = "l1", .kernel = "chase", .output = MicroOutput::kSpan, …}};
//   micro.settle = [](const Readings& r, const Machine&) -> std::vector<Settled> {
//     return {{"l1.latency", r.at("l1").median() / 256, r.at("l1").spread()}};
//   };
//
// calibrate.h compiles it, checks its code against `code`, launches it and calls `settle`.
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

// The properties of the calibrated GPU on which sources and launches depend.
struct GpuShape {
  read::Architecture arch;
  std::uint32_t sms = 0;
  std::uint64_t l2_bytes = 0;
  std::string name{};    // "NVIDIA H200"
  std::string bus_id{};  // "0000:19:00.0"
};

// The code required between the first and the last clock read of a kernel. A kernel whose code
// differs is not timed.
struct CodeCheck {
  std::string kernel;
  std::string wanted;               // prefix of the text of the timed instruction: "IMAD.WIDE"
  unsigned count = 0;               // exact number of timed instructions
  std::vector<std::string> also{};  // further mnemonics that may occur; any other is an error
};

enum class MicroOutput : std::uint8_t {
  kTimes,  // the launch is timed as a whole; values: µs
  kSpan,   // buffer 0 has clocks by pass and warp; values: cycles per pass, first start to last end
  kMean,   // the same for warps of several SMs; values: cycles per pass, mean over the warps
  kWords,  // buffer 0 holds arbitrary data, returned in `words`
};

struct MicroLaunch {
  std::string label;  // unique in the microbenchmark
  std::string kernel;
  MicroOutput output = MicroOutput::kSpan;
  launch::Dims grid{};
  launch::Dims block{};
  std::uint64_t shared_bytes = 0;
  std::vector<std::string> arguments{};  // after buffer 0 (the clocks), if there is one
  std::uint32_t warps = 0;               // warps that write clocks; 0: all warps of the launch
  std::uint64_t words = 0;               // kWords: size of buffer 0, 32-bit words
  measure::Caches caches = measure::Caches::kWarm;  // cache state of timed launches
};

struct Reading {
  std::vector<double> values{};
  std::vector<std::uint32_t> words{};
  double clock_mhz = 0;  // timed launches: SM clock reported by the driver, MHz

  double median() const { return measure::summarize(values).median; }
  double spread() const { return measure::summarize(values).spread(); }
  double cycles() const { return median() * clock_mhz; }  // cycles of a timed launch
};

// Readings by label. Always complete: a microbenchmark with a failed launch settles nothing.
using Readings = std::map<std::string, Reading, std::less<>>;

// A measured value for an entry of the machine file.
struct Settled {
  std::string entry;
  double value = 0;
  double spread = 0;  // as a fraction of the value
};

struct Microbenchmark {
  std::string name;  // "chase"; the source of an entry is "calibrate:chase"
  std::string what;  // one sentence for the documents and the machine file
  std::vector<std::string> entries{};
  std::string source;       // CUDA C++
  bool chip_only = false;   // needs the instructions of sm_90a
  unsigned oldest_sm = 80;  // not meaningful on older architectures
  unsigned newest_sm = 999;
  std::vector<CodeCheck> code{};
  std::vector<MicroLaunch> launches{};
  // Derives values from the readings. The machine already contains the values settled by earlier
  // microbenchmarks, in the order of `microbenchmarks()`.
  std::function<std::vector<Settled>(const Readings&, const machine::Machine&)> settle{};
  bool notes_only = false;  // its readings are recorded and reported, but fill no entry
};

// Passes of every clocked kernel. The first pass, with cold caches, is not counted.
inline constexpr unsigned kPasses = 10;

// All microbenchmarks, in the order in which they must settle. Each group below has its own file.
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
