#include "gpu/cuda_device.h"

#include <algorithm>
#include <filesystem>

#include "base/child.h"
#include "base/format.h"
#include "launch/number.h"
#include "measure/protocol.h"

namespace burin::gpu {

namespace {

// So many requests are given to one worker at most: what it says of them is kept as one text.
constexpr std::size_t kRequestsOfWorker = 200;

// Of a worker that ended before it had answered.
Error not_answered(const measure::DeviceRequest& request, const Answer& said,
                   const measure::WorkerAnswer& answer) {
  const std::string doing = answer.stage.empty() ? "starting" : answer.stage;
  if (said.end == Answer::End::kTimedOut) {
    return Error{fmt::format("cuda:{} did not finish {} within {:g} seconds; its worker was killed",
                             request.device, doing, request.limit_seconds),
                 Exit::kDevice};
  }
  std::string sentence =
      fmt::format("the worker of cuda:{} crashed while {}", request.device, doing);
  if (!answer.other.empty()) sentence += "; its output: " + answer.other;
  return Error{sentence, Exit::kDevice};
}

}  // namespace

Result<measure::DeviceResult> CudaDevice::run(const measure::DeviceRequest& request) {
  const Answer said =
      run_program(burin_, {"worker"}, request.limit_seconds, measure::request_line(request));
  const measure::WorkerAnswer answer = measure::read_answer(said.text);
  return answer.whole ? answer.result : not_answered(request, said, answer);
}

std::vector<Result<measure::DeviceResult>> CudaDevice::run_all(
    std::span<const measure::DeviceRequest> requests,
    const std::function<void(std::size_t)>& done) {
  std::vector<Result<measure::DeviceResult>> answers;
  while (answers.size() < requests.size()) {
    const auto batch = requests.subspan(
        answers.size(), std::min(kRequestsOfWorker, requests.size() - answers.size()));
    std::string lines;
    for (const measure::DeviceRequest& request : batch) lines += measure::request_line(request);
    const Answer said = run_program(burin_, {"worker"}, batch.front().limit_seconds, lines);
    std::vector<measure::WorkerAnswer> told = measure::read_answers(said.text);
    told.resize(std::min(told.size(), batch.size()));
    // The worker ends with the first that fails: those behind it are for the next one.
    if (told.empty()) told.emplace_back();
    for (std::size_t i = 0; i < told.size(); ++i) {
      answers.push_back(told[i].whole ? std::move(told[i].result)
                                      : not_answered(batch[i], said, told[i]));
    }
    if (done) done(answers.size());
  }
  return answers;
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
      cuda ? launch::parse_integer<std::uint16_t>(text.substr(5)) : std::nullopt;
  if (!number) {
    return Error{fmt::format("unknown device '{}'; a GPU is cuda:N, such as cuda:0", text),
                 Exit::kUsage};
  }
  return unsigned{*number};
}

}  // namespace burin::gpu
