// The blocks that the windows of a traced launch replay, and the concurrent blocks on other SMs.
#include <algorithm>
#include <atomic>

#include "base/hash.h"
#include "timing/trace/traced_launch.h"

namespace burin::timing {

namespace {

std::uint64_t next_others_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

TracedLaunch::TracedLaunch(const TracedLaunch& other) : TracedLaunchState(other) {
  for (std::size_t w = 0; w < windows.size(); ++w) {
    TracedWindow& window = windows[w];
    const TracedWindow& from = other.windows[w];
    for (BlockJob& job : window.jobs) {
      job.trace = window.traces.empty()
                      ? &reference
                      : &window.traces[static_cast<std::size_t>(job.trace - from.traces.data())];
      job.sections =
          &window.sections[static_cast<std::size_t>(job.sections - from.sections.data())];
    }
  }
}

std::uint64_t SmShare::place(std::uint64_t i) const {
  if (i < dealt) return own;
  const std::uint64_t here = std::min(sms, blocks - i * sms);
  // Pseudo-random: a regular sequence would make blocks of one grid column run at the same time.
  return (splitmix64(i) >> 32) * here >> 32;
}

const BlockTrace& TracedLaunch::trace_of(const TracedWindow& window, std::uint64_t i) const {
  if (window.traces.empty()) return reference;
  const std::uint64_t count = window.traces.size();
  const std::uint64_t k = window.nearest(i);
  return window.traces[k < count ? k : i % count];
}

std::uint64_t TracedWindow::number(std::uint64_t k) const {
  if (stretch <= run) return first + k;
  return first + k / run * stretch + begin_in(k / run) + k % run;
}

std::uint64_t TracedWindow::nearest(std::uint64_t i) const {
  if (i < first) return 0;
  if (stretch <= run) return i - first;
  const std::uint64_t number = (i - first) / stretch;
  const std::uint64_t at = (i - first) % stretch;
  const std::uint64_t begin = begin_in(number);
  return number * run + std::clamp(at, begin, begin + run - 1) - begin;
}

// A pseudo-random position, so that no pattern of the grid recurs.
std::uint64_t TracedWindow::begin_in(std::uint64_t number) const {
  return number * (kGoldenRatio >> 32) % (stretch - run + 1);
}

BlockJob TracedLaunch::job(const TracedWindow& window, std::uint64_t i) const {
  BlockJob job;
  const BlockTrace& trace = trace_of(window, i);
  job.trace = &trace;
  const auto step_to = [&](std::uint64_t position) {
    return step_between(trace.linear, number_of(position), strides.numbers);
  };
  if (!window.as_run) job.own = step_to(share.block(i));
  const std::uint64_t place = share.place(i);
  job.others_id = next_others_id();
  job.others.reserve(share.sms);
  for (std::uint64_t g = 0; g < share.sms; ++g) {
    const std::uint64_t block = i * share.sms + g;
    if (g == place || block >= share.blocks) continue;
    if (g == (place ^ 1)) job.pair = job.others.size();
    job.others.push_back(step_to(block));
  }
  return job;
}

std::uint64_t TracedLaunch::number_of(std::uint64_t position) const {
  return works.has_idle() && !by_position ? works.active().block(position) : position;
}

std::vector<BlockJob> TracedLaunch::idle_jobs() const {
  std::vector<BlockJob> jobs(resident);
  const std::uint64_t blocks = launch->grid.total();
  std::uint64_t ahead = 0;
  for (BlockJob& job : jobs) {
    const auto next = [&] {
      if (by_position) return BlockStep{};
      return step_between(idle.linear, (idle.linear + ahead++) % blocks, strides.numbers);
    };
    job.trace = &idle;
    job.sections = &idle_sections;
    job.others_id = next_others_id();
    job.own = next();
    for (std::uint64_t g = 1; g < share.sms; ++g) job.others.push_back(next());
  }
  return jobs;
}

}  // namespace burin::timing
