#include "app/diff_pictures.h"

#include <memory>
#include <optional>

#include "capture/rebuilt_launch.h"
#include "jobs/input/load_kernel.h"
#include "jobs/input/open_capture.h"
#include "machine/load.h"
#include "report/advice/diff.h"
#include "report/html/code_json.h"

namespace burin::app {
namespace {

constexpr std::size_t kMaxComparedKernels = 20;

// The files of one side, which is a binary, source or a capture.
class SideCode {
 public:
  SideCode(const std::string& file, const jobs::DiffRequest& request)
      : source_(request.command.launch.source) {
    source_.file = file;
    if (const auto machine = machine::load_machine(request.command.machine); machine) {
      source_.gpu = machine->arch;  // of several architectures, the one that was compared
    }
    const std::string path = capture::parse_capture_name(file).file;
    if (!jobs::is_capture_input(path)) return;
    if (Result<capture::Capture> opened = jobs::open_capture(path); opened) {
      capture_.emplace(std::move(*opened));
    }
  }

  // The code that the facts were taken from; null: it cannot be found again.
  std::unique_ptr<jobs::ChosenKernel> load(const advise::KernelFacts& facts) {
    if (!capture_) {
      source_.kernel = facts.name;
      return checked(jobs::load_kernel(source_, {}), facts);
    }
    for (const capture::CapturedKernel& kernel : capture_->kernels()) {
      if (kernel.name != facts.name || kernel.module == 0) continue;
      if (auto code = checked(jobs::load_kernel(*capture_, kernel), facts)) return code;
    }
    return nullptr;
  }

 private:
  static std::unique_ptr<jobs::ChosenKernel> checked(
      Result<std::unique_ptr<jobs::ChosenKernel>> code, const advise::KernelFacts& facts) {
    if (!code || advise::facts_of((*code)->kernel).digest != facts.digest) return nullptr;
    return std::move(*code);
  }

  jobs::KernelSource source_;
  std::optional<capture::Capture> capture_;
};

void write_side(report::Json& json, std::string_view key, const jobs::ChosenKernel& code,
                read::SourceText& source) {
  json.open(key, '[');
  report::write_code_json(json, {.kernel = code.kernel, .source = source});
  json.close();
}

void write_sides(report::Json& json, const jobs::DiffRequest& request, jobs::DiffResult& result) {
  SideCode before(request.before, request), after(request.after, request);
  std::size_t room = report::kMaxReportInstructions, written = 0;
  json.open('{');
  json.field("schema", "burin.sides/1");
  json.open("kernels", '[');
  for (std::size_t k = 0; k < result.diff->kernels.size(); ++k) {
    const advise::KernelDiff& kernel = result.diff->kernels[k];
    if (!kernel.is_changed() || written == kMaxComparedKernels) continue;
    const auto was = before.load(*kernel.pair.before);
    const auto is = after.load(*kernel.pair.after);
    if (was == nullptr || is == nullptr) continue;
    const std::size_t size = was->kernel.instructions.size() + is->kernel.instructions.size();
    if (size > room) continue;
    room -= size;
    ++written;
    json.open('{');
    json.field("kernel", k);
    write_side(json, "before", *was, result.before_source);
    write_side(json, "after", *is, result.after_source);
    json.close();
  }
  json.close();
  json.close();
}

}  // namespace

Result<void> write_pictures(const PictureOptions& options, const jobs::DiffRequest& request,
                            jobs::DiffResult& result) {
  return write_html_of(options, "burin diff", [&](report::Json& json) {
    report::write_diff_json(json, *result.diff);
    write_sides(json, request, result);
  });
}

}  // namespace burin::app
