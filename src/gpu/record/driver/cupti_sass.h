// The structures of CUPTI's SASS metrics, which count events at every instruction. They are part of
// the binary interface declared in cupti_types.h. CUPTI compares `size` with the end of the last
// field that it knows, without padding; end_of() computes that end.
#pragma once

#include <cstddef>
#include <cstdint>

namespace burin::gpu {

struct CuptiProfilerStart {  // CUpti_Profiler_Initialize_Params
  std::size_t size;
  void* reserved;
};
struct CuptiChipName {  // CUpti_Device_GetChipName_Params
  std::size_t size;
  void* reserved;
  std::size_t device;
  const char* chip;
};

struct CuptiSassMetric {  // CUpti_SassMetrics_MetricDetails
  std::uint64_t id;
  const char* name;
  const char* description;
};
struct CuptiSassMetricQuery {  // CUpti_SassMetrics_GetProperties_Params
  std::size_t size;
  void* reserved;
  const char* chip;
  const char* name;
  CuptiSassMetric metric;
};
struct CuptiSassChoice {  // CUpti_SassMetrics_Config
  enum Granularity : std::uint8_t { kGpu = 0 };
  std::uint64_t id;
  std::uint8_t granularity;
};
struct CuptiSassConfiguration {  // CUpti_SassMetricsSetConfig_Params
  std::size_t size;
  void* reserved;
  std::size_t count;
  CuptiSassChoice* choices;
  std::uint32_t device;
};
struct CuptiSassEnable {  // CUpti_SassMetricsEnable_Params
  std::size_t size;
  void* reserved;
  void* context;
  std::uint8_t is_lazy;  // patch kernels at their first launch
};
struct CuptiSassDisable {  // CUpti_SassMetricsDisable_Params
  std::size_t size;
  void* reserved;
  void* context;
  std::size_t dropped;
};
struct CuptiSassExtent {  // CUpti_SassMetricsGetDataProperties_Params
  std::size_t size;
  void* reserved;
  void* context;
  std::size_t records;
  std::size_t instances;  // number of values per record
};
struct CuptiSassValue {  // CUpti_SassMetrics_InstanceValue
  std::uint64_t id;      // metric id
  std::uint64_t value;
};
struct CuptiSassRecord {  // CUpti_SassMetrics_Data
  std::size_t size;
  void* reserved;
  std::uint32_t crc;
  std::uint32_t function_index;
  char* function_name;  // freed by the caller
  std::uint32_t offset;
  CuptiSassValue* values;
};
static_assert(sizeof(CuptiSassRecord) == 48);
struct CuptiSassFlush {  // CUpti_SassMetricsFlushData_Params
  std::size_t size;      // excludes `data`, as in CUPTI's own header
  void* reserved;
  void* context;
  std::size_t records;
  std::size_t instances;
  CuptiSassRecord* data;
};

template <typename Parameters, typename Field>
constexpr std::size_t end_of(const Parameters& parameters, const Field& last) {
  return static_cast<std::size_t>(reinterpret_cast<const char*>(&last) -
                                  reinterpret_cast<const char*>(&parameters)) +
         sizeof(Field);
}

}  // namespace burin::gpu
