// The spool: the records that a recorded process writes to disk while it runs, one file per process
// in the capture's spool folder. `burin record` assembles the capture from them. Files are
// append-only, so a process that is killed loses at most its last record:
//
//   "BURINSPL" version:u32 reserved:u32
//   (size:u32 kind:u32 crc32 of the payload:u32 payload[size])*
//
//   SpoolReader in(file.bytes());
//   while (std::optional<SpoolRecord> record = in.next()) std::visit(…, *record);
//   if (in.truncated()) …                             // the process was killed
//
// Numbers of modules, kernels, stacks and launches are local to the process, and each is defined
// before it is used. Times are nanoseconds on CUPTI's clock; addresses are GPU addresses.
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

// Each record lists its fields once, in file order, for both reading and writing.
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
  std::uint64_t begin_ns = 0;  // begin_unix_ns on CUPTI's clock; 0: no CUPTI
  std::string host{};
  std::string folder{};  // working directory
  std::vector<std::string> command{};
  std::string settings{};            // options as passed by `burin record`
  std::uint32_t driver_version = 0;  // 13000 is CUDA 13.0
  std::uint32_t cupti_version = 0;
  BURIN_SPOOL_FIELDS(r.pid, r.parent, r.begin_unix_ns, r.begin_ns, r.host, r.folder, r.command,
                     r.settings, r.driver_version, r.cupti_version)
};

// The last record, if the process ended normally. `launches_seen` includes launches not recorded.
struct SpoolEnd {
  std::uint64_t end_ns = 0;
  std::uint64_t launches_seen = 0;
  std::uint64_t launches_kept = 0;
  std::uint64_t times = 0;
  BURIN_SPOOL_FIELDS(r.end_ns, r.launches_seen, r.launches_kept, r.times)
};

struct SpoolDevice {
  std::uint32_t ordinal = 0;  // GPU index within the process
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

// A cubin as loaded by the driver: written once, however often it is loaded.
struct SpoolModule {
  std::uint32_t module = 0;  // from 1
  // CUPTI's CRC, by which samples refer to the module. It may be shared by several modules. 0:
  // CUPTI gave none.
  std::uint64_t crc = 0;
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
  std::uint32_t module = 0;  // 0: unknown
  std::string name{};        // mangled, as in the module
  std::vector<SpoolParameter> parameters{};
  BURIN_SPOOL_FIELDS(r.kernel, r.module, r.name, r.parameters)
};

// The allocation that a pointer among the arguments points into.
struct SpoolAllocation {
  enum Memory : std::uint32_t { kUnknown, kHost, kDevice, kArray, kManaged };
  std::uint32_t argument_offset = 0;  // position of the pointer in the argument bytes
  std::uint64_t address = 0;          // address of the allocation's first byte
  std::uint64_t size = 0;
  std::uint32_t memory = kUnknown;
  bool operator==(const SpoolAllocation&) const = default;
  BURIN_SPOOL_FIELDS(r.argument_offset, r.address, r.size, r.memory)
};

struct SpoolLaunch {
  enum Flags : std::uint32_t { kGraph = 1, kCooperative = 2, kArgumentsUnknown = 4 };
  std::uint64_t launch = 0;  // in launch order, from 1, including launches not recorded
  std::uint32_t kernel = 0;
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::uint64_t stream = 0;  // stream handle
  std::uint64_t thread = 0;  // host thread
  std::array<std::uint32_t, 3> grid{}, block{};
  std::array<std::uint32_t, 3> cluster{};  // zeros: the kernel's compiled-in cluster
  std::uint32_t shared_bytes = 0;          // dynamic shared memory
  std::uint32_t flags = 0;
  std::vector<std::uint8_t> arguments{};  // parameter block, laid out as in SpoolKernel
  std::vector<SpoolAllocation> allocations{};
  std::uint32_t stack = 0;        // 0: no stack recorded
  std::uint32_t correlation = 0;  // with graph_node: key of the launch's times
  std::uint64_t graph_node = 0;   // 0: not in a graph
  std::string ranges{};           // enclosing NVTX ranges, outermost first: "step/forward"
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

// Times arrive in batches and in any order, before or after their launches. A time without a launch
// in the file belongs to a launch that was not recorded.
struct SpoolTimes {
  std::vector<SpoolTime> times{};
  BURIN_SPOOL_FIELDS(r.times)
};

struct SpoolFrame {
  std::string object{};      // file of the program or library; "" if none is mapped there
  std::uint64_t offset = 0;  // offset in the object
  std::string symbol{};      // mangled; "" if unknown
  bool operator==(const SpoolFrame&) const = default;
  BURIN_SPOOL_FIELDS(r.object, r.offset, r.symbol)
};

struct SpoolStack {
  std::uint32_t stack = 0;           // from 1
  std::vector<SpoolFrame> frames{};  // innermost first, without CUDA's own frames
  BURIN_SPOOL_FIELDS(r.stack, r.frames)
};

// A page of GPU memory. Frameworks hand out parts of large allocations, of which a launch changes
// little: a page that is unchanged since the previous launch is written only once.
struct SpoolContent {
  std::uint64_t content = 0;  // from 1
  Bytes bytes{};
  BURIN_SPOOL_FIELDS(r.content, r.bytes)
};
inline constexpr std::uint64_t kSpoolPageBytes = 64 << 10;

// The contents of an allocation before or after a launch.
struct SpoolMemory {
  enum Moment : std::uint32_t {
    kBefore = 0,
    kAfter = 1,
    kConstants = 2,  // a `__constant__` variable of a launch whose memory is not recorded otherwise
  };
  std::uint64_t launch = 0;
  std::uint32_t moment = kBefore;
  std::uint64_t address = 0;  // address of the allocation's first byte
  std::uint64_t size = 0;     // size of the allocation
  // Content numbers of its pages, the last of which may be shorter; 0: same as before the launch.
  std::vector<std::uint64_t> contents{};
  BURIN_SPOOL_FIELDS(r.launch, r.moment, r.address, r.size, r.contents)
};

// A variable of the launch's module (`__device__`, `__constant__`). Its contents are recorded like
// those of allocations.
struct SpoolVariable {
  std::uint64_t launch = 0;
  std::string name{};  // name in the module's symbol table
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  bool operator==(const SpoolVariable&) const = default;
  BURIN_SPOOL_FIELDS(r.launch, r.name, r.address, r.size)
};

// A texture object that the program created.
struct SpoolTexture {
  std::uint64_t after = 0;  // launches of the process before it
  std::uint64_t handle = 0;
  std::uint64_t address = 0;  // of an array: a range that no allocation has
  std::uint32_t texel_bytes = 0;
  std::uint32_t channels = 0;
  std::uint64_t width = 0, height = 0;  // texels; height 0: one dimension
  std::uint64_t pitch = 0;              // bytes
  std::uint32_t is_array = 0, is_normalized = 0;
  BURIN_SPOOL_FIELDS(r.after, r.handle, r.address, r.texel_bytes, r.channels, r.width, r.height,
                     r.pitch, r.is_array, r.is_normalized)
};

// Settings of the samples that follow; written once per context.
struct SpoolSampling {
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::uint32_t period_cycles = 0;
  std::uint32_t serialized = 0;
  std::vector<std::string> reasons{};  // CUPTI's names; SpoolStall::reason is an index into them
  BURIN_SPOOL_FIELDS(r.device, r.context, r.period_cycles, r.serialized, r.reasons)
};

struct SpoolFunction {
  std::uint64_t crc = 0;  // CRC of its module
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
  std::uint32_t function = 0;     // index into SpoolSamples::functions
  std::uint32_t correlation = 0;  // 0 in continuous mode
  std::uint64_t offset = 0;       // offset of the instruction in the function
  std::vector<SpoolStall> stalls{};
  BURIN_SPOOL_FIELDS(r.function, r.correlation, r.offset, r.stalls)
};

// The samples since the previous batch: batches add up.
struct SpoolSamples {
  std::uint32_t context = 0;
  std::uint64_t total = 0;        // hardware samples, including dropped and not_user
  std::uint64_t dropped = 0;      // lost by the hardware
  std::uint64_t not_user = 0;     // in code outside of the program
  std::uint32_t buffer_full = 0;  // number of hardware buffer overflows
  std::vector<SpoolFunction> functions{};
  std::vector<SpoolSample> samples{};
  BURIN_SPOOL_FIELDS(r.context, r.total, r.dropped, r.not_user, r.buffer_full, r.functions,
                     r.samples)
};

struct SpoolCount {
  std::uint64_t offset = 0;             // offset of the instruction in the function
  std::vector<std::uint64_t> values{};  // one per metric
  BURIN_SPOOL_FIELDS(r.offset, r.values)
};

// Per-instruction counts of one launch or, if `launch` is 0, summed over the launches of a
// function. Instructions that were never executed are omitted.
struct SpoolCounters {
  std::uint32_t context = 0;
  std::vector<std::string> metrics{};  // "smsp__sass_inst_executed"
  SpoolFunction function{};
  std::vector<SpoolCount> counts{};
  std::uint64_t launch = 0;  // 0: no specific launch
  BURIN_SPOOL_FIELDS(r.context, r.metrics, r.function, r.counts, r.launch)
};

// A part that is missing from the capture, and why. Written once per kind, with the count at the
// end.
struct SpoolProblem {
  enum What : std::uint32_t {
    kOther,
    kNoCupti,           // libcupti cannot be opened or lacks an entry point
    kOtherProfiler,     // another CUPTI subscriber is attached
    kNoPermission,      // the driver restricts counters to administrators: no samples
    kNotSupported,      // no sampling on this GPU or configuration (MIG, vGPU, confidential)
    kSamplesLost,       // samples dropped, or the hardware buffer was full
    kRecordsLost,       // CUPTI dropped activity records: launches without times
    kMemoryTooLarge,    // contents above the size limit were omitted
    kDiskFull,          // nothing more could be written
    kArguments,         // launches whose arguments could not be read
    kTimedOut,          // the recorder stopped waiting, so as not to delay the program
    kUncounted,         // launches whose instructions were not counted
    kGraphMemory,       // contents requested for a launch inside a graph
    kGraphCounts,       // graph launches whose kernels were not counted
    kSampledElsewhere,  // another recorded process is sampling the GPU
  };
  std::uint32_t what = kOther;
  std::uint64_t count = 0;   // number of occurrences or items; 0: not applicable
  std::uint64_t launch = 0;  // 0: no specific launch
  std::string sentence{};
  BURIN_SPOOL_FIELDS(r.what, r.count, r.launch, r.sentence)
};

#undef BURIN_SPOOL_FIELDS

// The kind of a record in the file is its index here, counted from 1: add new types at the end.
using SpoolRecord =
    std::variant<SpoolProcess, SpoolEnd, SpoolDevice, SpoolModule, SpoolKernel, SpoolLaunch,
                 SpoolTimes, SpoolStack, SpoolMemory, SpoolSampling, SpoolSamples, SpoolCounters,
                 SpoolProblem, SpoolVariable, SpoolContent, SpoolTexture>;

inline constexpr std::uint32_t kSpoolVersion = 2;

// Return the header of a spool file, and the encoding of one record.
std::vector<std::uint8_t> spool_header();
std::vector<std::uint8_t> encode_record(const SpoolRecord& record);

// Returns the file name for a process, for example "4711-18d2f.spool". It includes the start time,
// because an earlier process may have had the same pid.
std::string spool_file_name(std::uint64_t pid, std::uint64_t begin_unix_ns);

// Returns the subfolder of a spool folder for the second run, in which instructions are counted.
std::string counters_folder(const std::string& folder);

// Returns the files of a spool folder, sorted by name, or an Error if the folder cannot be read.
Result<std::vector<std::string>> spool_files(const std::string& folder);

// Reads the records of a file in order. The Bytes of modules and contents are views into the file.
class SpoolReader {
 public:
  // Returns an Error if the bytes are not a spool, or are from another version of the format.
  static Result<SpoolReader> open(Bytes file);

  // Returns the next record, or nothing at the end of the file or at the first truncated or damaged
  // record. Record kinds of newer burin versions are skipped.
  std::optional<SpoolRecord> next();

  // Returns whether an incomplete or damaged record was left at the end: the process was killed, or
  // the disk was full. Valid once `next` has returned nothing.
  bool truncated() const { return truncated_; }
  std::uint64_t position() const { return in_.position(); }

 private:
  explicit SpoolReader(Bytes file) : in_(file) {}

  Cursor in_;
  bool truncated_ = false;
};

// Splits CUPTI's name of a stall reason into the reason and its family:
// "smsp__pcsamp_warps_issue_stalled_wait_not_issued" -> {"wait", true}.
struct StallReasonName {
  std::string_view reason;  // "" if not a stall, e.g. smsp__pcsamp_sample_buffer_full
  bool not_issued = false;
};
StallReasonName stall_reason(std::string_view cupti_name);

}  // namespace burin::capture
