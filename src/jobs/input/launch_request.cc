#include "jobs/input/launch_request.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "base/file.h"
#include "base/format.h"
#include "base/text.h"
#include "capture/buffer_reuse.h"
#include "capture/variables.h"
#include "jobs/input/open_capture.h"
#include "jobs/input/spec_files.h"
#include "launch/number.h"
#include "launch/options.h"
#include "read/triton/metadata.h"

namespace burin::jobs {
namespace {

Result<launch::Launch> parse_launch(const LaunchRequest& options) {
  launch::Launch launch;
  const Result<launch::Dims> grid = launch::parse_dims(options.grid);
  if (!grid) return grid.error().within("--grid");
  launch.grid = *grid;
  if (!options.block.empty()) {
    const Result<launch::Dims> block = launch::parse_dims(options.block);
    if (!block) return block.error().within("--block");
    launch.block = *block;
  }
  if (!options.cluster.empty()) {
    const Result<launch::Dims> cluster = launch::parse_dims(options.cluster);
    if (!cluster) return cluster.error().within("--cluster");
    launch.cluster = *cluster;
  }
  if (!options.shared_bytes.empty()) {
    const std::optional<std::uint64_t> bytes = launch::parse_bytes(options.shared_bytes);
    if (!bytes) {
      return Error{"--smem: expected a number of bytes such as 4096 or 64K, not '" +
                       options.shared_bytes + "'",
                   Exit::kUsage};
    }
    launch.shared_bytes = *bytes;
  }
  Result<std::vector<launch::Argument>> arguments = launch::parse_arguments(options.arguments);
  if (!arguments) return arguments.error();
  launch.arguments = std::move(*arguments);
  return launch;
}

// A cubin alone or in a folder, beside which Triton may have stored how to launch it.
bool may_be_triton(const std::string& file) {
  std::error_code ignored;
  return std::filesystem::is_directory(file, ignored) || read::triton_metadata_path(file);
}

// Adds what Triton's launcher adds to the arguments: addresses of scratch memory, null if the
// kernel needs none. Kernels of Triton 3.3 and later take one, of 3.5 and later two.
void add_scratch(const read::TritonMetadata& metadata, const read::Function& function,
                 launch::Launch& launch) {
  constexpr std::size_t kAddressBytes = 8;
  constexpr std::size_t kMaxScratch = 2;
  const std::size_t given = launch.arguments.size();
  const std::size_t wanted = function.parameters.size();
  if (given >= wanted || wanted - given > kMaxScratch) return;
  const std::uint64_t sizes[] = {metadata.global_scratch_bytes, metadata.profile_scratch_bytes};
  for (std::size_t k = given; k < wanted; ++k) {
    if (function.parameters[k].size != kAddressBytes) return;
  }
  for (std::size_t k = given; k < wanted; ++k) {
    const std::uint64_t bytes = sizes[k - given] * launch.grid.total();
    const bool none = bytes == 0 || bytes > launch::kMaxBufferBytes;
    launch.arguments.push_back(
        *launch::parse_argument(none ? "u64:0" : fmt::format("buf:{}:zero", bytes), k));
  }
}

// Takes from Triton's metadata, or from the kernel itself, what the options leave out.
Result<void> complete_launch(const LaunchRequest& options, const ChosenKernel& loaded,
                             launch::Launch& launch) {
  const read::Function& function = loaded.function();
  const Result<std::optional<read::TritonMetadata>> metadata =
      read::read_triton_metadata(loaded.path);
  if (!metadata) return metadata.error();
  if (options.block.empty()) {
    if (*metadata) {
      launch.block = {32 * (*metadata)->num_warps, 1, 1};
    } else if (const auto& block = function.required_block) {
      launch.block = {(*block)[0], (*block)[1], (*block)[2]};
    } else {
      return Error{"--block is required: the file does not say how many threads a block has",
                   Exit::kUsage};
    }
  }
  if (!*metadata) return {};
  if (options.shared_bytes.empty()) launch.shared_bytes = (*metadata)->shared_bytes;
  add_scratch(**metadata, function, launch);
  return {};
}

Result<void> set_contents(const LaunchRequest& options, launch::Launch& launch) {
  for (const auto& [argument, bytes] : options.contents) {
    launch::Buffer* buffer = argument < launch.arguments.size()
                                 ? std::get_if<launch::Buffer>(&launch.arguments[argument].value)
                                 : nullptr;
    if (buffer == nullptr || buffer->size != bytes->size()) {
      return Error{fmt::format("argument {}: it is not a buffer of {}, which its contents have",
                               argument, count_of(bytes->size(), "byte")),
                   Exit::kUsage};
    }
    buffer->kind = launch::Fill::kBytes;
    buffer->bytes = bytes;
  }
  return {};
}

// The first option that says what the capture says.
Result<void> check_nothing_contradicts(const LaunchRequest& options) {
  const std::pair<const char*, bool> given[] = {
      {"--kernel", options.source.kernel.has_value()},
      {"--arch", !options.source.arch.empty()},
      {"--grid", !options.grid.empty()},
      {"--block", !options.block.empty()},
      {"--cluster", !options.cluster.empty()},
      {"--smem", !options.shared_bytes.empty()},
      {"--arg", !options.arguments.empty()},
      {"--nvcc-flag", !options.source.flags.empty()},
  };
  for (const auto& [option, is_given] : given) {
    if (!is_given) continue;
    return Error{fmt::format("{}: {} already defines it", option, options.source.file),
                 Exit::kUsage};
  }
  return {};
}

// Constants of the user lie in bank 3, the addresses of the module's variables in bank 4.
bool reads_variables(const read::Kernel& kernel) {
  if (kernel.image->variables.empty()) return false;
  return std::ranges::any_of(kernel.instructions, [](const read::Instruction& instruction) {
    return std::ranges::any_of(instruction.operands(), [](const read::Operand& operand) {
      return operand.kind == read::Operand::Kind::kConstant &&
             (operand.bank == 3 || operand.bank == 4);
    });
  });
}

Result<LoadedLaunch> load_captured(const LaunchRequest& options) {
  if (Result<void> sound = check_nothing_contradicts(options); !sound) return sound.error();
  const capture::CaptureName name = capture::parse_capture_name(options.source.file);
  const Result<capture::Capture> capture = open_capture(name.file);
  if (!capture) return capture.error();
  const Result<const capture::CapturedLaunch*> found = capture::find_launch(*capture, name.launch);
  if (!found) return found.error();
  Result<LoadedLaunch> loaded = load_launch(*capture, **found, options.settings);
  if (!loaded) return loaded;
  const Result<std::vector<capture::CapturedArguments>> arguments =
      capture::all_arguments(*capture);
  if (!arguments) return arguments.error();
  const auto number = static_cast<std::size_t>(*found - capture->launches().data());
  std::vector<bool> wanted(arguments->size());
  wanted[number] = true;
  capture::Reuse reuse = std::move(capture::find_reuse(*capture, *arguments, wanted)[number]);
  loaded->captured->reuses_buffers = reuse.is_warm();
  loaded->captured->recent = std::move(reuse.recent);
  loaded->captured->is_repeated =
      std::ranges::any_of(capture->launches(), [&](const capture::CapturedLaunch& launch) {
        return launch.id < (*found)->id && launch.kernel == (*found)->kernel &&
               launch.gpu == (*found)->gpu;
      });
  return loaded;
}

}  // namespace

std::optional<double> CapturedFacts::recorded_us() const {
  if (!launch.duration_ns) return std::nullopt;
  return static_cast<double>(*launch.duration_ns) / 1000;
}

bool names_capture(const LaunchRequest& options) {
  return is_capture_input(capture::parse_capture_name(options.source.file).file);
}

std::vector<std::string> input_files(const LaunchRequest& options) {
  std::vector<std::string> files{options.source.file,
                                 capture::parse_capture_name(options.source.file).file};
  add_fill_files(options.arguments, files);
  add_fill_files(options.settings, files);
  return files;
}

Result<void> complete(const LaunchRequest& options, const std::string& command) {
  static constexpr std::string_view kFile = "FILE";
  const auto missing = [&](std::string_view name) {
    return Error{fmt::format("{} is required{}; see burin {} --help", name,
                             name == kFile ? "" : ", such as --grid 64 --block 256", command),
                 Exit::kUsage};
  };
  if (options.source.file.empty()) return missing(kFile);
  if (names_capture(options)) return {};
  if (!options.grid.empty() && !options.block.empty()) return {};
  // A file that is not there, or holds no code, is the first thing to say.
  if (is_cuda_source(options.source.file)) {
    if (const Result<MappedFile> file = MappedFile::open(options.source.file); !file) {
      return file.error();
    }
  } else {
    const Result<read::Container> container = read::open_path(options.source.file);
    if (!container) return container.error();
  }
  if (options.grid.empty()) return missing("--grid");
  if (may_be_triton(options.source.file)) return {};  // which stores the block size
  if (options.block.empty()) return missing("--block");
  return {};
}

Result<LoadedLaunch> load_launch(const capture::Capture& capture,
                                 const capture::CapturedLaunch& launch,
                                 const std::vector<std::string>& settings) {
  Result<std::unique_ptr<ChosenKernel>> loaded =
      load_kernel(capture, capture.kernel(launch.kernel));
  if (!loaded) return loaded.error();
  const read::Function& function = (*loaded)->function();
  Result<capture::RebuiltLaunch> rebuilt = capture::rebuild_launch(capture, launch, function);
  if (!rebuilt) return rebuilt.error();
  const std::string where = fmt::format("{}: launch {}", capture.path(), launch.id);
  if (const Result<void> fits = launch::check_launch(rebuilt->launch, function); !fits) {
    return fits.error().within(where);
  }
  if (const Result<bool> done =
          capture::rebuild_variables(capture, launch, (*loaded)->image, rebuilt->launch);
      !done) {
    return done.error();
  }
  Result<std::vector<launch::Setting>> set = launch::resolve_settings(settings, (*loaded)->image);
  if (!set) return set.error();
  // What the user sets comes last, and so holds.
  std::ranges::move(*set, std::back_inserter(rebuilt->launch.settings));
  LoadedLaunch made{std::move(*loaded), std::move(rebuilt->launch)};
  CapturedFacts& facts = made.captured.emplace();
  facts.file = capture.path();
  facts.launch = launch;
  if (const capture::CapturedGpu* gpu = capture.gpu(launch.gpu)) facts.gpu = *gpu;
  facts.expected = std::move(rebuilt->expected);
  Result<std::vector<capture::CapturedCounter>> counts = capture.counts(launch);
  if (!counts) return counts.error();
  facts.counts = std::move(*counts);
  facts.notes = std::move(rebuilt->notes);
  if (reads_variables(made.loaded->kernel)) {
    made.launch.unknown_variables = capture::unrecorded_variables(made.loaded->image, made.launch);
    if (settings.empty() && !made.launch.unknown_variables.empty()) {
      facts.notes.emplace_back(
          "__device__ and __constant__ variables without an initial value are Unknown: the capture "
          "does not contain what the program wrote there; record with --memory, or use --set");
    }
  }
  return made;
}

Result<LoadedLaunch> load_launch(const LaunchRequest& options, const Progress& progress) {
  if (names_capture(options)) return load_captured(options);
  Result<launch::Launch> launch = parse_launch(options);
  if (!launch) return launch.error();
  if (Result<void> set = set_contents(options, *launch); !set) return set.error();
  Result<std::unique_ptr<ChosenKernel>> loaded = load_kernel(options.source, progress);
  if (!loaded) return loaded.error();
  const read::Function& function = (*loaded)->function();
  if (Result<void> whole = complete_launch(options, **loaded, *launch); !whole) {
    return whole.error();
  }
  if (const Result<void> fits = launch::check_launch(*launch, function); !fits) {
    return fits.error().within(function.demangled);
  }
  Result<std::vector<launch::Setting>> settings =
      launch::resolve_settings(options.settings, (*loaded)->image);
  if (!settings) return settings.error();
  launch->settings = std::move(*settings);
  return LoadedLaunch{std::move(*loaded), std::move(*launch)};
}

}  // namespace burin::jobs
