// Any text is a page of a report or a refusal in words, and no sample of it is lost.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "capture/ncu/ncu_import.h"

using namespace burin;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<std::vector<capture::NcuKernel>> kernels = capture::read_ncu_source(text);
  if (!kernels && kernels.error().message.empty()) std::abort();
  if (kernels) {
    for (const capture::NcuKernel& kernel : *kernels) {
      if (kernel.instructions.empty()) std::abort();
    }
  }
  const Result<std::vector<capture::NcuLaunch>> launches = capture::read_ncu_launches(text);
  if (!launches && launches.error().message.empty()) std::abort();
  return 0;
}
