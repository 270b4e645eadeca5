#include "jobs/try/compare_results.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/format.h"
#include "base/text.h"
#include "base/timings.h"
#include "read/isa/traits.h"

namespace burin::jobs {
namespace {

constexpr double kMaxExecuted = 30e6;                   // warp instructions: seconds
constexpr std::uint64_t kMaxInstructionsOfRun = 400e6;  // where fewer blocks do not help
// |got - expected| relative to the larger of 1 and |expected|. Fast functions are off by a few ulp,
// sums of their results by more.
constexpr double kFastMathTolerance = 1e-3;
constexpr double kAtomicsTolerance = 1e-4;                               // sums in another order
constexpr std::array<double, 4> kTolerances = {1e-6, 1e-5, 1e-4, 1e-3};  // the smallest is told

bool adds_floats_atomically(const read::Kernel& kernel) {
  return std::ranges::any_of(kernel.instructions, [](const read::Instruction& i) {
    return read::is_atomic(i) && i.modifier("type").find('F') != std::string_view::npos;
  });
}

// Fewer blocks of the same launch: the first ones along the longest axis.
launch::Dims fewer_blocks(launch::Dims grid, double instructions) {
  double share = instructions > 0 ? kMaxExecuted / instructions : 1;
  for (std::uint32_t* axis : {&grid.z, &grid.y, &grid.x}) {
    if (share >= 1) break;
    const auto left = static_cast<std::uint32_t>(std::max(1.0, std::floor(*axis * share)));
    share *= static_cast<double>(*axis) / left;
    *axis = left;
  }
  return grid;
}

Result<emulate::Run> execute(const LoadedLaunch& loaded, const Progress& progress) {
  emulate::RunOptions options;
  options.most_instructions = kMaxInstructionsOfRun;
  options.heartbeat = heartbeat_of(progress);
  Result<emulate::Run> run = emulate::emulate(loaded.loaded->kernel, loaded.launch, options);
  progress.done();
  if (!run) return run.error();
  if (run->stopped) return *run->stopped;
  return run;
}

// Whether some buffer that the kernel writes holds a known value. Unknown bytes are passed as 0.
bool has_results(const emulate::Run& run,
                 const std::vector<ResultsReference::Argument>& arguments) {
  bool any_written = false;
  bool found = false;
  for (std::size_t i = 0; i < arguments.size() && i < run.buffers.size() && !found; ++i) {
    if (!arguments[i].written || run.buffers[i] == 0) continue;
    any_written = true;
    const Result<void> read = run.memory->for_each_chunk(
        run.buffers[i], [&](std::span<const std::uint8_t> bytes, bool known) -> Result<void> {
          found = found || known ||
                  std::ranges::any_of(bytes, [](std::uint8_t byte) { return byte != 0; });
          return {};
        });
    if (!read) return false;
  }
  return found || !any_written;
}

}  // namespace

std::string describe(const ResultsCheck& check) {
  if (!check.same) return "results differ: " + check.problem;
  std::string text = check.tolerance ? fmt::format("same results within {:g}", *check.tolerance)
                                     : std::string("same results, bit for bit");
  if (check.blocks < check.all_blocks) {
    text += fmt::format(", in the first {} of {} blocks", with_commas(check.blocks),
                        with_commas(check.all_blocks));
  }
  return text;
}

Result<std::unique_ptr<ResultsReference>> ResultsReference::run(const LaunchRequest& request,
                                                                std::vector<Argument> arguments,
                                                                double instructions,
                                                                const Progress& progress) {
  const Timed timed("check");
  auto made = std::make_unique<ResultsReference>();
  made->arguments_ = std::move(arguments);
  Result<LoadedLaunch> loaded = load_launch(request, progress);
  if (!loaded) return loaded.error();
  made->loaded_ = std::move(*loaded);
  launch::Launch& launch = made->loaded_.launch;
  made->all_blocks_ = launch.grid.total();
  if (!launch::cluster_of(launch, made->loaded_.loaded->function())) {
    launch.grid = fewer_blocks(launch.grid, instructions);
  }
  made->blocks_ = launch.grid.total();
  made->grid_ = launch::to_string(launch.grid);
  Result<emulate::Run> run = execute(made->loaded_, progress);
  if (!run) return run.error();
  if (!run->faults.empty()) {
    return Error{fmt::format("it has memory errors ({}); `burin run` shows them",
                             emulate::name(run->faults.front().kind))};
  }
  made->run_ = std::move(*run);
  if (!has_results(made->run_, made->arguments_)) {
    return Error{
        "its results are undefined: give the buffers that it reads contents, such as "
        "buf:64K:f32"};
  }
  made->float_atomics_ = adds_floats_atomically(made->loaded_.loaded->kernel);
  return made;
}

ResultsCheck ResultsReference::compare(const LaunchRequest& request, bool rounds_differently,
                                       const Progress& progress,
                                       std::optional<launch::Dims> grid) const {
  const Timed timed("check");
  ResultsCheck check{.blocks = blocks_, .all_blocks = all_blocks_};
  LaunchRequest same_blocks = request;
  same_blocks.grid = grid ? launch::to_string(*grid) : grid_;
  const Result<LoadedLaunch> loaded = load_launch(same_blocks, progress);
  const Result<emulate::Run> run = loaded ? execute(*loaded, progress) : loaded.error();
  if (!run) {
    check.problem = run.error().message;
    return check;
  }
  if (!run->faults.empty()) {
    check.problem = "the changed kernel has memory errors";
    return check;
  }
  double allowed = rounds_differently ? kFastMathTolerance : 0;
  if (float_atomics_) allowed = std::max(kAtomicsTolerance, allowed);
  const launch::Launch& launch = loaded_.launch;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const Result<const launch::Buffer*> buffer = launch::buffer_at(launch, i);
    if (!buffer) continue;
    std::optional<launch::ElementType> type = launch::element_type_of((*buffer)->kind);
    if (i < arguments_.size() && arguments_[i].type) type = arguments_[i].type;
    const launch::ElementType element = type.value_or(launch::ElementType::kU32);
    Result<emulate::CheckedOutput> checked =
        emulate::check_output(*run, run_, i, element, std::nullopt);
    if (!checked) {
      check.problem = checked.error().message;
      return check;
    }
    if (checked->passed()) continue;
    for (const double tolerance : kTolerances) {
      if (tolerance > allowed || !launch::is_float(element) || checked->unknown_bytes > 0) break;
      checked = emulate::check_output(*run, run_, i, element, tolerance);
      if (!checked->passed()) continue;
      check.tolerance = std::max(tolerance, check.tolerance.value_or(0));
      break;
    }
    if (checked->passed()) continue;
    if (checked->unknown_bytes > 0) {
      check.problem = fmt::format("argument {} has undefined values", i);
      return check;
    }
    check.problem = fmt::format("{} of {} values of argument {}, the first {} instead of {}",
                                with_commas(checked->comparison.different),
                                with_commas(checked->comparison.elements), i,
                                checked->comparison.got, checked->comparison.expected);
    return check;
  }
  check.same = true;
  return check;
}

}  // namespace burin::jobs
