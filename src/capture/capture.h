// A capture: what a real program launched on a GPU, in one file. `burin record` makes it, or an
// import of another profiler's report; it needs no GPU to be read.
//
//   Result<Capture> capture = Capture::open("app.burin");
//   for (const CapturedLaunch& launch : capture->launches())
//     capture->kernel(launch.kernel).name, launch.duration_ns …
//   Result<CapturedMemory> memory = capture->memory(launch.id);
//
// The lists are read when the file is opened; modules, arguments, memory and samples when they are
// asked for. Numbers (id) count from 1 and are the capture's own. Times are nanoseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "launch/expected_memory.h"
#include "launch/launch.h"
#include "launch/stall_profile.h"
#include "store/database.h"

namespace burin::capture {

struct CapturedProcess {
  std::uint64_t id = 0;
  std::uint64_t pid = 0, parent = 0;
  std::vector<std::string> command;
  std::string folder;  // the working directory
  std::string host;
  std::string settings;  // what was asked of the recorder
  std::uint64_t begin_unix_ns = 0;
  std::uint64_t begin_ns = 0;           // the same moment on the clock of the launches
  std::optional<std::uint64_t> end_ns;  // none: it was killed, and its last records may be missing
  std::uint32_t driver_version = 0, cupti_version = 0;
  std::uint64_t launches_seen = 0;  // kept or not
};

struct CapturedGpu {
  std::uint64_t id = 0;
  std::uint64_t process = 0;
  std::uint32_t ordinal = 0;  // as the process counts its GPUs
  std::string name;           // "NVIDIA H200"
  std::string bus;
  std::uint32_t sm = 0;  // 90
  std::uint32_t multiprocessors = 0;
  std::uint32_t clock_khz = 0;
  std::uint64_t memory_bytes = 0, l2_bytes = 0;
};

struct CapturedModule {
  std::uint64_t id = 0;
  std::string sha256;  // of the cubin
  std::uint64_t crc = 0;
  std::uint64_t size = 0;
};

struct CapturedKernel {
  std::uint64_t id = 0;
  std::uint64_t module = 0;  // 0: its code is not in the capture
  std::string name;          // as in the module: mangled
  std::vector<read::Parameter> parameters;
};

struct CapturedLaunch {
  std::uint64_t id = 0;
  std::uint64_t process = 0;
  std::uint64_t number = 0;  // in the process, in the order of launching; not kept ones count too
  std::uint64_t kernel = 0;
  std::uint64_t gpu = 0;  // 0: not known
  std::uint32_t context = 0;
  std::uint64_t stream = 0, thread = 0;
  launch::Dims grid{}, block{};
  std::optional<launch::Dims> cluster{};  // none: as the kernel was built
  std::uint32_t shared_bytes = 0;
  bool is_graph = false, is_cooperative = false;
  std::optional<std::uint64_t> start_ns{}, duration_ns{};  // on the GPU
  std::uint64_t stack = 0;                                 // 0: none
  std::uint32_t correlation = 0;
  std::string ranges{};     // NVTX, outermost first: "step/forward"
  bool has_memory = false;  // the contents of its buffers are here
  bool has_counts = false;  // how often its instructions were executed, too
};

struct CapturedAllocation {
  std::uint32_t argument_offset = 0;  // where in the argument bytes the pointer stands
  std::uint64_t address = 0;          // the first byte of the allocation
  std::uint64_t size = 0;
  std::uint32_t memory = 0;  // SpoolAllocation::Memory
};

struct CapturedArguments {
  std::optional<std::vector<std::uint8_t>> bytes;  // the parameter block; none: not known
  std::vector<CapturedAllocation> allocations;
};

// Bytes of the GPU's memory, in the order of their addresses.
struct CapturedMemory {
  std::vector<launch::MemoryPiece> before;
  std::vector<launch::MemoryPiece> after;  // only what the launch changed
};

// A variable of the launch's module and where it lay. Its contents are among the memory's.
struct CapturedVariable {
  std::string name;  // as the symbol table has it
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};

struct CapturedFrame {
  std::string object;  // the program's or library's file
  std::uint64_t offset = 0;
  std::string symbol;  // mangled; "" where there is none
};

// How PC samples were taken in one context of a process, and what was lost.
struct CapturedSampling {
  std::uint64_t process = 0;
  std::uint32_t context = 0;
  std::uint64_t gpu = 0;  // 0: not known
  std::uint32_t period_cycles = 0;
  bool is_serialized = false;  // samples name their launch
  std::uint64_t total = 0, dropped = 0, not_user = 0, buffer_full = 0;
};

// Samples of one stall reason at one instruction. The reasons keep the profiler's names.
struct CapturedSample {
  std::uint64_t kernel = 0;
  std::uint64_t launch = 0;  // 0: of no launch in particular
  std::uint64_t offset = 0;
  std::string reason;            // "long_scoreboard"
  std::uint64_t samples = 0;     // all of them
  std::uint64_t not_issued = 0;  // of these, when the scheduler issued nothing
};

struct CapturedCounter {
  std::uint64_t kernel = 0;
  std::uint64_t launch = 0;  // 0: of all
  std::uint64_t offset = 0;
  std::string metric;  // "smsp__sass_inst_executed"
  double value = 0;
};

struct CapturedProblem {
  std::uint64_t process = 0;
  std::uint32_t kind = 0;    // SpoolProblem::What
  std::uint64_t count = 0;   // 0: it has no number
  std::uint64_t launch = 0;  // 0: none in particular
  std::string sentence;
};

class Capture {
 public:
  // Refuses, in a sentence each: what is no capture, a newer version, a truncated or damaged file.
  // `name` stands for the file in messages and reports; "": its path does.
  static Result<Capture> open(const std::string& path, const std::string& name = "");

  // Whether a file that begins so is to be opened as a capture.
  static bool is_capture(Bytes begin) { return store::Database::is_database(begin); }

  const std::string& path() const { return name_; }
  std::string info(std::string_view key) const;  // "" where it says nothing
  const std::vector<CapturedProcess>& processes() const { return processes_; }
  const std::vector<CapturedGpu>& gpus() const { return gpus_; }
  const std::vector<CapturedModule>& modules() const { return modules_; }
  const std::vector<CapturedKernel>& kernels() const { return kernels_; }
  const std::vector<CapturedLaunch>& launches() const { return launches_; }
  const std::vector<CapturedSampling>& samplings() const { return samplings_; }
  const std::vector<CapturedProblem>& problems() const { return problems_; }

  const CapturedKernel& kernel(std::uint64_t id) const { return kernels_[id - 1]; }
  const CapturedGpu* gpu(std::uint64_t id) const { return id == 0 ? nullptr : &gpus_[id - 1]; }

  Result<std::vector<std::uint8_t>> cubin(std::uint64_t module) const;
  Result<CapturedArguments> arguments(std::uint64_t launch) const;
  Result<CapturedMemory> memory(std::uint64_t launch) const;
  Result<std::vector<CapturedVariable>> variables(std::uint64_t launch) const;
  Result<std::vector<CapturedFrame>> stack(std::uint64_t id) const;  // the innermost first
  Result<std::vector<CapturedSample>> samples(std::uint64_t kernel) const;
  // Over all launches of the kernel, added up; or those of one, empty where it was not counted.
  Result<std::vector<CapturedCounter>> counters(std::uint64_t kernel) const;
  Result<std::vector<CapturedCounter>> counts(const CapturedLaunch& launch) const;
  // Offset and text of its instructions, where the capture has no module for it.
  Result<std::vector<std::pair<std::uint64_t, std::string>>> listing(std::uint64_t kernel) const;

  std::vector<std::uint64_t> sample_counts() const;  // of each kernel, in the order of kernels()

  // The samples of a kernel, those of one launch only where `launch` is not 0. A profile without
  // rows where there are none.
  Result<launch::StallProfile> profile(std::uint64_t kernel, std::uint64_t launch = 0) const;

 private:
  Capture(store::Database database, std::string name)
      : database_(std::move(database)), name_(std::move(name)) {}
  void read_lists();
  Result<void> check() const;

  store::Database database_;
  std::string name_;
  std::vector<CapturedProcess> processes_;
  std::vector<CapturedGpu> gpus_;
  std::vector<CapturedModule> modules_;
  std::vector<CapturedKernel> kernels_;
  std::vector<CapturedLaunch> launches_;
  std::vector<CapturedSampling> samplings_;
  std::vector<CapturedProblem> problems_;
};

}  // namespace burin::capture
