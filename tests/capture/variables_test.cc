// Are the variables of a recorded launch's module where they were, with what they held?
#include "capture/variables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "capture/counts.h"
#include "capture/recorded_program.h"
#include "capture/writer.h"

namespace burin::test {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using Kind = read::VariablePlace::Kind;

constexpr std::uint64_t kHere = 0x7fc5'0000'0000;

read::Image image() {
  read::Image made;
  made.variables = {{"first", {.kind = Kind::kZero, .bank = 0, .offset = 0, .size = 4}},
                    {"second", {.kind = Kind::kZero, .bank = 0, .offset = 8, .size = 8}},
                    {"table", {.kind = Kind::kConstant, .bank = 3, .offset = 16, .size = 4}}};
  return made;
}

// A capture of one launch with these variables, in which byte k of memory is k.
Result<capture::Capture> capture_with(const RecordedProgram& program,
                                      const std::vector<capture::CapturedVariable>& variables) {
  Result<capture::CaptureWriter> writer = capture::CaptureWriter::create(program.capture());
  writer->add(capture::CapturedProcess{});
  writer->add(capture::CapturedKernel{.id = 0, .module = 0, .name = "k", .parameters = {}});
  writer->add(capture::CapturedLaunch{.process = 1, .number = 1, .kernel = 1}, {});
  for (const capture::CapturedVariable& variable : variables) {
    writer->add(1, variable);
    std::vector<std::uint8_t> bytes(variable.size);
    for (std::size_t k = 0; k < bytes.size(); ++k) {
      bytes[k] = static_cast<std::uint8_t>(variable.address + k);
    }
    writer->add_memory(1, capture::MemoryMoment::kBefore, variable.address, bytes);
  }
  if (Result<void> done = writer->finish(); !done) return done.error();
  return capture::Capture::open(program.capture());
}

TEST(CaptureVariables, LieWhereTheyLay) {
  const RecordedProgram program;
  const Result<capture::Capture> capture = capture_with(
      program, {{"first", kHere, 4}, {"second", kHere + 0x100, 8}, {"table", kHere + 0x1000, 4}});
  ASSERT_TRUE(capture);
  launch::Launch launch;
  const Result<bool> known = rebuild_variables(*capture, capture->launches()[0], image(), launch);
  ASSERT_TRUE(known);
  EXPECT_TRUE(*known);
  ASSERT_THAT(launch.variables, SizeIs(2));
  EXPECT_EQ(launch.variables[1].address, kHere + 0x100);  // each where it was, not side by side
  EXPECT_EQ(launch.variables[1].place.offset, 8u);
  ASSERT_THAT(launch.settings, SizeIs(1));  // constants have a bank of their own
  EXPECT_EQ(launch.settings[0].symbol, "table");
  EXPECT_THAT(launch.settings[0].bytes(), ElementsAre(0, 1, 2, 3));
}

// One that is not known holds what the module says.
TEST(CaptureVariables, ThoseThatAreKnownArePlaced) {
  const RecordedProgram program;
  const Result<capture::Capture> capture = capture_with(program, {{"second", kHere + 8, 8}});
  ASSERT_TRUE(capture);
  launch::Launch launch;
  ASSERT_TRUE(rebuild_variables(*capture, capture->launches()[0], image(), launch));
  ASSERT_THAT(launch.variables, SizeIs(1));
  EXPECT_EQ(launch.variables[0].place.offset, 8u);
  EXPECT_THAT(launch.settings, IsEmpty());
}

TEST(CaptureVariables, OlderCapturesHaveNone) {
  const RecordedProgram program;
  const Result<capture::Capture> capture = capture_with(program, {});
  ASSERT_TRUE(capture);
  launch::Launch launch;
  const Result<bool> known = rebuild_variables(*capture, capture->launches()[0], image(), launch);
  ASSERT_TRUE(known);
  EXPECT_FALSE(*known);
  EXPECT_THAT(launch.settings, IsEmpty());
}

// As an H200 gave them.
TEST(CaptureVariables, OfARealProgram) {
  const Result<capture::Capture> capture =
      capture::Capture::open(BURIN_SOURCE_DIR "/tests/data/capture/variables.burin");
  ASSERT_TRUE(capture) << capture.error().message;
  const Result<std::vector<std::uint8_t>> cubin = capture->cubin(1);
  ASSERT_TRUE(cubin);
  const Result<read::Image> image = read::read_cubin(*cubin, std::nullopt);
  ASSERT_TRUE(image);
  launch::Launch launch;
  const Result<bool> known = rebuild_variables(*capture, capture->launches()[1], *image, launch);
  ASSERT_TRUE(known);
  EXPECT_TRUE(*known);
  EXPECT_THAT(launch.variables, SizeIs(4));
  ASSERT_THAT(launch.settings, SizeIs(1));
  float second = 0;
  std::memcpy(&second, launch.settings[0].bytes().data() + 4, 4);
  EXPECT_EQ(second, 0.5f);  // as the program wrote it; the module has zeros

  EXPECT_TRUE(capture->launches()[0].has_counts);
  const auto counts = executed_counts(*capture->counts(capture->launches()[0]));
  EXPECT_THAT(counts, SizeIs(36));
  EXPECT_THAT(counts, Each(8));  // of 256 threads
}

}  // namespace
}  // namespace burin::test
