#include "toolchain/compiler_process.h"

#include <chrono>

namespace burin::toolchain {
namespace {

// An answer is written at once: what has begun to arrive is complete soon.
constexpr double kAnswerSeconds = 30;

}  // namespace

Result<CompilerProcess> CompilerProcess::start(const std::string& path_of_burin) {
  Result<Process> process =
      Process::start(path_of_burin, {"compiler"}, Process::Errors::kWithOutput);
  if (!process) return process.error();
  return CompilerProcess(std::move(*process));
}

bool CompilerProcess::send(const CompileOrder& order) {
  return process_.send(framed(pack(order)));
}

std::optional<CompileResult> CompilerProcess::receive() {
  const Process::Line line = process_.read_line(kAnswerSeconds);
  const auto length = frame_length(line.text);
  if (line.status != Process::Line::Status::kLine || !length) {
    last_words_ = line.text;
    return std::nullopt;
  }
  const Process::Line answer = process_.read_bytes(*length, kAnswerSeconds);
  if (answer.status != Process::Line::Status::kLine) return std::nullopt;
  return unpack_result(answer.text);
}

bool CompilerProcess::has_ended(double limit_seconds) {
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    const std::chrono::duration<double> used = std::chrono::steady_clock::now() - start;
    const Process::Line line = process_.read_line(limit_seconds - used.count());
    if (line.status == Process::Line::Status::kEnded) return true;
    if (line.status == Process::Line::Status::kTimedOut) return false;
  }
}

}  // namespace burin::toolchain
