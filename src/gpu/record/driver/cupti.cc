#include "gpu/record/driver/cupti.h"

#include "gpu/library.h"

namespace burin::gpu {

std::string Cupti::open(const std::vector<std::string>& names) {
  const Library library = Library::open(names);
  if (!library) return "libcupti";
  Entries entry(library);
  entry("cuptiGetVersion", version);
  entry("cuptiGetResultString", result_string);
  entry("cuptiGetTimestamp", timestamp);
  entry("cuptiSubscribe", subscribe);
  entry("cuptiEnableCallback", enable_callback);
  entry("cuptiGetContextId", context_id);
  entry("cuptiGetDeviceId", device_id);
  entry("cuptiGetGraphNodeId", graph_node_id);
  entry("cuptiActivityRegisterCallbacks", activity_callbacks);
  entry("cuptiActivityEnable", activity_enable);
  entry("cuptiActivityGetNextRecord", activity_next);
  entry("cuptiActivityFlushAll", activity_flush);
  entry("cuptiActivityFlushPeriod", activity_flush_period);
  entry("cuptiActivityGetNumDroppedRecords", activity_dropped);
  entry.optional("cuptiSubscribe_v2", subscribe2);
  entry.optional("cuptiEnableDomain", enable_domain);
  entry.optional("cuptiGetCubinCrc", cubin_crc);
  entry.optional("cuptiPCSamplingEnable", sampling_enable);
  entry.optional("cuptiPCSamplingDisable", sampling_disable);
  entry.optional("cuptiPCSamplingGetNumStallReasons", sampling_reason_count);
  entry.optional("cuptiPCSamplingGetStallReasons", sampling_reasons);
  entry.optional("cuptiPCSamplingSetConfigurationAttribute", sampling_configure);
  entry.optional("cuptiPCSamplingGetConfigurationAttribute", sampling_configuration);
  entry.optional("cuptiPCSamplingGetData", sampling_data);
  entry.optional("cuptiProfilerInitialize", profiler_start);
  entry.optional("cuptiDeviceGetChipName", chip_name);
  entry.optional("cuptiSassMetricsGetProperties", sass_metric);
  entry.optional("cuptiSassMetricsSetConfig", sass_configure);
  entry.optional("cuptiSassMetricsEnable", sass_enable);
  entry.optional("cuptiSassMetricsDisable", sass_disable);
  entry.optional("cuptiSassMetricsGetDataProperties", sass_extent);
  entry.optional("cuptiSassMetricsFlushData", sass_flush);
  return entry.missing();
}

std::string Cupti::words(CuptiStatus status) const {
  const char* said = nullptr;
  if (result_string != nullptr) result_string(status, &said);
  return said == nullptr ? "error " + std::to_string(status) : said;
}

}  // namespace burin::gpu
