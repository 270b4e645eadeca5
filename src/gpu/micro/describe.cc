#include "base/child.h"
#include "base/format.h"
#include "base/text.h"
#include "gpu/context.h"
#include "gpu/micro/calibrate.h"
#include "launch/number.h"

namespace burin::gpu {
namespace {

constexpr double kSeconds = 30;

}  // namespace

Result<GpuShape> describe_gpu(unsigned device) {
  const Answer said = ask(
      [&]() -> std::string {
        const Result<GpuContext> gpu = GpuContext::open(device);
        if (!gpu) return "error\n" + gpu.error().message;
        return fmt::format("gpu\n{}\n{}\n{}\n{}\n{}", gpu->architecture(), gpu->sms(),
                           gpu->l2_bytes(), gpu->name(), gpu->bus_id());
      },
      kSeconds);
  const std::vector<std::string_view> lines = split(said.text, '\n');
  if (said.ok() && lines.size() == 2 && lines[0] == "error") {
    return Error{std::string(lines[1]), Exit::kDevice};
  }
  if (said.ok() && lines.size() == 6) {
    const auto arch = read::parse_architecture(lines[1]);
    const auto sms = launch::parse_integer<std::uint32_t>(lines[2]);
    const auto l2_bytes = launch::parse_integer<std::uint64_t>(lines[3]);
    if (arch && sms && l2_bytes) {
      return GpuShape{*arch, *sms, *l2_bytes, std::string(lines[4]), std::string(lines[5])};
    }
  }
  return Error{fmt::format("the driver of cuda:{} did not answer", device), Exit::kDevice};
}

}  // namespace burin::gpu
