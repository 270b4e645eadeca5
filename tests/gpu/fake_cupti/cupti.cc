// A CUPTI for the fake driver. BURIN_FAKE, a list of words, has it misbehave:
//
//   subscribed   another profiler is attached
//   privileges   the driver keeps counters to the administrator
//   dropped      the hardware loses samples
//   stuck        the last flush never returns
//   busy, mig    another profiler holds the counters; the GPU is partitioned
//   uncounted    instructions are not counted
#include "gpu/record/driver/cupti.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "fake_cupti/driver.h"

namespace burin::gpu::fake {
namespace {

std::recursive_mutex mutex;
Cupti::Callback* callback = nullptr;
void* user = nullptr;
std::set<std::pair<std::uint32_t, std::uint32_t>> enabled;
std::set<std::uint32_t> domains;  // that are enabled whole
Cupti::RequestBuffer* request_buffer = nullptr;
Cupti::CompleteBuffer* complete_buffer = nullptr;
std::vector<CuptiKernelRecord> records;
std::uint32_t correlations = 0;
std::uint64_t clock_ns = 1000;
std::uint32_t unsampled = 0;  // kernels that ran since the last samples were taken
bool counting = false;
std::uint64_t executed = 0;  // by the kernels that ran since the last counts were taken

const char* const kReasons[] = {"smsp__pcsamp_warps_issue_stalled_long_scoreboard",
                                "smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued",
                                "smsp__pcsamp_warps_issue_stalled_selected"};
constexpr std::uint32_t kFirstReason = 10;  // CUPTI's indices begin anywhere

CuptiStatus refused() {
  constexpr std::pair<const char*, CuptiStatus> kRefusals[] = {
      {"privileges", CuptiError::kInsufficientPrivileges},
      {"busy", CuptiError::kHardwareBusy},
      {"mig", CuptiError::kPartitioned},
  };
  for (const auto& [word, status] : kRefusals) {
    if (told(word)) return status;
  }
  return 0;
}

void tell(std::uint32_t domain, std::uint32_t id, const void* data) {
  Cupti::Callback* to = nullptr;
  {
    const std::lock_guard lock(mutex);
    if (enabled.contains({domain, id}) || domains.contains(domain)) to = callback;
  }
  if (to != nullptr) to(user, domain, id, data);
}

}  // namespace

Told::Told(std::uint32_t function, const void* parameters, const char* symbol)
    : function_(function) {
  data_.site = CuptiCallbackData::kEnter;
  data_.parameters = parameters;
  data_.symbol_name = symbol;
  data_.context = current;
  data_.context_id = current->id;
  {
    const std::lock_guard lock(mutex);
    data_.correlation = ++correlations;
  }
  tell(CuptiDomain::kDriver, function_, &data_);
}

void Told::end(CudaStatus result) {
  result_ = result;
  data_.site = CuptiCallbackData::kExit;
  data_.result = &result_;
  tell(CuptiDomain::kDriver, function_, &data_);
}

void tell_resource(std::uint32_t event, const void* data) {
  tell(CuptiDomain::kResource, event, data);
}

void tell_kernel(const Function& function, const std::uint32_t* grid, const std::uint32_t* block,
                 std::uint32_t correlation, std::uint64_t graph_node) {
  const std::lock_guard lock(mutex);
  CuptiKernelRecord record{};
  record.kind = CuptiKernelRecord::kConcurrentKernel;
  record.start_ns = clock_ns += 1000;
  record.end_ns = record.start_ns + 250;
  record.context = current->id;
  record.device = current->device;
  std::copy(grid, grid + 3, record.grid);
  std::copy(block, block + 3, record.block);
  record.correlation = correlation;
  record.name = function.name.c_str();
  record.graph_node = graph_node;
  records.push_back(record);
  ++unsampled;
  // As CUPTI does: the first launch of each thread, where nobody listens to all of the domain.
  static thread_local bool is_counted_before = false;
  const bool is_heard =
      !std::exchange(is_counted_before, counting) || domains.contains(CuptiDomain::kResource);
  if (counting && is_heard && !told("uncounted")) {
    executed += grid[0] * ((block[0] + 31) / 32);
  }
}

}  // namespace burin::gpu::fake

using namespace burin::gpu;
using namespace burin::gpu::fake;

extern "C" {

CuptiStatus cuptiGetVersion(std::uint32_t* version) {
  *version = 130001;
  return 0;
}
CuptiStatus cuptiGetResultString(CuptiStatus, const char** text) {
  *text = "CUPTI_ERROR_FAKE";
  return 0;
}
CuptiStatus cuptiGetTimestamp(std::uint64_t* timestamp) {
  *timestamp = clock_ns;
  return 0;
}
CuptiStatus cuptiSubscribe(void** subscriber, Cupti::Callback* function, void* data) {
  if (told("subscribed")) return CuptiError::kMultipleSubscribers;
  *subscriber = &enabled;
  callback = function;
  user = data;
  return 0;
}
CuptiStatus cuptiEnableCallback(std::uint32_t, void*, std::uint32_t domain, std::uint32_t id) {
  enabled.emplace(domain, id);
  return 0;
}
CuptiStatus cuptiEnableDomain(std::uint32_t, void*, std::uint32_t domain) {
  domains.insert(domain);
  return 0;
}
CuptiStatus cuptiGetContextId(void* context, std::uint32_t* id) {
  *id = static_cast<Context*>(context)->id;
  return 0;
}
CuptiStatus cuptiGetDeviceId(void* context, std::uint32_t* id) {
  *id = static_cast<Context*>(context)->device;
  return 0;
}
CuptiStatus cuptiGetGraphNodeId(void* node, std::uint64_t* id) {
  *id = reinterpret_cast<std::uint64_t>(node);
  return 0;
}
CuptiStatus cuptiGetCubinCrc(CuptiCubinCrc* crc) {
  crc->crc = 0xabc0 + crc->cubin_size % 16;
  return 0;
}
CuptiStatus cuptiActivityRegisterCallbacks(Cupti::RequestBuffer* request,
                                           Cupti::CompleteBuffer* complete) {
  request_buffer = request;
  complete_buffer = complete;
  return 0;
}
CuptiStatus cuptiActivityEnable(std::uint32_t) {
  return 0;
}
CuptiStatus cuptiActivityFlushPeriod(std::uint32_t) {
  return 0;
}
CuptiStatus cuptiActivityGetNumDroppedRecords(void*, std::uint32_t, std::size_t* dropped) {
  *dropped = 0;
  return 0;
}
CuptiStatus cuptiActivityFlushAll(std::uint32_t) {
  while (told("stuck")) ::pause();
  const std::lock_guard lock(mutex);
  while (!records.empty()) {
    std::uint8_t* buffer = nullptr;
    std::size_t size = 0, most = 0;
    request_buffer(&buffer, &size, &most);
    const std::size_t count = std::min(size / sizeof(CuptiKernelRecord), records.size());
    std::memcpy(buffer, records.data(), count * sizeof(CuptiKernelRecord));
    records.erase(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(count));
    complete_buffer(nullptr, 0, buffer, size, count * sizeof(CuptiKernelRecord));
  }
  return 0;
}
CuptiStatus cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid,
                                       std::uint32_t** record) {
  std::uint8_t* next = *record == nullptr
                           ? buffer
                           : reinterpret_cast<std::uint8_t*>(*record) + sizeof(CuptiKernelRecord);
  *record = reinterpret_cast<std::uint32_t*>(next);
  return next + sizeof(CuptiKernelRecord) <= buffer + valid ? 0 : 12;
}

CuptiStatus cuptiPCSamplingEnable(CuptiSamplingCall*) {
  return refused();
}
CuptiStatus cuptiPCSamplingDisable(CuptiSamplingCall*) {
  return 0;
}
CuptiStatus cuptiPCSamplingGetNumStallReasons(CuptiSamplingReasonCount* call) {
  *call->count = std::size(kReasons);
  return 0;
}
CuptiStatus cuptiPCSamplingGetStallReasons(CuptiSamplingReasons* call) {
  for (std::size_t i = 0; i < call->count; ++i) {
    call->indices[i] = kFirstReason + static_cast<std::uint32_t>(i);
    std::strcpy(call->names[i], kReasons[i]);
  }
  return 0;
}
CuptiStatus cuptiPCSamplingSetConfigurationAttribute(CuptiSamplingConfiguration*) {
  return 0;
}
CuptiStatus cuptiPCSamplingGetConfigurationAttribute(CuptiSamplingConfiguration* call) {
  call->settings[0].value[0] = 11;
  return 0;
}
// Every kernel is sampled at two instructions, of which one call gives one.
CuptiStatus cuptiPCSamplingGetData(CuptiSamplingGetData* call) {
  const std::lock_guard lock(mutex);
  static char name[] = "vector_add";
  static std::uint64_t offset = 16;
  CuptiSamplingData& data = *call->data;
  data.dropped = data.not_user = data.buffer_full = 0;
  data.pc_count = unsampled == 0 ? 0 : 1;
  data.total = unsampled * 4;
  data.remaining = 0;
  if (unsampled == 0) return 0;
  if (told("dropped")) data.dropped = 3;
  CuptiSamplingPc& pc = data.pcs[0];
  pc.crc = 0xabc0;
  pc.offset = offset;
  pc.function_name = name;
  pc.stall_count = 2;
  pc.stalls[0] = {kFirstReason + 1, unsampled};
  pc.stalls[1] = {kFirstReason + 2, unsampled * 2};
  data.remaining = offset == 16 ? 1 : 0;
  if (offset == 32) unsampled = 0;
  offset = 48 - offset;
  return 0;
}

// Counts stand at two instructions: the second is executed as often as the first, and the third
// never.
CuptiStatus cuptiProfilerInitialize(CuptiProfilerStart* call) {
  return call->size == 16 ? 0 : 1;
}
CuptiStatus cuptiDeviceGetChipName(CuptiChipName* call) {
  call->chip = "FAKE";
  return call->size == 32 ? 0 : 1;
}
CuptiStatus cuptiSassMetricsGetProperties(CuptiSassMetricQuery* call) {
  static const char* const kKnown[] = {"smsp__sass_inst_executed",
                                       "smsp__sass_thread_inst_executed_pred_on"};
  for (std::uint64_t i = 0; i < std::size(kKnown); ++i) {
    if (std::strcmp(call->name, kKnown[i]) == 0) {
      call->metric.id = 70 + i;
      return call->size == 56 ? 0 : 1;
    }
  }
  return 1;
}
CuptiStatus cuptiSassMetricsSetConfig(CuptiSassConfiguration* call) {
  if (const CuptiStatus status = refused(); status != 0) return status;
  return call->size == 36 && call->count == 2 && call->choices[1].id == 71 ? 0 : 1;
}
CuptiStatus cuptiSassMetricsEnable(CuptiSassEnable* call) {
  counting = true;
  executed = 0;
  return call->size == 25 ? 0 : 1;
}
CuptiStatus cuptiSassMetricsDisable(CuptiSassDisable* call) {
  counting = false;
  return call->size == 32 ? 0 : 1;
}
CuptiStatus cuptiSassMetricsGetDataProperties(CuptiSassExtent* call) {
  const std::lock_guard lock(mutex);
  call->records = executed == 0 ? 0 : 3;
  call->instances = 2;
  return call->size == 40 ? 0 : 1;
}
CuptiStatus cuptiSassMetricsFlushData(CuptiSassFlush* call) {
  const std::lock_guard lock(mutex);
  for (std::uint32_t i = 0; i < 3; ++i) {
    CuptiSassRecord& record = call->data[i];
    record.crc = 0xabc0;
    record.function_name = ::strdup("vector_add");
    record.offset = 16 * i;
    record.values[0] = {70, i == 2 ? 0 : executed};
    record.values[1] = {71, i == 2 ? 0 : 32 * executed};
  }
  executed = 0;
  return call->size == 40 ? 0 : 1;
}

}  // extern "C"
