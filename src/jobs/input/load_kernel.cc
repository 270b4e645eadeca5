#include "jobs/input/load_kernel.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "base/timings.h"
#include "jobs/input/choose_kernel.h"
#include "read/binary/demangle.h"
#include "read/compatibility.h"
#include "read/program/words.h"
#include "toolchain/compile.h"

namespace burin::jobs {
namespace {

using Language = toolchain::CompileRequest::Language;

// The code that burin executes; of several builds of a kernel, the newest of these is taken.
constexpr std::uint16_t kOldestExecuted = 80;
constexpr std::uint16_t kNewestExecuted = 90;

Result<read::Container> open_file(Bytes bytes) {
  const Timed timed("open file");
  return read::open_container(bytes);
}

Result<read::Container> compile_file(const KernelSource& source, Language language,
                                     ChosenKernel& loaded) {
  const toolchain::CompileCache cache(toolchain::CompileCache::default_folder());
  // The default is left to compile(): it also looks at what PTX says of itself.
  std::string arch = source.arch;
  if (arch.empty() && source.gpu && read::to_string(*source.gpu) != toolchain::kDefaultArch) {
    arch = read::to_string(*source.gpu);
  }
  Result<toolchain::Compiled> compiled =
      toolchain::compile({source.file, language, arch, source.flags}, cache);
  if (!compiled) return compiled.error();
  loaded.made = std::move(compiled->cubin);
  return open_file(loaded.made);
}

}  // namespace

bool is_executed(read::Architecture arch) {
  return arch.sm >= kOldestExecuted && arch.sm <= kNewestExecuted;
}

Result<read::Container> open_source(const KernelSource& source, ChosenKernel& loaded) {
  if (is_cuda_source(source.file)) return compile_file(source, Language::kCuda, loaded);
  const Timed timed("open file");
  Result<read::Container> container = read::open_path(source.file);
  if (!container) return container.error();
  loaded.storage = container->storage;
  if (container->format == read::Container::Format::kPtx) {
    return compile_file(source, Language::kPtx, loaded);
  }
  if (!source.flags.empty()) {
    return Error{"--nvcc-flag is for source files; " + source.file + " is already compiled",
                 Exit::kUsage};
  }
  return container;
}

namespace {

std::vector<const read::Entry*> machine_code(const read::Container& container,
                                             const std::optional<read::Architecture>& arch) {
  std::vector<const read::Entry*> cubins;
  for (const read::Entry& entry : container.entries) {
    if (entry.kind == read::Entry::Kind::kCubin && (!arch || entry.arch == *arch)) {
      cubins.push_back(&entry);
    }
  }
  return cubins;
}

std::string architectures(const read::Container& container) {
  std::vector<std::string> names;
  for (const read::Entry& entry : container.entries)
    names.push_back(read::arch_name(entry.kind, entry.arch));
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return list_of(names, names.size());
}

// The better of two images that both hold the kernel: one that runs on the GPU, then one that burin
// executes, then the newer, then the first.
bool is_better(read::Architecture a, read::Architecture b,
               const std::optional<read::Architecture>& gpu) {
  if (gpu && read::runs_on(a, *gpu) != read::runs_on(b, *gpu)) return read::runs_on(a, *gpu);
  if (is_executed(a) != is_executed(b)) return is_executed(a);
  return a > b;
}

struct Found {
  const read::Entry* entry = nullptr;
  read::Image image;
  std::string name;
};

// In a `collection` of separate builds, two builds of the kernel are an Error.
Result<Found> find_kernel(const std::vector<const read::Entry*>& cubins, const KernelSource& source,
                          bool collection, const Progress& progress) {
  constexpr std::size_t kMaxBuildsNamed = 4;
  const Timed timed("select kernels");
  KernelNameMatcher choice(source.kernel.value_or(""));
  std::vector<std::string> problems;
  for (std::size_t i = 0; i < cubins.size(); ++i) {
    progress.step("searching image", i + 1, cubins.size());
    const Result<read::Image> image = read::load(*cubins[i]);
    if (!image) {
      problems.push_back(image.error().message);
      continue;
    }
    for (const read::Function& function : image->functions) {
      if (function.is_kernel) choice.offer(function);
    }
  }
  progress.done();
  const Result<void> one = choice.check(KernelNameMatcher::Use::kLaunch);
  if (!one) return problems.empty() ? one.error() : Error{problems.front()};

  Found best;
  std::vector<std::string> builds;  // the members with the best image's architecture
  for (const read::Entry* entry : cubins) {
    const bool is_same = collection && best.entry != nullptr && entry->arch == best.entry->arch;
    if (best.entry != nullptr && !is_same &&
        !is_better(entry->arch, best.entry->arch, source.gpu)) {
      continue;
    }
    Result<read::Image> image = read::load(*entry);
    if (!image) continue;
    const auto kernel = std::ranges::find_if(
        image->functions, [&](const read::Function& f) { return f.is_kernel && choice.has(f); });
    if (kernel == image->functions.end()) continue;
    if (best.entry == nullptr || best.entry->arch != entry->arch) builds.clear();
    builds.push_back(entry->member);
    if (builds.size() > 1) continue;  // the first counts
    best.name = kernel->name;
    best.entry = entry;
    best.image = std::move(*image);
  }
  if (collection && builds.size() > 1) {
    return Error{fmt::format("has {} builds of {} for {}; name one: {}", builds.size(), best.name,
                             read::to_string(best.entry->arch), list_of(builds, kMaxBuildsNamed))};
  }
  return best;
}

// Makes the kernel out of what was found.
Result<void> build(Found found, const std::string& file, ChosenKernel& loaded) {
  loaded.image = std::move(found.image);
  const auto function =
      std::ranges::find(loaded.image.functions, found.name, &read::Function::name);
  const std::string where = file + ": " + function->demangled;
  if (!is_executed(loaded.image.arch)) {
    return Error{fmt::format(
        "{} is compiled for {}; burin executes sm_{} to sm_{}: compile it for one of these", where,
        read::to_string(loaded.image.arch), kOldestExecuted, kNewestExecuted)};
  }
  const Timed timed("build kernel");
  Result<read::Kernel> kernel = read::build_kernel(loaded.image, *function, {.dependences = false});
  if (!kernel) return kernel.error().within(where);
  if (kernel->instructions.empty()) {
    return Error{fmt::format("{} has no instructions", where)};
  }
  loaded.kernel = std::move(*kernel);
  if (found.entry->packing == read::Entry::Packing::kRaw) {
    loaded.cubin = found.entry->data;
  } else if (loaded.image.storage) {
    loaded.cubin = *loaded.image.storage;
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<ChosenKernel>> load_kernel(const capture::Capture& capture,
                                                  const capture::CapturedKernel& kernel) {
  const std::string where = capture.path() + ": " + read::demangle(kernel.name);
  if (kernel.module == 0) {
    return Error{where + " has no code in the capture, so it cannot be run or predicted"};
  }
  Result<std::vector<std::uint8_t>> cubin = capture.cubin(kernel.module);
  if (!cubin) return cubin.error();
  auto loaded = std::make_unique<ChosenKernel>();
  loaded->made = std::move(*cubin);
  const Result<read::Container> container = open_file(loaded->made);
  if (!container) return container.error().within(where);
  const std::vector<const read::Entry*> cubins = machine_code(*container, std::nullopt);
  for (const read::Entry* entry : cubins) {
    Result<read::Image> image = read::load(*entry);
    if (!image) return image.error().within(where);
    const auto is_it = [&](const read::Function& f) {
      return f.is_kernel && f.name == kernel.name;
    };
    if (std::ranges::none_of(image->functions, is_it)) continue;
    if (Result<void> built =
            build({entry, std::move(*image), kernel.name}, capture.path(), *loaded);
        !built) {
      return built.error();
    }
    return loaded;
  }
  return Error{where + " is missing from its module in the capture"};
}

Result<std::optional<read::Architecture>> parse_arch_option(const std::string& text) {
  if (text.empty()) return std::optional<read::Architecture>{};
  const std::optional<read::Architecture> arch = read::parse_architecture(text);
  if (!arch) return Error{"--arch " + text + " is not an architecture; try sm_90", Exit::kUsage};
  return arch;
}

Result<std::unique_ptr<ChosenKernel>> load_kernel(const KernelSource& source,
                                                  const Progress& progress) {
  if (source.kernel && source.kernel->empty()) {
    return Error{"--kernel needs a name or part of one", Exit::kUsage};
  }
  const Result<std::optional<read::Architecture>> parsed = parse_arch_option(source.arch);
  if (!parsed) return parsed.error();
  const std::optional<read::Architecture>& arch = *parsed;
  auto loaded = std::make_unique<ChosenKernel>();
  const Result<read::Container> container = open_source(source, *loaded);
  if (!container) return container.error();
  const std::vector<const read::Entry*> cubins = machine_code(*container, arch);
  if (cubins.empty()) {
    return Error{fmt::format("{}: contains no machine code{}, only {}", source.file,
                             arch ? " for " + read::to_string(*arch) : "",
                             architectures(*container))};
  }
  Result<Found> found = find_kernel(cubins, source, container->is_collection(), progress);
  if (!found) return found.error().within(source.file);
  loaded->path = container->format == read::Container::Format::kFolder
                     ? source.file + "/" + found->entry->member
                     : source.file;
  if (Result<void> built = build(std::move(*found), source.file, *loaded); !built) {
    return built.error();
  }
  return loaded;
}

}  // namespace burin::jobs
