// The measuring ranks of a cluster as one lab, for the search at rank 0.
//
//   Cluster cluster(transport, {.mixed = false});
//   if (Result<void> ready = cluster.gather(); !ready) return ready.error();
//   ClusterLab lab(cluster, run_index);
//   Result<Tuned> tuned = tune(strategy, lab, options);
//   cluster.end("");
//
// A rank that does not answer in time is taken for dead: its trials are handed to others, and what
// it may still say is ignored. MPI itself does not report reliably that a rank died.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "tune/cluster/messages.h"
#include "tune/cluster/transport.h"
#include "tune/lab.h"

namespace burin::tune {

struct ClusterOptions {
  bool mixed = false;          // GPUs of different models may measure for one session
  double start_seconds = 120;  // for a rank to open its device
  double trial_seconds = 300;  // for a trial: the longest that compiling and measuring may take
  double patience = 20;        // and at most so many times the longest trial so far,
  double min_seconds = 10;     // but not less than this
};

// The ranks that measure. Rank 0 only searches.
class Cluster {
 public:
  using Clock = std::chrono::steady_clock;

  Cluster(Transport& transport, ClusterOptions options)
      : transport_(transport), options_(options) {}

  // Waits until the ranks have opened their devices. Errors: two ranks on one GPU, different models
  // without `mixed`, no rank that works. Ranks may share a CPU: their trials are marked as
  // disturbed.
  Result<void> gather();

  // Tells all ranks to leave. Lost ones of this computer are killed: a rank that is stopped would
  // keep mpirun waiting.
  void end(const std::string& reason);

  struct Rank {
    int number = 0;
    std::uint64_t process = 0;  // on its host
    std::string host{};
    std::string device{};
    std::string gpu{};
    bool is_cpu = false;
    std::size_t width = 1;
    bool is_ready = false;
    bool is_dead = false;
  };
  const std::vector<Rank>& ranks() const { return ranks_; }
  std::size_t alive() const;
  bool lost_any() const { return alive() < ranks_.size(); }
  std::vector<std::string> losses() const { return losses_; }  // a sentence for each dead rank

  // Whether another rank that is alive measures on the same device, and so disturbs it.
  bool is_disturbed(const Rank& rank) const;
  // A sentence for each CPU that several ranks measure on.
  std::vector<std::string> warnings() const;

 private:
  friend class ClusterLab;

  Rank* rank_of(int number);
  void lose(Rank& rank, const std::string& why);
  std::optional<std::pair<int, ClusterMessage>> next_message(Clock::time_point until);
  void assign(const ClusterMessage& hello, Rank& rank);
  Result<void> check_devices() const;

  Transport& transport_;
  ClusterOptions options_;
  std::vector<Rank> ranks_;
  std::map<std::string, std::uint64_t> ranks_of_host_;
  std::vector<std::string> losses_;
};

class ClusterLab : public Lab {
 public:
  // `run`: the index of the problem size, which every rank knows.
  ClusterLab(Cluster& cluster, std::uint64_t run);

  static std::size_t width_of(const Cluster& cluster);
  std::size_t width() const override { return width_of(cluster_); }
  void submit(const Point& point, const TrialLimits& limits) override;
  Result<Trial> wait() override;
  Result<std::vector<double>> measure_again(const Point& point) override;

 private:
  using Clock = Cluster::Clock;
  struct Task {
    Point point;
    double best_time_us = 0;
    int rank = 0;  // 0: waits for a rank
    Clock::time_point given{};
  };

  void hand_out();
  Clock::time_point deadline(Clock::time_point since) const;
  // Ranks that are late, with their tasks given back.
  void lose_late_ranks();
  std::size_t open_at(int rank) const;

  Cluster& cluster_;
  std::map<std::uint64_t, Task> tasks_;
  std::uint64_t next_ticket_ = 0;
  double longest_seconds_ = 0;
};

}  // namespace burin::tune
