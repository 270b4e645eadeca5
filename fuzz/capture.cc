// Any file is a capture or a refusal in words, and a capture can be read to its end and each of its
// launches rebuilt.
#include "capture/capture.h"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "capture/rebuilt_launch.h"

using namespace burin;

namespace {

void read_all(const capture::Capture& capture) {
  for (const capture::CapturedKernel& kernel : capture.kernels()) {
    (void)capture.samples(kernel.id);
    (void)capture.counters(kernel.id);
    (void)capture.profile(kernel.id);
  }
  for (const capture::CapturedModule& module : capture.modules()) (void)capture.cubin(module.id);
  read::Function function;
  function.parameters = {{0, 8}, {8, 8}};
  for (const capture::CapturedLaunch& launch : capture.launches()) {
    (void)capture.stack(launch.stack);
    (void)capture::rebuild_launch(capture, launch, function);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string path = "/tmp/burin-fuzz-capture-" + std::to_string(::getpid());
  if (std::FILE* file = std::fopen(path.c_str(), "wb")) {
    std::fwrite(data, 1, size, file);
    std::fclose(file);
  }
  const Result<capture::Capture> capture = capture::Capture::open(path);
  if (!capture && capture.error().message.empty()) std::abort();
  if (capture) read_all(*capture);
  ::unlink(path.c_str());
  return 0;
}
