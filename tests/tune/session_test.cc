// Does a session keep every trial once, and refuse what it was not made for?
#include "tune/session/session.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <thread>

#include "tune/session/schema.h"
#include "tune/spec.h"

namespace burin::tune {
namespace {

using formula::Value;

std::vector<Value> integers(std::int64_t count) {
  std::vector<Value> values;
  for (std::int64_t k = 0; k < count; ++k) values.emplace_back(k);
  return values;
}

SessionHeader small_header() {
  return {.burin = "0.9",
          .kernel = "gemm",
          .spec = "kernel = \"gemm\"\n[tunables]\ntile = [1, 2, 4]\n",
          .source_digest = "abc",
          .parameters = {{"tile",
                          {Value{std::int64_t{1}}, Value{std::int64_t{2}}, Value{std::int64_t{4}}}},
                         {"layout", {Value{std::string("NHWC")}, Value{std::string("a \"b\"\n")}}},
                         {"factor", {Value{0.5}, Value{2.0}}},
                         {"fast", {Value{false}, Value{true}}}},
          .restrictions = {"tile * 2 <= 8", "fast or tile > 1"},
          .objective = "time_us"};
}

// One parameter with many values: point k is {k}.
SessionHeader long_header() {
  SessionHeader header = small_header();
  header.parameters = {{"k", integers(60'000)}};
  header.restrictions.clear();
  return header;
}

Trial trial_at(Point point) {
  const double time = 10.0 + point[0];
  return {.point = std::move(point),
          .objective = time,
          .time_us = time,
          .times_us = {time, time + 1, time / 3},
          .cut_short = true,
          .disturbed = true,
          .compile_seconds = 0.25,
          .measure_seconds = 0.5,
          .figures = {{"registers", 40}, {"GFLOP/s", 1234.5}, {"odd \"name\"", -1e-300}},
          .device = "NVIDIA H200",
          .host = "node7",
          .unix_ms = 1'700'000'000'123};
}

void expect_equal(const Trial& a, const Trial& b) {
  EXPECT_EQ(a.point, b.point);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.reason, b.reason);
  EXPECT_EQ(a.objective, b.objective);
  EXPECT_EQ(a.time_us, b.time_us);
  EXPECT_EQ(a.times_us, b.times_us);
  EXPECT_EQ(a.cut_short, b.cut_short);
  EXPECT_EQ(a.disturbed, b.disturbed);
  EXPECT_EQ(a.compile_seconds, b.compile_seconds);
  EXPECT_EQ(a.measure_seconds, b.measure_seconds);
  EXPECT_EQ(a.figures, b.figures);
  EXPECT_EQ(a.device, b.device);
  EXPECT_EQ(a.host, b.host);
  EXPECT_EQ(a.unix_ms, b.unix_ms);
}

const RunHeader kRun{.device = "NVIDIA H200",
                     .problem_size = {{"n", Value{std::int64_t{4096}}}},
                     .strategy = "ensemble",
                     .seed = 0xffff'ffff'ffff'fff0u,
                     .ahead = 3};

class SessionTest : public testing::Test {
 protected:
  SessionTest()
      : folder_(std::filesystem::temp_directory_path() /
                ("burin-session-" + std::to_string(::getpid()))) {
    std::filesystem::create_directory(folder_);
  }
  ~SessionTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  // The reason why a session made for small_header() is not resumed with `header`.
  std::string refusal(const SessionHeader& header) const {
    if (!std::filesystem::exists(path("made"))) {
      EXPECT_TRUE(Session::create(path("made"), small_header()));
    }
    const Result<Session> session = Session::resume(path("made"), header);
    if (session) return "";
    EXPECT_EQ(session.error().exit, Exit::kInput);
    return session.error().message;
  }

  std::filesystem::path folder_;
};

TEST_F(SessionTest, KeepsWhatWasRecorded) {
  std::vector<Trial> written;
  Trial failed = trial_at({2, 1, 0, 1});
  failed.status = Status::kCompile;
  failed.reason = "gemm.cu:3: expected a ';'";
  failed.objective = std::numeric_limits<double>::infinity();
  failed.times_us.clear();
  failed.figures.clear();
  written.push_back(trial_at({0, 0, 0, 0}));
  written.push_back(failed);
  written.push_back(trial_at({1, 1, 1, 1}));
  std::int64_t run = 0;
  {
    Result<Session> session = Session::create(path("a"), small_header());
    ASSERT_TRUE(session) << session.error().message;
    const Result<std::int64_t> opened = session->open_run(kRun);
    ASSERT_TRUE(opened) << opened.error().message;
    run = *opened;
    for (const Trial& trial : written) {
      const Result<void> done = session->append(run, trial);
      ASSERT_TRUE(done) << done.error().message;
    }
  }
  const Result<Session> session = Session::open(path("a"));
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_EQ(session->header(), small_header());
  EXPECT_EQ(session->header().burin, "0.9");
  const Result<std::vector<SessionRun>> runs = session->runs();
  ASSERT_TRUE(runs);
  ASSERT_EQ(runs->size(), 1u);
  EXPECT_EQ(runs->front().header, kRun);
  EXPECT_EQ(runs->front().trials, 3u);
  const Result<std::vector<Trial>> read = session->trials(run);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), written.size());
  for (std::size_t k = 0; k < read->size(); ++k) expect_equal((*read)[k], written[k]);
}

TEST_F(SessionTest, RecordsNoTrialTwice) {
  Result<Session> session = Session::create(path("a"), small_header());
  const std::int64_t run = *session->open_run(kRun);
  EXPECT_TRUE(session->append(run, trial_at({1, 0, 0, 0})));
  const Result<void> again = session->append(run, trial_at({1, 0, 0, 0}));
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().message.find("in the session already"), std::string::npos);
  EXPECT_NE(again.error().message.find("\"tile\":2"), std::string::npos);
  // The session goes on, and another run has its own trials.
  EXPECT_TRUE(session->append(run, trial_at({2, 0, 0, 0})));
  RunHeader other = kRun;
  other.problem_size["n"] = Value{std::int64_t{1024}};
  const std::int64_t second = *session->open_run(other);
  EXPECT_NE(second, run);
  EXPECT_TRUE(session->append(second, trial_at({1, 0, 0, 0})));
  EXPECT_EQ(session->trials(run)->size(), 2u);
  EXPECT_EQ(session->trials(second)->size(), 1u);
}

TEST_F(SessionTest, RefusesPointsOutsideTheParameters) {
  Result<Session> session = Session::create(path("a"), small_header());
  const std::int64_t run = *session->open_run(kRun);
  EXPECT_FALSE(session->append(run, trial_at({3, 0, 0, 0})));
  EXPECT_FALSE(session->append(run, trial_at({0, 0, 0})));
  EXPECT_TRUE(session->append(run, trial_at({2, 1, 1, 1})));
}

TEST_F(SessionTest, FindsARunAgain) {
  Result<Session> session = Session::create(path("a"), small_header());
  const std::int64_t run = *session->open_run(kRun);
  EXPECT_EQ(*session->open_run(kRun), run);
  for (const auto change : {0, 1, 2, 3}) {
    RunHeader other = kRun;
    if (change == 0) other.device = "NVIDIA A100";
    if (change == 1) other.strategy = "random";
    if (change == 2) other.seed = 8;
    if (change == 3) other.ahead = 4;
    EXPECT_NE(*session->open_run(other), run);
  }
  EXPECT_EQ(session->runs()->size(), 5u);
}

TEST_F(SessionTest, KeepsTheWinnerAndItsFinal) {
  {
    Result<Session> session = Session::create(path("a"), small_header());
    const std::int64_t run = *session->open_run(kRun);
    EXPECT_FALSE(session->winner(run)->has_value());
    const Final first{.finalists = {{.point = {0, 0, 0, 0}, .times_us = {9}, .median_us = 9}},
                      .winner = 0,
                      .confidence = 0.5};
    EXPECT_TRUE(session->record_winner(run, trial_at({0, 0, 0, 0}), first));
    // A run that continues decides again.
    const Final second{
        .finalists = {{.point = {1, 0, 0, 0}, .times_us = {10, 11}, .median_us = 10.5},
                      {.point = {2, 0, 0, 0}, .times_us = {9, 12}, .median_us = 10.4}},
        .winner = 1,
        .confidence = 0.93};
    EXPECT_TRUE(session->record_winner(run, trial_at({2, 0, 0, 0}), second));
    RunHeader other = kRun;
    other.seed = 1;
    EXPECT_TRUE(session->record_winner(*session->open_run(other), trial_at({0, 0, 0, 0}), {}));
  }
  const Result<Session> session = Session::open(path("a"));
  const std::optional<Winner> winner = *session->winner(session->runs()->at(0).id);
  ASSERT_TRUE(winner);
  EXPECT_EQ(winner->point, (Point{2, 0, 0, 0}));
  EXPECT_EQ(winner->time_us, 12);
  ASSERT_TRUE(winner->final);
  EXPECT_EQ(winner->final->winner, 1u);
  EXPECT_EQ(winner->final->confidence, 0.93);
  ASSERT_EQ(winner->final->finalists.size(), 2u);
  EXPECT_EQ(winner->final->finalists[1].times_us, (std::vector<double>{9, 12}));
  EXPECT_EQ(winner->final->finalists[0].median_us, 10.5);
  const std::optional<Winner> clear = *session->winner(session->runs()->at(1).id);
  ASSERT_TRUE(clear);
  EXPECT_FALSE(clear->final);
}

TEST_F(SessionTest, ResumesWithTheSameSpecOnly) {
  EXPECT_EQ(refusal(small_header()), "");
  SessionHeader newer = small_header();
  newer.burin = "1.0";
  EXPECT_EQ(refusal(newer), "");

  const std::string made_for = path("made") + ": this session was made for another spec: ";
  const std::string remedy = "; restore the spec or begin a new session";
  SessionHeader other = small_header();
  other.parameters[0].values.pop_back();
  EXPECT_EQ(refusal(other),
            made_for + "tunable 'tile' had values 1, 2, 4 and now has values 1, 2" + remedy);
  other = small_header();
  other.parameters[0].values = {Value{1.0}, Value{std::int64_t{2}}, Value{std::int64_t{4}}};
  EXPECT_EQ(refusal(other),
            made_for + "tunable 'tile' had values 1, 2, 4 and now has values 1.0, 2, 4" + remedy);
  other = small_header();
  other.parameters.erase(other.parameters.begin() + 3);
  EXPECT_EQ(refusal(other),
            made_for + "tunable 'fast' is missing; it had values False, True" + remedy);
  other = small_header();
  other.parameters.push_back({"more", integers(2)});
  EXPECT_EQ(refusal(other), made_for + "tunable 'more' is new" + remedy);
  other = small_header();
  std::swap(other.parameters[0], other.parameters[1]);
  EXPECT_EQ(refusal(other), made_for + "tunable 1 was 'tile' and now is 'layout'" + remedy);
  other = small_header();
  other.restrictions[0] = "tile * 2 <= 4";
  EXPECT_EQ(refusal(other), made_for + "restriction 'tile * 2 <= 8' is missing" + remedy);
  other = small_header();
  other.restrictions.emplace_back("tile > 0");
  EXPECT_EQ(refusal(other), made_for + "restriction 'tile > 0' is new" + remedy);
  other = small_header();
  other.objective = "maximise 1/time_us";
  EXPECT_EQ(refusal(other),
            made_for + "the objective was 'time_us' and now is 'maximise 1/time_us'" + remedy);
  other = small_header();
  other.kernel = "sgemm";
  EXPECT_EQ(refusal(other), made_for + "the kernel was gemm and now is sgemm" + remedy);
  other = small_header();
  other.spec = "kernel = \"gemm\"\n[tunables]\ntile = [1,2,4]\n";
  EXPECT_EQ(refusal(other), made_for + "line 3 was: tile = [1, 2, 4]" + remedy);
  other = small_header();
  other.spec += "extra = 1";
  EXPECT_EQ(refusal(other), made_for + "line 4 was: " + remedy);
  other = small_header();
  other.source_digest = "def";
  EXPECT_EQ(refusal(other), made_for + "the kernel's source has changed" + remedy);
}

TEST(SessionHeader, LongListsOfValuesAreCounted) {
  SessionHeader other = long_header();
  other.parameters[0].values.pop_back();
  EXPECT_EQ(describe_difference(long_header(), other),
            "tunable 'k' had 60,000 values and now has 59,999 values");
  other = long_header();
  std::swap(other.parameters[0].values[5], other.parameters[0].values[6]);
  EXPECT_EQ(describe_difference(long_header(), other), "tunable 'k' had other values");
}

TEST_F(SessionTest, AResumedSessionGoesOn) {
  {
    Result<Session> session = Session::create(path("a"), small_header());
    EXPECT_TRUE(session->append(*session->open_run(kRun), trial_at({0, 0, 0, 0})));
  }
  {
    Result<Session> session = Session::resume(path("a"), small_header());
    ASSERT_TRUE(session) << session.error().message;
    const std::int64_t run = *session->open_run(kRun);
    EXPECT_EQ(session->trials(run)->size(), 1u);
    EXPECT_TRUE(session->append(run, trial_at({1, 0, 0, 0})));
  }
  const Result<Session> session = Session::open(path("a"));
  ASSERT_TRUE(session);
  EXPECT_EQ(session->runs()->size(), 1u);
  EXPECT_EQ(session->trials(session->runs()->front().id)->size(), 2u);
}

TEST_F(SessionTest, SaysWhatIsWrongWithAFile) {
  EXPECT_TRUE(Session::create(path("a"), small_header()));
  const Result<Session> exists = Session::create(path("a"), small_header());
  ASSERT_FALSE(exists);
  EXPECT_EQ(exists.error().message,
            path("a") + ": this session exists; resume it with --resume, or name another file");
  const Result<Session> missing = Session::resume(path("none"), small_header());
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message,
            path("none") + ": there is no such session to resume; leave out --resume to begin one");
  EXPECT_FALSE(std::filesystem::exists(path("none")));
  std::ofstream(path("text")) << "kernel = 1";
  const Result<Session> text = Session::resume(path("text"), small_header());
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message, path("text") + ": is not a session, or its header is damaged");
  EXPECT_FALSE(Session::open(path("text")));
}

TEST_F(SessionTest, ASecondTunerIsRefused) {
  const Result<Session> first = Session::create(path("a"), small_header());
  ASSERT_TRUE(first);
  int status = 0;
  const pid_t other = ::fork();
  if (other == 0) {
    const Result<Session> second = Session::resume(path("a"), small_header());
    const bool named =
        !second &&
        second.error().message.find("this session is being written by process " +
                                    std::to_string(::getppid()) + " on host") != std::string::npos;
    ::_exit(named && Session::open(path("a")) ? 0 : 1);
  }
  ASSERT_EQ(::waitpid(other, &status, 0), other);
  EXPECT_EQ(status, 0);
}

// As burin wrote it before trials were marked as disturbed.
TEST_F(SessionTest, ASessionOfTheFirstVersionIsUpgraded) {
  {
    Result<Session> session = Session::create(path("a"), small_header());
    EXPECT_TRUE(session->append(*session->open_run(kRun), trial_at({0, 0, 0, 0})));
  }
  {
    Result<store::Database> file = store::Database::append(path("a"), kSessionFile);
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_TRUE(file->statement("ALTER TABLE trial DROP COLUMN disturbed").run());
    ASSERT_TRUE(file->statement("PRAGMA user_version = 1").run());
  }
  EXPECT_EQ(Session::open(path("a"))->trials(1)->size(), 1u);
  Result<Session> session = Session::resume(path("a"), small_header());
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_TRUE(session->append(1, trial_at({1, 0, 0, 0})));
  EXPECT_FALSE(session->trials(1)->front().disturbed);  // not known then
  EXPECT_TRUE(session->trials(1)->back().disturbed);
}

TEST_F(SessionTest, ADamagedTrialIsAnErrorNotACrash) {
  for (const char* damage :
       {"UPDATE trial SET point = '9,0,0,0'", "UPDATE trial SET point = '1,x,0,0'",
        "UPDATE trial SET point = ''", "UPDATE trial SET status = 'fine'",
        "UPDATE trial SET figures = '{\"a\":'", "UPDATE trial SET figures = '{\"a\":1}x'"}) {
    std::filesystem::remove(path("a"));
    {
      Result<Session> session = Session::create(path("a"), small_header());
      EXPECT_TRUE(session->append(*session->open_run(kRun), trial_at({0, 0, 0, 0})));
    }
    {
      Result<store::Database> file = store::Database::append(path("a"), kSessionFile);
      ASSERT_TRUE(file) << file.error().message;
      EXPECT_TRUE(file->statement(damage).run());
    }
    const Result<Session> session = Session::open(path("a"));
    ASSERT_TRUE(session);
    const Result<std::vector<Trial>> trials = session->trials(1);
    ASSERT_FALSE(trials) << damage;
    EXPECT_NE(trials.error().message.find("is a damaged session"), std::string::npos);
  }
}

// Trials are appended by a child that is killed again and again; it resumes as a tuner does.
void append_until_killed(const std::string& path, int pipe, Durability durability) {
  Result<Session> session = std::filesystem::exists(path)
                                ? Session::resume(path, long_header(), durability)
                                : Session::create(path, long_header(), durability);
  if (!session) ::_exit(1);
  const Result<std::int64_t> run = session->open_run(kRun);
  if (!run) ::_exit(1);
  const Result<std::vector<Trial>> known = session->trials(*run);
  if (!known) ::_exit(1);
  for (std::size_t k = known->size();; ++k) {
    const auto at = static_cast<std::uint16_t>(k);
    if (!session->append(*run, trial_at({at}))) ::_exit(1);
    if (::write(pipe, &at, sizeof at) != sizeof at) ::_exit(1);
  }
}

TEST_F(SessionTest, TenKillsLoseNoReportedTrial) {
  std::mt19937 random(11);
  std::set<std::uint16_t> reported;
  for (int round = 0; round < 10; ++round) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) append_until_killed(path("a"), ends[1], Durability::kEachTrial);
    ::close(ends[1]);
    std::uint16_t at = 0;
    // The first report proves that it has resumed.
    ASSERT_EQ(::read(ends[0], &at, sizeof at), static_cast<ssize_t>(sizeof at));
    reported.insert(at);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 30'000));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    while (::read(ends[0], &at, sizeof at) == sizeof at) reported.insert(at);
    ::close(ends[0]);

    const Result<Session> session = Session::open(path("a"));
    ASSERT_TRUE(session) << session.error().message;
    const Result<std::vector<Trial>> trials = session->trials(1);
    ASSERT_TRUE(trials);
    std::set<std::uint16_t> found;
    for (const Trial& trial : *trials) {
      EXPECT_TRUE(found.insert(trial.point[0]).second) << "twice";
    }
    for (const std::uint16_t safe : reported) EXPECT_TRUE(found.contains(safe)) << safe;
    EXPECT_LE(found.size(), reported.size() + 1 + static_cast<std::size_t>(round));
  }
}

TEST_F(SessionTest, ABatchedSessionIsWrittenWhenItEnds) {
  constexpr std::uint16_t kTrials = 25'000;
  {
    Result<Session> session = Session::create(path("a"), long_header(), Durability::kBatched);
    const std::int64_t run = *session->open_run(kRun);
    for (std::uint16_t k = 0; k < kTrials; ++k) {
      ASSERT_TRUE(session->append(run, trial_at({k})));
    }
    EXPECT_FALSE(session->append(run, trial_at({7})));
    EXPECT_EQ(session->trials(run)->size(), kTrials);
    EXPECT_TRUE(session->flush());
    EXPECT_EQ(Session::open(path("a"))->trials(run)->size(), kTrials);
    EXPECT_TRUE(session->append(run, trial_at({kTrials})));
    EXPECT_TRUE(session->record_winner(run, trial_at({0}), {}));
    const Session moved = std::move(*session);
    EXPECT_EQ(moved.trials(run)->size(), kTrials + 1u);
  }
  const Result<Session> session = Session::open(path("a"));
  ASSERT_TRUE(session);
  EXPECT_EQ(session->trials(1)->size(), kTrials + 1u);
}

TEST_F(SessionTest, IsRecognised) {
  {
    EXPECT_TRUE(Session::create(path("a"), small_header()));
  }
  std::vector<std::uint8_t> begin(store::Database::kHeaderBytes);
  std::ifstream(path("a")).read(reinterpret_cast<char*>(begin.data()),
                                static_cast<std::streamsize>(begin.size()));
  EXPECT_TRUE(Session::is_session(begin));
  EXPECT_FALSE(Session::is_session(Bytes(begin).first(50)));
  begin[68] ^= 1;
  EXPECT_FALSE(Session::is_session(begin));
}

TEST(SessionHeader, ComesFromASpec) {
  Spec spec;
  spec.text = "text";
  spec.tunables = {{"tile", integers(3)}};
  spec.launches.push_back({.kernel = "gemm"});
  const SessionHeader header = header_of(spec);
  EXPECT_EQ(header.kernel, "gemm");
  EXPECT_EQ(header.spec, "text");
  EXPECT_EQ(header.objective, "time_us");
  ASSERT_EQ(header.parameters.size(), 1u);
  EXPECT_EQ(header.parameters[0].values.size(), 3u);
}

TEST(SessionHeader, TheDigestCoversParametersValuesAndRestrictions) {
  const std::string digest = space_digest(small_header());
  EXPECT_EQ(digest.size(), 64u);
  SessionHeader other = small_header();
  other.spec = "different";
  EXPECT_EQ(space_digest(other), digest);
  other = small_header();
  other.parameters[2].name = "factors";
  EXPECT_NE(space_digest(other), digest);
  other = small_header();
  other.parameters[3].values = integers(2);  // 0 and 1 are not False and True
  EXPECT_NE(space_digest(other), digest);
  other = small_header();
  other.restrictions.pop_back();
  EXPECT_NE(space_digest(other), digest);
}

}  // namespace
}  // namespace burin::tune
