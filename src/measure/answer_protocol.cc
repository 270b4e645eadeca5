#include <cmath>

#include "base/format.h"
#include "measure/json_fields.h"
#include "measure/protocol.h"
#include "measure/protocol_words.h"

namespace burin::measure {
namespace {

Json json_of(const DeviceOutput& output) {
  return {{"step", output.step},
          {"argument", output.argument},
          {"path", output.path},
          {"changed", output.changed},
          {"agreeing", output.agreeing}};
}

Json json_of(const CheckedBuffer& buffer) {
  const launch::Comparison& comparison = buffer.comparison;
  Json value{{"step", buffer.step},
             {"argument", buffer.argument},
             {"elements", comparison.elements},
             {"different", comparison.different}};
  if (comparison.equal()) return value;
  value.update(Json{{"first", comparison.first},
                    {"got", comparison.got},
                    {"expected", comparison.expected},
                    {"largest_error", comparison.largest_error}});  // null if infinite
  return value;
}

std::string read_output(const Json& value, DeviceOutput& into) {
  Fields fields(value);
  fields.take("step", into.step, true);
  fields.take("argument", into.argument, true);
  fields.take("path", into.path, true);
  fields.take("changed", into.changed, true);
  fields.take("agreeing", into.agreeing, true);
  return fields.wrong();
}

std::string read_checked(const Json& value, CheckedBuffer& into) {
  launch::Comparison& comparison = into.comparison;
  Extended error;
  Fields fields(value);
  fields.take("step", into.step, true);
  fields.take("argument", into.argument, true);
  fields.take("elements", comparison.elements, true);
  fields.take("different", comparison.different, true);
  fields.take("first", comparison.first);
  fields.take("got", comparison.got);
  fields.take("expected", comparison.expected);
  fields.take("largest_error", error);
  comparison.largest_error = error.value;
  return fields.wrong();
}

DeviceAnswer result_of(const Json& value) {
  DeviceResult result;
  Fields fields(value);
  fields.take("gpu", result.gpu, true);
  fields.take("architecture", result.architecture, true);
  fields.take("driver", result.driver, true);
  fields.take_with(
      "outputs",
      [&](const Json& list) { return read_list(list, result.outputs, "output", read_output); },
      true);
  fields.take("repeats", result.repeats, true);
  fields.take("agreeing", result.agreeing, true);
  fields.take_with(
      "checked",
      [&](const Json& list) {
        return read_list(list, result.checked, "checked output", read_checked);
      },
      true);
  fields.take("times_us", result.times_us, true);
  fields.take("timer", result.timer, true);
  fields.take("timer_note", result.timer_note, true);
  fields.take("clock_mhz", result.clock_mhz, true);
  fields.take_with("caches", word_reader("caches", kCacheWords, result.caches), true);
  fields.take("cut_short", result.cut_short, true);
  fields.take("settled", result.settled, true);
  fields.take("discarded", result.discarded, true);
  if (const std::string wrong = fields.wrong(); !wrong.empty()) {
    return Error{"the worker's result is invalid: " + wrong, Exit::kDevice};
  }
  return result;
}

DeviceAnswer error_of(const Json& value) {
  Error error{"", Exit::kDevice};
  std::uint32_t exit = static_cast<std::uint32_t>(Exit::kDevice);
  std::string kind;
  bool lost = false;
  Fields fields(value);
  fields.take("message", error.message, true);
  fields.take("exit", exit, true);
  fields.take("kind", kind, true);
  fields.take("lost", lost, true);
  const std::optional<FailureKind> known = parse_failure(kind);
  std::string wrong = fields.wrong();
  if (wrong.empty() && !known) wrong = "unknown kind " + kind;
  if (!wrong.empty()) return Error{"the worker's error is invalid: " + wrong, Exit::kDevice};
  if (exit == static_cast<std::uint32_t>(Exit::kInput)) error.exit = Exit::kInput;
  if (exit == static_cast<std::uint32_t>(Exit::kUsage)) error.exit = Exit::kUsage;
  DeviceAnswer answer(std::move(error), *known);
  if (lost) answer.set_lost();
  return answer;
}

std::string result_line(const DeviceResult& result) {
  Json outputs = Json::array(), checked = Json::array(), times = Json::array();
  for (const DeviceOutput& output : result.outputs) outputs.push_back(json_of(output));
  for (const CheckedBuffer& buffer : result.checked) checked.push_back(json_of(buffer));
  for (const double time : result.times_us) times.push_back(std::round(time * 1000) / 1000);
  return protocol_line({{"result",
                         {{"gpu", result.gpu},
                          {"architecture", result.architecture},
                          {"driver", result.driver},
                          {"outputs", outputs},
                          {"repeats", result.repeats},
                          {"agreeing", result.agreeing},
                          {"checked", checked},
                          {"times_us", times},
                          {"timer", result.timer},
                          {"timer_note", result.timer_note},
                          {"clock_mhz", result.clock_mhz},
                          {"caches", word_of(kCacheWords, result.caches)},
                          {"cut_short", result.cut_short},
                          {"settled", result.settled},
                          {"discarded", result.discarded}}}});
}

}  // namespace

std::string protocol_line(const Json& value) {
  Json line{{"schema", kWorkerSchema}};
  line.update(value);
  return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string stage_line(std::string_view stage) {
  return protocol_line({{"stage", stage}});
}

std::string answer_line(const DeviceAnswer& answer) {
  if (answer) return result_line(*answer);
  return protocol_line({{"error",
                         {{"message", answer.error().message},
                          {"exit", static_cast<int>(answer.error().exit)},
                          {"kind", name(answer.kind())},
                          {"lost", answer.lost()}}}});
}

void add_line(WorkerAnswer& answer, std::string_view line) {
  if (line.empty()) return;
  const Json value = line.starts_with('{') ? Json::parse(line, nullptr, false) : Json();
  if (!value.is_object() || value.value("schema", Json()) != kWorkerSchema) {
    answer.other = line;
    return;
  }
  const auto stage = value.find("stage");
  if (stage != value.end() && stage->is_string()) answer.stage = stage->get<std::string>();
  if (value.contains("result")) answer.answer = result_of(value["result"]);
  if (value.contains("error")) answer.answer = error_of(value["error"]);
  answer.whole = answer.whole || value.contains("result") || value.contains("error");
}

}  // namespace burin::measure
