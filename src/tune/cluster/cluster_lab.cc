#include "tune/cluster/cluster_lab.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "base/format.h"
#include "base/host_name.h"
#include "base/text.h"

namespace burin::tune {
namespace {

using Kind = ClusterMessage::Kind;

constexpr unsigned kPollMicroseconds = 500;

// The GPU or the CPU of one computer, by two ranks that are alive.
bool share_device(const Cluster::Rank& a, const Cluster::Rank& b) {
  return !a.is_dead && !b.is_dead && !a.gpu.empty() && a.gpu == b.gpu && a.host == b.host;
}

Cluster::Clock::duration duration_of(double seconds) {
  return std::chrono::duration_cast<Cluster::Clock::duration>(
      std::chrono::duration<double>(seconds));
}

}  // namespace

Cluster::Rank* Cluster::rank_of(int number) {
  const auto found = std::ranges::find(ranks_, number, &Rank::number);
  return found == ranks_.end() || found->is_dead ? nullptr : &*found;
}

std::size_t Cluster::alive() const {
  return static_cast<std::size_t>(std::ranges::count(ranks_, false, &Rank::is_dead));
}

void Cluster::lose(Rank& rank, const std::string& why) {
  rank.is_dead = true;
  losses_.push_back(fmt::format("rank {}{}: {}; its trials were given to others", rank.number,
                                rank.host.empty() ? "" : " on " + rank.host, why));
}

// Empty if the time is over. Messages of ranks that were given up, and damaged ones, are dropped.
std::optional<std::pair<int, ClusterMessage>> Cluster::next_message(Clock::time_point until) {
  for (;;) {
    if (const std::optional<Message> message = transport_.poll()) {
      Result<ClusterMessage> read = read_message(message->text);
      if (read && rank_of(message->from) != nullptr) return {{message->from, std::move(*read)}};
      continue;
    }
    if (Clock::now() >= until) return std::nullopt;
    ::usleep(kPollMicroseconds);
  }
}

// The n-th rank of a host gets the host's n-th device.
void Cluster::assign(const ClusterMessage& hello, Rank& rank) {
  rank.host = hello.host;
  rank.process = hello.number;
  transport_.send(rank.number,
                  write_message({.kind = Kind::kAssigned, .number = ranks_of_host_[hello.host]++}));
}

Result<void> Cluster::gather() {
  for (int number = 1; number < transport_.size(); ++number) ranks_.push_back({.number = number});
  const auto until = Clock::now() + duration_of(options_.start_seconds);
  const auto waiting = [&] {
    return std::ranges::any_of(ranks_, [](const Rank& r) { return !r.is_ready && !r.is_dead; });
  };
  std::string first_failure;
  while (waiting()) {
    const auto message = next_message(until);
    if (!message) break;
    Rank& rank = *rank_of(message->first);
    const ClusterMessage& said = message->second;
    if (said.kind == Kind::kHello) {
      assign(said, rank);
    } else if (said.kind == Kind::kReady) {
      rank.device = said.device;
      rank.gpu = said.gpu;
      rank.is_cpu = said.is_cpu;
      rank.width = std::max<std::size_t>(1, said.width);
      rank.is_ready = true;
    } else if (said.kind == Kind::kFailed) {
      if (first_failure.empty()) first_failure = said.reason;
      lose(rank, said.reason);
    }
  }
  for (Rank& rank : ranks_) {
    if (!rank.is_ready && !rank.is_dead) {
      lose(rank, fmt::format("it did not start within {:.0f} seconds", options_.start_seconds));
    }
  }
  if (alive() == 0) {
    return Error{first_failure.empty() ? "no rank of the cluster has started" : first_failure,
                 Exit::kDevice};
  }
  return check_devices();
}

Result<void> Cluster::check_devices() const {
  const Rank* first = nullptr;
  for (const Rank& rank : ranks_) {
    if (rank.is_dead) continue;
    if (first == nullptr) first = &rank;
    if (rank.device != first->device && !options_.mixed) {
      return Error{fmt::format("rank {} measures on {}, rank {} on {}: their times cannot be "
                               "compared; --mixed allows it",
                               first->number, first->device, rank.number, rank.device),
                   Exit::kDevice};
    }
    for (const Rank& other : ranks_) {
      if (other.number < rank.number && !rank.is_cpu && share_device(rank, other)) {
        return Error{fmt::format("ranks {} and {} share the GPU {} of {} and would disturb each "
                                 "other; start one measuring rank per GPU, and rank 0",
                                 other.number, rank.number, rank.gpu, rank.host),
                     Exit::kDevice};
      }
    }
  }
  return {};
}

bool Cluster::is_disturbed(const Rank& rank) const {
  return std::ranges::any_of(ranks_, [&](const Rank& other) {
    return other.number != rank.number && share_device(rank, other);
  });
}

std::vector<std::string> Cluster::warnings() const {
  std::map<std::string, std::vector<std::string>> sharing;  // by host
  for (const Rank& rank : ranks_) {
    if (is_disturbed(rank)) sharing[rank.host].push_back(fmt::format("{}", rank.number));
  }
  std::vector<std::string> sentences;
  for (const auto& [host, numbers] : sharing) {
    sentences.push_back(
        fmt::format("ranks {} measure on the CPU of {} at the same time: their trials are marked "
                    "as disturbed, only the finalists are measured one at a time",
                    list_of(numbers, 8), host));
  }
  return sentences;
}

void Cluster::end(const std::string& reason) {
  const std::string text =
      write_message({.kind = Kind::kEnd, .number = lost_any() ? 1u : 0u, .reason = reason});
  // Dead ranks as well: one that was only slow learns that it is over.
  for (int number = 1; number < transport_.size(); ++number) transport_.send(number, text);
  const std::string here = host_name();
  for (const Rank& rank : ranks_) {
    if (rank.is_dead && rank.process > 1 && rank.host == here) {
      ::kill(static_cast<pid_t>(rank.process), SIGKILL);
    }
  }
}

ClusterLab::ClusterLab(Cluster& cluster, std::uint64_t run) : cluster_(cluster) {
  const std::string text = write_message({.kind = Kind::kRun, .number = run});
  for (const Cluster::Rank& rank : cluster_.ranks_) {
    if (!rank.is_dead) cluster_.transport_.send(rank.number, text);
  }
}

// Of all ranks, so that a run has the same width whoever is lost.
std::size_t ClusterLab::width_of(const Cluster& cluster) {
  std::size_t width = 0;
  for (const Cluster::Rank& rank : cluster.ranks_) width += rank.width;
  return width;
}

void ClusterLab::submit(const Point& point, const TrialLimits& limits) {
  tasks_[next_ticket_++] = {.point = point, .best_time_us = limits.best_time_us};
  hand_out();
}

std::size_t ClusterLab::open_at(int rank) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(tasks_, [&](const auto& task) { return task.second.rank == rank; }));
}

// To the rank with the fewest open tasks, as long as it has room.
void ClusterLab::hand_out() {
  for (auto& [ticket, task] : tasks_) {
    if (task.rank != 0) continue;
    Cluster::Rank* chosen = nullptr;
    std::size_t fewest = 0;
    for (Cluster::Rank& rank : cluster_.ranks_) {
      const std::size_t open = rank.is_dead ? 0 : open_at(rank.number);
      if (rank.is_dead || open >= rank.width || (chosen != nullptr && open >= fewest)) continue;
      chosen = &rank;
      fewest = open;
    }
    if (chosen == nullptr) return;
    task.rank = chosen->number;
    task.given = Cluster::Clock::now();
    cluster_.transport_.send(chosen->number, write_message({.kind = Kind::kTask,
                                                            .number = ticket,
                                                            .point = task.point,
                                                            .best_time_us = task.best_time_us}));
  }
}

Cluster::Clock::time_point ClusterLab::deadline(Clock::time_point since) const {
  const ClusterOptions& options = cluster_.options_;
  double seconds = options.trial_seconds;
  if (longest_seconds_ > 0) {
    seconds = std::min(seconds, std::max(options.min_seconds, longest_seconds_ * options.patience));
  }
  return since + duration_of(seconds);
}

// A rank works on its tasks one after the other: its oldest one tells whether it is late.
void ClusterLab::lose_late_ranks() {
  const auto now = Clock::now();
  for (auto& [ticket, task] : tasks_) {
    if (task.rank == 0 || now < deadline(task.given)) continue;
    Cluster::Rank* rank = cluster_.rank_of(task.rank);
    if (rank != nullptr) {
      cluster_.lose(*rank, fmt::format("no answer for {:.0f} seconds",
                                       std::chrono::duration<double>(now - task.given).count()));
    }
    const int lost = task.rank;
    for (auto& [other_ticket, other] : tasks_) {
      if (other.rank == lost) other.rank = 0;
    }
  }
  hand_out();
}

Result<Trial> ClusterLab::wait() {
  for (;;) {
    if (cluster_.alive() == 0) {
      return Error{"every measuring rank is lost; the session can be resumed", Exit::kDevice};
    }
    hand_out();
    auto until = Clock::now() + duration_of(1);
    const auto message = cluster_.next_message(until);
    if (!message) {
      lose_late_ranks();
      continue;
    }
    const ClusterMessage& said = message->second;
    Cluster::Rank& rank = *cluster_.rank_of(message->first);
    if (said.kind == Kind::kFailed) {
      cluster_.lose(rank, said.reason);
      for (auto& [ticket, task] : tasks_) {
        if (task.rank == rank.number) task.rank = 0;
      }
      continue;
    }
    if (said.kind != Kind::kTrial) continue;
    const auto task = tasks_.find(said.number);
    if (task == tasks_.end()) continue;  // another rank was faster
    const double seconds = std::chrono::duration<double>(Clock::now() - task->second.given).count();
    longest_seconds_ = std::max(longest_seconds_, seconds);
    // The rank's next task has begun only now.
    for (auto& [ticket, other] : tasks_) {
      if (other.rank == rank.number) other.given = Clock::now();
    }
    tasks_.erase(task);
    Trial trial = said.trial;
    trial.disturbed = cluster_.is_disturbed(rank);
    return trial;
  }
}

// All finalists at one rank, so that they are compared on one GPU.
Result<std::vector<double>> ClusterLab::measure_again(const Point& point) {
  for (Cluster::Rank& rank : cluster_.ranks_) {
    if (rank.is_dead) continue;
    cluster_.transport_.send(rank.number, write_message({.kind = Kind::kAgain, .point = point}));
    const auto until = deadline(Clock::now());
    while (const auto message = cluster_.next_message(until)) {
      if (message->first != rank.number) continue;
      if (message->second.kind == Kind::kTimes) return message->second.times_us;
      if (message->second.kind == Kind::kFailed) break;
    }
    cluster_.lose(rank, "no answer in the final");
  }
  return Error{"every measuring rank is lost; the session can be resumed", Exit::kDevice};
}

}  // namespace burin::tune
