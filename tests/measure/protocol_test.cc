#include "measure/protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launch/argument.h"

namespace burin::measure {
namespace {

using testing::HasSubstr;

DeviceRequest some_request() {
  DeviceRequest request{.device = 1, .cubin = "a b.cubin", .kernel = "_Z1kPf"};
  request.launch.grid = {8, 2, 1};
  request.launch.block = {32};
  request.launch.cluster = launch::Dims{2, 1, 1};
  request.launch.shared_bytes = 65536;
  request.launch.arguments = *launch::parse_arguments(
      std::vector<std::string>{"buf:4K:f32", "i32:-5", "buf:64:zero:seed=3"});
  request.cooperative = true;
  request.repeats = 3;
  request.launches = 40;
  request.caches = Caches::kWarm;
  request.warm_up_ms = 7;
  request.outputs = "/tmp/x";
  return request;
}

TEST(Protocol, RequestsArriveAsTheyWereSent) {
  const DeviceRequest sent = some_request();
  const std::string line = request_line(sent);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const Result<DeviceRequest> read = read_request(line);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->device, 1u);
  EXPECT_EQ(read->cubin, sent.cubin);
  EXPECT_EQ(read->kernel, sent.kernel);
  EXPECT_EQ(read->launch.grid, sent.launch.grid);
  EXPECT_EQ(read->launch.block, sent.launch.block);
  EXPECT_EQ(read->launch.cluster, sent.launch.cluster);
  EXPECT_EQ(read->launch.shared_bytes, 65536u);
  EXPECT_TRUE(read->cooperative);
  EXPECT_EQ(read->repeats, 3u);
  EXPECT_EQ(read->launches, 40u);
  EXPECT_EQ(read->caches, Caches::kWarm);
  EXPECT_EQ(read->warm_up_ms, 7u);
  EXPECT_FALSE(read->keep_buffers);
  EXPECT_EQ(read->outputs, "/tmp/x");
  ASSERT_EQ(read->launch.arguments.size(), 3u);
  EXPECT_EQ(read->launch.arguments[1].text, "i32:-5");
  EXPECT_EQ(read->launch.arguments[2].buffer()->seed, 3u);
}

TEST(Protocol, ResultsArriveAsTheyWereSent) {
  DeviceResult sent;
  sent.gpu = "NVIDIA H200";
  sent.architecture = "sm_90";
  sent.driver = "580.65.06";
  sent.outputs = {{.argument = 2, .path = "/tmp/2.bin", .changed = true, .agreeing = 19}};
  sent.repeats = 20;
  sent.agreeing = 19;
  sent.times_us = {12.448, 0.001};
  sent.timer = "events";
  sent.timer_note = "no CUPTI";
  sent.clock_mhz = {1980, 1965};
  sent.caches = Caches::kWarm;
  const WorkerAnswer answer =
      read_answer(stage_line("starting") + "words of a library\n" + result_line(sent));
  EXPECT_TRUE(answer.whole);
  EXPECT_EQ(answer.stage, "starting");
  EXPECT_EQ(answer.other, "words of a library");
  ASSERT_TRUE(answer.result.ok()) << answer.result.error().message;
  EXPECT_EQ(answer.result->gpu, sent.gpu);
  EXPECT_EQ(answer.result->agreeing, 19u);
  EXPECT_EQ(answer.result->times_us, sent.times_us);
  EXPECT_EQ(answer.result->clock_mhz, sent.clock_mhz);
  EXPECT_EQ(answer.result->timer_note, sent.timer_note);
  EXPECT_EQ(answer.result->outputs[0].path, "/tmp/2.bin");
  EXPECT_TRUE(answer.result->outputs[0].changed);
  EXPECT_EQ(answer.result->outputs[0].agreeing, 19u);
}

TEST(Protocol, ErrorsKeepTheirSentenceAndExit) {
  const WorkerAnswer answer = read_answer(error_line({"no such \"file\"\xff", Exit::kInput}));
  ASSERT_TRUE(answer.whole);
  ASSERT_FALSE(answer.result.ok());
  EXPECT_THAT(answer.result.error().message, HasSubstr("no such \"file\""));
  EXPECT_EQ(answer.result.error().exit, Exit::kInput);
}

TEST(Protocol, SeveralAnswersAreToldApart) {
  DeviceResult first, second;
  first.gpu = "one";
  second.gpu = "two";
  const std::vector<WorkerAnswer> answers =
      read_answers(stage_line("starting") + result_line(first) + "words\n" + result_line(second) +
                   stage_line("filling the buffers"));
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers[0].result->gpu, "one");
  EXPECT_EQ(answers[1].result->gpu, "two");
  EXPECT_EQ(answers[1].other, "words");
  EXPECT_FALSE(answers[2].whole);
  EXPECT_EQ(answers[2].stage, "filling the buffers");
  EXPECT_EQ(read_answer(result_line(first) + "words at the end\n").result->gpu, "one");
}

TEST(Protocol, AnAnswerThatEndsEarlyIsNone) {
  const std::string stage = stage_line("timing the kernel");
  const WorkerAnswer answer = read_answer(stage + result_line({}).substr(0, 40));
  EXPECT_FALSE(answer.whole);
  EXPECT_EQ(answer.stage, "timing the kernel");
  EXPECT_FALSE(read_answer("").whole);
  EXPECT_FALSE(read_answer("{\"schema\":7}\n{}\n[]\nnull").whole);
}

TEST(Protocol, WrongRequestsAreRefusedInWords) {
  const auto refusal = [](std::string line, const std::string& from, const std::string& to) {
    line.replace(line.find(from), from.size(), to);
    const Result<DeviceRequest> read = read_request(line);
    return read ? "taken" : read.error().message;
  };
  const std::string line = request_line(some_request());
  EXPECT_EQ(refusal(line, "{", "{"), "taken");
  EXPECT_THAT(refusal(line, "worker/1", "worker/2"), HasSubstr("this burin uses burin.worker/1"));
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
  EXPECT_THAT(refusal(line, "\"launches\":40", "\"launches\":40000"), HasSubstr("at most 10000"));
  EXPECT_THAT(refusal(line, "\"/tmp/x\"", "\"\""), HasSubstr("repeats need an output folder"));
  EXPECT_THAT(refusal(line, "\"device\":1", "\"device\":1,\"new\":1"),
              HasSubstr("it has an unknown field"));
  EXPECT_THAT(refusal(line, "i32:-5", "i33:-5"), HasSubstr("did you mean"));
  EXPECT_THAT(refusal("x", "x", "no JSON"), HasSubstr("it is not valid JSON"));
  EXPECT_THAT(refusal("x", "x", "[]"), HasSubstr("it is not an object"));
}

}  // namespace
}  // namespace burin::measure
