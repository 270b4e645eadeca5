#include "toolchain/compile.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/child.h"
#include "base/file.h"
#include "base/format.h"
#include "base/sha256.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "base/timings.h"
#include "toolchain/dependencies.h"
#include "toolchain/tools.h"

namespace burin::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxErrorsShown = 3;

bool is_cuda(const CompileRequest& request) {
  return request.language == CompileRequest::Language::kCuda;
}

// Two compilers with one identity are taken to give the same code: their real path, size and time.
std::string identity_of(const std::string& tool) {
  std::error_code none;
  const std::string real = fs::canonical(tool, none).string();
  struct stat status{};
  ::stat(tool.c_str(), &status);
  return fmt::format("{} {} {}.{}", real, status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec);
}

// The digest of what is known before the compiler runs: all but the headers.
std::string digest(const CompileRequest& request, const std::string& arch, const std::string& tool,
                   Bytes source) {
  std::error_code none;
  std::vector<std::string> parts{
      "burin compile 1", identity_of(tool), arch, request.source, fs::current_path(none).string(),
      sha256_hex(source)};
  parts.insert(parts.end(), request.flags.begin(), request.flags.end());
  for (const char* variable :
       {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN", "CPATH", "CPLUS_INCLUDE_PATH"}) {
    const char* value = std::getenv(variable);
    parts.push_back(std::string(variable) + "=" + (value == nullptr ? "" : value));
  }
  Sha256 hash;
  for (const std::string& part : parts) {
    hash.add(std::to_string(part.size()) + ":");  // so that no two lists read the same
    hash.add(part);
  }
  return hash.hex();
}

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

// The compiler's first words about what is wrong, one line each.
std::string first_errors(const std::string& said) {
  std::vector<std::string> errors;
  for (const std::string_view line : split(said, '\n')) {
    if (tells_error(line)) errors.emplace_back(line);
  }
  if (errors.empty()) {
    for (const std::string_view line : split(said, '\n')) {
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

struct Made {
  std::vector<std::uint8_t> cubin;
  std::string dependencies;  // as make would read them; empty for PTX
};

Result<Made> run_compiler(const CompileRequest& request, const std::string& arch,
                          const std::string& tool) {
  const Timed timed("compile");
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!folder) return folder.error();
  const std::string made = folder->path() + "/made.cubin";
  const std::string listed = folder->path() + "/made.d";
  std::vector<std::string> words{"-arch=" + arch, "-lineinfo", "-o", made};
  if (is_cuda(request)) words.insert(words.end(), {"-cubin", "-MMD", "-MF", listed});
  words.insert(words.end(), request.flags.begin(), request.flags.end());
  words.push_back(request.source);
  // The compiler's own temporary files go with the folder, also if it is killed.
  const Answer answer =
      run_program(tool, words, request.limit_seconds, "", {{"TMPDIR", folder->path()}});
  const std::string name = is_cuda(request) ? "nvcc" : "ptxas";
  if (answer.end == Answer::End::kTimedOut) {
    return Error{fmt::format("{}: {} did not finish within {:g} seconds", request.source, name,
                             request.limit_seconds)};
  }
  const Result<MappedFile> cubin = MappedFile::open(made);
  if (!answer.ok() || !cubin) {
    return Error{fmt::format("{}: {} failed:{}", request.source, name, first_errors(answer.text))};
  }
  Made output{{cubin->bytes().begin(), cubin->bytes().end()}, ""};
  if (const Result<MappedFile> list = MappedFile::open(listed)) {
    output.dependencies.assign(list->bytes().begin(), list->bytes().end());
  }
  return output;
}

}  // namespace

std::string default_arch(Bytes ptx) {
  const std::string_view text(reinterpret_cast<const char*>(ptx.data()), ptx.size());
  static constexpr std::string_view kTarget = ".target sm_";
  const std::size_t at = text.find(kTarget);
  if (at == std::string_view::npos) return kDefaultArch;
  const std::string_view digits = text.substr(at + kTarget.size());
  const std::size_t end = std::min(digits.find_first_not_of("0123456789"), digits.size());
  unsigned number = 0;
  for (const char digit : digits.substr(0, end)) {
    if (number <= 999) number = 10 * number + static_cast<unsigned>(digit - '0');
  }
  const bool bound = end < digits.size() && (digits[end] == 'a' || digits[end] == 'f');
  if (number <= 90 && !bound) return kDefaultArch;
  return "sm_" + std::string(digits.substr(0, end + (bound ? 1 : 0)));
}

Result<Compiled> compile(const CompileRequest& request, const CompileCache& cache) {
  const Result<std::string> tool = find_tool(is_cuda(request) ? "nvcc" : "ptxas");
  if (!tool) return tool.error().within(request.source);
  const Result<MappedFile> source = MappedFile::open(request.source);
  if (!source) return source.error();
  const std::string arch = !request.arch.empty() ? request.arch
                           : is_cuda(request)    ? kDefaultArch
                                                 : default_arch(source->bytes());
  const std::string key = digest(request, arch, *tool, source->bytes());

  // The headers of the last compilation of this source: where they are as they were, so is the
  // result.
  if (const auto list = cache.find(key + ".headers")) {
    const std::string headers(list->begin(), list->end());
    if (headers_unchanged(headers)) {
      if (auto cubin = cache.find(sha256_hex(*list) + "-" + key + ".cubin")) {
        return Compiled{std::move(*cubin), arch, true};
      }
    }
  }

  Result<Made> output = run_compiler(request, arch, *tool);
  if (!output) return output.error();
  const std::string toolkit = fs::path(*tool).parent_path().parent_path().string();
  const std::string headers = list_headers(output->dependencies, toolkit);
  const Bytes list(reinterpret_cast<const std::uint8_t*>(headers.data()), headers.size());
  cache.keep(sha256_hex(list) + "-" + key + ".cubin", output->cubin);
  cache.keep(key + ".headers", list);
  return Compiled{std::move(output->cubin), arch, false};
}

}  // namespace burin::toolchain
