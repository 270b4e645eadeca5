#include "tune/spec_builder.h"

#include <algorithm>

#include "base/file.h"
#include "base/format.h"
#include "base/text.h"
#include "read/binary/container.h"
#include "tune/compiled_kernels.h"
#include "tune/unroll.h"

namespace burin::tune {
namespace {

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

Bytes as_bytes(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

void set_failure(Built& built, Status status, std::string reason) {
  built.status = status;
  built.reason = std::move(reason);
}

// Whether the source is a cubin: only the launch can be tuned then.
bool is_compiled(const Spec& spec) {
  return spec.sources.at(Language::kCuda).ends_with(".cubin");
}

toolchain::CompileResult compiled_source(const Spec& spec) {
  const Result<MappedFile> file = MappedFile::open(spec.sources.at(Language::kCuda));
  if (!file) return file.error();
  toolchain::Compiled compiled;
  compiled.cubin.assign(file->bytes().begin(), file->bytes().end());
  return compiled;
}

}  // namespace

Result<std::unique_ptr<SpecBuilder>> SpecBuilder::make(const Spec& spec, const formula::Names& size,
                                                       const Space& space,
                                                       toolchain::CompilePool* pool,
                                                       BuildOptions options) {
  if (!spec.sources.contains(options.language)) {
    return Error{fmt::format("{}: names no {} source; the device needs one", spec.path,
                             name(options.language)),
                 Exit::kInput};
  }
  Result<std::shared_ptr<measure::ScratchFolder>> folder = measure::ScratchFolder::make();
  if (!folder) return folder.error();
  std::unique_ptr<SpecBuilder> builder(
      new SpecBuilder(spec, size, space, pool, std::move(options)));
  builder->folder_ = std::move(*folder);
  return builder;
}

toolchain::CompileRequest compile_request(const Spec& spec, const Configuration& configuration,
                                          const BuildOptions& options) {
  toolchain::CompileRequest request;
  request.source = spec.sources.at(Language::kCuda);
  request.arch = options.arch;
  request.flags = configuration.options;
  request.defines = configuration.defines;
  request.max_registers = configuration.max_registers;
  request.compiler = options.compiler;
  request.limit_seconds = options.limit_seconds;
  if (spec.instance) request.name_expressions = {configuration.steps.front().kernel};
  return request;
}

void SpecBuilder::start(const Point& point) {
  started_.insert_or_assign(point, begin(point, Code::kOfPoint));
}

SpecBuilder::Started SpecBuilder::begin(const Point& point, Code code) const {
  Started started{.configuration = configure(spec_, size_, space_, point)};
  if (!started.configuration) return started;
  started.changed =
      code == Code::kOfPoint && options_.changer != nullptr && wants_change(*started.configuration);
  started.stem =
      code == Code::kOfReference ? "reference" : fmt::format("{}", space_.index_of(point));
  if (options_.language != Language::kCuda) return started;
  if (is_compiled(spec_)) {
    if (started.changed || !started.configuration->unrolls.empty()) {
      started.configuration =
          Error{fmt::format("{}: compiled code can be neither coarsened nor unrolled",
                            spec_.sources.at(Language::kCuda))};
    }
    return started;
  }
  toolchain::CompileRequest request = compile_request(spec_, *started.configuration, options_);
  if (started.changed) request.output = toolchain::CompileRequest::Output::kPtx;
  if (Result<void> done = unroll(started, request); !done) {
    started.configuration = done.error();
  } else {
    started.ticket = pool_->submit(std::move(request));
  }
  return started;
}

Result<void> SpecBuilder::unroll(const Started& started, toolchain::CompileRequest& request) const {
  if (started.configuration->unrolls.empty()) return {};
  const Result<MappedFile> file = MappedFile::open(request.source);
  if (!file) return file.error();
  const Bytes bytes = file->bytes();
  const std::string_view source(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const Result<std::string> text =
      with_unrolling(source, request.source, started.configuration->unrolls);
  if (!text) return text.error();
  request.flags.push_back("-I" + folder_of(request.source));
  Result<std::string> copy = folder_->write(started.stem + ".cu", as_bytes(*text));
  if (!copy) return copy.error();
  request.source = std::move(*copy);
  return {};
}

Result<Built> SpecBuilder::finish(const Point& point) {
  if (!started_.contains(point)) start(point);
  auto node = started_.extract(point);
  Started& started = node.mapped();
  if (!started.configuration) {
    Built built;
    set_failure(built, Status::kConstraints, started.configuration.error().message);
    return built;
  }
  return built(started);
}

Result<Built> SpecBuilder::built(Started& started) const {
  return options_.language == Language::kOpencl ? built_opencl(started) : built_cuda(started);
}

Result<Built> SpecBuilder::built_opencl(Started& started) const {
  Configuration& configuration = *started.configuration;
  Built built;
  built.names = configuration.names;
  built.request.program = spec_.sources.at(Language::kOpencl);
  std::vector<std::string> options;
  for (const std::string& define : configuration.defines) options.push_back("-D" + define);
  options.insert(options.end(), configuration.options.begin(), configuration.options.end());
  if (started.changed) {
    const Result<MappedFile> source = MappedFile::open(built.request.program);
    if (!source) return source.error();
    const Bytes bytes = source->bytes();
    const Result<std::string> text = options_.changer->change_opencl(
        std::string(bytes.begin(), bytes.end()), join(options), configuration);
    if (!text) {
      set_failure(built, Status::kConstraints, text.error().message);
      return built;
    }
    options.push_back("-I" + folder_of(built.request.program));
    const Result<std::string> path = folder_->write(started.stem + ".cl", as_bytes(*text));
    if (!path) return path.error();
    built.request.program = *path;
  }
  built.request.options = join(options);
  for (const ConfiguredStep& step : configuration.steps) {
    built.request.steps.push_back({.kernel = step.kernel,
                                   .launch = step.launch,
                                   .count = static_cast<unsigned>(step.repeat)});
  }
  return built;
}

Result<void> SpecBuilder::change(Started& started, toolchain::Compiled& compiled,
                                 Built& built) const {
  Configuration& configuration = *started.configuration;
  const Result<std::string> ptx = options_.changer->change_ptx(
      std::move(compiled.ptx),
      compiled.lowered_names.empty() ? configuration.steps.front().kernel
                                     : compiled.lowered_names.front(),
      configuration);
  if (!ptx) {
    set_failure(built, Status::kConstraints, ptx.error().message);
    return {};
  }
  const Result<std::string> path = folder_->write(started.stem + ".ptx", as_bytes(*ptx));
  if (!path) return path.error();
  toolchain::CompileRequest request{.source = *path,
                                    .language = toolchain::CompileRequest::Language::kPtx,
                                    .arch = options_.arch,
                                    .limit_seconds = options_.limit_seconds,
                                    .max_registers = configuration.max_registers};
  const Result<toolchain::Compiled> assembled = pool_->wait(pool_->submit(std::move(request)));
  if (!assembled) {
    set_failure(built, Status::kCompile, assembled.error().message);
    return {};
  }
  compiled.cubin = assembled->cubin;
  built.compile_seconds += assembled->seconds;
  return {};
}

Result<Built> SpecBuilder::built_cuda(Started& started) const {
  const Configuration& configuration = *started.configuration;
  Built built;
  built.names = configuration.names;
  toolchain::CompileResult compiled =
      started.ticket ? pool_->wait(*started.ticket) : compiled_source(spec_);
  if (!compiled) {
    const bool timed_out = compiled.timed_out();
    if (timed_out) built.compile_seconds = options_.limit_seconds;
    set_failure(built, timed_out ? Status::kTimeout : Status::kCompile, compiled.error().message);
    return built;
  }
  built.compile_seconds = compiled->seconds;
  if (started.changed) {
    if (Result<void> done = change(started, *compiled, built); !done) return done.error();
    if (built.status != Status::kOk) return built;
  }
  const Result<std::string> path = folder_->write(started.stem + ".cubin", compiled->cubin);
  if (!path) return path.error();
  built.request.program = *path;
  built.request.settings = configuration.settings;
  inspect(*compiled, configuration, built);
  return built;
}

void SpecBuilder::inspect(const toolchain::Compiled& compiled, const Configuration& configuration,
                          Built& built) const {
  const Result<CompiledKernels> kernels = CompiledKernels::read(compiled.cubin);
  if (!kernels) return set_failure(built, Status::kCompile, kernels.error().message);
  for (const ConfiguredStep& step : configuration.steps) {
    const std::string& wanted =
        step.kernel == configuration.steps.front().kernel && !compiled.lowered_names.empty()
            ? compiled.lowered_names.front()
            : step.kernel;
    const Result<const read::Function*> found = kernels->find(wanted);
    if (!found) return set_failure(built, Status::kCompile, found.error().message);
    const read::Function& function = **found;
    add_figures(function, step.launch, built.figures);
    const double spills = built.figures["spill_bytes"];
    if (spills > static_cast<double>(options_.max_spill_bytes)) {
      return set_failure(built, Status::kConstraints,
                         fmt::format("{} uses {:.0f} bytes of local memory per thread; the limit "
                                     "is {}",
                                     function.demangled, spills, options_.max_spill_bytes));
    }
    const std::uint64_t shared = function.shared_bytes + step.launch.shared_bytes;
    if (shared > options_.max_shared_bytes) {
      return set_failure(built, Status::kConstraints,
                         fmt::format("{} needs {} of shared memory; the device has {} per block",
                                     function.demangled, human_bytes(shared),
                                     human_bytes(options_.max_shared_bytes)));
    }
    // Steps after the first may refer to the buffers of the first: the device checks those.
    if (&step == &configuration.steps.front()) {
      if (Result<void> fits = launch::check_launch(step.launch, function); !fits) {
        return set_failure(built, Status::kConstraints, fits.error().message);
      }
    }
    built.request.steps.push_back({.kernel = function.name,
                                   .launch = step.launch,
                                   .count = static_cast<unsigned>(step.repeat)});
  }
}

Result<std::optional<Built>> SpecBuilder::reference(const Point& point) {
  if (!spec_.reference.launch) return std::optional<Built>{};
  // Its macros are those of some valid configuration.
  Started started = begin(space_.contains(point) ? point : space_.at(0), Code::kOfReference);
  if (!started.configuration) return started.configuration.error().within("reference");
  const Result<ConfiguredStep> step = configure_reference(spec_, *started.configuration);
  if (!step) return step.error();
  started.configuration->steps = {*step};
  Result<Built> made = built(started);
  if (!made) return made.error();
  if (made->status != Status::kOk) return Error{"reference: " + made->reason, Exit::kInput};
  return std::optional<Built>(std::move(*made));
}

std::vector<measure::ExpectedOutput> SpecBuilder::outputs(
    const measure::DeviceRequest& request) const {
  std::vector<OutputSpec> wanted = spec_.reference.outputs;
  if (wanted.empty()) {
    for (const auto& [argument, file] : spec_.reference.files) wanted.push_back({argument});
  }
  std::vector<measure::ExpectedOutput> outputs;
  for (const OutputSpec& output : wanted) {
    measure::ExpectedOutput expected = expected_output(request, 0, output.argument);
    if (output.type) {
      expected.type = *output.type;
      if (!launch::is_float(expected.type)) expected.tolerance.reset();
    }
    if (spec_.reference.tolerance && launch::is_float(expected.type)) {
      expected.tolerance = spec_.reference.tolerance;
    }
    const auto file = spec_.reference.files.find(output.argument);
    if (file != spec_.reference.files.end()) expected.file = file->second;
    outputs.push_back(std::move(expected));
  }
  return outputs;
}

Result<double> SpecBuilder::objective(const Built& built, double time_us) const {
  return objective_of(spec_, built.names, time_us, built.figures);
}

}  // namespace burin::tune
