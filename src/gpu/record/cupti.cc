#include "gpu/record/cupti.h"

#include "gpu/library.h"

namespace burin {

std::string Cupti::open(const std::vector<std::string>& names) {
  const Library library = Library::open(names);
  if (!library) return "libcupti";
  std::string missing;
  const auto optional = [&]<typename Function>(const char* name, Function*& into) {
    into = library.symbol<Function>(name);
  };
  const auto entry = [&](const char* name, auto*& into) {
    optional(name, into);
    if (into == nullptr && missing.empty()) missing = name;
  };
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
  optional("cuptiSubscribe_v2", subscribe2);
  optional("cuptiGetCubinCrc", cubin_crc);
  optional("cuptiPCSamplingEnable", sampling_enable);
  optional("cuptiPCSamplingDisable", sampling_disable);
  optional("cuptiPCSamplingGetNumStallReasons", sampling_reason_count);
  optional("cuptiPCSamplingGetStallReasons", sampling_reasons);
  optional("cuptiPCSamplingSetConfigurationAttribute", sampling_configure);
  optional("cuptiPCSamplingGetConfigurationAttribute", sampling_configuration);
  optional("cuptiPCSamplingGetData", sampling_data);
  return missing;
}

std::string Cupti::words(CuptiStatus status) const {
  const char* said = nullptr;
  if (result_string != nullptr) result_string(status, &said);
  return said == nullptr ? "error " + std::to_string(status) : said;
}

}  // namespace burin
