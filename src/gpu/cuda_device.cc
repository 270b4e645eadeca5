#include "gpu/cuda_device.h"

#include <filesystem>

#include "base/child.h"
#include "base/format.h"
#include "launch/number.h"
#include "measure/protocol.h"

namespace burin {

Result<DeviceResult> CudaDevice::run(const DeviceRequest& request) {
  const Answer said = run_program(burin_, {"worker"}, request.limit_seconds, request_line(request));
  const WorkerAnswer answer = read_answer(said.text);
  if (answer.whole) return answer.result;
  const std::string doing = answer.stage.empty() ? "starting" : answer.stage;
  if (said.end == Answer::End::kTimedOut) {
    return Error{fmt::format("cuda:{} did not finish {} in {:g} seconds, and its worker was ended",
                             request.device, doing, request.limit_seconds),
                 Exit::kDevice};
  }
  std::string sentence =
      fmt::format("the worker of cuda:{} crashed while {}", request.device, doing);
  if (!answer.other.empty()) sentence += "; it said: " + answer.other;
  return Error{sentence, Exit::kDevice};
}

std::string path_of_this_program() {
  std::error_code wrong;
  const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", wrong);
  return wrong ? "burin" : path.string();
}

Result<unsigned> parse_device(std::string_view text) {
  if (text == "cuda") return 0u;
  const bool cuda = text.starts_with("cuda:");
  const std::optional<std::uint16_t> number =
      cuda ? parse_integer<std::uint16_t>(text.substr(5)) : std::nullopt;
  if (!number) {
    return Error{fmt::format("there is no device '{}'; a GPU is cuda:N, such as cuda:0", text),
                 Exit::kUsage};
  }
  return unsigned{*number};
}

}  // namespace burin
