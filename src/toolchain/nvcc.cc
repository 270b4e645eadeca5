#include "toolchain/nvcc.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "base/child.h"
#include "base/file.h"
#include "base/format.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "base/timings.h"

namespace burin::toolchain {
namespace {

using Output = CompileRequest::Output;

constexpr std::size_t kMaxErrorsShown = 3;
constexpr std::string_view kInstance = "burin_instance_";

// nvcc writes "a.cu(3): error: …", ptxas "line 4; error   : …", both "fatal   : …" in the end.
bool tells_error(std::string_view line) {
  for (const std::string_view word : {"error", "fatal"}) {
    const std::size_t at = line.find(word);
    if (at == std::string_view::npos) continue;
    const std::size_t next = line.find_first_not_of(' ', at + word.size());
    if (next != std::string_view::npos && line[next] == ':') {
      return line.find("aborted due to errors") == std::string_view::npos;
    }
  }
  return false;
}

// For a string literal of C++.
std::string string_literal(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + "\"";
}

std::string instances_file(const CompileRequest& request) {
  std::error_code none;
  std::string text =
      "#include " + string_literal(std::filesystem::absolute(request.source, none).string());
  for (std::size_t i = 0; i < request.name_expressions.size(); ++i) {
    const std::string& name = request.name_expressions[i];
    // An error in the name is then told as "a.cu, instance sum<4>(1): error: …".
    text += fmt::format("\n#line 1 {}\nextern \"C\" __device__ auto {}{} = &{};",
                        string_literal(request.source + ", instance " + name), kInstance, i, name);
  }
  return text + "\n";
}

// One after another, within one time limit.
class Runs {
 public:
  Runs(const CompileRequest& request, std::string tool, std::string folder, double used_seconds)
      : request_(request),
        tool_(std::move(tool)),
        folder_(std::move(folder)),
        used_seconds_(used_seconds) {}

  // The contents of `made`, which the compiler writes.
  TimedResult<std::vector<std::uint8_t>> run(std::vector<std::string> words,
                                             const std::string& source,
                                             const std::string& made) const {
    const bool cuda = request_.language == CompileRequest::Language::kCuda;
    const std::string name = cuda ? "nvcc" : "ptxas";
    words.insert(words.end(), {"-o", made});
    for (const std::string& define : request_.defines) words.push_back("-D" + define);
    if (request_.max_registers != 0) {
      words.push_back(fmt::format("-maxrregcount={}", request_.max_registers));
    }
    words.insert(words.end(), request_.flags.begin(), request_.flags.end());
    words.push_back(source);
    const double used =
        used_seconds_ + std::chrono::duration<double>(Clock::now() - start_).count();
    // The compiler's own temporary files go with the folder, also if it is killed.
    const Answer answer =
        run_program(tool_, words, request_.limit_seconds - used, "", {{"TMPDIR", folder_}});
    if (answer.end == Answer::End::kTimedOut) {
      return {Error{fmt::format("{}: {} did not finish within {:g} seconds", request_.source, name,
                                request_.limit_seconds)},
              true};
    }
    const Result<MappedFile> file = MappedFile::open(made);
    if (!answer.ok() || !file) {
      return Error{
          fmt::format("{}: {} failed:{}", request_.source, name, first_errors(answer.text))};
    }
    return std::vector<std::uint8_t>(file->bytes().begin(), file->bytes().end());
  }

 private:
  using Clock = std::chrono::steady_clock;
  const CompileRequest& request_;
  std::string tool_;
  std::string folder_;
  double used_seconds_;
  Clock::time_point start_ = Clock::now();
};

std::string contents(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  return file ? std::string(file->bytes().begin(), file->bytes().end()) : "";
}

}  // namespace

std::string first_errors(const std::string& log) {
  std::vector<std::string> errors;
  for (const std::string_view line : split(log, '\n')) {
    // NVRTC tells some twice.
    if (tells_error(line) && (errors.empty() || errors.back() != line)) errors.emplace_back(line);
  }
  if (errors.empty()) {
    for (const std::string_view line : split(log, '\n')) {
      if (!line.empty()) errors.emplace_back(line);
    }
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(errors.size(), kMaxErrorsShown); ++i) {
    text += "\n  " + errors[i];
  }
  if (errors.size() > kMaxErrorsShown) {
    text += fmt::format("\n  and {} more", errors.size() - kMaxErrorsShown);
  }
  return text;
}

std::optional<InstanceNames> take_instances(const std::string& ptx, std::size_t count) {
  InstanceNames result{std::vector<std::string>(count), ""};
  std::size_t found = 0;
  for (const std::string_view line : split(ptx, '\n')) {
    const std::size_t at = line.find(kInstance);
    const std::size_t equals = line.find(" = ", std::min(at, line.size()));
    const std::size_t end = line.find(';', std::min(equals, line.size()));
    if (line.find(".global") < at && end != std::string_view::npos) {
      const std::string number(line.substr(at + kInstance.size(), equals - at - kInstance.size()));
      for (std::size_t i = 0; i < count; ++i) {
        if (number != std::to_string(i)) continue;
        result.names[i] = line.substr(equals + 3, end - equals - 3);
        ++found;
      }
      continue;
    }
    if (at != std::string_view::npos && line.find(".globl") < at) continue;  // a comment
    result.ptx += line;
    result.ptx += '\n';
  }
  if (found != count) return std::nullopt;
  return result;
}

TimedResult<NvccOutput> run_nvcc(const CompileRequest& request, const std::string& arch,
                                 const std::string& tool, double used_seconds) {
  const Timed timed("compile");
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!folder) return folder.error();
  const std::string made = folder->path() + "/made.cubin";
  const std::string ptx = folder->path() + "/made.ptx";
  const std::string rule = folder->path() + "/made.d";
  const Runs runs(request, tool, folder->path(), used_seconds);
  const std::vector<std::string> always{"-arch=" + arch, "-lineinfo"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), always.begin(), always.end());
    return more;
  };
  TimedResult<std::vector<std::uint8_t>> code = Error{};
  NvccOutput output;
  if (request.language == CompileRequest::Language::kPtx) {
    code = runs.run(always, request.source, made);
  } else if (!request.name_expressions.empty()) {
    const std::string instances = folder->path() + "/instances.cu";
    std::ofstream(instances) << instances_file(request);
    code = runs.run(with({"-ptx", "-MMD", "-MF", rule}), instances, ptx);
    if (!code) return code.failure<NvccOutput>();
    const auto taken =
        take_instances(std::string(code->begin(), code->end()), request.name_expressions.size());
    if (!taken) {
      return Error{fmt::format("{}: the names of its {} are not in nvcc's PTX; use NVRTC",
                               request.source,
                               count_of(request.name_expressions.size(), "instance"))};
    }
    output.lowered_names = taken->names;
    if (request.output == Output::kPtx) {
      code = std::vector<std::uint8_t>(taken->ptx.begin(), taken->ptx.end());
    } else {
      std::ofstream(ptx) << taken->ptx;
      code = runs.run(with({"-cubin"}), ptx, made);
    }
  } else if (request.output == Output::kPtx) {
    code = runs.run(with({"-ptx", "-MMD", "-MF", rule}), request.source, ptx);
  } else {
    code = runs.run(with({"-cubin", "-MMD", "-MF", rule}), request.source, made);
  }
  if (!code) return code.failure<NvccOutput>();
  output.code = std::move(*code);
  output.dependencies = contents(rule);
  return output;
}

}  // namespace burin::toolchain
