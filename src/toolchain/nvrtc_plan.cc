#include "toolchain/nvrtc_plan.h"

#include <fstream>
#include <map>
#include <mutex>
#include <optional>

#include "base/child.h"
#include "base/file.h"
#include "base/format.h"
#include "base/sha256.h"
#include "base/temporary_folder.h"
#include "toolchain/dependencies.h"
#include "toolchain/file_digest.h"
#include "toolchain/key.h"
#include "toolchain/message.h"
#include "toolchain/tools.h"

namespace burin::toolchain {
namespace {

NvrtcAnswer run_here(const NvrtcPlan& plan) {
  static std::mutex mutex;  // NVRTC compiles one source at a time anyway
  static std::map<std::string, Result<Nvrtc>> opened;
  const std::lock_guard lock(mutex);
  auto library = opened.find(plan.library);
  if (library == opened.end()) {
    library = opened.emplace(plan.library, Nvrtc::open(plan.library)).first;
  }
  if (!library->second) return {.log = library->second.error().message};
  return library->second->compile(plan.job);
}

// In a fork, which writes its answer to a file: what ask() returns is limited in size.
TimedResult<NvrtcAnswer> run_in_fork(const NvrtcPlan& plan, const CompileRequest& request) {
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!folder) return folder.error();
  const std::string place = folder->path() + "/answer";
  const Answer end = ask(
      [&] {
        const Result<Nvrtc> nvrtc = Nvrtc::open(plan.library);
        const NvrtcAnswer answer =
            nvrtc ? nvrtc->compile(plan.job) : NvrtcAnswer{.log = nvrtc.error().message};
        Packer out;
        out.add_number(answer.ok ? 1 : 0);
        out.add(answer.log);
        out.add(Bytes(answer.code));
        out.add_list(answer.lowered_names);
        std::ofstream(place, std::ios::binary) << out.take();
        return std::string();
      },
      request.limit_seconds);
  if (end.end == Answer::End::kTimedOut) {
    return {Error{fmt::format("{}: NVRTC did not finish within {:g} seconds", request.source,
                              request.limit_seconds)},
            true};
  }
  const Result<MappedFile> file = MappedFile::open(place);
  if (!end.ok() || !file) return NvrtcAnswer{.log = "NVRTC crashed"};
  Unpacker in(as_text(file->bytes()));
  NvrtcAnswer answer;
  answer.ok = in.number() != 0;
  answer.log = in.text();
  answer.code = in.bytes();
  answer.lowered_names = in.list();
  if (!in.at_end()) return NvrtcAnswer{.log = "NVRTC's answer is cut short"};
  return answer;
}

}  // namespace

Result<NvrtcPlan> plan_nvrtc(const CompileRequest& request, const std::string& arch) {
  Result<std::string> library = find_nvrtc();
  if (!library) return library.error().within(request.source);
  const std::optional<NvrtcFlags> flags = nvrtc_flags(request.flags);
  if (!flags) {
    return Error{fmt::format("{}: one of its flags is not for NVRTC: {}; use nvcc", request.source,
                             fmt::join(request.flags, " "))};
  }
  static const std::vector<std::string> built_in = [] {
    std::vector<std::string> names;
    for (const HostHeader& header : host_headers()) names.emplace_back(header.name);
    return names;
  }();
  const FoundHeaders headers = find_headers(request.source, flags->include_folders, built_in);

  NvrtcPlan plan;
  plan.library = std::move(*library);
  const std::string list_digest = sha256_hex(as_bytes(headers.list));
  plan.source_key = digest_of_parts({"nvrtc", identity_of(plan.library), request.source,
                                     file_digest(request.source), list_digest});
  if (headers.complete) {
    plan.key = list_digest + "-" + request_digest(request, arch, plan.library);
  }
  NvrtcJob& job = plan.job;
  job.name = request.source;
  job.output = request.output;
  job.name_expressions = request.name_expressions;
  const bool virtual_arch =
      request.output == CompileRequest::Output::kPtx && arch.starts_with("sm_");
  job.options = {"-arch=" + (virtual_arch ? "compute_" + arch.substr(3) : arch), "-lineinfo"};
  for (const std::string& define : request.defines) job.options.push_back("-D" + define);
  if (request.max_registers != 0) {
    job.options.push_back(fmt::format("-maxrregcount={}", request.max_registers));
  }
  job.options.insert(job.options.end(), flags->options.begin(), flags->options.end());
  for (const std::string& folder : toolkit_headers(plan.library)) {
    job.options.push_back("-I" + folder);
  }
  return plan;
}

TimedResult<NvrtcAnswer> run_nvrtc(const NvrtcPlan& plan, NvrtcPlace place,
                                   const CompileRequest& request) {
  if (place == NvrtcPlace::kFork) return run_in_fork(plan, request);
  return run_here(plan);
}

}  // namespace burin::toolchain
