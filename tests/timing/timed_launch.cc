#include "timed_launch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "corpus_files.h"
#include "emulate/run.h"
#include "launch/options.h"
#include "timing/trace/strides.h"
#include "timing/trace/trace_source.h"

namespace burin::timing {
namespace {

struct LaunchLine {
  std::string file;
  std::string kernel;
  TimedLaunch::Shape shape;
};

launch::Dims dims(const std::string& text) {
  const Result<launch::Dims> parsed = launch::parse_dims(text);
  if (!parsed) ADD_FAILURE() << parsed.error().message;
  return parsed ? *parsed : launch::Dims{};
}

// NAME FILE KERNEL OPTIONS… [; NOTE…]
std::optional<LaunchLine> find_line(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string text; std::getline(file, text);) {
    std::istringstream words(text);
    std::string first;
    LaunchLine line;
    if (!(words >> first >> line.file >> line.kernel) || first != name) continue;
    for (std::string option, value; words >> option && option != ";" && words >> value;) {
      if (option == "--grid") line.shape.grid = dims(value);
      if (option == "--block") line.shape.block = dims(value);
      if (option == "--cluster") line.shape.cluster = dims(value);
      if (option == "--smem") line.shape.shared_bytes = std::stoull(value);
      if (option == "--arg") line.shape.arguments.push_back(value);
    }
    return line;
  }
  return std::nullopt;
}

std::string path_of(const std::string& file) {
  if (file.ends_with(".fatbin")) return BURIN_SOURCE_DIR "/tests/data/emulate/" + file;
  const std::string stem = "cubins/" + file.substr(0, file.find(".cu"));
  const std::string hopper = stem + ".sm_90a.cubin";
  const std::string plain = stem + ".sm_90.cubin";
  return corpus_file(has_corpus_file(hopper) && !has_corpus_file(plain) ? hopper : plain);
}

}  // namespace

machine::Machine h200() {
  static const Result<machine::Machine> machine = machine::load_machine("h200");
  if (!machine) ADD_FAILURE() << machine.error().message;
  return machine ? *machine : machine::Machine{};
}

TimedLaunch::TimedLaunch(const std::string& line) {
  for (const char* list : {"launches.txt", "hopper/launches.txt"}) {
    const std::optional<LaunchLine> found = find_line(kCorpus + list, line);
    if (!found) continue;
    load_kernel(path_of(found->file), found->kernel);
    set_launch(found->shape);
    return;
  }
  ADD_FAILURE() << "no launch " << line;
}

TimedLaunch::TimedLaunch(const std::string& file, const std::string& kernel, const Shape& shape) {
  load_kernel(path_of(file), kernel);
  set_launch(shape);
}

void TimedLaunch::load_kernel(const std::string& path, const std::string& name) {
  Result<MappedFile> file = MappedFile::open(path);
  ASSERT_TRUE(file) << file.error().message;
  file_.emplace(std::move(*file));
  const Result<read::Container> container = read::open_container(file_->bytes());
  ASSERT_TRUE(container) << container.error().message;
  const auto entry = std::ranges::find_if(container->entries,
                                          [](const read::Entry& e) { return e.arch.sm == 90; });
  ASSERT_NE(entry, container->entries.end()) << path;
  Result<read::Image> image = read::load(*entry);
  ASSERT_TRUE(image) << image.error().message;
  image_ = std::move(*image);
  const auto function = std::ranges::find_if(image_.functions, [&](const read::Function& f) {
    return f.name == name || f.demangled.starts_with(name + "(");
  });
  ASSERT_NE(function, image_.functions.end()) << name << " of " << path;
  Result<read::Kernel> kernel = read::build_kernel(image_, *function, {.dependences = false});
  ASSERT_TRUE(kernel) << kernel.error().message;
  kernel_ = std::move(*kernel);
}

void TimedLaunch::set_launch(const Shape& shape) {
  Result<std::vector<launch::Argument>> arguments = launch::parse_arguments(shape.arguments);
  ASSERT_TRUE(arguments) << arguments.error().message;
  launch_ = {.grid = shape.grid,
             .block = shape.block,
             .cluster = shape.cluster,
             .shared_bytes = shape.shared_bytes,
             .arguments = std::move(*arguments)};
  ASSERT_NE(kernel_.function, nullptr);
  const Result<void> fits = launch::check_launch(launch_, *kernel_.function);
  ASSERT_TRUE(fits) << fits.error().message;
}

std::uint32_t TimedLaunch::find(std::string_view mnemonic, std::uint32_t from) const {
  for (std::uint32_t i = from; i < kernel_.instructions.size(); ++i)
    if (kernel_.instructions[i].mnemonic() == mnemonic) return i;
  ADD_FAILURE() << "no " << mnemonic;
  return 0;
}

Result<Prediction> TimedLaunch::predict(const machine::Machine& machine,
                                        const PredictOptions& options) const {
  return burin::timing::predict(kernel_, launch_, machine, options);
}

Prediction TimedLaunch::prediction(const machine::Machine& machine,
                                   const PredictOptions& options) const {
  Result<Prediction> p = predict(machine, options);
  if (!p) ADD_FAILURE() << p.error().message;
  return p ? std::move(*p) : Prediction{};
}

std::vector<double> TimedLaunch::counts() const {
  emulate::RunOptions options;
  options.threads = 1;
  options.check_shared = false;
  const Result<emulate::Run> run = emulate::emulate(kernel_, launch_, options);
  if (!run || run->stopped) {
    ADD_FAILURE() << (run ? run->stopped->message : run.error().message);
    return {};
  }
  std::vector<double> counts;
  for (const emulate::InstructionCount& c : run->counts)
    counts.push_back(static_cast<double>(c.warps));
  return counts;
}

std::vector<BlockTrace> TimedLaunch::traces(const std::vector<std::uint64_t>& blocks) const {
  const Result<std::unique_ptr<TraceSource>> source =
      TraceSource::open(kernel_, launch_, {.threads = 1});
  if (!source) {
    ADD_FAILURE() << source.error().message;
    return {};
  }
  Result<std::vector<BlockTrace>> traces = (*source)->trace(blocks);
  if (!traces) ADD_FAILURE() << traces.error().message;
  return traces ? std::move(*traces) : std::vector<BlockTrace>{};
}

TimedLaunch::Replay TimedLaunch::replay(const std::vector<std::uint64_t>& blocks,
                                        ReplayOptions options,
                                        const machine::Machine& machine) const {
  const std::vector<BlockTrace> all = traces(blocks);
  if (all.empty()) return {};
  std::vector<const BlockTrace*> others;
  std::vector<Sections> sections;
  Replay out;
  for (const BlockTrace& t : all) {
    if (&t != &all[0]) others.push_back(&t);
    sections.push_back(choose_sections(kernel_, t, options.target));
    out.steps += t.steps;
  }
  const StrideTable strides =
      find_strides(kernel_.instructions.size(), launch_.grid, all[0], others);
  std::vector<BlockJob> jobs;
  for (std::size_t k = 0; k < all.size(); ++k) {
    jobs.push_back({.trace = &all[k], .sections = &sections[k], .own = {}, .others = {}});
  }
  const std::vector<TimedOp> code = timed_code(kernel_, machine);
  MemorySystem memory(machine, strides, {.l2 = {.sample = 16}});
  out.account = std::make_unique<Account>(kernel_.instructions.size());
  Sm sm(machine, code, memory, *out.account,
        {.resident = options.resident,
         .cold = options.cold,
         .attribute_stalls = options.attribute_stalls});
  out.run = sm.run(jobs);
  return out;
}

}  // namespace burin::timing
