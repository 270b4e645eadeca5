// `burin inspect FILE`: one walk over the images of a file, each loaded, shown and let go.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "app/choose_kernel.h"
#include "app/cli.h"
#include "app/inspect_capture.h"
#include "app/open_capture.h"
#include "base/file.h"
#include "base/text.h"
#include "base/timings.h"
#include "capture/rebuilt_launch.h"
#include "read/binary/container.h"
#include "read/isa/decode.h"
#include "read/program/kernel.h"
#include "report/dump.h"
#include "report/flow.h"
#include "report/inspect_json.h"
#include "report/listing.h"
#include "report/source.h"
#include "report/table.h"
#include "report/words.h"

namespace burin {
namespace {

constexpr std::size_t kMostProblemsShown = 5;

struct InspectOptions {
  std::string file;
  std::string arch;
  std::optional<std::string> kernel;
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
  Inspection(const InspectOptions& options, Context& context, const Container& container)
      : options_(options),
        context_(context),
        container_(container),
        json_(context.out, {options.listing(), options.lines}),
        source_(folder_of(options.file)),
        problems_(container.problems) {}

  Result<Exit> run();

 private:
  Result<void> select();
  Result<void> choose();
  Result<Image> load_entry(std::size_t index);
  bool shows(const Function& f) const { return !choice_ || choice_->has(f); }
  void start();
  void show(const Image& image, const Entry& entry);
  void show(const Image& image, const Function& function);
  Result<Exit> finish();

  const InspectOptions& options_;
  Context& context_;
  const Container& container_;
  InspectJson json_;
  SourceText source_;
  std::vector<const Entry*> cubins_;  // those to be shown
  std::vector<const Entry*> others_;
  std::optional<KernelNameMatcher> choice_;
  std::vector<std::string> problems_;
  bool started_ = false;
  bool head_written_ = false;
};

// Which entries the options mean.
Result<void> Inspection::select() {
  std::optional<Architecture> arch;
  if (!options_.arch.empty()) {
    arch = parse_architecture(options_.arch);
    if (!arch)
      return Error{"--arch " + options_.arch + " is not an architecture; try sm_90", Exit::kUsage};
  }
  std::vector<std::string> seen;
  for (const Entry& entry : container_.entries) {
    seen.push_back(arch_name(entry.kind, entry.arch));
    if (arch && entry.arch != *arch) continue;
    (entry.kind == Entry::Kind::kCubin ? cubins_ : others_).push_back(&entry);
  }
  std::sort(seen.begin(), seen.end());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  if (arch && cubins_.empty() && others_.empty()) {
    return Error{options_.file + ": contains no code for " + to_string(*arch) + ", only for " +
                 list_of(seen, seen.size())};
  }
  if (options_.needs_code() && cubins_.empty()) {
    return Error{options_.file + ": contains no machine code, only " + list_of(seen, seen.size()) +
                 "; compile it with ptxas first"};
  }
  return {};
}

Result<Image> Inspection::load_entry(std::size_t index) {
  const Timed timed("load image");
  const Entry& entry = *cubins_[index];
  Result<Image> image = load(entry);
  if (image) return image;
  if (container_.format == Container::Format::kCubin) return image.error();
  std::string where =
      "image " + std::to_string(index + 1) + " of " + std::to_string(cubins_.size());
  if (!entry.name.empty()) where += ", " + entry.name;
  return image.error().within(where + " (" + to_string(entry.arch) + ")");
}

// Finds the kernels that --kernel means, and keeps only the entries that hold one.
Result<void> Inspection::choose() {
  const Timed timed("select kernels");
  choice_.emplace(*options_.kernel);
  std::vector<std::pair<int, const Entry*>> best;  // how well each entry's best function fits
  for (std::size_t i = 0; i < cubins_.size(); ++i) {
    context_.progress("searching image", i + 1, cubins_.size());
    const Result<Image> image = load_entry(i);
    if (!image) {
      problems_.push_back(image.error().message);
      continue;
    }
    int level = KernelNameMatcher::kNoFit;
    for (const Function& f : image->functions) level = std::min(level, choice_->offer(f));
    best.emplace_back(level, cubins_[i]);
  }
  context_.clear_progress();
  if (best.empty()) return Error{options_.file + ": " + problems_.front()};
  const Result<void> chosen = choice_->check(
      options_.needs_code() ? KernelNameMatcher::Use::kView : KernelNameMatcher::Use::kTable);
  if (!chosen) return chosen.error().within(options_.file);
  cubins_.clear();
  for (const auto& [level, entry] : best) {
    if (level == choice_->level()) cubins_.push_back(entry);
  }
  return {};
}

// Nothing is written before there is something to show: a bad file leaves one sentence only.
void Inspection::start() {
  if (started_) return;
  started_ = true;
  if (context_.json) {
    json_.begin(options_.file, container_);
  } else if (!options_.needs_code()) {
    write_summary(context_.out, options_.file, container_);
  }
}

void Inspection::show(const Image& image, const Entry& entry) {
  const Timed timed("show image");
  start();
  if (context_.json) {
    json_.begin_image(image, entry);
  } else if (options_.dump) {
    dump_image(context_.out, image);
  }
  if (options_.needs_code() && !can_decode(image.arch)) {
    problems_.push_back(to_string(image.arch) +
                        " code cannot be disassembled: burin decodes sm_70 to sm_121");
    if (!context_.json) return;
  }
  for (const bool kernels : {true, false}) {
    for (const Function& function : image.functions) {
      if (context_.out.closed()) return;
      if (function.is_kernel == kernels && shows(function)) show(image, function);
    }
  }
  if (context_.json) json_.end_image();
}

void Inspection::show(const Image& image, const Function& function) {
  Output& out = context_.out;
  std::optional<Kernel> kernel;
  if (options_.needs_code() && can_decode(image.arch)) {
    Result<void> whole = check_code(image, function);
    if (whole && (options_.loops || options_.cfg || options_.dump)) {
      Result<Kernel> built = build_kernel(image, function, {.dependences = options_.dump});
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
    write_listing(out, image, function, options_.lines ? &source_ : nullptr);
  } else if (options_.loops) {
    write_loops(out, *kernel);
  } else if (options_.cfg) {
    write_dot(out, *kernel);
  } else if (options_.dump) {
    dump_kernel(out, *kernel);
  } else {
    if (!head_written_) write_table_head(out);
    head_written_ = true;
    write_table_row(out, image, function);
  }
}

// What could be read was shown; what could not is told, and makes the exit status 3.
Result<Exit> Inspection::finish() {
  if (!started_ && !problems_.empty() && others_.empty()) {
    return Error{options_.file + ": " + problems_.front()};
  }
  start();
  if (context_.json) {
    json_.end(others_, problems_);
  } else if (!options_.needs_code()) {
    if (!head_written_) context_.out.put("\nno compiled kernels\n");
    if (!choice_) write_other_entries(context_.out, others_);
  }
  context_.out.flush();
  context_.clear_progress();
  if (context_.out.closed()) return Exit::kDone;
  const std::size_t shown = std::min(problems_.size(), kMostProblemsShown);
  for (std::size_t i = 0; i < shown; ++i) context_.complain(options_.file + ": " + problems_[i]);
  if (shown < problems_.size()) {
    context_.complain(options_.file + ": and " +
                      count_of(problems_.size() - shown, "more problem") + "; --json lists all");
  }
  return problems_.empty() ? Exit::kDone : Exit::kInput;
}

Result<Exit> Inspection::run() {
  if (Result<void> selected = select(); !selected) return selected.error();
  if (options_.kernel) {
    if (Result<void> chosen = choose(); !chosen) return chosen.error();
  }
  for (std::size_t i = 0; i < cubins_.size() && !context_.out.closed(); ++i) {
    if (context_.out.width() == 0) context_.progress("reading image", i + 1, cubins_.size());
    const Result<Image> image = load_entry(i);
    if (image) {
      show(*image, *cubins_[i]);
      context_.out.flush();
    } else {
      problems_.push_back(image.error().message);
    }
  }
  return finish();
}

Result<Exit> inspect(const InspectOptions& options, Context& context) {
  const int views = options.listing() + options.loops + options.cfg + options.dump;
  if (options.kernel && options.kernel->empty()) {
    return Error{"--kernel needs a name or part of one", Exit::kUsage};
  }
  if (options.dump && context.json) {
    return Error{"--dump (text for tests) and --json exclude each other; choose one", Exit::kUsage};
  }
  if (views > 1 && !context.json) {
    return Error{
        "choose one of --sass (or --lines), --loops, --cfg and --dump; --json allows several",
        Exit::kUsage};
  }
  if (is_capture_input(parse_capture_name(options.file).file)) {
    if (views > 0) {
      return Error{"a capture cannot be disassembled; use --sass and the like on the program file",
                   Exit::kUsage};
    }
    CaptureView view = options.capture;
    view.kernel = options.kernel;
    return inspect_capture(options.file, view, context);
  }
  if (options.capture.is_asked()) {
    return Error{"--compare, --all, --stacks, --machine, --cold and --warm are for captures; " +
                     options.file + " is not one",
                 Exit::kUsage};
  }
  const Result<MappedFile> file = MappedFile::open(options.file);
  if (!file) return file.error();
  const Result<Container> container = [&] {
    const Timed timed("open file");
    return open_container(file->bytes());
  }();
  if (!container) return container.error().within(options.file);
  return Inspection(options, context, *container).run();
}

}  // namespace

void add_inspect(Commands& commands) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App& app = commands.add(
      "inspect",
      "Shows the contents of a CUDA binary: kernels, resources, SASS, loops, source lines",
      "  burin inspect a.out                            table of kernels\n  burin inspect a.out "
      "--arch sm_90 --sass        instructions with control codes\n  burin inspect a.out --kernel "
      "reduce --lines    SASS interleaved with source\n  burin inspect a.out --kernel reduce "
      "--loops    loop nest\n  burin inspect a.out --kernel reduce --cfg | dot -Tsvg > "
      "reduce.svg\n  burin inspect libfoo.so --json | jq '.images[].kernels[].name'\n  burin "
      "inspect app.burin                        launches of a recorded program\n  burin inspect "
      "app.burin --compare              predicted against measured times",
      [options](Context& context) { return inspect(*options, context); });
  app.add_option("FILE", options->file,
                 "Cubin, fatbin, executable, object, static or shared library, PTX, capture, or "
                 "Nsight Compute report")
      ->required()
      ->option_text(" ");
  app.add_option("--arch", options->arch, "Only code for this architecture, such as sm_90")
      ->type_name("ARCH");
  app.add_option("--kernel", options->kernel, "Only this kernel: name or part of it")
      ->type_name("NAME");
  app.add_flag("--sass", options->sass, "Show instructions with control codes");
  app.add_flag("--lines", options->lines, "Same, interleaved with source lines");
  app.add_flag("--loops", options->loops,
               "Show the loop nest with source lines and instruction counts");
  app.add_flag("--cfg", options->cfg, "Print the control-flow graph in DOT");
  app.add_flag("--dump", options->dump, "Print the whole structure as text, for tests");
  add_capture_view(app, options->capture);
}

}  // namespace burin
