#include "toolchain/compilers.h"

#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>

#include "base/file.h"
#include "base/format.h"
#include "base/sha256.h"
#include "base/timings.h"
#include "toolchain/dependencies.h"
#include "toolchain/key.h"
#include "toolchain/message.h"
#include "toolchain/nvcc.h"
#include "toolchain/nvrtc_plan.h"
#include "toolchain/tools.h"

namespace burin::toolchain {
namespace {

namespace fs = std::filesystem;
using Language = CompileRequest::Language;
using Output = CompileRequest::Output;

// What a compilation gives, as the cache keeps it.
struct Code {
  std::vector<std::uint8_t> bytes;  // cubin or PTX
  std::vector<std::string> names;
};

std::string pack_code(const Code& code) {
  Packer out;
  out.add_list(code.names);
  out.add(Bytes(code.bytes));
  return out.take();
}

std::optional<Code> find_code(const CompileCache& cache, const std::string& name) {
  const auto kept = cache.find(name);
  if (!kept) return std::nullopt;
  Unpacker in(as_text(*kept));
  Code code;
  code.names = in.list();
  code.bytes = in.bytes();
  if (!in.at_end()) return std::nullopt;
  return code;
}

Compiled compiled_of(Code code, const CompileRequest& request, const std::string& arch,
                     Compiler compiler, bool cached) {
  Compiled made{.cubin = {},
                .arch = arch,
                .cached = cached,
                .lowered_names = std::move(code.names),
                .compiler = compiler};
  if (request.output == Output::kPtx) {
    made.ptx = as_text(code.bytes);
  } else {
    made.cubin = std::move(code.bytes);
  }
  return made;
}

std::string extension(const CompileRequest& request) {
  return request.output == Output::kPtx ? ".ptx" : ".cubin";
}

CompileResult with_nvcc(const CompileRequest& request, const std::string& arch,
                        const CompileCache& cache, double used_seconds = 0) {
  const Result<std::string> tool =
      find_tool(request.language == Language::kCuda ? "nvcc" : "ptxas");
  if (!tool) return tool.error().within(request.source);
  const std::string key = request_digest(request, arch, *tool);

  // The headers of the last compilation of this source: where they are as they were, so is the
  // result.
  if (const auto list = cache.find(key + ".headers")) {
    if (headers_unchanged(as_text(*list))) {
      if (auto code = find_code(cache, sha256_hex(*list) + "-" + key + extension(request))) {
        return compiled_of(std::move(*code), request, arch, Compiler::kNvcc, true);
      }
    }
  }

  TimedResult<NvccOutput> output = run_nvcc(request, arch, *tool, used_seconds);
  if (!output) return output.failure<Compiled>();
  const std::string toolkit = fs::path(*tool).parent_path().parent_path().string();
  const std::string headers = list_headers(output->dependencies, toolkit);
  Code code{std::move(output->code), std::move(output->lowered_names)};
  cache.keep(sha256_hex(as_bytes(headers)) + "-" + key + extension(request),
             as_bytes(pack_code(code)));
  cache.keep(key + ".headers", as_bytes(headers));
  return compiled_of(std::move(code), request, arch, Compiler::kNvcc, false);
}

struct NvrtcAttempt {
  CompileResult made;
  std::string log{};  // what NVRTC said if it rejected the source
};

NvrtcAttempt with_nvrtc(const NvrtcPlan& plan, NvrtcPlace place, const CompileRequest& request,
                        const std::string& arch, const CompileCache& cache) {
  const std::string name = plan.key + extension(request);
  if (!plan.key.empty()) {
    if (auto code = find_code(cache, name)) {
      return {compiled_of(std::move(*code), request, arch, Compiler::kNvrtc, true)};
    }
  }
  const Timed timed("compile");
  NvrtcPlan with_text = plan;
  {
    const Result<MappedFile> source = MappedFile::open(request.source);
    if (!source) return {source.error()};
    with_text.job.text = as_text(source->bytes());
  }
  TimedResult<NvrtcAnswer> answer = run_nvrtc(with_text, place, request);
  if (!answer) return {answer.failure<Compiled>()};
  if (!answer->ok) {
    return {Error{fmt::format("{}: NVRTC failed:{}", request.source, first_errors(answer->log))},
            answer->log};
  }
  Code code{std::move(answer->code), std::move(answer->lowered_names)};
  if (!plan.key.empty()) cache.keep(name, as_bytes(pack_code(code)));
  return {compiled_of(std::move(code), request, arch, Compiler::kNvrtc, false)};
}

// What is known of a source: that NVRTC has compiled it, or that nvcc had to. The latter is kept in
// the cache too, for other processes.
class Verdicts {
 public:
  enum class Verdict : std::uint8_t { kUnknown, kNvrtcAccepts, kNeedsNvcc };

  Verdict of(const std::string& source_key, const CompileCache& cache) {
    const std::lock_guard lock(mutex_);
    const auto known = verdicts_.find(source_key);
    if (known != verdicts_.end()) return known->second;
    if (!cache.find(source_key + ".nvcc")) return Verdict::kUnknown;
    verdicts_[source_key] = Verdict::kNeedsNvcc;
    return Verdict::kNeedsNvcc;
  }
  void accepted(const std::string& source_key) {
    const std::lock_guard lock(mutex_);
    verdicts_.emplace(source_key, Verdict::kNvrtcAccepts);
  }
  void needs_nvcc(const std::string& source_key, const CompileCache& cache) {
    const std::lock_guard lock(mutex_);
    verdicts_[source_key] = Verdict::kNeedsNvcc;
    cache.keep(source_key + ".nvcc", as_bytes("nvcc"));
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Verdict> verdicts_;
};

// Whether the log says that NVRTC lacks something that nvcc has, rather than that the source is
// wrong.
bool lacks_host(const std::string& log) {
  for (const char* words : {"cannot open source file", "host function", "unrecognized option"}) {
    if (log.find(words) != std::string::npos) return true;
  }
  return false;
}

CompileResult with_either(NvrtcPlace place, const CompileRequest& request, const std::string& arch,
                          const CompileCache& cache) {
  static Verdicts& verdicts = *new Verdicts;
  const auto start = std::chrono::steady_clock::now();
  const Result<NvrtcPlan> plan = plan_nvrtc(request, arch);
  if (!plan) return with_nvcc(request, arch, cache);
  const Verdicts::Verdict verdict = verdicts.of(plan->source_key, cache);
  if (verdict == Verdicts::Verdict::kNeedsNvcc) return with_nvcc(request, arch, cache);

  NvrtcAttempt attempt = with_nvrtc(*plan, place, request, arch, cache);
  if (attempt.made) {
    verdicts.accepted(plan->source_key);
    return std::move(attempt.made);
  }
  if (attempt.log.empty()) return std::move(attempt.made);
  // A source that NVRTC has compiled with other options is wrong with these.
  if (verdict == Verdicts::Verdict::kNvrtcAccepts && !lacks_host(attempt.log)) {
    return std::move(attempt.made);
  }
  if (!find_tool("nvcc")) return std::move(attempt.made);
  const std::chrono::duration<double> used = std::chrono::steady_clock::now() - start;
  CompileResult made = with_nvcc(request, arch, cache, used.count());
  if (made && verdict == Verdicts::Verdict::kUnknown) {
    verdicts.needs_nvcc(plan->source_key, cache);
  }
  return made;
}

// What the request asks for and no compiler can do.
Result<void> check(const CompileRequest& request) {
  if (request.language == Language::kCuda) return {};
  const char* refused = !request.defines.empty()            ? "PTX has no macros to define"
                        : !request.name_expressions.empty() ? "PTX has no templates to instantiate"
                        : request.output == Output::kPtx    ? "it is PTX already"
                        : request.compiler == Compiler::kNvrtc
                            ? "NVRTC does not compile PTX; use ptxas (nvcc)"
                            : nullptr;
  if (refused == nullptr) return {};
  return Error{fmt::format("{}: {}", request.source, refused)};
}

CompileResult choose_and_compile(NvrtcPlace place, const CompileRequest& request,
                                 const CompileCache& cache) {
  if (const Result<void> possible = check(request); !possible) return possible.error();
  std::string arch = request.arch;
  {
    const Result<MappedFile> source = MappedFile::open(request.source);
    if (!source) return source.error();
    if (arch.empty()) {
      arch = request.language == Language::kCuda ? kDefaultArch : default_arch(source->bytes());
    }
  }
  if (request.language == Language::kPtx || request.compiler == Compiler::kNvcc) {
    return with_nvcc(request, arch, cache);
  }
  if (request.compiler == Compiler::kAuto) return with_either(place, request, arch, cache);
  const Result<NvrtcPlan> plan = plan_nvrtc(request, arch);
  if (!plan) return plan.error();
  return with_nvrtc(*plan, place, request, arch, cache).made;
}

}  // namespace

CompileResult compile_with(NvrtcPlace place, const CompileRequest& request,
                           const CompileCache& cache) {
  const auto start = std::chrono::steady_clock::now();
  CompileResult made = choose_and_compile(place, request, cache);
  if (made) {
    made->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  return made;
}

}  // namespace burin::toolchain
