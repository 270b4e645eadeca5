#include "jobs/coarsen/coarsen_kernel.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/format.h"
#include "base/new_file.h"
#include "jobs/coarsen/opencl_file.h"
#include "jobs/coarsen/versions.h"
#include "jobs/input/output_file.h"
#include "launch/number.h"
#include "launch/options.h"
#include "machine/load.h"
#include "toolchain/tools.h"

namespace burin::jobs {
namespace {

using coarsen::Coarsening;
using coarsen::Level;

// Advice alone must not make a kernel slower: a predicted gain below this may be an error of the
// model.
constexpr double kClearGain = 1.05;

Result<coarsen::LaunchShape> shape_of(const LaunchRequest& request) {
  const Result<launch::Dims> grid = launch::parse_dims(request.grid);
  if (!grid) return grid.error().within("--grid");
  const Result<launch::Dims> block = launch::parse_dims(request.block);
  if (!block) return block.error().within("--block");
  coarsen::LaunchShape shape{.grid = {grid->x, grid->y, grid->z},
                             .block = {block->x, block->y, block->z}};
  if (!request.shared_bytes.empty()) {
    const auto bytes = launch::parse_bytes(request.shared_bytes);
    if (!bytes || *bytes > 0xffffffff) {
      return Error{"--smem: expected a number of bytes, not '" + request.shared_bytes + "'",
                   Exit::kUsage};
    }
    shape.shared_bytes = static_cast<std::uint32_t>(*bytes);
  }
  return shape;
}

bool is_opencl_source(const CoarsenRequest& request) {
  return request.launch.source.file.ends_with(".cl");
}

Result<void> check_request(const CoarsenRequest& request) {
  if (is_opencl_source(request) && (request.launch.grid.empty() || request.launch.block.empty())) {
    return Error{"--grid (work-groups) and --block (work-items of a group) are required",
                 Exit::kUsage};
  }
  if (!is_opencl_source(request)) {
    if (Result<void> all = complete(request.launch, "coarsen"); !all) return all;
  }
  if (names_capture(request.launch)) {
    return Error{"coarsening needs PTX, which a capture does not hold; give the program's source",
                 Exit::kUsage};
  }
  if (request.best == !request.coarsenings.empty()) {
    return Error{request.best
                     ? "--best chooses the coarsening: leave out --coarsen-thread and "
                       "--coarsen-block"
                     : "say what to coarsen: --coarsen-thread x=4, --coarsen-block x=2, or "
                       "--best",
                 Exit::kUsage};
  }
  if ((request.check || request.best) && request.launch.arguments.empty()) {
    return Error{fmt::format("{} runs the kernel: give its arguments with --arg",
                             request.check ? "--check" : "--best"),
                 Exit::kUsage};
  }
  if (request.output.empty()) return {};
  return check_output({"-o", request.output, FileContent::kText}, input_files(request.launch),
                      request.force);
}

std::vector<Coarsening> single_candidates(const coarsen::LaunchShape& launch) {
  std::vector<Coarsening> candidates;
  for (unsigned axis = 0; axis < 3; ++axis) {
    for (const unsigned factor : {2u, 4u, 8u}) {
      if (launch.block[axis] % factor != 0) continue;
      const unsigned left = launch.block[axis] / factor;
      for (const unsigned stride : std::set<unsigned>{1, 32, left}) {
        if (left % stride == 0) candidates.push_back({Level::kThread, axis, factor, stride});
      }
    }
    for (const unsigned factor : {2u, 4u}) {
      if (launch.grid[axis] >= 2 * factor) candidates.push_back({Level::kBlock, axis, factor});
    }
  }
  return candidates;
}

// Predicts each coarsening alone, then the best ones of different axes together.
class BestSearch {
 public:
  BestSearch(const Versions& versions, const coarsen::LaunchShape& launch, const Progress& progress)
      : versions_(versions), launch_(launch), progress_(progress) {}

  std::vector<CoarsenCandidate> run() {
    const std::vector<Coarsening> singles = single_candidates(launch_);
    total_ = singles.size();
    for (const Coarsening& single : singles) add({single});
    std::vector<CoarsenCandidate> ranked = tried_;
    std::erase_if(ranked, [](const CoarsenCandidate& c) { return !c.predicted_us; });
    std::ranges::stable_sort(ranked, {}, [](const CoarsenCandidate& c) { return *c.predicted_us; });
    // The best coarsening of each axis.
    std::vector<Coarsening> best;
    for (const CoarsenCandidate& candidate : ranked) {
      const Coarsening& single = candidate.coarsenings.front();
      if (std::ranges::none_of(best, [&](const Coarsening& other) {
            return other.level == single.level && other.axis == single.axis;
          })) {
        best.push_back(single);
      }
    }
    for (std::size_t i = 1; i < std::min<std::size_t>(best.size(), 3); ++i) {
      ++total_;
      add({best[0], best[i]});
    }
    progress_.done();
    return std::move(tried_);
  }

 private:
  void add(std::vector<Coarsening> coarsenings) {
    progress_.step("predicting coarsenings", tried_.size() + 1, total_);
    CoarsenCandidate& candidate = tried_.emplace_back(std::move(coarsenings));
    const auto made = coarsen::coarsen(versions_.source().text, versions_.source().kernel, launch_,
                                       candidate.coarsenings);
    if (!made) {
      candidate.refused = made.error().message;
      return;
    }
    const Result<CompiledVersion> compiled = versions_.compile(made->ptx, made->launch, {});
    if (compiled) {
      candidate.predicted_us = compiled->predicted_us;
    } else {
      candidate.refused = compiled.error().message;
    }
  }

  const Versions& versions_;
  const coarsen::LaunchShape& launch_;
  const Progress& progress_;
  std::vector<CoarsenCandidate> tried_;
  std::size_t total_ = 0;
};

std::vector<Coarsening> choose(const CoarsenedKernel& kernel) {
  const CoarsenCandidate* best = nullptr;
  for (const CoarsenCandidate& candidate : kernel.candidates) {
    if (candidate.predicted_us &&
        (best == nullptr || *candidate.predicted_us < *best->predicted_us)) {
      best = &candidate;
    }
  }
  if (best == nullptr || *kernel.before.predicted_us < kClearGain * *best->predicted_us) return {};
  return best->coarsenings;
}

}  // namespace

bool CoarsenCheck::equal() const {
  return std::ranges::all_of(outputs, &emulate::CheckedOutput::passed);
}
bool CoarsenCheck::rounds_alike() const {
  return std::ranges::all_of(as_compiled, &emulate::CheckedOutput::passed);
}
std::uint64_t CoarsenCheck::compared_bytes() const {
  std::uint64_t bytes = 0;
  for (const emulate::CheckedOutput& output : outputs) {
    bytes += output.comparison.elements * launch::element_bytes(output.type);
  }
  return bytes;
}

Result<Coarsening> parse_coarsening(Level level, const std::string& text) {
  const auto wrong = [&] {
    return Error{fmt::format("expected AXIS=FACTOR{}, such as x=4{}, not '{}'",
                             level == Level::kThread ? "[,stride=N]" : "",
                             level == Level::kThread ? " or y=2,stride=32" : "", text),
                 Exit::kUsage};
  };
  if (text.size() < 3 || text[1] != '=') return wrong();
  Coarsening made{.level = level};
  const std::size_t axis = std::string_view("xyz").find(text[0]);
  if (axis == std::string_view::npos) return wrong();
  made.axis = static_cast<unsigned>(axis);
  std::string factor = text.substr(2);
  constexpr std::string_view kStride = ",stride=";
  if (const std::size_t comma = factor.find(kStride);
      level == Level::kThread && comma != std::string::npos) {
    const auto stride = launch::parse_integer<std::uint32_t>(factor.substr(comma + kStride.size()));
    if (!stride || *stride == 0) return wrong();
    made.stride = *stride;
    factor.resize(comma);
  }
  const auto number = launch::parse_integer<std::uint32_t>(factor);
  if (!number || *number == 0 || *number > 1024) return wrong();
  made.factor = *number;
  return made;
}

namespace {

Result<CoarsenedKernel> coarsen_ptx(const CoarsenRequest& request,
                                    const coarsen::LaunchShape& launch, const Progress& progress) {
  KernelSource source = request.launch.source;
  if (!request.machine.empty()) {
    const Result<machine::Machine> machine = machine::load_machine(request.machine);
    if (!machine) return machine.error();
    source.gpu = machine->arch;
  }
  Result<PtxSource> ptx = load_ptx(source, progress);
  if (!ptx) return ptx.error();
  const Result<Versions> versions = Versions::open(request, std::move(*ptx));
  if (!versions) return versions.error();
  CoarsenedKernel made{.kernel = versions->source().demangled,
                       .machine = versions->machine(),
                       .coarsenings = request.coarsenings};
  // Coarsening itself needs no compiler.
  made.compiled = toolchain::find_tool("ptxas").ok();
  const auto compile = [&](const std::string& text, const coarsen::LaunchShape& shape,
                           CompiledVersion& version) -> Result<void> {
    version.launch = shape;
    if (!made.compiled && !request.check && !request.best) return {};
    Result<CompiledVersion> compiled = versions->compile(text, shape, progress);
    if (!compiled) return compiled.error().within(request.launch.source.file);
    version = *compiled;
    return {};
  };
  if (Result<void> done = compile(versions->source().text, launch, made.before); !done) {
    return done.error();
  }
  if (request.best) {
    made.candidates = BestSearch(*versions, launch, progress).run();
    made.coarsenings = choose(made);
  }
  const Result<coarsen::Coarsened> coarsened = coarsen::coarsen(
      versions->source().text, versions->source().kernel, launch, made.coarsenings);
  if (!coarsened) return coarsened.error().within(request.launch.source.file);
  made.specialised_grid = coarsened->specialised_grid;
  made.text = coarsened->ptx;
  if (Result<void> done = compile(made.text, coarsened->launch, made.after); !done) {
    return done.error();
  }
  if (request.check) {
    Result<CoarsenCheck> check = versions->compare(launch, *coarsened, progress);
    if (!check) return check.error().within(request.launch.source.file);
    made.check = std::move(*check);
  }
  return made;
}

}  // namespace

Result<CoarsenedKernel> coarsen_kernel(const CoarsenRequest& request, const Progress& progress) {
  if (Result<void> fine = check_request(request); !fine) return fine.error();
  const Result<coarsen::LaunchShape> launch = shape_of(request.launch);
  if (!launch) return launch.error();
  Result<CoarsenedKernel> made = is_opencl_source(request)
                                     ? coarsen_opencl_file(request, *launch)
                                     : coarsen_ptx(request, *launch, progress);
  if (!made || request.output.empty()) return made;
  Result<NewFile> file = NewFile::create(request.output);
  if (!file) return file.error();
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(made->text.data());
  if (Result<void> done = file->write(Bytes(bytes, made->text.size())); !done) return done.error();
  if (Result<void> done = file->finish(); !done) return done.error();
  return made;
}

}  // namespace burin::jobs
