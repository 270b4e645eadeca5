// `burin inspect FILE`: one walk over the images of a file, each loaded, shown and let go.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "app/cli.h"
#include "app/inspect_capture.h"
#include "app/inspect_pictures.h"
#include "app/options/launch_options.h"
#include "base/text.h"
#include "base/timings.h"
#include "capture/rebuilt_launch.h"
#include "jobs/input/open_capture.h"
#include "jobs/open_images.h"
#include "read/binary/container.h"
#include "read/isa/decode.h"
#include "read/program/kernel.h"
#include "read/program/source.h"
#include "read/program/words.h"
#include "report/inspect/dump.h"
#include "report/inspect/flow.h"
#include "report/inspect/inspect_json.h"
#include "report/inspect/listing.h"
#include "report/inspect/table.h"

namespace burin::app {
namespace {

constexpr std::size_t kMaxProblemsShown = 5;

struct InspectOptions {
  std::string file;
  std::string arch;
  std::optional<std::string> kernel;
  std::vector<std::string> flags;
  bool sass = false;
  bool lines = false;
  bool loops = false;
  bool cfg = false;
  bool dump = false;
  CaptureView capture;

  bool listing() const { return sass || lines; }
  bool needs_code() const { return listing() || loops || cfg || dump; }
};

class Inspection {
 public:
  Inspection(const InspectOptions& options, Context& context, const jobs::OpenImages& images)
      : options_(options),
        context_(context),
        images_(images),
        json_(context.out, {options.listing(), options.lines}),
        source_(folder_of(options.file)),
        problems_(images.problems()) {}

  Result<Exit> run();

 private:
  void start();
  void show(const read::Image& image, const read::Entry& entry);
  void show(const read::Image& image, const read::Function& function);
  Result<Exit> finish();

  const InspectOptions& options_;
  Context& context_;
  const jobs::OpenImages& images_;
  report::InspectJson json_;
  read::SourceText source_;
  std::vector<std::string> problems_;
  bool started_ = false;
  bool head_written_ = false;
};

// Nothing is written before there is something to show: a bad file leaves one sentence only.
void Inspection::start() {
  if (started_) return;
  started_ = true;
  if (context_.json) {
    json_.begin(options_.file, images_.container());
  } else if (!options_.needs_code()) {
    report::write_summary(context_.out, options_.file, images_.container());
  }
}

void Inspection::show(const read::Image& image, const read::Entry& entry) {
  const Timed timed("show image");
  start();
  if (context_.json) {
    json_.begin_image(image, entry);
  } else if (options_.dump) {
    report::dump_image(context_.out, image);
  } else if (images_.container().is_collection() && !options_.needs_code()) {
    if (!head_written_) report::write_table_head(context_.out);
    head_written_ = true;
    context_.out.put(report::Style::kDim, entry.member, report::Style::kPlain, '\n');
  }
  if (options_.needs_code() && !read::can_decode(image.arch)) {
    problems_.push_back(read::to_string(image.arch) +
                        " code cannot be disassembled: burin decodes sm_70 to sm_121");
    if (!context_.json) return;
  }
  for (const bool kernels : {true, false}) {
    for (const read::Function& function : image.functions) {
      if (context_.out.closed()) return;
      if (function.is_kernel == kernels && images_.means(function)) show(image, function);
    }
  }
  if (context_.json) json_.end_image();
}

void Inspection::show(const read::Image& image, const read::Function& function) {
  report::Output& out = context_.out;
  std::optional<read::Kernel> kernel;
  if (options_.needs_code() && read::can_decode(image.arch)) {
    Result<void> whole = report::check_code(image, function);
    if (whole && (options_.loops || options_.cfg || options_.dump)) {
      Result<read::Kernel> built =
          read::build_kernel(image, function, {.dependences = options_.dump});
      if (built) {
        kernel = std::move(*built);
      } else {
        whole = built.error();
      }
    }
    if (!whole) {
      problems_.push_back(whole.error().within(function.name).message);
      if (!context_.json) return;
    }
  }
  if (context_.json) {
    json_.add(image, function, kernel ? &*kernel : nullptr);
  } else if (options_.listing()) {
    report::write_listing(out, image, function, options_.lines ? &source_ : nullptr);
  } else if (options_.loops) {
    report::write_loops(out, *kernel);
  } else if (options_.cfg) {
    report::write_dot(out, *kernel);
  } else if (options_.dump) {
    report::dump_kernel(out, *kernel);
  } else {
    if (!head_written_) report::write_table_head(out);
    head_written_ = true;
    report::write_table_row(out, image, function);
  }
}

// What could be read was shown; what could not is told, and makes the exit status 3.
Result<Exit> Inspection::finish() {
  if (!started_ && !problems_.empty() && images_.others().empty()) {
    return Error{options_.file + ": " + problems_.front()};
  }
  start();
  if (context_.json) {
    json_.end(images_.others(), problems_);
  } else if (!options_.needs_code()) {
    if (!head_written_) context_.out.put("\nno compiled kernels\n");
    if (!images_.chose_kernel()) report::write_other_entries(context_.out, images_.others());
  }
  context_.out.flush();
  context_.clear_progress();
  if (context_.out.closed()) return Exit::kDone;
  const std::size_t shown = std::min(problems_.size(), kMaxProblemsShown);
  for (std::size_t i = 0; i < shown; ++i) context_.warn(options_.file + ": " + problems_[i]);
  if (shown < problems_.size()) {
    context_.warn(options_.file + ": and " + count_of(problems_.size() - shown, "more problem") +
                  "; --json lists all");
  }
  return problems_.empty() ? Exit::kDone : Exit::kInput;
}

Result<Exit> Inspection::run() {
  for (std::size_t i = 0; i < images_.cubins().size() && !context_.out.closed(); ++i) {
    if (context_.out.width() == 0)
      context_.progress().step("reading image", i + 1, images_.cubins().size());
    const Result<read::Image> image = images_.load(i);
    if (image) {
      show(*image, *images_.cubins()[i]);
      context_.out.flush();
    } else {
      problems_.push_back(image.error().message);
    }
  }
  return finish();
}

Result<Exit> inspect(const InspectOptions& options, Context& context) {
  const int views = options.listing() + options.loops + options.cfg + options.dump;
  if (options.dump && context.json) {
    return Error{"--dump (text for tests) and --json exclude each other; choose one", Exit::kUsage};
  }
  if (views > 1 && !context.json) {
    return Error{
        "choose one of --sass (or --lines), --loops, --cfg and --dump; --json allows several",
        Exit::kUsage};
  }
  if (jobs::is_capture_input(capture::parse_capture_name(options.file).file)) {
    if (views > 0) {
      return Error{"a capture cannot be disassembled; use --sass and the like on the program file",
                   Exit::kUsage};
    }
    CaptureView view = options.capture;
    view.kernel = options.kernel;
    return inspect_capture(options.file, view, context);
  }
  if (options.capture.is_asked()) {
    return Error{
        "--compare, --all, --stacks, --trace, --machine, --cold and --warm are for captures; " +
            options.file + " is not one",
        Exit::kUsage};
  }
  if (Result<void> fine = check(options.capture.pictures, {options.file}); !fine) {
    return fine.error();
  }
  const Result<std::unique_ptr<jobs::OpenImages>> images =
      jobs::OpenImages::open({.file = options.file,
                              .arch = options.arch,
                              .kernel = options.kernel,
                              .flags = options.flags,
                              .needs_code = options.needs_code()},
                             context.progress());
  if (!images) return images.error();
  if (Result<void> done = write_pictures(options.capture.pictures, **images, options.file); !done) {
    return done.error();
  }
  return Inspection(options, context, **images).run();
}

}  // namespace

void add_inspect(Commands& commands) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App& app = commands.add(
      "inspect",
      "Shows the contents of a CUDA binary: kernels, resources, SASS, loops, source lines",
      "  burin inspect a.out                            table of kernels\n  burin inspect saxpy.cu "
      "                        the same, compiled with nvcc first\n  burin inspect a.out "
      "--arch sm_90 --sass        instructions with control codes\n  burin inspect a.out --kernel "
      "reduce --lines    SASS interleaved with source\n  burin inspect a.out --kernel reduce "
      "--loops    loop nest\n  burin inspect a.out --kernel reduce --cfg | dot -Tsvg > "
      "reduce.svg\n  burin inspect libfoo.so --json | jq '.images[].kernels[].name'\n  burin "
      "inspect app.burin                        launches of a recorded program\n  burin inspect "
      "app.burin --compare              predicted against measured times",
      [options](Context& context) { return inspect(*options, context); });
  app.add_option("FILE", options->file,
                 "Cubin, fatbin, executable, object, static or shared library, CUDA source (.cu), "
                 "PTX, wheel (.whl), a member of one (WHEEL/MEMBER), folder of these such as "
                 "Triton's cache, capture, or Nsight Compute report")
      ->required()
      ->option_text(" ");
  app.add_option("--arch", options->arch,
                 "Only code for this architecture; source is compiled for it (default: sm_90)")
      ->type_name("ARCH");
  app.add_option("--kernel", options->kernel, "Only this kernel: name or part of it")
      ->type_name("NAME");
  add_repeated(app, "--nvcc-flag", options->flags, "FLAG", "Flag for nvcc (for PTX: ptxas)");
  app.add_flag("--sass", options->sass, "Show instructions with control codes");
  app.add_flag("--lines", options->lines, "Same, interleaved with source lines");
  app.add_flag("--loops", options->loops,
               "Show the loop nest with source lines and instruction counts");
  app.add_flag("--cfg", options->cfg, "Print the control-flow graph in DOT");
  app.add_flag("--dump", options->dump, "Print the whole structure as text, for tests");
  add_capture_view(app, options->capture);
}

}  // namespace burin::app
