#include "tune/cluster/serve_rank.h"

#include <unistd.h>

#include <chrono>
#include <map>

#include "tune/cluster/messages.h"

namespace burin::tune {
namespace {

using Kind = ClusterMessage::Kind;

constexpr unsigned kIdleMicroseconds = 500;
// Rank 0 is taken for dead if it has had nothing to do for a rank for so long: a final, during
// which all ranks but one are idle, takes seconds.
constexpr std::chrono::minutes kIdleLimit{10};

// Waits for the next message of rank 0.
ClusterMessage next_order(Transport& transport) {
  const auto until = std::chrono::steady_clock::now() + kIdleLimit;
  for (;;) {
    if (std::chrono::steady_clock::now() > until) {
      return {.kind = Kind::kEnd, .reason = "rank 0 has been silent for ten minutes"};
    }
    if (const std::optional<Message> message = transport.poll()) {
      if (message->from != kSearchRank) continue;
      if (Result<ClusterMessage> order = read_message(message->text)) return std::move(*order);
      continue;
    }
    ::usleep(kIdleMicroseconds);
  }
}

void say(Transport& transport, const ClusterMessage& message) {
  transport.send(kSearchRank, write_message(message));
}

}  // namespace

Result<std::uint64_t> join_cluster(Transport& transport, const std::string& host) {
  say(transport,
      {.kind = Kind::kHello, .host = host, .number = static_cast<std::uint64_t>(::getpid())});
  for (;;) {
    const ClusterMessage order = next_order(transport);
    if (order.kind == Kind::kAssigned) return order.number;
    if (order.kind == Kind::kEnd) return Error{order.reason, Exit::kDevice};
  }
}

void report_ready(Transport& transport, const RankDevice& device) {
  say(transport, {.kind = Kind::kReady,
                  .device = device.device,
                  .gpu = device.gpu,
                  .is_cpu = device.is_cpu,
                  .width = device.width});
}

void report_failure(Transport& transport, const std::string& reason) {
  say(transport, {.kind = Kind::kFailed, .reason = reason});
}

Result<RankEnd> serve_rank(Transport& transport,
                           const std::function<Result<Lab*>(std::uint64_t run)>& lab_of) {
  Lab* lab = nullptr;
  std::map<Point, std::uint64_t> open;  // tickets of the points in the lab
  for (;;) {
    // Everything that has arrived first: the lab compiles while it measures.
    std::optional<ClusterMessage> order;
    if (open.empty()) {
      order = next_order(transport);
    } else if (const std::optional<Message> message = transport.poll()) {
      if (Result<ClusterMessage> read = read_message(message->text)) order = std::move(*read);
    }
    if (order) {
      if (order->kind == Kind::kEnd) return RankEnd{order->reason, order->number != 0};
      if (order->kind == Kind::kRun) {
        const Result<Lab*> next = lab_of(order->number);
        if (!next) {
          report_failure(transport, next.error().message);
          return next.error();
        }
        lab = *next;
        open.clear();
      } else if (order->kind == Kind::kTask && lab != nullptr) {
        open[order->point] = order->number;
        lab->submit(order->point, {.best_time_us = order->best_time_us});
      } else if (order->kind == Kind::kAgain && lab != nullptr) {
        const Result<std::vector<double>> times = lab->measure_again(order->point);
        if (!times) {
          report_failure(transport, times.error().message);
          return times.error();
        }
        say(transport, {.kind = Kind::kTimes, .times_us = *times});
      }
      continue;
    }
    Result<Trial> trial = lab->wait();
    if (!trial) {
      report_failure(transport, trial.error().message);
      return trial.error();
    }
    auto ticket = open.extract(trial->point);
    say(transport, {.kind = Kind::kTrial, .number = ticket.mapped(), .trial = std::move(*trial)});
  }
}

}  // namespace burin::tune
