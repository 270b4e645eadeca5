#include "jobs/fit/fit_kernel.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <memory>

#include "base/format.h"
#include "base/new_file.h"
#include "base/text.h"
#include "formula/rational/occupancy.h"
#include "jobs/fit/kernel_samples.h"
#include "jobs/fit/propose_spec.h"
#include "jobs/fit/spec_kernel.h"
#include "jobs/fit/trial_files.h"
#include "jobs/input/choose_machine.h"
#include "jobs/input/open_capture.h"
#include "jobs/input/output_file.h"
#include "model/fit/hardware.h"
#include "model/fit/published_program.h"
#include "tune/formats/t1_spec.h"
#include "tune/formats/toml_spec.h"

namespace burin::jobs {
namespace {

using formula::Expression;
using model::ShapeTimes;

Result<void> write_bytes(const std::string& path, Bytes bytes) {
  Result<NewFile> file = NewFile::create(path);
  if (!file) return file.error();
  if (Result<void> written = file->write(bytes); !written) return written;
  return file->finish();
}

Result<void> write_text(const std::string& path, const std::string& text) {
  return write_bytes(path, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
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
    if (kernel_) samples_.emplace(*kernel_, spec_, request_, progress_);
    if (Result<void> done = take_times(); !done) return done.error();
    if (kernel_ && request_.explored > 0 && !from_emulator_) {
      result_.predicted = samples_->explore(result_.times);
    }
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
    if (kernel_ && (request_.explored > 0 || !request_.model.empty())) judge_published_models();
    if (Result<void> done = complete_program(); !done) return done.error();
    result_.notes.insert(result_.notes.end(), result_.fit.notes.begin(), result_.fit.notes.end());
    if (kernel_) {
      for (const auto& notes : {samples_->notes(), kernel_->notes()}) {
        result_.notes.insert(result_.notes.end(), notes.begin(), notes.end());
      }
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
    if (!request_.model.empty() && request_.tune.input.empty() && request_.capture.empty()) {
      return Error{"--model needs a spec: the models read counts of the kernel, not its times",
                   Exit::kUsage};
    }
    if (!request_.grid.empty() && request_.grid.size() > 3) {
      return Error{"--grid-expr: a grid has at most three sides", Exit::kUsage};
    }
    const std::vector<OutputFile> outputs = named_outputs();
    for (const OutputFile& output : outputs) {
      const Result<void> fine = check_output(
          output, {request_.trials, request_.tune.input, request_.capture}, request_.force);
      if (!fine) return fine;
    }
    return check_distinct(outputs, {});
  }

  std::vector<OutputFile> named_outputs() const {
    std::vector<OutputFile> outputs;
    for (const auto& [option, path] :
         {std::pair("-o", request_.output), std::pair("--samples-file", request_.samples_file)}) {
      if (!path.empty()) {
        outputs.push_back({.option = option, .path = path, .content = FileContent::kText});
      }
    }
    return outputs;
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
    std::vector<OutputFile> outputs = named_outputs();
    for (const auto& [path, content] : {std::pair(stem + ".toml", FileContent::kText),
                                        std::pair(stem + ".cubin", FileContent::kElf)}) {
      outputs.push_back({.option = "--capture", .path = path, .content = content});
      const Result<void> fine = check_output(outputs.back(), {request_.capture}, request_.force);
      if (!fine) return fine;
    }
    if (const Result<void> fine = check_distinct(outputs, {}); !fine) return fine;
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

  Result<void> take_times() {
    if (request_.trials.empty()) {
      from_emulator_ = kernel_->device().device().is_exact();
      Result<ShapeTimes> times = samples_->take();
      if (!times) return times.error();
      result_.times = std::move(*times);
      result_.source = kernel_->device().model();
      return {};
    }
    Result<ShapeTimes> times = read_trials(request_.trials, request_.repeats);
    if (times && kernel_) times = with_names(*times, kernel_->names(), request_.trials);
    if (!times) return times.error();
    result_.times =
        request_.max_trials == 0 ? std::move(*times) : model::fewer(*times, request_.max_trials);
    result_.source = request_.trials;
    return {};
  }

  // How the models of the literature rank shapes, and what they read.
  void judge_published_models() {
    counted_ = samples_->count(result_.times, !request_.model.empty());
    if (counted_.empty()) return;
    const machine::Machine& machine = *kernel_->device().device().machine;
    result_.published = model::judge_published(counted_, machine);
    result_.metrics = model::fit_metrics(result_.times.names, counted_);
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
      if (request_.model.empty()) {
        add_occupancy(program);
      } else if (Result<void> done = follow_model(program); !done) {
        return done;
      }
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

  // A program without a table: the model of the literature ranks all shapes at every size.
  Result<void> follow_model(formula::RationalProgram& program) {
    program.shapes = kernel_->shapes();
    Result<void> done =
        model::write_published_program(request_.model, result_.metrics, counted_, program);
    if (!done) return done.error().within("--model");
    result_.fit.table.table.clear();
    result_.fit.table.outside = formula::DeviceTable::Outside::kProgram;
    result_.model = request_.model;
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
      const std::string text =
          trials_text(result_.times, result_.predicted ? &*result_.predicted : nullptr);
      if (Result<void> done = write_text(request_.samples_file, text); !done) return done;
      result_.samples_file = request_.samples_file;
    }
    return {};
  }

  FitRequest request_;
  const Progress& progress_;
  tune::Spec spec_;
  std::unique_ptr<SpecKernel> kernel_;
  bool from_emulator_ = false;
  std::optional<KernelSamples> samples_;  // of the spec's kernel
  std::vector<model::CountedTime> counted_;
  FittedKernel result_;
};

}  // namespace

Result<FittedKernel> fit_kernel(const FitRequest& request, const Progress& progress) {
  return KernelFitter(request, progress).run();
}

}  // namespace burin::jobs
