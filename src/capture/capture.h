// A capture: the kernel launches of a real program on a GPU, in one file. It is written by `burin
// record` or by importing another profiler's report, and can be read without a GPU.
//
//   Result<Capture> capture = Capture::open("app.burin");
//   for (const CapturedLaunch& launch : capture->launches())
//     capture->kernel(launch.kernel).name, launch.duration_ns …
//   Result<CapturedMemory> memory = capture->memory(launch.id);
//
// The lists are read when the file is opened; modules, arguments, memory and samples are read on
// request. Ids count from 1 and are local to the capture. Times are in nanoseconds.
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
  std::string folder;  // working directory
  std::string host;
  std::string settings;  // options of the recorder
  std::uint64_t begin_unix_ns = 0;
  std::uint64_t begin_ns = 0;           // begin_unix_ns on the clock of the launches
  std::optional<std::uint64_t> end_ns;  // none: killed, so its last records may be missing
  std::uint32_t driver_version = 0, cupti_version = 0;
  std::uint64_t launches_seen = 0;  // including launches that were not recorded
};

struct CapturedGpu {
  std::uint64_t id = 0;
  std::uint64_t process = 0;
  std::uint32_t ordinal = 0;  // GPU index within the process
  std::string name;           // "NVIDIA H200"
  std::string bus;
  std::uint32_t sm = 0;  // 90
  std::uint32_t multiprocessors = 0;
  std::uint32_t clock_khz = 0;
  std::uint64_t memory_bytes = 0, l2_bytes = 0;
};

struct CapturedModule {
  std::uint64_t id = 0;
  std::string sha256;  // SHA-256 of the cubin
  std::uint64_t crc = 0;
  std::uint64_t size = 0;
};

struct CapturedKernel {
  std::uint64_t id = 0;
  std::uint64_t module = 0;  // 0: the capture does not contain its code
  std::string name;          // mangled, as in the module
  std::vector<read::Parameter> parameters;
};

struct CapturedLaunch {
  std::uint64_t id = 0;
  std::uint64_t process = 0;
  std::uint64_t number = 0;  // launch number in the process, including launches not recorded
  std::uint64_t kernel = 0;
  std::uint64_t gpu = 0;  // 0: unknown
  std::uint32_t context = 0;
  std::uint64_t stream = 0, thread = 0;
  launch::Dims grid{}, block{};
  std::optional<launch::Dims> cluster{};  // none: the kernel's compiled-in cluster
  std::uint32_t shared_bytes = 0;
  bool is_graph = false, is_cooperative = false;
  std::optional<std::uint64_t> start_ns{}, duration_ns{};  // on the GPU
  std::uint64_t stack = 0;                                 // stack id; 0: none
  std::uint32_t correlation = 0;
  std::string ranges{};     // NVTX ranges, outermost first: "step/forward"
  bool has_memory = false;  // the capture contains its buffers' contents
  bool has_counts = false;  // the capture contains its instruction execution counts
};

struct CapturedAllocation {
  std::uint32_t argument_offset = 0;  // position of the pointer in the argument bytes
  std::uint64_t address = 0;          // address of the allocation's first byte
  std::uint64_t size = 0;
  std::uint32_t memory = 0;  // SpoolAllocation::Memory
};

struct CapturedArguments {
  std::optional<std::vector<std::uint8_t>> bytes;  // parameter block; none: unknown
  std::vector<CapturedAllocation> allocations;
};

// When contents of memory were recorded, as numbered in the file. kConstants: `__constant__`
// variables of a launch whose other memory was not recorded.
enum class MemoryMoment : std::uint8_t { kBefore, kAfter, kConstants };

// Contents of GPU memory before and after a launch, sorted by address.
struct CapturedMemory {
  std::vector<launch::MemoryPiece> before;
  std::vector<launch::MemoryPiece> after;  // only bytes that the launch changed
};

// A variable of the launch's module and its address. Its contents are part of the CapturedMemory.
struct CapturedVariable {
  std::string name;  // name in the symbol table
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};

struct CapturedFrame {
  std::string object;  // file of the program or library
  std::uint64_t offset = 0;
  std::string symbol;  // mangled; "" if unknown
};

// The PC sampling settings of one context of a process, and the number of samples lost.
struct CapturedSampling {
  std::uint64_t process = 0;
  std::uint32_t context = 0;
  std::uint64_t gpu = 0;  // 0: unknown
  std::uint32_t period_cycles = 0;
  bool is_serialized = false;  // each sample belongs to a known launch
  std::uint64_t total = 0, dropped = 0, not_user = 0, buffer_full = 0;
};

// Samples of one stall reason at one instruction, with the profiler's name for the reason.
struct CapturedSample {
  std::uint64_t kernel = 0;
  std::uint64_t launch = 0;  // 0: not attributed to a launch
  std::uint64_t offset = 0;
  std::string reason;            // "long_scoreboard"
  std::uint64_t samples = 0;     // all samples
  std::uint64_t not_issued = 0;  // samples in which the scheduler issued nothing
};

struct CapturedCounter {
  std::uint64_t kernel = 0;
  std::uint64_t launch = 0;  // 0: sum over all launches
  std::uint64_t offset = 0;
  std::string metric;  // "smsp__sass_inst_executed"
  double value = 0;
};

struct CapturedProblem {
  std::uint64_t process = 0;
  std::uint32_t kind = 0;    // SpoolProblem::What
  std::uint64_t count = 0;   // 0: not applicable
  std::uint64_t launch = 0;  // 0: no specific launch
  std::string sentence;
};

class Capture {
 public:
  // Opens a capture. Returns an Error for a file that is not a capture, has a newer version, or is
  // truncated or damaged. `name` replaces the path in messages and reports; "": the path is used.
  static Result<Capture> open(const std::string& path, const std::string& name = "");

  static constexpr std::size_t kHeaderBytes = store::Database::kHeaderBytes;

  // Returns whether a file that starts with these bytes, at least kHeaderBytes, should be opened as
  // a capture: also a damaged one, and another database.
  static bool is_capture(Bytes begin);
  // Returns whether it is one.
  static bool has_mark(Bytes begin);

  const std::string& path() const { return name_; }
  std::string info(std::string_view key) const;  // "" if the key is absent
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
  // The texture objects that existed at the launch.
  Result<std::vector<launch::Texture>> textures(const CapturedLaunch& launch) const;
  // The last launch up to this one that has the constants of the same module; 0: none.
  Result<std::uint64_t> constants_at(const CapturedLaunch& launch) const;
  Result<std::vector<CapturedFrame>> stack(std::uint64_t id) const;  // innermost first
  Result<std::vector<CapturedSample>> samples(std::uint64_t kernel) const;
  // counters(): summed over all launches of the kernel. counts(): of one launch, empty if it was
  // not counted.
  Result<std::vector<CapturedCounter>> counters(std::uint64_t kernel) const;
  Result<std::vector<CapturedCounter>> counts(const CapturedLaunch& launch) const;
  // Returns offset and text of the kernel's instructions, for a kernel without a module.
  Result<std::vector<std::pair<std::uint64_t, std::string>>> listing(std::uint64_t kernel) const;

  // Returns the number of samples of each kernel, in the order of kernels().
  std::vector<std::uint64_t> sample_counts() const;

  // Returns the stall profile of a kernel, or of one launch if `launch` is not 0. The profile has
  // no rows if there are no samples.
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
