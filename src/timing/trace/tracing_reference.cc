// Tracing: reference blocks that represent others.
#include <array>

#include "timing/trace/block_rows.h"
#include "timing/trace/idle_search.h"
#include "timing/trace/tracing.h"

namespace burin::timing {

namespace {

constexpr std::uint64_t kLongBlock = 200'000;  // steps of a block

// Whether an active block does clearly more work than an idle one.
bool stands_out(const BlockTrace& active, const BlockTrace& idle) {
  const auto of = [](std::uint64_t count) { return static_cast<double>(count); };
  return does_more(of(active.steps), of(idle.steps)) ||
         does_more(of(active.lines.size()), of(idle.lines.size()));
}

}  // namespace

// Traces the middle block of the grid, and a few others that show how addresses depend on the
// index.
Result<void> Tracing::trace_reference() {
  const launch::Dims g = to_.launch->grid;
  const auto linear = [&](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return x + std::uint64_t{g.x} * (y + std::uint64_t{g.y} * z);
  };
  const launch::Dims cluster =
      launch::cluster_of(*to_.launch, *to_.kernel->function).value_or(launch::Dims{});
  const auto middle = [](std::uint32_t n, std::uint32_t each) { return n / 2 / each * each; };
  const std::uint32_t x = middle(g.x, cluster.x);
  const std::uint32_t y = middle(g.y, cluster.y);
  const std::uint32_t z = middle(g.z, cluster.z);
  const std::uint64_t reference = linear(x, y, z);
  Result<std::vector<BlockTrace>> traces = source_->trace(std::array{reference});
  if (!traces) return traces.error();
  const auto neighbour = [](std::uint32_t at, std::uint32_t n, std::uint32_t each) {
    return at + each < n - n % each && at + each < n ? at + each : at >= each ? at - each : at;
  };
  std::vector<std::uint64_t> wanted;
  const auto want = [&](std::uint64_t block) {
    const bool known =
        block == reference || std::find(wanted.begin(), wanted.end(), block) != wanted.end();
    if (!known) wanted.push_back(block);
  };
  want(linear(neighbour(x, g.x, cluster.x), y, z));
  want(linear(x, neighbour(y, g.y, cluster.y), z));
  want(linear(x, y, neighbour(z, g.z, cluster.z)));
  // Two distant blocks for confirmation, unless blocks are long.
  if ((*traces)[0].steps < kLongBlock) {
    for (const std::uint32_t part : {3u, 5u}) {
      want(linear(g.x / part / cluster.x * cluster.x, g.y / part / cluster.y * cluster.y,
                  g.z / part / cluster.z * cluster.z));
    }
  }
  Result<std::vector<BlockTrace>> more = source_->trace(wanted);
  if (!more) return more.error();
  compared_ = std::move(*more);
  std::vector<const BlockTrace*> others;
  for (const BlockTrace& t : compared_) others.push_back(&t);
  to_.reference = std::move((*traces)[0]);
  to_.strides = find_strides(to_.kernel->instructions.size(), g, to_.reference, others);
  if (cluster.total() == 1) {
    if (Result<void> done = look_for_rows({x, y, z}, others); !done) return done.error();
  }
  if (to_.reference.steps * (kMinWindowBlocks + 1) <= kMaxWindowSteps)
    compared_.clear();  // windows trace their own blocks
  return {};
}

// Traces more blocks if the addresses of the first few do not follow from their indices: a program
// may renumber its blocks.
Result<void> Tracing::look_for_rows(launch::Dims from, std::vector<const BlockTrace*> others) {
  constexpr std::size_t kMaxBlocks = 24;
  const std::uint64_t each = std::max<std::uint64_t>(1, to_.reference.steps);
  const std::size_t most = std::min<std::size_t>(kMaxBlocks, kLongBlock / each);
  const launch::Dims g = to_.launch->grid;
  const BlockNumbers as_launched{.grid = g};
  const bool explained = to_.strides.irregular() == 0 && to_.strides.exceptions == 0 &&
                         to_.strides.numbers == as_launched;
  if (explained || most < kMaxBlocks / 2 || g.z != 1) return {};
  std::vector<std::uint64_t> wanted = blocks_in_rows(g, from, most);
  std::erase_if(wanted, [&](std::uint64_t block) {
    return block == to_.reference.linear ||
           std::ranges::find(others, block, &BlockTrace::linear) != others.end();
  });
  const Result<std::vector<BlockTrace>> more = source_->trace(wanted);
  if (!more) return more.error();
  for (const BlockTrace& t : *more) others.push_back(&t);
  StrideTable again = find_strides(to_.kernel->instructions.size(), g, to_.reference, others);
  const bool refuted = again.irregular() > to_.strides.irregular();
  if (again.numbers != as_launched || refuted) to_.strides = std::move(again);
  return {};
}

// The block numbers of these positions among the active blocks.
std::vector<std::uint64_t> Tracing::numbers_of(std::vector<std::uint64_t> positions) const {
  if (!to_.works.has_idle()) return positions;
  const ActiveBlocks& active = to_.works.active();
  for (std::uint64_t& position : positions) position = active.block(active.known(position));
  return positions;
}

Result<std::vector<BlockTrace>> Tracing::trace_alone(std::vector<std::uint64_t> positions) {
  Result<std::vector<BlockTrace>> traces = source_->trace(numbers_of(positions));
  if (!traces || !to_.by_position) return traces;
  for (std::size_t k = 0; k < positions.size(); ++k) (*traces)[k].linear = positions[k];
  return traces;
}

// If many blocks exit at once, the grid is treated as consisting of the others only, and one idle
// block represents the idle ones.
Result<void> Tracing::set_idle_aside() {
  constexpr double kMinIdle = 0.25;     // share of the grid
  constexpr double kMaxIdleWork = 1.1;  // times the work of an idle block
  const bool possible = sync_ == InterBlockSync::kNone && !clusters_;
  const bool hint = is_idle(to_.reference);
  const bool alike =
      to_.works.even() && !does_more(static_cast<double>(to_.reference.steps), steps_each());
  if (!possible || (alike && !hint)) return {};
  BlockTrace idle = to_.reference;
  if (!hint) {
    Result<std::vector<BlockTrace>> lightest = source_->trace(std::array{to_.works.lightest()});
    if (!lightest) return lightest.error();
    idle = std::move((*lightest)[0]);
    if (!is_idle(idle)) return {};
  }
  const auto blocks = static_cast<double>(to_.launch->grid.total());
  ActiveBlocks active = find_active_blocks(*source_, to_.launch->grid.total(), idle);
  const double idle_share = static_cast<double>(active.idle()) / blocks;
  if (active.size() == 0 || active.idle() == 0 || (idle_share < kMinIdle && !hint)) return {};
  // A block with some idle warps is not an idle block.
  const double seen = to_.works.share_up_to(kMaxIdleWork * static_cast<double>(idle.steps));
  if (seen < idle_share - kMinIdle) return {};
  Result<std::vector<BlockTrace>> one = source_->trace(std::array{active.block(active.size() / 2)});
  if (!one) return one.error();
  if (!stands_out((*one)[0], idle)) return {};
  std::vector<double> warps;
  for (const auto& steps : idle.warps) warps.push_back(static_cast<double>(steps.size()));
  to_.share = SmShare(active.size(), static_cast<double>(machine_.sm.count));
  to_.share.dealt = to_.resident;
  to_.works = WorkSample(std::move(active), work_of_warps(std::move(warps)), 1);
  to_.idle_sections = choose_sections(*to_.kernel, idle, kWindowSteps);
  to_.idle = std::move(idle);
  if (Result<void> done = trace_active_reference(); !done) return done.error();
  return sample_work(kMaxConfirmSteps);
}

Result<void> Tracing::trace_active_reference() {
  std::vector<std::uint64_t> positions = reference_positions(to_.works.active(), to_.launch->grid);
  Result<std::vector<BlockTrace>> traces = trace_alone(positions);
  if (!traces) return traces.error();
  ActiveStrides found = find_active_strides(to_.kernel->instructions.size(), to_.launch->grid,
                                            to_.works.active(), *traces);
  to_.strides = std::move(found.table);
  to_.by_position = found.by_position;
  to_.reference = std::move((*traces)[0]);
  compared_.clear();
  return {};
}

}  // namespace burin::timing
