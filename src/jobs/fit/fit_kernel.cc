#include "jobs/fit/fit_kernel.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <memory>

#include "base/file.h"
#include "base/format.h"
#include "base/new_file.h"
#include "base/text.h"
#include "formula/rational/occupancy.h"
#include "jobs/fit/propose_spec.h"
#include "jobs/fit/spec_kernel.h"
#include "jobs/input/choose_machine.h"
#include "jobs/input/open_capture.h"
#include "jobs/input/output_file.h"
#include "model/fit/explore.h"
#include "model/fit/hardware.h"
#include "tune/formats/t1_spec.h"
#include "tune/formats/toml_spec.h"

namespace burin::jobs {
namespace {

using formula::Expression;
using model::ShapeTimes;
using model::Sizes;

// Shapes that the emulator is asked about beyond the measured sizes, at most.
constexpr std::size_t kFinalists = 10;
// Measured sizes at which it is asked too, so that changes are known.
constexpr std::size_t kAnchors = 2;
// A size at which one prediction takes this long is left out, and no more are asked for after the
// limit of all.
constexpr double kMaxPredictionSeconds = 2.5;
constexpr double kMaxExploringSeconds = 45;

// Shapes whose instructions and accesses are counted for the models of the literature.
constexpr std::size_t kCounted = 6;
constexpr double kMaxCountingSeconds = 10;

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

Result<void> write_bytes(const std::string& path, Bytes bytes) {
  Result<NewFile> file = NewFile::create(path);
  if (!file) return file.error();
  if (Result<void> written = file->write(bytes); !written) return written;
  return file->finish();
}

Result<void> write_text(const std::string& path, const std::string& text) {
  return write_bytes(path, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

std::string csv_of(const FittedKernel& fitted) {
  std::string text =
      fmt::format("{},block_x,block_y,block_z,time_us\n", fmt::join(fitted.times.names, ","));
  const auto add = [&](const ShapeTimes& times) {
    for (std::size_t size = 0; size < times.sizes.size(); ++size) {
      for (std::size_t shape = 0; shape < times.shapes.size(); ++shape) {
        if (!times.has(size, shape)) continue;
        text += fmt::format("{},{},{:.6g}\n", fmt::join(times.sizes[size], ","),
                            fmt::join(times.shapes[shape], ","), times.time_us[size][shape]);
      }
    }
  };
  add(fitted.times);
  if (fitted.predicted) {
    text += "# predicted by the emulator\n";
    add(*fitted.predicted);
  }
  return text;
}

Result<ShapeTimes> read_trials(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  const Bytes bytes = file->bytes();
  Result<ShapeTimes> times =
      model::read_trials_csv({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!times) return times.error().within(path);
  return times;
}

// The same times with their sizes in another order of names.
Result<ShapeTimes> with_names(const ShapeTimes& times, const std::vector<std::string>& names,
                              const std::string& path) {
  std::vector<std::size_t> from;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(times.names, name);
    if (found == times.names.end()) {
      return Error{fmt::format("{}: a column for the spec's size {} is missing", path, name)};
    }
    from.push_back(static_cast<std::size_t>(found - times.names.begin()));
  }
  if (names.size() != times.names.size()) {
    return Error{fmt::format("{}: its sizes are {}, the spec's are {}", path,
                             fmt::join(times.names, ", "), fmt::join(names, ", "))};
  }
  ShapeTimes result;
  result.names = names;
  for (std::size_t size = 0; size < times.sizes.size(); ++size) {
    Sizes sizes;
    for (const std::size_t column : from) sizes.push_back(times.sizes[size][column]);
    for (std::size_t shape = 0; shape < times.shapes.size(); ++shape) {
      if (times.has(size, shape)) {
        result.add(sizes, times.shapes[shape], times.time_us[size][shape]);
      }
    }
  }
  return result.sorted();
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof(text), "%Y-%m-%d", std::gmtime(&now));
  return text;
}

class KernelFitter {
 public:
  KernelFitter(const FitRequest& request, const Progress& progress)
      : request_(request), progress_(progress) {}

  Result<FittedKernel> run() {
    if (Result<void> fine = check_request(); !fine) return fine.error();
    if (!request_.capture.empty()) {
      if (Result<void> done = propose(); !done) return done.error();
    }
    if (!request_.tune.input.empty()) {
      if (Result<void> done = open_spec(); !done) return done.error();
    }
    if (Result<void> done = take_times(); !done) return done.error();
    if (kernel_ && request_.explored > 0 && !from_emulator_) explore();
    model::ShapeFitOptions options{.grid = request_.grid, .constraints = request_.constraints};
    if (kernel_ && options.grid.empty()) options.grid = kernel_->grid();
    while (!options.grid.empty() && options.grid.size() < 3) options.grid.emplace_back("1");
    if (kernel_) {
      options.constraints.insert(options.constraints.end(), kernel_->constraints().begin(),
                                 kernel_->constraints().end());
    }
    Result<model::ShapeFit> fit = model::fit_shapes(
        result_.times, result_.predicted ? &*result_.predicted : nullptr, options);
    if (!fit) return Error{fit.error().message, Exit::kInput};
    result_.fit = std::move(*fit);
    if (kernel_) judge_published_models();
    if (Result<void> done = complete_program(); !done) return done.error();
    result_.notes.insert(result_.notes.end(), result_.fit.notes.begin(), result_.fit.notes.end());
    if (kernel_) {
      result_.notes.insert(result_.notes.end(), kernel_->notes().begin(), kernel_->notes().end());
    }
    if (Result<void> done = write_files(); !done) return done.error();
    return std::move(result_);
  }

 private:
  Result<void> check_request() const {
    if (request_.trials.empty() && request_.tune.input.empty() && request_.capture.empty()) {
      return Error{"a spec, --capture or --trials is needed: what the kernel is, or its times",
                   Exit::kUsage};
    }
    if (!request_.capture.empty() && !request_.tune.input.empty()) {
      return Error{"--capture proposes a spec, and one is given: leave one of them out",
                   Exit::kUsage};
    }
    if (!request_.grid.empty() && request_.grid.size() > 3) {
      return Error{"--grid-expr: a grid has at most three sides", Exit::kUsage};
    }
    std::vector<std::string> inputs;
    if (!request_.trials.empty()) inputs.push_back(request_.trials);
    if (!request_.tune.input.empty()) inputs.push_back(request_.tune.input);
    for (const auto& [option, path] :
         {std::pair("-o", request_.output), std::pair("--samples-file", request_.samples_file)}) {
      if (path.empty()) continue;
      const Result<void> fine = check_output(
          {.option = option, .path = path, .content = FileContent::kText}, inputs, request_.force);
      if (!fine) return fine;
    }
    return {};
  }

  // A spec from recorded launches, with the code that they ran: NAME.toml and NAME.cubin beside
  // NAME.rp.
  Result<void> propose() {
    const Result<capture::Capture> capture = open_capture(request_.capture);
    if (!capture) return capture.error();
    const Result<ObservedKernel> kernel = observe_kernel(*capture, request_.kernel);
    if (!kernel) return kernel.error();
    const std::filesystem::path output(request_.output);
    const std::string stem = (output.parent_path() / output.stem()).string();
    const Result<ProposedSpec> spec =
        propose_spec(kernel->name, output.stem().string() + ".cubin", kernel->launches);
    if (!spec) return spec.error().within(request_.capture);
    for (const auto& [path, content] : {std::pair(stem + ".toml", FileContent::kText),
                                        std::pair(stem + ".cubin", FileContent::kElf)}) {
      const Result<void> fine = check_output({.option = "-o", .path = path, .content = content},
                                             {request_.capture}, request_.force);
      if (!fine) return fine;
    }
    if (Result<void> done = write_bytes(stem + ".cubin", kernel->cubin); !done) return done;
    if (Result<void> done = write_text(stem + ".toml", spec->text); !done) return done;
    request_.tune.input = result_.proposed = stem + ".toml";
    request_.kernel.clear();
    result_.notes = spec->notes;
    return {};
  }

  Result<void> open_spec() {
    const std::string& path = request_.tune.input;
    if (!path.ends_with(".toml") && !path.ends_with(".json")) {
      return Error{fmt::format("{}: a spec (.toml, or T1 .json) is needed", path), Exit::kUsage};
    }
    Result<tune::Spec> spec =
        path.ends_with(".json") ? tune::read_t1_spec(path) : tune::read_toml_spec(path);
    if (!spec) return spec.error();
    spec_ = *spec;
    TuneRequest tune = request_.tune;
    // With trials in a file the only device is the emulator, which explores beyond them.
    if (!request_.trials.empty() && tune.device == "auto") {
      const std::optional<machine::Machine> machine = machine_named(request_.gpu);
      tune.device = fmt::format("{}{}", kEmulatorDevice, machine ? machine->name : "h200");
    }
    Result<std::unique_ptr<SpecKernel>> kernel = SpecKernel::open(tune, std::move(*spec));
    if (!kernel) return kernel.error();
    kernel_ = std::move(*kernel);
    return {};
  }

  bool interrupted() const { return request_.tune.interrupted && request_.tune.interrupted(); }

  std::optional<double> sample(SpecKernel& kernel, const Sizes& sizes,
                               const formula::Shape& shape) {
    if (interrupted()) return std::nullopt;
    const Result<double> us = kernel.time_us(sizes, shape);
    if (us) return *us;
    if (++failures_ <= 2) {
      result_.notes.push_back(fmt::format("{} at {}: {}", fmt::join(shape, " × "),
                                          fmt::join(sizes, ", "), us.error().message));
    }
    return std::nullopt;
  }

  Result<void> take_times() {
    if (!request_.trials.empty()) {
      Result<ShapeTimes> times = read_trials(request_.trials);
      if (!times) return times.error();
      if (kernel_) {
        times = with_names(*times, kernel_->names(), request_.trials);
        if (!times) return times.error();
      }
      result_.times = std::move(*times);
      result_.source = request_.trials;
      return {};
    }
    from_emulator_ = kernel_->device().device().is_exact();
    std::vector<Sizes> sizes = kernel_->sizes();
    if (from_emulator_) {
      for (Sizes& larger : model::explored_sizes(kernel_->sizes(), request_.reach)) {
        if (kernel_->fits(larger)) sizes.push_back(std::move(larger));
      }
      std::ranges::stable_sort(sizes, {}, model::log_work);
    }
    const std::vector<formula::Shape>& shapes = kernel_->shapes();
    const std::size_t all = std::min(request_.samples, sizes.size() * shapes.size());
    std::size_t taken = 0;
    const auto take = [&](std::size_t size, std::size_t shape) {
      progress_.step("sample", ++taken, all);
      return sample(*kernel_, sizes[size], shapes[shape]);
    };
    result_.times =
        model::sample_shapes(kernel_->names(), sizes, shapes, take, {.budget = request_.samples});
    progress_.done();
    if (result_.times.sizes.empty()) {
      return Error{fmt::format("{}: no shape runs{}", request_.tune.input,
                               result_.notes.empty() ? "" : ": " + result_.notes.front())};
    }
    result_.source = kernel_->device().model();
    return {};
  }

  // Predictions beyond the measured sizes, and at some of those.
  void explore() {
    std::unique_ptr<SpecKernel> other;
    SpecKernel* emulator = kernel_.get();
    if (!kernel_->device().device().is_exact()) {
      const std::optional<machine::Machine>& machine = kernel_->device().device().machine;
      if (!machine) {
        result_.notes.emplace_back(
            "no machine file describes this GPU: sizes beyond the measured ones are extrapolated "
            "from these alone");
        return;
      }
      TuneRequest tune = request_.tune;
      tune.device = fmt::format("{}{}", kEmulatorDevice, machine->name);
      Result<std::unique_ptr<SpecKernel>> opened = SpecKernel::open(tune, spec_);
      if (!opened) {
        result_.notes.push_back(fmt::format("not explored: {}", opened.error().message));
        return;
      }
      other = std::move(*opened);
      emulator = other.get();
    }
    std::vector<Sizes> sizes;
    const std::vector<Sizes>& measured = result_.times.sizes;
    for (std::size_t i = measured.size() > kAnchors ? measured.size() - kAnchors : 0;
         i < measured.size(); ++i) {
      sizes.push_back(measured[i]);
    }
    for (Sizes& larger : model::explored_sizes(measured, request_.reach)) {
      if (emulator->fits(larger)) sizes.push_back(std::move(larger));
    }
    const std::size_t shapes =
        std::min(kFinalists, std::max<std::size_t>(3, request_.explored / sizes.size()));
    const std::vector<std::size_t> chosen = model::finalists(result_.times, shapes);
    ShapeTimes predicted;
    predicted.names = result_.times.names;
    std::size_t taken = 0;
    const double start = processor_seconds();
    for (const Sizes& at : sizes) {
      for (const std::size_t shape : chosen) {
        progress_.step("predicting", ++taken, sizes.size() * chosen.size());
        const double before = processor_seconds();
        if (before - start > kMaxExploringSeconds) break;
        const formula::Shape& block = result_.times.shapes[shape];
        if (const std::optional<double> us = sample(*emulator, at, block)) {
          predicted.add(at, block, *us);
        }
        if (processor_seconds() - before > kMaxPredictionSeconds) break;
      }
    }
    progress_.done();
    if (!predicted.sizes.empty()) result_.predicted = predicted.sorted();
  }

  // The finalists counted at the sampled sizes: how the models of the literature rank them.
  void judge_published_models() {
    const std::optional<machine::Machine>& machine = kernel_->device().device().machine;
    if (!machine) return;
    std::vector<model::CountedTime> launches;
    const double start = processor_seconds();
    const std::vector<std::size_t> chosen = model::finalists(result_.times, kCounted);
    for (std::size_t size = result_.times.sizes.size(); size-- > 0;) {
      for (const std::size_t shape : chosen) {
        if (!result_.times.has(size, shape) || interrupted()) continue;
        if (processor_seconds() - start > kMaxCountingSeconds) break;
        progress_.step("counting", launches.size() + 1, chosen.size() * result_.times.sizes.size());
        const Sizes& at = result_.times.sizes[size];
        const formula::Shape& block = result_.times.shapes[shape];
        Result<model::LaunchCounts> counts = kernel_->counts(at, block, *machine);
        if (!counts) continue;
        launches.push_back({at, block, *counts, result_.times.time_us[size][shape]});
      }
    }
    progress_.done();
    result_.published = model::judge_published(launches, *machine);
    result_.metrics = model::fit_metrics(result_.times.names, launches);
  }

  // Name, parameters and proof of the kernel, and the device that the table is for.
  Result<void> complete_program() {
    formula::RationalProgram& program = result_.fit.program;
    if (kernel_) {
      Result<formula::RationalProgram> facts = kernel_->facts(request_.declared);
      if (!facts) return facts.error();
      program.kernel = facts->kernel;
      program.parameters = facts->parameters;
      program.code = facts->code;
      program.registers = facts->registers;
      program.shared = facts->shared;
      program.max_threads = facts->max_threads;
      program.required_block = facts->required_block;
      program.proof = facts->proof;
      program.reason = facts->reason;
      program.sizes = facts->sizes;
      program.shared_bytes = facts->shared_bytes;
      add_occupancy(program);
    } else if (!request_.kernel.empty()) {
      program.kernel = request_.kernel;
    }
    result_.kernel = program.kernel;
    formula::DeviceTable device = result_.fit.table;
    std::optional<machine::Machine> machine;
    const bool measured = !from_emulator_;
    if (!request_.gpu.empty()) {
      machine = machine_named(request_.gpu);
      device.name = request_.gpu;
    } else if (kernel_ && request_.trials.empty()) {
      machine = kernel_->device().device().machine;
      device.name = measured ? kernel_->device().model() : machine->name;
    } else {
      device.name = "the GPU of the trials";
    }
    if (machine) {
      device.major = machine->arch.sm / 10u;
      device.minor = machine->arch.sm % 10u;
    } else if (!program.inputs.empty()) {
      // The values of the GPU that the emulator stood for.
      machine = kernel_->device().device().machine;
    }
    for (const std::string& input : program.inputs) {
      const std::optional<double> value =
          machine ? model::hardware_value(*machine, input) : std::nullopt;
      if (!value) return Error{fmt::format("the value of {} is not known for this GPU", input)};
      device.inputs.push_back(*value);
    }
    device.validated = fmt::format("{} {}", measured ? "measured" : "emulated", today());
    program.devices = {std::move(device)};
    result_.fit.table = program.devices.front();
    if (Result<void> checked = formula::check(program); !checked) return checked;
    result_.program = program;
    return {};
  }

  // Shapes that an SM of another GPU cannot hold must not be chosen there: `fits` of occupancy, and
  // what it reads.
  static void add_occupancy(formula::RationalProgram& program) {
    const std::string shared =
        fmt::format("{} + {}", program.shared, program.shared_bytes.to_string());
    std::vector<formula::NamedExpression> needed;
    for (formula::NamedExpression& definition :
         formula::occupancy_definitions(std::to_string(program.registers), shared)) {
      if (definition.name == "block_warps" || definition.name == "warp_registers" ||
          definition.name == "fits") {
        needed.push_back(std::move(definition));
      }
    }
    for (const std::string& input : formula::occupancy_inputs()) {
      const bool read = std::ranges::any_of(needed, [&](const formula::NamedExpression& one) {
        return std::ranges::count(one.value.names(), input) > 0;
      });
      if (read) program.inputs.push_back(input);
    }
    program.definitions.insert(program.definitions.begin(), needed.begin(), needed.end());
    program.time_us = *Expression::parse("slope * reference_us + offset_us if fits else 1e12");
  }

  Result<void> write_files() {
    if (!request_.output.empty()) {
      const std::string text = formula::to_string(result_.program);
      if (Result<void> done = write_text(request_.output, text); !done) return done;
      result_.output = request_.output;
    }
    if (!request_.samples_file.empty()) {
      if (Result<void> done = write_text(request_.samples_file, csv_of(result_)); !done) {
        return done;
      }
      result_.samples_file = request_.samples_file;
    }
    return {};
  }

  FitRequest request_;
  const Progress& progress_;
  tune::Spec spec_;
  std::unique_ptr<SpecKernel> kernel_;
  bool from_emulator_ = false;
  std::size_t failures_ = 0;
  FittedKernel result_;
};

}  // namespace

Result<FittedKernel> fit_kernel(const FitRequest& request, const Progress& progress) {
  return KernelFitter(request, progress).run();
}

}  // namespace burin::jobs
