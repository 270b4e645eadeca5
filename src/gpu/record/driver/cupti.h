// The CUPTI functions that the recorder calls, loaded at run time.
//
//   Cupti cupti;
//   if (const char* missing = cupti.open(names)) …
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/record/driver/cupti_sass.h"
#include "gpu/record/driver/cupti_types.h"

namespace burin::gpu {

struct Cupti {
  using Callback = void(void*, std::uint32_t domain, std::uint32_t id, const void* data);
  using RequestBuffer = void(std::uint8_t**, std::size_t*, std::size_t*);
  using CompleteBuffer = void(void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t);

  CuptiStatus (*version)(std::uint32_t*);
  CuptiStatus (*result_string)(CuptiStatus, const char**);
  CuptiStatus (*timestamp)(std::uint64_t*);
  CuptiStatus (*subscribe)(void**, Callback*, void*);
  CuptiStatus (*enable_callback)(std::uint32_t, void*, std::uint32_t, std::uint32_t);
  CuptiStatus (*context_id)(void*, std::uint32_t*);
  CuptiStatus (*device_id)(void*, std::uint32_t*);
  CuptiStatus (*graph_node_id)(void*, std::uint64_t*);
  CuptiStatus (*activity_callbacks)(RequestBuffer*, CompleteBuffer*);
  CuptiStatus (*activity_enable)(std::uint32_t);
  CuptiStatus (*activity_next)(std::uint8_t*, std::size_t, std::uint32_t**);
  CuptiStatus (*activity_flush)(std::uint32_t);
  CuptiStatus (*activity_flush_period)(std::uint32_t);
  CuptiStatus (*activity_dropped)(void*, std::uint32_t, std::size_t*);

  // Null if this version of CUPTI lacks them; code that needs them reports that.
  CuptiStatus (*subscribe2)(void**, Callback*, void*, CuptiSubscriber*);
  CuptiStatus (*enable_domain)(std::uint32_t, void*, std::uint32_t);
  CuptiStatus (*cubin_crc)(CuptiCubinCrc*);
  CuptiStatus (*sampling_enable)(CuptiSamplingCall*);
  CuptiStatus (*sampling_disable)(CuptiSamplingCall*);
  CuptiStatus (*sampling_reason_count)(CuptiSamplingReasonCount*);
  CuptiStatus (*sampling_reasons)(CuptiSamplingReasons*);
  CuptiStatus (*sampling_configure)(CuptiSamplingConfiguration*);
  CuptiStatus (*sampling_configuration)(CuptiSamplingConfiguration*);
  CuptiStatus (*sampling_data)(CuptiSamplingGetData*);
  CuptiStatus (*profiler_start)(CuptiProfilerStart*);
  CuptiStatus (*chip_name)(CuptiChipName*);
  CuptiStatus (*sass_metric)(CuptiSassMetricQuery*);
  CuptiStatus (*sass_configure)(CuptiSassConfiguration*);
  CuptiStatus (*sass_enable)(CuptiSassEnable*);
  CuptiStatus (*sass_disable)(CuptiSassDisable*);
  CuptiStatus (*sass_extent)(CuptiSassExtent*);
  CuptiStatus (*sass_flush)(CuptiSassFlush*);

  // Loads the functions. Returns a description of what is missing (the library or a function); ""
  // on success.
  std::string open(const std::vector<std::string>& names);

  std::string words(CuptiStatus status) const;
};

}  // namespace burin::gpu
