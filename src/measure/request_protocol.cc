#include "base/format.h"
#include "measure/json_fields.h"
#include "measure/protocol.h"
#include "measure/protocol_words.h"
#include "measure/request.h"

namespace burin::measure {
namespace {

constexpr Word<Check> kChecks[] = {
    {Check::kNone, "none"}, {Check::kKeep, "keep"}, {Check::kCompare, "compare"}};

Json triple(launch::Dims dims) {
  return Json::array({dims.x, dims.y, dims.z});
}

Json json_of(const Step& step) {
  Json arguments = Json::array();
  for (const launch::Argument& argument : step.launch.arguments) arguments.push_back(argument.text);
  Json value{{"kernel", step.kernel},
             {"grid", triple(step.launch.grid)},
             {"block", triple(step.launch.block)}};
  if (step.launch.cluster) value["cluster"] = triple(*step.launch.cluster);
  value.update(Json{{"smem", step.launch.shared_bytes},
                    {"arguments", arguments},
                    {"cooperative", step.cooperative},
                    {"count", step.count}});
  return value;
}

Json json_of(const ExpectedOutput& output) {
  Json value{
      {"step", output.step}, {"argument", output.argument}, {"type", launch::name(output.type)}};
  if (output.tolerance) value["tolerance"] = *output.tolerance;
  if (!output.file.empty()) value["file"] = output.file;
  return value;
}

// The fields of a step, in an object of its own or in the request itself.
struct StepFields {
  Step step;
  std::vector<std::string> arguments;

  void take(Fields& fields) {
    fields.take("kernel", step.kernel, true);
    fields.take("grid", step.launch.grid, true);
    fields.take("block", step.launch.block, true);
    fields.take("cluster", step.launch.cluster);
    fields.take("smem", step.launch.shared_bytes);
    fields.take("arguments", arguments, true);
    fields.take("cooperative", step.cooperative);
    fields.take("count", step.count);
  }
};

std::string read_step(const Json& value, StepFields& into) {
  Fields fields(value);
  into.take(fields);
  return fields.wrong();
}

std::string read_stopping(const Json& value, Stopping& into) {
  Fields fields(value);
  fields.take("least", into.least, true);
  fields.take("most", into.most, true);
  fields.take("target_spread", into.target_spread);
  fields.take("abort_above_us", into.abort_above_us);
  fields.take("max_seconds", into.max_seconds);
  return fields.wrong();
}

std::string read_expected(const Json& value, ExpectedOutput& into) {
  std::string type = "f32";
  Fields fields(value);
  fields.take("step", into.step);
  fields.take("argument", into.argument, true);
  fields.take("type", type);
  fields.take("tolerance", into.tolerance);
  fields.take("file", into.file);
  const std::optional<launch::ElementType> known = launch::parse_element_type(type);
  if (!known) return fmt::format("unknown type {}", type);
  into.type = *known;
  return fields.wrong();
}

// Takes all fields; what is wrong, or "".
std::string read_fields(const Json& value, DeviceRequest& request, std::vector<StepFields>& steps) {
  Fields fields(value);
  std::string schema;
  fields.take("schema", schema, true);
  fields.take("device", request.device);
  fields.take("program", request.program, true);
  fields.take("options", request.options);
  if (value.is_object() && !value.contains("steps")) {
    steps.emplace_back().take(fields);
  } else {
    fields.take_with("steps",
                     [&](const Json& list) { return read_list(list, steps, "step", read_step); });
  }
  fields.take("settings", request.settings);
  fields.take("repeats", request.repeats);
  std::optional<unsigned> launches;
  fields.take("launches", launches);
  if (launches) request.stopping = exactly(*launches);
  fields.take_with("stopping",
                   [&](const Json& object) { return read_stopping(object, request.stopping); });
  fields.take_with("caches", word_reader("caches", kCacheWords, request.caches));
  fields.take("warm_up_ms", request.warm_up_ms);
  fields.take_with("check", word_reader("check", kChecks, request.check));
  fields.take_with("expected", [&](const Json& list) {
    return read_list(list, request.expected, "expected output", read_expected);
  });
  fields.take("keep_buffers", request.keep_buffers);
  fields.take("outputs", request.outputs);
  if (!schema.empty() && schema != kWorkerSchema) {
    return fmt::format("its schema is {}, this burin uses {}", schema, kWorkerSchema);
  }
  return fields.wrong();
}

Error not_understood(const std::string& wrong) {
  return {"the worker's request is invalid: " + wrong, Exit::kUsage};
}

}  // namespace

std::string request_line(const DeviceRequest& request) {
  Json steps = Json::array(), expected = Json::array();
  for (const Step& step : request.steps) steps.push_back(json_of(step));
  for (const ExpectedOutput& output : request.expected) expected.push_back(json_of(output));
  const Stopping& stopping = request.stopping;
  return protocol_line({{"device", request.device},
                        {"program", request.program},
                        {"options", request.options},
                        {"steps", steps},
                        {"settings", request.settings},
                        {"repeats", request.repeats},
                        {"stopping",
                         {{"least", stopping.least},
                          {"most", stopping.most},
                          {"target_spread", stopping.target_spread},
                          {"abort_above_us", stopping.abort_above_us},
                          {"max_seconds", stopping.max_seconds}}},
                        {"caches", word_of(kCacheWords, request.caches)},
                        {"warm_up_ms", request.warm_up_ms},
                        {"check", word_of(kChecks, request.check)},
                        {"expected", expected},
                        {"keep_buffers", request.keep_buffers},
                        {"outputs", request.outputs}});
}

Result<DeviceRequest> read_request(std::string_view line) {
  const Json value = Json::parse(line, nullptr, false);
  if (value.is_discarded()) return not_understood("it is not valid JSON");
  DeviceRequest request;
  std::vector<StepFields> steps;
  if (const std::string wrong = read_fields(value, request, steps); !wrong.empty()) {
    return not_understood(wrong);
  }
  for (StepFields& fields : steps) {
    Result<std::vector<launch::Argument>> parsed = launch::parse_step_arguments(fields.arguments);
    if (!parsed) return parsed.error();
    fields.step.launch.arguments = std::move(*parsed);
    request.steps.push_back(std::move(fields.step));
  }
  if (Result<void> fine = check_request(request); !fine) {
    return not_understood(fine.error().message);
  }
  return request;
}

}  // namespace burin::measure
