#include "measure/protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/text.h"
#include "launch/argument.h"

namespace burin::measure {
namespace {

using testing::HasSubstr;

DeviceRequest some_request() {
  launch::Launch first{.grid = {8, 2, 1}, .block = {32}};
  first.cluster = launch::Dims{2, 1, 1};
  first.shared_bytes = 65536;
  first.arguments = *launch::parse_arguments(
      std::vector<std::string>{"buf:4K:f32", "i32:-5", "buf:64:zero:seed=3"});
  DeviceRequest request = single_launch("a b.cubin", "_Z1kPf", first);
  request.device = "cuda:1";
  request.steps[0].cooperative = true;
  launch::Launch second{.grid = {4}, .block = {64}};
  second.arguments = *launch::parse_step_arguments(std::vector<std::string>{"@2", "local:1K"});
  request.steps.push_back({.kernel = "second", .launch = second, .count = 3});
  request.options = "-DTILE=\"8\"";
  request.settings = {"scale=f32:2"};
  request.repeats = 3;
  request.stopping = {
      .least = 4, .most = 40, .target_spread = 0.005, .abort_above_us = 12.5, .max_seconds = 2};
  request.caches = Caches::kWarm;
  request.warm_up_ms = 7;
  request.check = Check::kCompare;
  request.expected = {
      {.argument = 0, .type = launch::ElementType::kF16, .tolerance = 1e-3, .file = "r.bin"},
      {.argument = 2, .type = launch::ElementType::kU32}};
  request.outputs = "/tmp/x";
  return request;
}

TEST(Protocol, RequestsArriveAsTheyWereSent) {
  const DeviceRequest sent = some_request();
  const std::string line = request_line(sent);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const Result<DeviceRequest> read = read_request(line);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->device, "cuda:1");
  EXPECT_EQ(read->program, sent.program);
  EXPECT_EQ(read->options, sent.options);
  EXPECT_EQ(read->settings, sent.settings);
  ASSERT_EQ(read->steps.size(), 2u);
  const Step& first = read->steps[0];
  EXPECT_EQ(first.kernel, "_Z1kPf");
  EXPECT_EQ(first.launch.grid, sent.steps[0].launch.grid);
  EXPECT_EQ(first.launch.block, sent.steps[0].launch.block);
  EXPECT_EQ(first.launch.cluster, sent.steps[0].launch.cluster);
  EXPECT_EQ(first.launch.shared_bytes, 65536u);
  EXPECT_TRUE(first.cooperative);
  EXPECT_EQ(first.count, 1u);
  ASSERT_EQ(first.launch.arguments.size(), 3u);
  EXPECT_EQ(first.launch.arguments[1].text, "i32:-5");
  EXPECT_EQ(first.launch.arguments[2].buffer()->seed, 3u);
  const Step& second = read->steps[1];
  EXPECT_EQ(second.count, 3u);
  ASSERT_NE(second.launch.arguments[0].reference(), nullptr);
  EXPECT_EQ(second.launch.arguments[0].reference()->argument, 2u);
  ASSERT_NE(second.launch.arguments[1].local_memory(), nullptr);
  EXPECT_EQ(second.launch.arguments[1].local_memory()->bytes, 1024u);
  EXPECT_EQ(read->repeats, 3u);
  EXPECT_EQ(read->stopping, sent.stopping);
  EXPECT_EQ(read->caches, Caches::kWarm);
  EXPECT_EQ(read->warm_up_ms, 7u);
  EXPECT_EQ(read->check, Check::kCompare);
  ASSERT_EQ(read->expected.size(), 2u);
  EXPECT_EQ(read->expected[0].type, launch::ElementType::kF16);
  EXPECT_EQ(read->expected[0].tolerance, 1e-3);
  EXPECT_EQ(read->expected[0].file, "r.bin");
  EXPECT_EQ(read->expected[1].argument, 2u);
  EXPECT_FALSE(read->expected[1].tolerance.has_value());
  EXPECT_FALSE(read->keep_buffers);
  EXPECT_EQ(read->outputs, "/tmp/x");
}

TEST(Protocol, ARequestOfOneLaunchNeedsNoSteps) {
  const Result<DeviceRequest> read =
      read_request(R"({"schema":"burin.worker/2","program":"a.cubin","kernel":"k","grid":[1,1,1],)"
                   R"("block":[32,1,1],"arguments":["i32:1"],"launches":7})");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->device, "cuda:0");
  ASSERT_EQ(read->steps.size(), 1u);
  EXPECT_EQ(read->steps[0].kernel, "k");
  EXPECT_EQ(read->stopping, exactly(7));
}

WorkerAnswer read_lines(std::string_view text) {
  WorkerAnswer answer;
  for (const std::string_view line : split(text, '\n')) add_line(answer, line);
  return answer;
}

TEST(Protocol, ResultsArriveAsTheyWereSent) {
  DeviceResult sent;
  sent.gpu = "NVIDIA H200";
  sent.architecture = "sm_90";
  sent.driver = "580.65.06";
  sent.outputs = {
      {.step = 1, .argument = 2, .path = "/tmp/2.bin", .changed = true, .agreeing = 19}};
  sent.repeats = 20;
  sent.agreeing = 19;
  sent.checked.resize(2);
  sent.checked[0].argument = 3;
  launch::Comparison& comparison = sent.checked[0].comparison;
  comparison.elements = 100;
  comparison.different = 2;
  comparison.first = 17;
  comparison.got = "nan";
  comparison.expected = "1.5";
  comparison.largest_error = std::numeric_limits<double>::infinity();
  sent.times_us = {12.448, 0.001};
  sent.timer = "events";
  sent.timer_note = "no CUPTI";
  sent.clock_mhz = {1980, 1965};
  sent.caches = Caches::kWarm;
  sent.cut_short = true;
  sent.settled = true;
  sent.discarded = 5;
  const WorkerAnswer received =
      read_lines(stage_line("starting") + "words of a library\n" + answer_line(sent));
  EXPECT_TRUE(received.whole);
  EXPECT_EQ(received.stage, "starting");
  EXPECT_EQ(received.other, "words of a library");
  const DeviceAnswer& answer = received.answer;
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(answer->gpu, sent.gpu);
  EXPECT_EQ(answer->agreeing, 19u);
  EXPECT_EQ(answer->times_us, sent.times_us);
  EXPECT_EQ(answer->clock_mhz, sent.clock_mhz);
  EXPECT_EQ(answer->timer_note, sent.timer_note);
  EXPECT_EQ(answer->outputs[0].step, 1u);
  EXPECT_EQ(answer->outputs[0].path, "/tmp/2.bin");
  EXPECT_TRUE(answer->outputs[0].changed);
  EXPECT_EQ(answer->outputs[0].agreeing, 19u);
  ASSERT_EQ(answer->checked.size(), 2u);
  EXPECT_EQ(answer->checked[0].argument, 3u);
  EXPECT_EQ(answer->checked[0].comparison.different, 2u);
  EXPECT_EQ(answer->checked[0].comparison.first, 17u);
  EXPECT_EQ(answer->checked[0].comparison.got, "nan");
  EXPECT_EQ(answer->checked[0].comparison.expected, "1.5");
  EXPECT_TRUE(std::isinf(answer->checked[0].comparison.largest_error));
  EXPECT_FALSE(answer->correct());
  EXPECT_TRUE(answer->cut_short);
  EXPECT_TRUE(answer->settled);
  EXPECT_EQ(answer->discarded, 5u);
}

TEST(Protocol, ErrorsKeepTheirSentenceExitAndKind) {
  for (const FailureKind kind :
       {FailureKind::kRequest, FailureKind::kDevice, FailureKind::kCompile, FailureKind::kLaunch,
        FailureKind::kRuntime, FailureKind::kTimeout}) {
    DeviceAnswer sent(Error{"no such \"file\"\xff", Exit::kInput}, kind);
    const WorkerAnswer received = read_lines(answer_line(sent));
    ASSERT_TRUE(received.whole);
    ASSERT_FALSE(received.answer.ok());
    EXPECT_THAT(received.answer.error().message, HasSubstr("no such \"file\""));
    EXPECT_EQ(received.answer.error().exit, Exit::kInput);
    EXPECT_EQ(received.answer.kind(), kind);
    EXPECT_FALSE(received.answer.lost());
    EXPECT_TRUE(read_lines(answer_line(sent.set_lost())).answer.lost());
  }
}

TEST(Protocol, WrongAnswersAreErrors) {
  const auto message = [](std::string line, const std::string& from, const std::string& to) {
    line.replace(line.find(from), from.size(), to);
    const WorkerAnswer received = read_lines(line);
    EXPECT_TRUE(received.whole);
    return received.answer ? "taken" : received.answer.error().message;
  };
  const std::string result = answer_line(DeviceResult{});
  EXPECT_EQ(message(result, "{", "{"), "taken");
  EXPECT_THAT(message(result, "\"cold\"", "7"), HasSubstr("caches has the invalid value 7"));
  EXPECT_THAT(message(result, "\"gpu\"", "\"cpu\""), HasSubstr("gpu is missing"));
  EXPECT_THAT(message(result, "\"outputs\":[]", "\"outputs\":[3]"),
              HasSubstr("output 0: it is not an object"));
  const std::string error = answer_line({Error{"words"}, FailureKind::kCompile});
  EXPECT_THAT(message(error, "compile", "combine"), HasSubstr("unknown kind combine"));
}

TEST(Protocol, AnAnswerThatEndsEarlyIsNone) {
  const std::string stage = stage_line("timing the kernel");
  const WorkerAnswer answer = read_lines(stage + answer_line(DeviceResult{}).substr(0, 40));
  EXPECT_FALSE(answer.whole);
  EXPECT_EQ(answer.stage, "timing the kernel");
  EXPECT_FALSE(read_lines("").whole);
  EXPECT_FALSE(read_lines("{\"schema\":7}\n{}\n[]\nnull").whole);
}

TEST(Protocol, WrongRequestsAreRefusedInWords) {
  const auto refusal = [](std::string line, const std::string& from, const std::string& to) {
    line.replace(line.find(from), from.size(), to);
    const Result<DeviceRequest> read = read_request(line);
    return read ? "taken" : read.error().message;
  };
  const std::string line = request_line(some_request());
  EXPECT_EQ(refusal(line, "{", "{"), "taken");
  EXPECT_THAT(refusal(line, "worker/2", "worker/1"), HasSubstr("this burin uses burin.worker/2"));
  EXPECT_THAT(refusal(line, "\"grid\"", "\"grit\""), HasSubstr("grid is missing"));
  EXPECT_THAT(refusal(line, "[8,2,1]", "[8,2]"), HasSubstr("grid has the invalid value [8,2]"));
  EXPECT_THAT(refusal(line, "[8,2,1]", "[8,-2,1]"),
              HasSubstr("grid has the invalid value [8,-2,1]"));
  EXPECT_THAT(refusal(line, "\"warm\"", "\"hot\""),
              HasSubstr("caches has the invalid value \"hot\""));
  EXPECT_THAT(refusal(line, "\"repeats\":3", "\"repeats\":0"),
              HasSubstr("repeats must be 1 to 10000"));
  EXPECT_THAT(refusal(line, "\"keep_buffers\":false", "\"keep_buffers\":true"),
              HasSubstr("buffers are kept only without an output folder"));
  EXPECT_THAT(refusal(line, "\"most\":40", "\"most\":40000"), HasSubstr("at most 10000"));
  EXPECT_THAT(refusal(line, "\"/tmp/x\"", "\"\""), HasSubstr("repeats need an output folder"));
  EXPECT_THAT(refusal(line, "\"device\"", "\"new\":1,\"device\""),
              HasSubstr("it has an unknown field"));
  EXPECT_THAT(refusal(line, "i32:-5", "i33:-5"), HasSubstr("did you mean"));
  EXPECT_THAT(
      refusal(line, "\"@2\"", "\"@1\""),
      HasSubstr("argument 0 '@1', of the first launch: argument 1 'i32:-5' is not a buffer"));
  EXPECT_THAT(refusal(line, "\"@2\"", "\"@x\""), HasSubstr("expected the number of an argument"));
  EXPECT_THAT(refusal(line, "\"count\":3", "\"count\":0"), HasSubstr("count must be 1 to 10000"));
  EXPECT_THAT(refusal(line, "\"least\":4", "\"least\":41"), HasSubstr("exceeds the most, 40"));
  EXPECT_THAT(refusal(line, "\"compare\"", "\"trust\""),
              HasSubstr("check has the invalid value \"trust\""));
  EXPECT_THAT(refusal(line, "\"f16\"", "\"f17\""), HasSubstr("unknown type f17"));
  EXPECT_THAT(refusal(line, "\"type\":\"f16\"", "\"type\":\"u8\""),
              HasSubstr("takes no tolerance"));
  EXPECT_THAT(refusal(line, "\"argument\":2", "\"argument\":1"), HasSubstr("is not a buffer"));
  EXPECT_THAT(refusal(line, "\"step\":0", "\"step\":2"), HasSubstr("there are 2 steps"));
  EXPECT_THAT(refusal("x", "x", "no JSON"), HasSubstr("it is not valid JSON"));
  EXPECT_THAT(refusal("x", "x", "[]"), HasSubstr("it is not an object"));
}

}  // namespace
}  // namespace burin::measure
