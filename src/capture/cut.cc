#include "capture/cut.h"

#include <algorithm>
#include <cstring>

#include "capture/writer.h"
#include "read/binary/elf.h"

namespace burin::capture {
namespace {

// What a compiler writes about the source; .debug_frame tells of registers only.
bool tells_of_source(std::string_view section) {
  for (const std::string_view prefix : {".rela", ".rel"}) {
    if (section.starts_with(prefix)) section.remove_prefix(prefix.size());
  }
  return section.starts_with(".nv_debug_") ||
         (section.starts_with(".debug_") && section != ".debug_frame");
}

// The capture on its way: numbers of the old one to numbers of the new one.
class Cut {
 public:
  Cut(const Capture& capture, const CapturedLaunch& launch, const CutOptions& options,
      CaptureWriter& writer)
      : capture_(capture), launch_(launch), options_(options), writer_(writer) {}

  Result<void> run();

 private:
  void add_process();
  Result<std::uint64_t> add_kernel();
  Result<void> add_launch(std::uint64_t kernel);
  Result<void> add_memory();
  Result<void> add_samples(std::uint64_t kernel);
  Result<void> add_counters(std::uint64_t kernel);

  const Capture& capture_;
  const CapturedLaunch& launch_;
  const CutOptions& options_;
  CaptureWriter& writer_;
  std::uint64_t process_ = 0;
  std::uint64_t gpu_ = 0;
  std::uint64_t cut_ = 0;  // the launch in the new capture
};

void Cut::add_process() {
  CapturedProcess process = capture_.processes()[launch_.process - 1];
  if (options_.strip_source) {
    process.command.clear();
    process.folder.clear();
    process.host.clear();
    process.settings.clear();
  }
  process_ = writer_.add(process);
  if (const CapturedGpu* gpu = capture_.gpu(launch_.gpu)) {
    CapturedGpu copy = *gpu;
    copy.process = process_;
    gpu_ = writer_.add(copy);
  }
  for (const CapturedProblem& problem : capture_.problems()) {
    if (problem.launch != launch_.id) continue;
    writer_.add(CapturedProblem{process_, problem.kind, problem.count, 1, problem.sentence});
  }
}

Result<std::uint64_t> Cut::add_kernel() {
  CapturedKernel kernel = capture_.kernel(launch_.kernel);
  if (kernel.module != 0) {
    const CapturedModule& module = capture_.modules()[kernel.module - 1];
    Result<std::vector<std::uint8_t>> cubin = capture_.cubin(module.id);
    if (!cubin) return cubin.error();
    if (options_.strip_source) cubin = strip_source(*cubin);
    kernel.module = writer_.add_module(*cubin, module.crc);
  }
  const std::uint64_t id = writer_.add(kernel);
  const auto listing = capture_.listing(launch_.kernel);
  if (!listing) return listing.error();
  for (const auto& [offset, sass] : *listing) writer_.add_listing(id, offset, sass);
  return id;
}

Result<void> Cut::add_launch(std::uint64_t kernel) {
  CapturedLaunch launch = launch_;
  launch.process = process_;
  launch.gpu = gpu_;
  launch.kernel = kernel;
  launch.stack = 0;
  if (launch_.stack != 0 && !options_.strip_source) {
    const Result<std::vector<CapturedFrame>> frames = capture_.stack(launch_.stack);
    if (!frames) return frames.error();
    launch.stack = writer_.add_stack(*frames);
  }
  const Result<CapturedArguments> arguments = capture_.arguments(launch_.id);
  if (!arguments) return arguments.error();
  cut_ = writer_.add(launch, *arguments);
  const Result<std::vector<launch::Texture>> textures = capture_.textures(launch_);
  if (!textures) return textures.error();
  for (const launch::Texture& texture : *textures) writer_.add(process_, 0, texture);
  return {};
}

Result<void> Cut::add_memory() {
  if (options_.strip_memory) return {};
  // Without its own memory, it may have the constants that another launch was recorded with.
  Result<std::uint64_t> from = launch_.id;
  if (!launch_.has_memory) from = capture_.constants_at(launch_);
  if (!from) return from.error();
  if (*from == 0) return {};
  const Result<CapturedMemory> memory = capture_.memory(*from);
  if (!memory) return memory.error();
  const Result<std::vector<CapturedVariable>> variables = capture_.variables(*from);
  if (!variables) return variables.error();
  const auto is_variable = [&](const launch::MemoryPiece& piece) {
    return std::ranges::any_of(*variables, [&](const CapturedVariable& variable) {
      return variable.address <= piece.address && piece.address - variable.address < variable.size;
    });
  };
  for (const launch::MemoryPiece& piece : memory->before) {
    if (!launch_.has_memory && !is_variable(piece)) continue;
    writer_.add_memory(cut_, launch_.has_memory ? MemoryMoment::kBefore : MemoryMoment::kConstants,
                       piece.address, piece.bytes);
  }
  for (const launch::MemoryPiece& piece : memory->after) {
    if (!launch_.has_memory) break;
    writer_.add_memory(cut_, MemoryMoment::kAfter, piece.address, piece.bytes);
  }
  for (const CapturedVariable& variable : *variables) writer_.add(cut_, variable);
  return {};
}

// Samples of the launch itself, where they name their launch; else those of all of the kernel's.
Result<void> Cut::add_samples(std::uint64_t kernel) {
  const Result<std::vector<CapturedSample>> samples = capture_.samples(launch_.kernel);
  if (!samples) return samples.error();
  for (CapturedSample sample : *samples) {
    if (sample.launch != 0 && sample.launch != launch_.id) continue;
    sample.kernel = kernel;
    sample.launch = sample.launch == 0 ? 0 : cut_;
    writer_.add(sample);
  }
  if (Result<void> added = add_counters(kernel); !added) return added;
  for (CapturedSampling sampling : capture_.samplings()) {
    if (sampling.process != launch_.process || sampling.context != launch_.context) continue;
    sampling.process = process_;
    sampling.gpu = gpu_;
    writer_.add(sampling);
  }
  return {};
}

// Those of the launch alone, where it was counted; else those of all of the kernel's.
Result<void> Cut::add_counters(std::uint64_t kernel) {
  Result<std::vector<CapturedCounter>> counters = capture_.counts(launch_);
  if (!counters) return counters.error();
  if (launch_.has_counts) {
    writer_.add_counts(cut_, kernel, *counters);
    return {};
  }
  const std::uint64_t launch = counters->empty() ? 0 : cut_;
  if (counters->empty()) counters = capture_.counters(launch_.kernel);
  if (!counters) return counters.error();
  for (CapturedCounter& counter : *counters) {
    counter.kernel = kernel;
    counter.launch = launch;
    writer_.add(counter);
  }
  return {};
}

Result<void> Cut::run() {
  add_process();
  const Result<std::uint64_t> kernel = add_kernel();
  if (!kernel) return kernel.error();
  if (Result<void> done = add_launch(*kernel); !done) return done;
  if (Result<void> done = add_memory(); !done) return done;
  return add_samples(*kernel);
}

}  // namespace

std::vector<std::uint8_t> strip_source(Bytes cubin) {
  constexpr std::uint64_t kTableOffsetAt = 0x28, kEntryBytes = 64, kTypeAt = 4, kSizeAt = 32;
  std::vector<std::uint8_t> stripped(cubin.begin(), cubin.end());
  const Result<read::Elf> elf = read::read_elf(cubin);
  if (!elf) return stripped;
  Cursor in(cubin);
  in.seek(kTableOffsetAt);
  const std::uint64_t table = in.u64();
  for (std::size_t k = 0; k < elf->sections.size(); ++k) {
    const read::ElfSection& section = elf->sections[k];
    if (!tells_of_source(section.name)) continue;
    if (!section.contents.empty()) {
      const auto at = static_cast<std::size_t>(section.contents.data() - cubin.data());
      std::fill_n(stripped.begin() + static_cast<std::ptrdiff_t>(at), section.contents.size(),
                  std::uint8_t{0});
    }
    // An entry of type 0 is one that nobody reads.
    const std::uint64_t entry = table + k * kEntryBytes;
    if (!slice(cubin, entry, kEntryBytes)) continue;
    std::memset(stripped.data() + entry + kTypeAt, 0, 4);
    std::memset(stripped.data() + entry + kSizeAt, 0, 8);
  }
  return stripped;
}

Result<void> cut_capture(const Capture& capture, const CapturedLaunch& launch,
                         const CutOptions& options, const std::string& path) {
  Result<CaptureWriter> writer = CaptureWriter::create(path);
  if (!writer) return writer.error();
  if (!options.strip_source) {
    writer->set_info("source", "launch " + std::to_string(launch.id) + " of " + capture.path());
  }
  if (Result<void> done = Cut(capture, launch, options, *writer).run(); !done) return done;
  return writer->finish();
}

}  // namespace burin::capture
