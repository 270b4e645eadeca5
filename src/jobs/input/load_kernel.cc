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

namespace burin {
namespace {

using Language = CompileRequest::Language;

// The code that burin executes; of several builds of a kernel, the newest of these is taken.
constexpr std::uint16_t kOldestExecuted = 80;
constexpr std::uint16_t kNewestExecuted = 90;

Result<Container> open_file(Bytes bytes) {
  const Timed timed("open file");
  return open_container(bytes);
}

Result<Container> compile_file(const KernelSource& source, Language language,
                               ChosenKernel& loaded) {
  const CompileCache cache(CompileCache::default_folder());
  // The default is left to compile(): it also looks at what PTX says of itself.
  std::string arch = source.arch;
  if (arch.empty() && source.gpu && to_string(*source.gpu) != kDefaultArch) {
    arch = to_string(*source.gpu);
  }
  Result<Compiled> compiled = compile({source.file, language, arch, source.flags}, cache);
  if (!compiled) return compiled.error();
  loaded.made = std::move(compiled->cubin);
  return open_file(loaded.made);
}

}  // namespace

bool is_executed(Architecture arch) {
  return arch.sm >= kOldestExecuted && arch.sm <= kNewestExecuted;
}

Result<Container> open_source(const KernelSource& source, ChosenKernel& loaded) {
  if (source.file.ends_with(".cu")) return compile_file(source, Language::kCuda, loaded);
  Result<MappedFile> file = MappedFile::open(source.file);
  if (!file) return file.error();
  loaded.file.emplace(std::move(*file));
  Result<Container> container = open_file(loaded.file->bytes());
  if (!container) return container.error().within(source.file);
  if (container->format == Container::Format::kPtx) {
    return compile_file(source, Language::kPtx, loaded);
  }
  if (!source.flags.empty()) {
    return Error{"--nvcc-flag is for source files; " + source.file + " is already compiled",
                 Exit::kUsage};
  }
  return container;
}

namespace {

std::vector<const Entry*> machine_code(const Container& container,
                                       const std::optional<Architecture>& arch) {
  std::vector<const Entry*> cubins;
  for (const Entry& entry : container.entries) {
    if (entry.kind == Entry::Kind::kCubin && (!arch || entry.arch == *arch)) {
      cubins.push_back(&entry);
    }
  }
  return cubins;
}

std::string architectures(const Container& container) {
  std::vector<std::string> names;
  for (const Entry& entry : container.entries) names.push_back(arch_name(entry.kind, entry.arch));
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return list_of(names, names.size());
}

// The better of two images that both hold the kernel: one that runs on the GPU, then one that burin
// executes, then the newer, then the first.
bool is_better(Architecture a, Architecture b, const std::optional<Architecture>& gpu) {
  if (gpu && runs_on(a, *gpu) != runs_on(b, *gpu)) return runs_on(a, *gpu);
  if (is_executed(a) != is_executed(b)) return is_executed(a);
  return a > b;
}

struct Found {
  const Entry* entry = nullptr;
  Image image;
  std::string name;
};

Result<Found> find_kernel(const std::vector<const Entry*>& cubins, const KernelSource& source,
                          const Progress& progress) {
  const Timed timed("select kernels");
  KernelNameMatcher choice(source.kernel.value_or(""));
  std::vector<std::string> problems;
  for (std::size_t i = 0; i < cubins.size(); ++i) {
    progress.step("searching image", i + 1, cubins.size());
    const Result<Image> image = load(*cubins[i]);
    if (!image) {
      problems.push_back(image.error().message);
      continue;
    }
    for (const Function& function : image->functions) {
      if (function.is_kernel) choice.offer(function);
    }
  }
  progress.done();
  const Result<void> one = choice.check(KernelNameMatcher::Use::kLaunch);
  if (!one) return problems.empty() ? one.error() : Error{problems.front()};

  Found best;
  for (const Entry* entry : cubins) {
    if (best.entry != nullptr && !is_better(entry->arch, best.entry->arch, source.gpu)) continue;
    Result<Image> image = load(*entry);
    if (!image) continue;
    const auto kernel = std::ranges::find_if(
        image->functions, [&](const Function& f) { return f.is_kernel && choice.has(f); });
    if (kernel == image->functions.end()) continue;
    best.name = kernel->name;
    best.entry = entry;
    best.image = std::move(*image);
  }
  return best;
}

// Makes the kernel out of what was found.
Result<void> build(Found found, const std::string& file, ChosenKernel& loaded) {
  loaded.image = std::move(found.image);
  const auto function = std::ranges::find(loaded.image.functions, found.name, &Function::name);
  const std::string where = file + ": " + function->demangled;
  if (!is_executed(loaded.image.arch)) {
    return Error{fmt::format("{} is compiled for {}; burin executes sm_{} to sm_{}", where,
                             to_string(loaded.image.arch), kOldestExecuted, kNewestExecuted)};
  }
  const Timed timed("build kernel");
  Result<Kernel> kernel = build_kernel(loaded.image, *function, {.dependences = false});
  if (!kernel) return kernel.error().within(where);
  loaded.kernel = std::move(*kernel);
  if (found.entry->packing == Entry::Packing::kRaw) {
    loaded.cubin = found.entry->data;
  } else if (loaded.image.storage) {
    loaded.cubin = *loaded.image.storage;
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<ChosenKernel>> load_kernel(const Capture& capture,
                                                  const CapturedKernel& kernel) {
  const std::string where = capture.path() + ": " + demangle(kernel.name);
  if (kernel.module == 0) {
    return Error{where + " has no code in the capture, so it cannot be run or predicted"};
  }
  Result<std::vector<std::uint8_t>> cubin = capture.cubin(kernel.module);
  if (!cubin) return cubin.error();
  auto loaded = std::make_unique<ChosenKernel>();
  loaded->made = std::move(*cubin);
  const Result<Container> container = open_file(loaded->made);
  if (!container) return container.error().within(where);
  const std::vector<const Entry*> cubins = machine_code(*container, std::nullopt);
  for (const Entry* entry : cubins) {
    Result<Image> image = load(*entry);
    if (!image) return image.error().within(where);
    const auto is_it = [&](const Function& f) { return f.is_kernel && f.name == kernel.name; };
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

Result<std::unique_ptr<ChosenKernel>> load_kernel(const KernelSource& source,
                                                  const Progress& progress) {
  if (source.kernel && source.kernel->empty()) {
    return Error{"--kernel needs a name or part of one", Exit::kUsage};
  }
  std::optional<Architecture> arch;
  if (!source.arch.empty()) {
    arch = parse_architecture(source.arch);
    if (!arch) {
      return Error{"--arch " + source.arch + " is not an architecture; try sm_90", Exit::kUsage};
    }
  }
  auto loaded = std::make_unique<ChosenKernel>();
  const Result<Container> container = open_source(source, *loaded);
  if (!container) return container.error();
  const std::vector<const Entry*> cubins = machine_code(*container, arch);
  if (cubins.empty()) {
    return Error{fmt::format("{}: contains no machine code{}, only {}", source.file,
                             arch ? " for " + to_string(*arch) : "", architectures(*container))};
  }
  Result<Found> found = find_kernel(cubins, source, progress);
  if (!found) return found.error().within(source.file);
  if (Result<void> built = build(std::move(*found), source.file, *loaded); !built) {
    return built.error();
  }
  return loaded;
}

}  // namespace burin
