// The doors of libburin_record.so. The driver calls InitializeInjection in a program that runs with
// CUDA_INJECTION64_PATH, when it is initialised; NVTX calls the other with NVTX_INJECTION64_PATH.
#include <pthread.h>

#include <cstdint>
#include <cstdlib>
#include <exception>

#include "gpu/record/ranges.h"
#include "gpu/record/recorder.h"

namespace burin::gpu {
namespace {

Recorder* injected = nullptr;  // never destroyed

void at_exit() {
  if (injected != nullptr) injected->end();
}

void in_child() {
  if (injected != nullptr) injected->forget();
  injected = nullptr;
}

}  // namespace
}  // namespace burin::gpu

#define BURIN_EXPORT extern "C" __attribute__((visibility("default")))

// The result is for the driver: it goes on in either case.
BURIN_EXPORT int InitializeInjection() {
  using namespace burin::gpu;
  try {
    const char* text = std::getenv(kRecordVariable);
    if (injected != nullptr || text == nullptr) return 1;
    const burin::Result<RecordSettings> settings = parse_settings(text);
    if (!settings) return 1;
    injected = new Recorder(*settings);
    if (!injected->begin()) return 1;
    std::atexit(at_exit);
    ::pthread_atfork(nullptr, nullptr, in_child);
  } catch (const std::exception&) {
    return 1;  // a program that is short of memory at its very beginning is not recorded
  }
  return 1;
}

BURIN_EXPORT int InitializeInjectionNvtx2(burin::gpu::NvtxExportTable* export_table) {
  return burin::gpu::attach_to_nvtx(export_table);
}
