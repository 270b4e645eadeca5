#include "gpu/opencl/program.h"

#include <algorithm>
#include <utility>

#include "base/format.h"
#include "base/text.h"

namespace burin::gpu {
namespace {

constexpr std::size_t kMaxBuildLog = 1000;

std::string shown_kernels(const OpenclProgram& program) {
  const std::string all = program.kernel_names();
  std::vector<std::string> names;
  for (const std::string_view name : split(all, ';')) names.emplace_back(name);
  return list_of(names, 10);
}

}  // namespace

Attempt<OpenclProgram> OpenclProgram::build(const OpenclContext& device, const std::string& source,
                                            const std::string& options) {
  using measure::FailureKind;
  const Opencl& opencl = device.opencl();
  OpenclProgram program(device);
  const char* text = source.c_str();
  const std::size_t size = source.size();
  OpenclStatus status = 0;
  program.program_ = opencl.program_create(device.context(), 1, &text, &size, &status);
  if (auto done = device.check(status, "clCreateProgramWithSource"); !done) {
    return {done.error(), FailureKind::kCompile};
  }
  const OpenclHandle handle = device.device();
  status = opencl.program_build(program.program_, 1, &handle, options.c_str(), nullptr, nullptr);
  if (status == 0) return program;
  if (status == Opencl::kInvalidBuildOptions) {
    return {
        Error{fmt::format("{} does not accept the build options '{}'", device.label(), options)},
        FailureKind::kCompile};
  }
  const std::string log = program.build_log();
  return {Error{fmt::format("{} ({}) cannot compile the program: {}", device.label(),
                            device.info().name, log.empty() ? opencl_words(status) : log)},
          FailureKind::kCompile};
}

OpenclProgram::OpenclProgram(OpenclProgram&& other) noexcept
    : device_(other.device_), program_(std::exchange(other.program_, nullptr)) {}

OpenclProgram& OpenclProgram::operator=(OpenclProgram&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(program_, other.program_);
  return *this;
}

OpenclProgram::~OpenclProgram() {
  if (program_ != nullptr) device_->opencl().program_release(program_);
}

std::string OpenclProgram::build_log() const {
  const Opencl& opencl = device_->opencl();
  std::size_t size = 0;
  if (opencl.program_build_info(program_, device_->device(), Opencl::kBuildLog, 0, nullptr,
                                &size) != 0) {
    return "";
  }
  std::string log(size, '\0');
  opencl.program_build_info(program_, device_->device(), Opencl::kBuildLog, size, log.data(),
                            nullptr);
  log.resize(std::min(log.find('\0'), log.size()));
  while (!log.empty() && (log.back() == '\n' || log.back() == ' ')) log.pop_back();
  return log.size() <= kMaxBuildLog ? log : log.substr(0, kMaxBuildLog) + "…";
}

std::string OpenclProgram::kernel_names() const {
  const Opencl& opencl = device_->opencl();
  std::size_t size = 0;
  if (opencl.program_info(program_, Opencl::kKernelNames, 0, nullptr, &size) != 0) return "";
  std::string names(size, '\0');
  opencl.program_info(program_, Opencl::kKernelNames, size, names.data(), nullptr);
  names.resize(std::min(names.find('\0'), names.size()));
  return names;
}

Attempt<OpenclSteps> OpenclSteps::make(const OpenclContext& device, const OpenclProgram& program,
                                       const measure::DeviceRequest& request,
                                       const OpenclBuffers& buffers) {
  OpenclSteps steps(device);
  for (std::size_t i = 0; i < request.steps.size(); ++i) {
    steps.names_ += (i == 0 ? "" : ", ") + request.steps[i].kernel;
    if (Attempt<void> done = steps.add(program, request, i, buffers); !done) {
      return {done.error(), done.kind()};
    }
  }
  return steps;
}

OpenclSteps::OpenclSteps(OpenclSteps&& other) noexcept
    : device_(other.device_),
      kernels_(std::exchange(other.kernels_, {})),
      names_(std::move(other.names_)),
      events_(std::exchange(other.events_, {})) {}

OpenclSteps::~OpenclSteps() {
  release_events();
  for (const Kernel& kernel : kernels_) device_->opencl().kernel_release(kernel.handle);
}

void OpenclSteps::release_events() {
  for (const OpenclHandle event : events_) device_->opencl().event_release(event);
  events_.clear();
}

Attempt<void> OpenclSteps::add(const OpenclProgram& program, const measure::DeviceRequest& request,
                               std::size_t step, const OpenclBuffers& buffers) {
  using measure::FailureKind;
  const Opencl& opencl = device_->opencl();
  const measure::Step& wanted = request.steps[step];
  OpenclStatus status = 0;
  Kernel kernel{.handle = opencl.kernel_create(program.handle(), wanted.kernel.c_str(), &status),
                .name = wanted.kernel,
                .grid = wanted.launch.grid,
                .block = wanted.launch.block,
                .count = wanted.count};
  if (status == Opencl::kInvalidKernelName) {
    return {Error{fmt::format("{} has no kernel {}; it has {}", request.program, wanted.kernel,
                              shown_kernels(program))},
            FailureKind::kRequest};
  }
  if (auto done = device_->check(status, "clCreateKernel"); !done) {
    return {done.error(), FailureKind::kCompile};
  }
  kernels_.push_back(kernel);
  std::uint32_t count = 0;
  opencl.kernel_info(kernel.handle, Opencl::kArgumentCount, sizeof count, &count, nullptr);
  const std::vector<launch::Argument>& arguments = wanted.launch.arguments;
  if (arguments.size() != count) {
    return {Error{fmt::format("{} has {}, but {} {} given", kernel.name,
                              count_of(count, "parameter"), count_of(arguments.size(), "argument"),
                              arguments.size() == 1 ? "is" : "are")},
            FailureKind::kRequest};
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::optional<measure::BufferPlace> place = measure::buffer_place(request, step, i);
    const OpenclHandle memory = place ? buffers.at(*place) : nullptr;
    if (Attempt<void> done = set_argument(kernel, i, arguments[i], memory); !done) return done;
  }
  return {};
}

Attempt<void> OpenclSteps::set_argument(const Kernel& kernel, std::size_t position,
                                        const launch::Argument& argument,
                                        OpenclHandle memory) const {
  const Opencl& opencl = device_->opencl();
  const auto index = static_cast<std::uint32_t>(position);
  OpenclStatus status = 0;
  if (memory != nullptr) {
    status = opencl.kernel_argument(kernel.handle, index, sizeof memory, &memory);
  } else if (const launch::LocalMemory* local = argument.local_memory()) {
    status = opencl.kernel_argument(kernel.handle, index, local->bytes, nullptr);
  } else if (const auto* bytes = std::get_if<std::vector<std::uint8_t>>(&argument.value)) {
    status = opencl.kernel_argument(kernel.handle, index, bytes->size(), bytes->data());
  } else {
    return {Error{fmt::format("{}: argument {} '{}': OpenCL has no tensor maps", kernel.name,
                              position, argument.text),
                  Exit::kUsage},
            measure::FailureKind::kRequest};
  }
  if (status == 0) return {};
  return {Error{fmt::format("{}: argument {} '{}' does not fit its parameter: {}", kernel.name,
                            position, argument.text, opencl_words(status))},
          measure::FailureKind::kRequest};
}

Attempt<void> OpenclSteps::launch() {
  release_events();
  for (const Kernel& kernel : kernels_) {
    for (unsigned turn = 0; turn < kernel.count; ++turn) {
      if (Attempt<void> done = launch_one(kernel); !done) return done;
    }
  }
  return {};
}

Attempt<void> OpenclSteps::launch_one(const Kernel& kernel) {
  const std::size_t block[] = {kernel.block.x, kernel.block.y, kernel.block.z};
  const std::size_t global[] = {block[0] * kernel.grid.x, block[1] * kernel.grid.y,
                                block[2] * kernel.grid.z};
  OpenclHandle event = nullptr;
  const OpenclStatus status = device_->opencl().launch(device_->queue(), kernel.handle, 3, nullptr,
                                                       global, block, 0, nullptr, &event);
  if (status == 0) {
    events_.push_back(event);
    return {};
  }
  std::size_t most = 0;
  device_->opencl().kernel_group_info(kernel.handle, device_->device(), Opencl::kKernelWorkGroup,
                                      sizeof most, &most, nullptr);
  std::string sentence =
      fmt::format("{} ({}) cannot launch {} with grid {} and block {}: {}", device_->label(),
                  device_->info().name, kernel.name, launch::to_string(kernel.grid),
                  launch::to_string(kernel.block), opencl_words(status));
  if (most != 0 && kernel.block.total() > most) {
    sentence += fmt::format("; the kernel allows at most {} work-items per work-group", most);
  }
  return {Error{sentence, Exit::kDevice}, measure::FailureKind::kLaunch};
}

Attempt<void> OpenclSteps::finish() const {
  const Opencl& opencl = device_->opencl();
  OpenclStatus status = opencl.finish(device_->queue());
  for (const OpenclHandle event : events_) {
    OpenclStatus execution = 0;
    opencl.event_info(event, Opencl::kCommandStatus, sizeof execution, &execution, nullptr);
    if (status == 0 && execution < 0) status = execution;
  }
  if (status == 0) return {};
  return {Error{fmt::format("the kernel {} failed on {} ({}): {}", names_, device_->label(),
                            device_->info().name, opencl_words(status)),
                Exit::kDevice},
          measure::FailureKind::kRuntime};
}

Result<double> OpenclSteps::time_us() const {
  const Opencl& opencl = device_->opencl();
  std::uint64_t first = ~std::uint64_t{0}, last = 0;
  for (const OpenclHandle event : events_) {
    std::uint64_t start = 0, end = 0;
    OpenclStatus status =
        opencl.event_profile(event, Opencl::kCommandStart, sizeof start, &start, nullptr);
    if (status == 0) {
      status = opencl.event_profile(event, Opencl::kCommandEnd, sizeof end, &end, nullptr);
    }
    if (auto done = device_->check(status, "clGetEventProfilingInfo"); !done) return done.error();
    first = std::min(first, start);
    last = std::max(last, end);
  }
  return last > first ? static_cast<double>(last - first) / 1000 : 0;
}

}  // namespace burin::gpu
