// The spool: what a recorded process leaves on disk while it runs, one file per process in the
// capture's spool folder, from which `burin record` assembles the capture. A file is only ever
// appended to, so that a process that is killed leaves all but its last record:
//
//   "BURINSPL" version:u32 reserved:u32
//   (size:u32 kind:u32 crc32 of the payload:u32 payload[size])*
//
//   SpoolReader in(file.bytes());
//   while (std::optional<SpoolRecord> record = in.next()) std::visit(…, *record);
//   if (in.truncated()) …                             // the process was killed
//
// Numbers of modules, kernels, stacks and launches are the process's own, each told before it is
// used. Times are nanoseconds of CUPTI's clock, addresses those of the GPU.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace burin::capture {

// Each record lists its fields in the order they are written, once for both directions.
#define BURIN_SPOOL_FIELDS(...)                    \
  static void fields(auto& record, auto&& visit) { \
    auto& r = record;                              \
    visit(__VA_ARGS__);                            \
  }

// The first record of every file.
struct SpoolProcess {
  std::uint64_t pid = 0;
  std::uint64_t parent = 0;
  std::uint64_t begin_unix_ns = 0;
  std::uint64_t begin_ns = 0;  // the same moment on CUPTI's clock; 0: there is no CUPTI
  std::string host{};
  std::string folder{};  // the working directory
  std::vector<std::string> command{};
  std::string settings{};            // what was asked of the recorder, as `burin record` passed it
  std::uint32_t driver_version = 0;  // 13000 is CUDA 13.0
  std::uint32_t cupti_version = 0;
  BURIN_SPOOL_FIELDS(r.pid, r.parent, r.begin_unix_ns, r.begin_ns, r.host, r.folder, r.command,
                     r.settings, r.driver_version, r.cupti_version)
};

// The last record, where the process ended by itself. Launches are counted whether kept or not.
struct SpoolEnd {
  std::uint64_t end_ns = 0;
  std::uint64_t launches_seen = 0;
  std::uint64_t launches_kept = 0;
  std::uint64_t times = 0;
  BURIN_SPOOL_FIELDS(r.end_ns, r.launches_seen, r.launches_kept, r.times)
};

struct SpoolDevice {
  std::uint32_t ordinal = 0;  // as the process counts its GPUs
  std::string name{};
  std::string bus{};  // "0000:19:00.0"
  std::uint32_t capability_major = 0, capability_minor = 0;
  std::uint32_t multiprocessors = 0;
  std::uint32_t clock_khz = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t l2_bytes = 0;
  BURIN_SPOOL_FIELDS(r.ordinal, r.name, r.bus, r.capability_major, r.capability_minor,
                     r.multiprocessors, r.clock_khz, r.memory_bytes, r.l2_bytes)
};

// A cubin as the driver loaded it: told once, however often it is loaded.
struct SpoolModule {
  std::uint32_t module = 0;  // from 1
  std::uint64_t crc = 0;     // CUPTI's, by which samples name the module, not always that one
                             // alone; 0: CUPTI gave none
  Bytes cubin{};
  BURIN_SPOOL_FIELDS(r.module, r.crc, r.cubin)
};

struct SpoolParameter {
  std::uint32_t offset = 0, size = 0;
  bool operator==(const SpoolParameter&) const = default;
  BURIN_SPOOL_FIELDS(r.offset, r.size)
};

struct SpoolKernel {
  std::uint32_t kernel = 0;  // from 1
  std::uint32_t module = 0;  // 0: not known which
  std::string name{};        // as in the module: mangled
  std::vector<SpoolParameter> parameters{};
  BURIN_SPOOL_FIELDS(r.kernel, r.module, r.name, r.parameters)
};

// What a pointer among the arguments points into.
struct SpoolAllocation {
  enum Memory : std::uint32_t { kUnknown, kHost, kDevice, kArray, kManaged };
  std::uint32_t argument_offset = 0;  // where in the argument bytes the pointer stands
  std::uint64_t address = 0;          // the first byte of the allocation
  std::uint64_t size = 0;
  std::uint32_t memory = kUnknown;
  bool operator==(const SpoolAllocation&) const = default;
  BURIN_SPOOL_FIELDS(r.argument_offset, r.address, r.size, r.memory)
};

struct SpoolLaunch {
  enum Flags : std::uint32_t { kGraph = 1, kCooperative = 2, kArgumentsUnknown = 4 };
  std::uint64_t launch = 0;  // in the order of launching, from 1; not kept launches count too
  std::uint32_t kernel = 0;
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::uint64_t stream = 0;  // its handle
  std::uint64_t thread = 0;  // of the host
  std::array<std::uint32_t, 3> grid{}, block{};
  std::array<std::uint32_t, 3> cluster{};  // zeros: as the kernel was built
  std::uint32_t shared_bytes = 0;          // dynamic
  std::uint32_t flags = 0;
  std::vector<std::uint8_t> arguments{};  // the parameter block; SpoolKernel says where each stands
  std::vector<SpoolAllocation> allocations{};
  std::uint32_t stack = 0;        // 0: none was taken
  std::uint32_t correlation = 0;  // with graph_node, what the launch's times name
  std::uint64_t graph_node = 0;   // 0: no graph
  std::string ranges{};           // the NVTX ranges it stands in, outermost first: "step/forward"
  BURIN_SPOOL_FIELDS(r.launch, r.kernel, r.device, r.context, r.stream, r.thread, r.grid, r.block,
                     r.cluster, r.shared_bytes, r.flags, r.arguments, r.allocations, r.stack,
                     r.correlation, r.graph_node, r.ranges)
};

struct SpoolTime {
  std::uint32_t correlation = 0;
  std::uint64_t graph_node = 0;
  std::uint64_t start_ns = 0, end_ns = 0;  // on the GPU
  BURIN_SPOOL_FIELDS(r.correlation, r.graph_node, r.start_ns, r.end_ns)
};

// They come in batches and in no order, before or after their launches. A time whose launch is not
// in the file belongs to one that was not kept.
struct SpoolTimes {
  std::vector<SpoolTime> times{};
  BURIN_SPOOL_FIELDS(r.times)
};

struct SpoolFrame {
  std::string object{};      // the program's or library's file; "" where none is mapped there
  std::uint64_t offset = 0;  // inside the object
  std::string symbol{};      // mangled; "" where there is none
  bool operator==(const SpoolFrame&) const = default;
  BURIN_SPOOL_FIELDS(r.object, r.offset, r.symbol)
};

struct SpoolStack {
  std::uint32_t stack = 0;           // from 1
  std::vector<SpoolFrame> frames{};  // the innermost first, without CUDA's own
  BURIN_SPOOL_FIELDS(r.stack, r.frames)
};

// A page of the GPU's memory. Frameworks hand out parts of large allocations, of which a launch
// changes little: what is the same as at the launch before is told once.
struct SpoolContent {
  std::uint64_t content = 0;  // from 1
  Bytes bytes{};
  BURIN_SPOOL_FIELDS(r.content, r.bytes)
};
inline constexpr std::uint64_t kSpoolPageBytes = 64 << 10;

// An allocation as the launch found or left it.
struct SpoolMemory {
  std::uint64_t launch = 0;
  std::uint32_t after = 0;    // 0 before the launch, 1 after it
  std::uint64_t address = 0;  // of the allocation's first byte
  std::uint64_t size = 0;     // of the allocation
  // Of its pages, the last of which may be shorter; 0: as before the launch.
  std::vector<std::uint64_t> contents{};
  BURIN_SPOOL_FIELDS(r.launch, r.after, r.address, r.size, r.contents)
};

// A variable of the launch's module (`__device__`, `__constant__`), whose contents are told as
// those of allocations are.
struct SpoolVariable {
  std::uint64_t launch = 0;
  std::string name{};  // as the module's symbols have it
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  bool operator==(const SpoolVariable&) const = default;
  BURIN_SPOOL_FIELDS(r.launch, r.name, r.address, r.size)
};

// How the samples that follow were taken, told once per context.
struct SpoolSampling {
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::uint32_t period_cycles = 0;
  std::uint32_t serialized = 0;
  std::vector<std::string> reasons{};  // SpoolStall::reason is an index into these names of CUPTI's
  BURIN_SPOOL_FIELDS(r.device, r.context, r.period_cycles, r.serialized, r.reasons)
};

struct SpoolFunction {
  std::uint64_t crc = 0;  // of its module
  std::string name{};
  BURIN_SPOOL_FIELDS(r.crc, r.name)
};

struct SpoolStall {
  std::uint32_t reason = 0;
  std::uint32_t samples = 0;
  bool operator==(const SpoolStall&) const = default;
  BURIN_SPOOL_FIELDS(r.reason, r.samples)
};

struct SpoolSample {
  std::uint32_t function = 0;     // an index into SpoolSamples::functions
  std::uint32_t correlation = 0;  // 0 in continuous mode
  std::uint64_t offset = 0;       // of the instruction in the function
  std::vector<SpoolStall> stalls{};
  BURIN_SPOOL_FIELDS(r.function, r.correlation, r.offset, r.stalls)
};

// What was sampled since the batch before: batches add up.
struct SpoolSamples {
  std::uint32_t context = 0;
  std::uint64_t total = 0;        // of the hardware, the two below among them
  std::uint64_t dropped = 0;      // lost by the hardware
  std::uint64_t not_user = 0;     // in code that is not the program's
  std::uint32_t buffer_full = 0;  // times that the hardware's buffer ran over
  std::vector<SpoolFunction> functions{};
  std::vector<SpoolSample> samples{};
  BURIN_SPOOL_FIELDS(r.context, r.total, r.dropped, r.not_user, r.buffer_full, r.functions,
                     r.samples)
};

struct SpoolCount {
  std::uint64_t offset = 0;             // of the instruction in the function
  std::vector<std::uint64_t> values{};  // one per metric
  BURIN_SPOOL_FIELDS(r.offset, r.values)
};

// Per-instruction counts of one launch, or, where there is none, added up over the launches of a
// function. What was never executed is left out.
struct SpoolCounters {
  std::uint32_t context = 0;
  std::vector<std::string> metrics{};  // "smsp__sass_inst_executed"
  SpoolFunction function{};
  std::vector<SpoolCount> counts{};
  std::uint64_t launch = 0;  // 0: none in particular
  BURIN_SPOOL_FIELDS(r.context, r.metrics, r.function, r.counts, r.launch)
};

// Something that is missing from the capture, and why. Told once per kind, counted at the end.
struct SpoolProblem {
  enum What : std::uint32_t {
    kOther,
    kNoCupti,           // libcupti cannot be opened or lacks an entry point
    kOtherProfiler,     // another subscriber is attached
    kNoPermission,      // the driver keeps counters to the administrator: no samples
    kNotSupported,      // the GPU or its configuration (MIG, vGPU, confidential) has no samples
    kSamplesLost,       // dropped, or the hardware's buffer was full
    kRecordsLost,       // activity records that CUPTI dropped: launches without times
    kMemoryTooLarge,    // contents over the limit were left out
    kDiskFull,          // nothing more could be written
    kArguments,         // launches whose arguments could not be read
    kTimedOut,          // the recorder gave up waiting, so as not to hold up the program
    kUncounted,         // launches whose instructions were not counted
    kGraphMemory,       // contents that were wanted of a launch inside a graph
    kGraphCounts,       // launches of graphs whose kernels were not counted
    kSampledElsewhere,  // another recorded process takes the GPU's samples
  };
  std::uint32_t what = kOther;
  std::uint64_t count = 0;   // how often, or how many of them; 0: it has no number
  std::uint64_t launch = 0;  // 0: none in particular
  std::string sentence{};
  BURIN_SPOOL_FIELDS(r.what, r.count, r.launch, r.sentence)
};

#undef BURIN_SPOOL_FIELDS

// A record's kind in the file is its place here, from 1: add new ones at the end.
using SpoolRecord =
    std::variant<SpoolProcess, SpoolEnd, SpoolDevice, SpoolModule, SpoolKernel, SpoolLaunch,
                 SpoolTimes, SpoolStack, SpoolMemory, SpoolSampling, SpoolSamples, SpoolCounters,
                 SpoolProblem, SpoolVariable, SpoolContent>;

inline constexpr std::uint32_t kSpoolVersion = 2;

// What stands at the beginning of a file, and one record as it stands behind it.
std::vector<std::uint8_t> spool_header();
std::vector<std::uint8_t> encode_record(const SpoolRecord& record);

// "4711-18d2f.spool": the name of the file of one process, told apart from an earlier one that had
// the same number.
std::string spool_file_name(std::uint64_t pid, std::uint64_t begin_unix_ns);

// Inside a spool folder, that of a second run in which instructions were counted.
std::string counters_folder(const std::string& folder);

// The files of a spool folder, by name. An Error where the folder cannot be read.
Result<std::vector<std::string>> spool_files(const std::string& folder);

// Walks over the records of a file. The Bytes of modules and contents stay views into the file.
class SpoolReader {
 public:
  // An Error where the bytes are no spool, or one of another version of burin.
  static Result<SpoolReader> open(Bytes file);

  // Nothing at the end, which is also the first record that is cut short or damaged. Kinds of a
  // newer burin are skipped.
  std::optional<SpoolRecord> next();

  // Whether bytes were left over that are no whole record: the process was killed, or the disk was
  // full. Known once `next` gave nothing.
  bool truncated() const { return truncated_; }
  std::uint64_t position() const { return in_.position(); }

 private:
  explicit SpoolReader(Bytes file) : in_(file) {}

  Cursor in_;
  bool truncated_ = false;
};

// CUPTI's name of a stall reason as the reason and its family:
// "smsp__pcsamp_warps_issue_stalled_wait_not_issued" -> {"wait", true}.
struct StallReasonName {
  std::string_view reason;  // "" where the name counts no stall, as smsp__pcsamp_sample_buffer_full
  bool not_issued = false;
};
StallReasonName stall_reason(std::string_view cupti_name);

}  // namespace burin::capture
