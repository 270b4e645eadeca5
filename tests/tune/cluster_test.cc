// A search at rank 0 with ranks that measure, die, hang and fail. Ranks are threads here; the tests
// of the command start processes under mpirun.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <mutex>
#include <thread>

#include "tune/cluster/cluster_lab.h"
#include "tune/cluster/serve_rank.h"
#include "tune/tuner.h"

namespace burin::tune {
namespace {

using testing::HasSubstr;

struct Mailboxes {
  explicit Mailboxes(int size) : boxes(static_cast<std::size_t>(size)) {}
  std::mutex mutex;
  std::vector<std::deque<Message>> boxes;
};

class ThreadTransport : public Transport {
 public:
  ThreadTransport(Mailboxes& mailboxes, int rank) : mailboxes_(mailboxes), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(mailboxes_.boxes.size()); }
  void send(int to, std::string_view text) override {
    const std::lock_guard lock(mailboxes_.mutex);
    mailboxes_.boxes[static_cast<std::size_t>(to)].push_back({rank_, std::string(text)});
  }
  std::optional<Message> poll() override {
    const std::lock_guard lock(mailboxes_.mutex);
    std::deque<Message>& box = mailboxes_.boxes[static_cast<std::size_t>(rank_)];
    if (box.empty()) return std::nullopt;
    Message message = std::move(box.front());
    box.pop_front();
    return message;
  }

 private:
  Mailboxes& mailboxes_;
  int rank_;
};

Space squares() {
  Parameter parameter{.name = "x", .values = {}};
  std::vector<Point> points;
  for (std::uint16_t i = 0; i < 40; ++i) {
    parameter.values.emplace_back(std::int64_t{i});
    points.push_back({i});
  }
  return Space::of_points({parameter}, points);
}

class QuickLab : public Lab {
 public:
  std::size_t width() const override { return 2; }
  void submit(const Point& point, const TrialLimits&) override { open_.push_back(point); }
  Result<Trial> wait() override {
    if (fails_after == 0) return Error{"the driver is gone", Exit::kDevice};
    --fails_after;
    Trial trial{.point = open_.front()};
    open_.pop_front();
    ++measured;
    trial.time_us = trial.objective = 10 + std::abs(trial.point[0] - 7.0);
    return trial;
  }
  Result<std::vector<double>> measure_again(const Point& point) override {
    return std::vector<double>{10 + std::abs(point[0] - 7.0)};
  }
  int fails_after = 1000;
  int measured = 0;

 private:
  std::deque<Point> open_;
};

struct RankScript {
  std::string host = "node";
  RankDevice device{.device = "GPU", .gpu = "", .width = 2};
  int fails_after = 1000;
  bool silent_after_ready = false;  // as one that was stopped
};

void rank_main(Mailboxes& mailboxes, int number, const RankScript& script, int* measured) {
  ThreadTransport transport(mailboxes, number);
  const Result<std::uint64_t> assigned = join_cluster(transport, script.host);
  if (!assigned) return;
  RankDevice device = script.device;
  if (device.gpu == "number") device.gpu = std::to_string(*assigned);
  report_ready(transport, device);
  if (script.silent_after_ready) return;
  QuickLab lab;
  lab.fails_after = script.fails_after;
  const Result<RankEnd> ended =
      serve_rank(transport, [&](std::uint64_t) -> Result<Lab*> { return &lab; });
  *measured = lab.measured;
  static_cast<void>(ended);
}

struct Outcome {
  Result<void> gathered;
  std::optional<Result<Tuned>> tuned{};
  std::vector<std::string> losses{};
  std::vector<std::string> warnings{};
  std::vector<int> measured{};
};

Outcome run(const std::vector<RankScript>& scripts, ClusterOptions options) {
  Outcome outcome;
  outcome.measured.assign(scripts.size(), 0);
  Mailboxes mailboxes(static_cast<int>(scripts.size()) + 1);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < scripts.size(); ++i) {
    threads.emplace_back(rank_main, std::ref(mailboxes), static_cast<int>(i) + 1,
                         std::cref(scripts[i]), &outcome.measured[i]);
  }
  ThreadTransport transport(mailboxes, 0);
  Cluster cluster(transport, options);
  outcome.gathered = cluster.gather();
  if (outcome.gathered) {
    outcome.warnings = cluster.warnings();
    const Space space = squares();
    ClusterLab lab(cluster, 0);
    auto strategy = make_strategy("exhaustive", space, {.ahead = lab.width()});
    outcome.tuned = tune(**strategy, lab, {.ahead = lab.width(), .finalists = 2, .rounds = 3});
  }
  outcome.losses = cluster.losses();
  cluster.end("done");
  for (std::thread& thread : threads) thread.join();
  return outcome;
}

void expect_complete(const Outcome& outcome) {
  ASSERT_TRUE(outcome.gathered) << outcome.gathered.error().message;
  ASSERT_TRUE(outcome.tuned && *outcome.tuned);
  const Tuned& tuned = **outcome.tuned;
  ASSERT_EQ(tuned.trials.size(), 40u);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(tuned.trials[i].point[0], i);
  EXPECT_EQ(tuned.trials[*tuned.best].point[0], 7);
}

TEST(Cluster, SpreadsTrialsOverRanks) {
  const Outcome outcome = run({{}, {}, {}}, {});
  expect_complete(outcome);
  EXPECT_TRUE(outcome.losses.empty());
  EXPECT_EQ(outcome.measured[0] + outcome.measured[1] + outcome.measured[2], 40);
  for (const int measured : outcome.measured) EXPECT_GT(measured, 0);
}

TEST(Cluster, TrialsOfASilentRankAreHandedOutAgain) {
  RankScript stopped;
  stopped.silent_after_ready = true;
  const Outcome outcome = run({{}, stopped}, {.patience = 5, .min_seconds = 0.2});
  expect_complete(outcome);
  ASSERT_EQ(outcome.losses.size(), 1u);
  EXPECT_THAT(outcome.losses[0], HasSubstr("rank 2"));
  EXPECT_EQ(outcome.measured[0], 40);
}

TEST(Cluster, ARankThatFailsIsReplacedByTheOthers) {
  RankScript broken;
  broken.fails_after = 3;
  const Outcome outcome = run({broken, {}}, {});
  expect_complete(outcome);
  ASSERT_EQ(outcome.losses.size(), 1u);
  EXPECT_THAT(outcome.losses[0], HasSubstr("the driver is gone"));
}

TEST(Cluster, EveryRankLostIsAnError) {
  RankScript broken;
  broken.fails_after = 3;
  const Outcome outcome = run({broken, broken}, {});
  ASSERT_TRUE(outcome.tuned);
  ASSERT_FALSE(*outcome.tuned);
  EXPECT_THAT(outcome.tuned->error().message, HasSubstr("every measuring rank is lost"));
}

TEST(Cluster, RefusesTwoRanksOnOneGpu) {
  RankScript first;
  first.device.gpu = "0000:19:00.0";
  const Outcome shared = run({first, first}, {});
  ASSERT_FALSE(shared.gathered);
  EXPECT_THAT(shared.gathered.error().message, HasSubstr("ranks 1 and 2 share the GPU"));
  EXPECT_EQ(shared.gathered.error().exit, Exit::kDevice);
  // The numbers that rank 0 assigns tell the devices of a host apart.
  first.device.gpu = "number";
  EXPECT_TRUE(run({first, first}, {}).gathered);
  RankScript elsewhere = first;
  elsewhere.host = "other";
  EXPECT_TRUE(run({first, elsewhere}, {}).gathered);
}

std::size_t count_disturbed(const Outcome& outcome) {
  return static_cast<std::size_t>(
      std::ranges::count((*outcome.tuned)->trials, true, &Trial::disturbed));
}

TEST(Cluster, RanksThatShareACpuAreAllowedAndTheirTrialsMarked) {
  RankScript cpu;
  cpu.device = {.device = "Xeon", .gpu = "cpu", .is_cpu = true};
  RankScript elsewhere = cpu;
  elsewhere.host = "other";
  const Outcome shared = run({cpu, elsewhere, cpu}, {});
  expect_complete(shared);
  ASSERT_EQ(shared.warnings.size(), 1u);
  EXPECT_THAT(shared.warnings[0], HasSubstr("ranks 1 and 3 measure on the CPU of node"));
  EXPECT_EQ(count_disturbed(shared), 40u - static_cast<std::size_t>(shared.measured[1]));

  const Outcome alone = run({cpu, elsewhere}, {});
  expect_complete(alone);
  EXPECT_TRUE(alone.warnings.empty());
  EXPECT_EQ(count_disturbed(alone), 0u);
  // Predictions are the same however many ranks make them.
  EXPECT_EQ(count_disturbed(run({{}, {}}, {})), 0u);
}

TEST(Cluster, ARankThatIsLostDisturbsNobody) {
  RankScript cpu;
  cpu.device = {.device = "Xeon", .gpu = "cpu", .is_cpu = true};
  RankScript broken = cpu;
  broken.fails_after = 3;
  const Outcome outcome = run({cpu, broken}, {});
  expect_complete(outcome);
  EXPECT_GE(count_disturbed(outcome), 3u);
  EXPECT_LT(count_disturbed(outcome), 40u);
}

TEST(Cluster, RefusesDifferentModelsUnlessAllowed) {
  RankScript other;
  other.device.device = "older GPU";
  const Outcome refused = run({{}, other}, {});
  ASSERT_FALSE(refused.gathered);
  EXPECT_THAT(refused.gathered.error().message, HasSubstr("--mixed"));
  expect_complete(run({{}, other}, {.mixed = true}));
}

TEST(ClusterMessage, ATrialArrivesAsItWasSent) {
  Trial trial{.point = {3, 1}, .status = Status::kCorrectness, .reason = "wrong \"x\"\n"};
  trial.times_us = {1.25, 2.5};
  trial.figures = {{"registers", 64}};
  trial.host = "node7";
  trial.disturbed = true;
  const Result<ClusterMessage> read = read_message(
      write_message({.kind = ClusterMessage::Kind::kTrial, .number = 9, .trial = trial}));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->number, 9u);
  EXPECT_EQ(read->trial.point, trial.point);
  EXPECT_EQ(read->trial.status, trial.status);
  EXPECT_EQ(read->trial.reason, trial.reason);
  EXPECT_TRUE(std::isinf(read->trial.objective));
  EXPECT_EQ(read->trial.times_us, trial.times_us);
  EXPECT_EQ(read->trial.figures, trial.figures);
  EXPECT_TRUE(read->trial.disturbed);
  for (const char* damaged : {"", "{", "[]", R"({"kind":"trial"})", R"({"kind":"what"})"}) {
    EXPECT_FALSE(read_message(damaged)) << damaged;
  }
}

}  // namespace
}  // namespace burin::tune
