// What a recorded process leaves is read as it was written, up to where it was killed.
#include "capture/spool/spool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>

#include "base/crc32.h"
#include "base/file.h"
#include "capture/spool/spool_writer.h"

namespace burin::capture {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

std::vector<std::uint8_t> file_of(const std::vector<SpoolRecord>& records) {
  std::vector<std::uint8_t> file = spool_header();
  for (const SpoolRecord& record : records) {
    const std::vector<std::uint8_t> bytes = encode_record(record);
    file.insert(file.end(), bytes.begin(), bytes.end());
  }
  return file;
}

struct Read {
  std::vector<SpoolRecord> records;
  bool truncated = false;
};

Read read(Bytes file) {
  Result<SpoolReader> reader = SpoolReader::open(file);
  EXPECT_TRUE(reader.ok());
  Read read;
  while (std::optional<SpoolRecord> record = reader->next()) read.records.push_back(*record);
  read.truncated = reader->truncated();
  return read;
}

template <typename Record>
Record round_trip(const Record& record, const std::vector<std::uint8_t>& file) {
  const Read read_back = read(file);
  EXPECT_THAT(read_back.records, SizeIs(1));
  EXPECT_FALSE(read_back.truncated);
  (void)record;
  return std::get<Record>(read_back.records.at(0));
}

SpoolLaunch some_launch() {
  SpoolLaunch launch;
  launch.launch = 7;
  launch.kernel = 3;
  launch.stream = 0xfedcba9876543210;
  launch.grid = {10, 20, 30};
  launch.block = {256, 1, 1};
  launch.cluster = {2, 1, 1};
  launch.shared_bytes = 49152;
  launch.flags = SpoolLaunch::kCooperative;
  launch.arguments = {1, 2, 3, 4, 5, 6, 7, 8};
  launch.allocations = {{0, 0x7f0000000000, 1 << 20, SpoolAllocation::kDevice}};
  launch.stack = 2;
  launch.correlation = 99;
  launch.ranges = "step/forward";
  return launch;
}

TEST(Crc32Test, IsTheOneOfZlib) {
  const std::string text = "123456789";
  const Bytes bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  EXPECT_EQ(crc32(bytes), 0xCBF43926u);
  EXPECT_EQ(crc32(bytes.subspan(4), crc32(bytes.first(4))), 0xCBF43926u);
}

TEST(SpoolTest, LaunchKeepsEveryField) {
  const SpoolLaunch launch = some_launch();
  const SpoolLaunch again = round_trip(launch, file_of({launch}));
  EXPECT_EQ(again.launch, 7u);
  EXPECT_EQ(again.stream, 0xfedcba9876543210u);
  EXPECT_THAT(again.grid, ElementsAre(10, 20, 30));
  EXPECT_THAT(again.cluster, ElementsAre(2, 1, 1));
  EXPECT_EQ(again.arguments, launch.arguments);
  EXPECT_EQ(again.allocations, launch.allocations);
  EXPECT_EQ(again.ranges, "step/forward");
  EXPECT_EQ(again.correlation, 99u);
  EXPECT_EQ(again.flags, std::uint32_t{SpoolLaunch::kCooperative});
}

TEST(SpoolTest, SamplesKeepTheirStalls) {
  SpoolSamples samples;
  samples.total = 1000;
  samples.dropped = 3;
  samples.functions = {{0xabc, "_Z1fPf"}, {0xdef, "_Z1gPf"}};
  samples.samples = {{0, 0, 16, {{4, 10}, {5, 20}}}, {1, 12, 32, {}}};
  const std::vector<std::uint8_t> file = file_of({samples});
  const SpoolSamples again = round_trip(samples, file);
  EXPECT_EQ(again.dropped, 3u);
  ASSERT_THAT(again.samples, SizeIs(2));
  EXPECT_THAT(again.samples[0].stalls, ElementsAre(SpoolStall{4, 10}, SpoolStall{5, 20}));
  EXPECT_EQ(again.samples[1].correlation, 12u);
  EXPECT_EQ(again.functions[1].name, "_Z1gPf");
}

TEST(SpoolTest, CubinsAndMemoryAreViewsIntoTheFile) {
  const std::vector<std::uint8_t> cubin(1000, 0x5a);
  const std::vector<std::uint8_t> file = file_of({SpoolModule{1, 0x1234, cubin}});
  const SpoolModule again = round_trip(SpoolModule{}, file);
  EXPECT_TRUE(std::equal(again.cubin.begin(), again.cubin.end(), cubin.begin(), cubin.end()));
  EXPECT_GE(again.cubin.data(), file.data());
  EXPECT_LE(again.cubin.data() + again.cubin.size(), file.data() + file.size());
}

// Wherever a process is killed, what it had written whole before is there.
TEST(SpoolTest, CutAnywhereKeepsTheRecordsBefore) {
  const std::vector<SpoolRecord> records = {SpoolProcess{.pid = 1, .command = {"a", "b c"}},
                                            some_launch(), SpoolEnd{.launches_seen = 1}};
  const std::vector<std::uint8_t> file = file_of(records);
  std::vector<std::size_t> ends = {16};
  for (const SpoolRecord& record : records)
    ends.push_back(ends.back() + encode_record(record).size());
  for (std::size_t size = 16; size <= file.size(); ++size) {
    const Read cut = read(Bytes(file).first(size));
    const auto whole = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), size) -
                                                ends.begin() - 1);
    ASSERT_EQ(cut.records.size(), whole) << size;
    ASSERT_EQ(cut.truncated, size != ends[whole]) << size;
  }
}

TEST(SpoolTest, DamageEndsTheFile) {
  std::vector<std::uint8_t> file = file_of({some_launch(), some_launch()});
  file[file.size() - 5] ^= 1;
  const Read damaged = read(file);
  EXPECT_THAT(damaged.records, SizeIs(1));
  EXPECT_TRUE(damaged.truncated);
}

TEST(SpoolTest, KindsOfANewerBurinAreSkipped) {
  std::vector<std::uint8_t> file = file_of({some_launch(), SpoolEnd{.launches_seen = 5}});
  file[16 + 4] = 200;  // the first record's kind
  const Read rest = read(file);
  ASSERT_THAT(rest.records, SizeIs(1));
  EXPECT_EQ(std::get<SpoolEnd>(rest.records[0]).launches_seen, 5u);
}

TEST(SpoolTest, RefusesWhatIsNoSpoolAndOtherVersions) {
  std::vector<std::uint8_t> file = spool_header();
  file[8] = kSpoolVersion + 1;
  EXPECT_THAT(SpoolReader::open(file).error().message, HasSubstr("newer burin"));
  file[8] = kSpoolVersion - 1;
  EXPECT_THAT(SpoolReader::open(file).error().message, HasSubstr("older burin"));
  file[0] = 'X';
  EXPECT_THAT(SpoolReader::open(file).error().message, HasSubstr("this is not a recording"));
  EXPECT_FALSE(SpoolReader::open(Bytes(file).first(3)).ok());
}

TEST(SpoolTest, ReasonsAndTheirFamily) {
  EXPECT_EQ(stall_reason("smsp__pcsamp_warps_issue_stalled_long_scoreboard").reason,
            "long_scoreboard");
  EXPECT_FALSE(stall_reason("smsp__pcsamp_warps_issue_stalled_wait").not_issued);
  const StallReasonName wait = stall_reason("smsp__pcsamp_warps_issue_stalled_wait_not_issued");
  EXPECT_EQ(wait.reason, "wait");
  EXPECT_TRUE(wait.not_issued);
  EXPECT_EQ(stall_reason("smsp__pcsamp_sample_count").reason, "");
}

class SpoolWriterTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(folder_), std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Tests run side by side: each has a folder of its own.
  std::string folder_ = testing::TempDir() + "spool_writer_test_" +
                        testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(SpoolWriterTest, WritesWhatIsRead) {
  const std::string path = folder_ + "/" + spool_file_name(4711, 0x18d2f);
  EXPECT_THAT(path, HasSubstr("/4711-0000000000018d2f.spool"));
  {
    SpoolWriter out;
    ASSERT_TRUE(out.create(path).ok());
    out.add(SpoolProcess{.pid = 4711});
    out.add(some_launch());
    EXPECT_FALSE(out.full());
  }
  EXPECT_THAT(spool_files(folder_).value(), ElementsAre(path));
  const Result<MappedFile> file = MappedFile::open(path);
  ASSERT_TRUE(file.ok());
  EXPECT_THAT(read(file->bytes()).records, SizeIs(2));
}

// A limit on the file's size stands for a full disk.
TEST_F(SpoolWriterTest, FullDiskLeavesWholeRecords) {
  const std::string path = folder_ + "/full.spool";
  const std::vector<std::uint8_t> contents(100 << 10);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit limit{350 << 10, before.rlim_max};
  std::signal(SIGXFSZ, SIG_IGN);
  SpoolWriter out;
  ASSERT_TRUE(out.create(path).ok());
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  for (int i = 0; i < 10; ++i) out.add(SpoolContent{1, contents});
  out.flush();
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_TRUE(out.full());
  const Result<MappedFile> file = MappedFile::open(path);
  ASSERT_TRUE(file.ok());
  const Read kept = read(file->bytes());
  ASSERT_THAT(kept.records, SizeIs(4));  // three of the ten, and why there are no more
  const auto* problem = std::get_if<SpoolProblem>(&kept.records.back());
  ASSERT_NE(problem, nullptr);
  EXPECT_EQ(problem->what, std::uint32_t{SpoolProblem::kDiskFull});
  EXPECT_FALSE(kept.truncated);
}

TEST(SpoolFilesTest, FolderThatIsNotThere) {
  EXPECT_THAT(spool_files("/proc/nowhere/folder").error().message,
              HasSubstr("/proc/nowhere/folder"));
}

}  // namespace
}  // namespace burin::capture
