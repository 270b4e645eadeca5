#include "jobs/tune/ranks.h"

#include <unistd.h>

#include <cstdio>
#include <memory>
#include <optional>

#include "base/host_name.h"
#include "jobs/tune/device.h"
#include "tune/cluster/cluster_lab.h"
#include "tune/cluster/mpi.h"
#include "tune/cluster/serve_rank.h"

namespace burin::jobs {
namespace {

// MPI can be started once in a process, and must be left when everything else is done.
struct Membership {
  std::unique_ptr<tune::Mpi> mpi;
  bool lost_a_rank = false;
};
Membership& membership() {
  static Membership one;
  return one;
}

Result<void> serve(const TuneRequest& request, TuneTarget& target, const TunedKernel& tuned,
                   tune::Transport& transport) {
  const Result<std::uint64_t> number = tune::join_cluster(transport, host_name());
  if (!number) return number.error();
  const std::string device = device_of_process(request.device, *number,
                                               tuned.spec.sources.empty() ? nullptr : &tuned.spec);
  if (Result<void> opened = target.open(device); !opened) {
    tune::report_failure(transport, opened.error().message);
    membership().lost_a_rank = true;
    return opened;
  }
  const std::size_t width = target.width();
  tune::report_ready(transport, {.device = target.model(),
                                 .gpu = target.bus_id(),
                                 .is_cpu = target.is_cpu(),
                                 .width = width});
  const Result<tune::RankEnd> ended =
      tune::serve_rank(transport, [&](std::uint64_t run) { return target.lab(run, {}, width); });
  // A rank that fails is lost to the others.
  membership().lost_a_rank = !ended || ended->lost_a_rank;
  return ended ? Result<void>{} : Result<void>{ended.error()};
}

// The model of the device that all ranks measure on; "" if there are several.
std::string common_model(const tune::Cluster& cluster) {
  std::string model;
  for (const tune::Cluster::Rank& rank : cluster.ranks()) {
    if (rank.is_dead) continue;
    if (!model.empty() && model != rank.device) return "";
    model = rank.device;
  }
  return model;
}

}  // namespace

bool is_one_of_many() {
  return tune::Mpi::is_under_mpirun();
}

Result<void> tune_with_ranks(
    const TuneRequest& request, TuneTarget& target, TunedKernel& tuned,
    const std::function<Result<void>(const LabOfRun& lab_of, std::size_t width)>& search) {
  Result<std::unique_ptr<tune::Mpi>> opened = tune::Mpi::open();
  if (!opened) return opened.error();
  membership().mpi = std::move(*opened);
  tune::Mpi& mpi = *membership().mpi;
  if (mpi.rank() != tune::kSearchRank) {
    tuned.serves = true;
    return serve(request, target, tuned, mpi);
  }

  tune::Cluster cluster(mpi, {.mixed = request.mixed, .min_seconds = request.rank_patience});
  Result<void> done = cluster.gather();
  if (done) {
    for (const std::string& warning : cluster.warnings()) tuned.notes.push_back(warning);
    target.measured_elsewhere(common_model(cluster));
    std::optional<tune::ClusterLab> lab;
    const LabOfRun lab_of = [&](std::size_t run, const std::vector<tune::Trial>&,
                                std::size_t) -> Result<tune::Lab*> {
      lab.emplace(cluster, run);
      return &*lab;
    };
    done = search(lab_of, tune::ClusterLab::width_of(cluster));
  }
  for (const std::string& loss : cluster.losses()) tuned.notes.push_back(loss);
  membership().lost_a_rank = cluster.lost_any();
  cluster.end(done ? "" : done.error().message);
  return done;
}

void leave_ranks(int exit_status) {
  Membership& one = membership();
  if (!one.mpi) return;
  if (!one.lost_a_rank) {
    one.mpi->leave(tune::Mpi::Leave::kTogether);
    return;
  }
  one.mpi->leave(tune::Mpi::Leave::kAlone);
  std::fflush(nullptr);
  ::_exit(exit_status);
}

}  // namespace burin::jobs
