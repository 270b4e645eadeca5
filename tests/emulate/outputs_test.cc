// Are a run's buffers written and compared, and is what is Unknown told?
#include "emulate/outputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace burin::emulate {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class OutputsTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/burin-test-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string at(const std::string& name) const { return folder_ + "/" + name; }
  std::string contents(const std::string& name) const {
    std::ifstream file(at(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(at(name), std::ios::binary) << text;
  }

  // A run whose buffers are those of the launch, untouched.
  burin::emulate::Run run_of(const std::vector<std::string>& arguments) {
    launch_.arguments = *launch::parse_arguments(arguments);
    burin::emulate::Run run;
    run.memory = std::make_shared<GlobalMemory>();
    for (const launch::Argument& argument : launch_.arguments) {
      run.buffers.push_back(
          argument.buffer() == nullptr ? 0 : run.memory->add("argument", *argument.buffer()));
    }
    return run;
  }

  CheckedOutput check(const burin::emulate::Run& run, const std::string& text) {
    Result<Expectation> expected = open_expected(launch_, *launch::parse_expected(text));
    EXPECT_TRUE(expected) << expected.error().message;
    return *check_output(run, *expected);
  }

  launch::Launch launch_;
  std::string folder_;
};

TEST_F(OutputsTest, ABufferIsWrittenWhole) {
  const burin::emulate::Run run = run_of({"i32:1", "buf:100000:u8:seed=3"});
  const Result<WrittenOutput> written = write_output(run, {1, at("a")});
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(written->bytes, 100000u);
  EXPECT_EQ(written->unknown_bytes, 0u);
  std::string expected(100000, 0);
  launch_.arguments[1].buffer()->fill(
      0, {reinterpret_cast<std::uint8_t*>(expected.data()), expected.size()});
  EXPECT_EQ(contents("a"), expected);
  EXPECT_TRUE(check(run, "1=" + at("a")).passed());
}

TEST_F(OutputsTest, UnknownBytesAreCountedAndZero) {
  const burin::emulate::Run run = run_of({"buf:70"});
  Datum datum;
  datum.bytes.fill(9);
  ASSERT_EQ(run.memory->write(run.buffers[0] + 10, 4, datum), MemoryStatus::kDone);
  const Result<WrittenOutput> written = write_output(run, {0, at("a")});
  ASSERT_TRUE(written);
  EXPECT_EQ(written->unknown_bytes, 66u);
  std::string expected(70, 0);
  expected.replace(10, 4, 4, 9);
  EXPECT_EQ(contents("a"), expected);

  const CheckedOutput checked = check(run, "0=" + at("a"));
  EXPECT_FALSE(checked.passed());
  EXPECT_EQ(describe(checked),
            "argument 0 cannot be compared with " + at("a") + ": 66 of its bytes are Unknown");
}

TEST_F(OutputsTest, ADifferenceIsDescribed) {
  const burin::emulate::Run run = run_of({"buf:16:zero"});
  write("a", std::string(8, 0) + std::string("\x00\x00\xc0\x3f", 4) + std::string(4, 0));
  const CheckedOutput checked = check(run, "0=" + at("a") + ":f32");
  EXPECT_FALSE(checked.passed());
  EXPECT_EQ(
      describe(checked),
      "argument 0 differs from " + at("a") +
          " in 1 of 4 elements (f32); first at element 2: 0 instead of 1.5, largest error 1.5");
  EXPECT_TRUE(check(run, "0=" + at("a") + ":f32:1.5").passed());
}

TEST_F(OutputsTest, WhatCannotBeComparedIsRefusedBeforeTheRun) {
  run_of({"buf:16:zero", "i32:4", "buf:16:f32"});
  write("a", std::string(16, 0));
  write("short", std::string(15, 0));
  const auto refused = [&](const std::string& text) {
    return open_expected(launch_, *launch::parse_expected(text)).error().message;
  };
  EXPECT_THAT(refused("0=" + at("short")), HasSubstr("has 15 bytes, but argument 0 has 16 bytes"));
  EXPECT_THAT(refused("1=" + at("a")), HasSubstr("is not a buffer"));
  EXPECT_THAT(refused("3=" + at("a")), HasSubstr("there is no argument 3"));
  EXPECT_THAT(refused("0=" + at("none")), HasSubstr("cannot open: "));
  EXPECT_THAT(refused("0=" + at("a") + ":0.1"), HasSubstr("a tolerance needs an element type"));
  EXPECT_TRUE(open_expected(launch_, *launch::parse_expected("2=" + at("a") + ":0.1")));
}

TEST_F(OutputsTest, AFullDiskLeavesNothing) {
  const burin::emulate::Run run = run_of({"buf:16:zero"});
  EXPECT_THAT(write_output(run, {0, "/dev/full"}).error().message, HasSubstr("No space left"));
  EXPECT_THAT(write_output(run, {0, at("no/such")}).error().message,
              HasSubstr("its folder does not exist"));
}

}  // namespace
}  // namespace burin::emulate
