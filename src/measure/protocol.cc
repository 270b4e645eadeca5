#include "measure/protocol.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/format.h"
#include "base/text.h"

namespace burin::measure {
namespace {

using Value = nlohmann::ordered_json;

std::string line_of(const Value& value) {
  Value line{{"schema", kWorkerSchema}};
  line.update(value);
  return line.dump(-1, ' ', false, Value::error_handler_t::replace) + "\n";
}

Value triple(launch::Dims dims) {
  return Value::array({dims.x, dims.y, dims.z});
}

std::string_view word_of(Caches caches) {
  return caches == Caches::kCold ? "cold" : "warm";
}

// Takes the fields of an object one by one and remembers the first that does not fit, so that a
// reader is a list of its fields.
class Fields {
 public:
  explicit Fields(const Value& object) : object_(object) {
    if (!object.is_object()) wrong_ = "it is not an object";
  }

  // A field that may be left out keeps the value it has.
  template <typename T>
  void take(const char* key, T& into, bool needed = false) {
    ++seen_;
    const auto found = object_.find(key);
    if (!wrong_.empty()) return;
    if (found == object_.end()) {
      --seen_;
      if (needed) wrong_ = fmt::format("{} is missing", key);
      return;
    }
    if (!read(*found, into))
      wrong_ = fmt::format("{} has the invalid value {}", key, found->dump());
  }

  // What is wrong, "" for nothing; a field that nobody took is wrong too.
  std::string wrong() const {
    if (wrong_.empty() && object_.size() != seen_) return "it has an unknown field";
    return wrong_;
  }

 private:
  static bool read(const Value& value, std::string& into) {
    if (value.is_string()) into = value.get<std::string>();
    return value.is_string();
  }
  static bool read(const Value& value, bool& into) {
    if (value.is_boolean()) into = value.get<bool>();
    return value.is_boolean();
  }
  static bool read(const Value& value, double& into) {
    if (value.is_number()) into = value.get<double>();
    return value.is_number();
  }
  static bool read(const Value& value, std::uint64_t& into) {
    if (value.is_number_unsigned()) into = value.get<std::uint64_t>();
    return value.is_number_unsigned();
  }
  static bool read(const Value& value, std::uint32_t& into) {
    std::uint64_t wide = 0;
    if (!read(value, wide) || wide > 0xffffffff) return false;
    into = static_cast<std::uint32_t>(wide);
    return true;
  }
  static bool read(const Value& value, launch::Dims& into) {
    return value.is_array() && value.size() == 3 && read(value[0], into.x) &&
           read(value[1], into.y) && read(value[2], into.z);
  }
  static bool read(const Value& value, std::optional<launch::Dims>& into) {
    launch::Dims dims;
    if (!read(value, dims)) return false;
    into = dims;
    return true;
  }
  static bool read(const Value& value, Caches& into) {
    std::string word;
    if (!read(value, word) || (word != "cold" && word != "warm")) return false;
    into = word == "cold" ? Caches::kCold : Caches::kWarm;
    return true;
  }
  static bool read(const Value& value, DeviceOutput& into) {
    Fields fields(value);
    fields.take("argument", into.argument, true);
    fields.take("path", into.path, true);
    fields.take("changed", into.changed, true);
    fields.take("agreeing", into.agreeing, true);
    return fields.wrong().empty();
  }
  template <typename T>
  static bool read(const Value& value, std::vector<T>& into) {
    if (!value.is_array()) return false;
    into.resize(value.size());
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (!read(value[i], into[i])) return false;
    }
    return true;
  }

  const Value& object_;
  std::size_t seen_ = 0;
  std::string wrong_;
};

Error not_understood(const std::string& wrong) {
  return {"the worker's request is invalid: " + wrong, Exit::kUsage};
}

std::string wrong_numbers(const DeviceRequest& request) {
  if (request.repeats < 1 || request.repeats > kMaxLaunches) {
    return fmt::format("repeats must be 1 to {}", kMaxLaunches);
  }
  if (request.launches > kMaxLaunches) {
    return fmt::format("launches must be at most {}", kMaxLaunches);
  }
  if (request.repeats > 1 && request.outputs.empty()) {
    return "repeats need an output folder";
  }
  if (request.keep_buffers && !request.outputs.empty()) {
    return "buffers are kept only without an output folder";
  }
  return "";
}

Result<DeviceResult> result_of(const Value& value) {
  DeviceResult result;
  Fields fields(value);
  fields.take("gpu", result.gpu, true);
  fields.take("architecture", result.architecture, true);
  fields.take("driver", result.driver, true);
  fields.take("outputs", result.outputs, true);
  fields.take("repeats", result.repeats, true);
  fields.take("agreeing", result.agreeing, true);
  fields.take("times_us", result.times_us, true);
  fields.take("timer", result.timer, true);
  fields.take("timer_note", result.timer_note, true);
  fields.take("clock_mhz", result.clock_mhz, true);
  fields.take("caches", result.caches, true);
  if (const std::string wrong = fields.wrong(); !wrong.empty()) {
    return Error{"the worker's result is invalid: " + wrong, Exit::kDevice};
  }
  return result;
}

Error error_of(const Value& value) {
  Error error{"", Exit::kDevice};
  std::uint32_t exit = static_cast<std::uint32_t>(Exit::kDevice);
  Fields fields(value);
  fields.take("message", error.message, true);
  fields.take("exit", exit, true);
  if (const std::string wrong = fields.wrong(); !wrong.empty()) {
    return {"the worker's error is invalid: " + wrong, Exit::kDevice};
  }
  if (exit == static_cast<std::uint32_t>(Exit::kInput)) error.exit = Exit::kInput;
  if (exit == static_cast<std::uint32_t>(Exit::kUsage)) error.exit = Exit::kUsage;
  return error;
}

}  // namespace

std::string request_line(const DeviceRequest& request) {
  Value arguments = Value::array();
  for (const launch::Argument& argument : request.launch.arguments)
    arguments.push_back(argument.text);
  Value line{{"device", request.device},
             {"cubin", request.cubin},
             {"kernel", request.kernel},
             {"grid", triple(request.launch.grid)},
             {"block", triple(request.launch.block)}};
  if (request.launch.cluster) line["cluster"] = triple(*request.launch.cluster);
  line.update(Value{{"smem", request.launch.shared_bytes},
                    {"arguments", arguments},
                    {"settings", request.settings},
                    {"cooperative", request.cooperative},
                    {"repeats", request.repeats},
                    {"launches", request.launches},
                    {"caches", word_of(request.caches)},
                    {"warm_up_ms", request.warm_up_ms},
                    {"keep_buffers", request.keep_buffers},
                    {"outputs", request.outputs}});
  return line_of(line);
}

std::string stage_line(std::string_view stage) {
  return line_of({{"stage", stage}});
}

std::string result_line(const DeviceResult& result) {
  Value outputs = Value::array();
  for (const DeviceOutput& output : result.outputs) {
    outputs.push_back({{"argument", output.argument},
                       {"path", output.path},
                       {"changed", output.changed},
                       {"agreeing", output.agreeing}});
  }
  Value times = Value::array();
  for (const double time : result.times_us) times.push_back(std::round(time * 1000) / 1000);
  return line_of({{"result",
                   {{"gpu", result.gpu},
                    {"architecture", result.architecture},
                    {"driver", result.driver},
                    {"outputs", outputs},
                    {"repeats", result.repeats},
                    {"agreeing", result.agreeing},
                    {"times_us", times},
                    {"timer", result.timer},
                    {"timer_note", result.timer_note},
                    {"clock_mhz", result.clock_mhz},
                    {"caches", word_of(result.caches)}}}});
}

std::string error_line(const Error& error) {
  return line_of({{"error", {{"message", error.message}, {"exit", static_cast<int>(error.exit)}}}});
}

Result<DeviceRequest> read_request(std::string_view line) {
  const Value value = Value::parse(line, nullptr, false);
  if (value.is_discarded()) return not_understood("it is not valid JSON");
  DeviceRequest request;
  std::string schema;
  std::vector<std::string> arguments;
  Fields fields(value);
  fields.take("schema", schema, true);
  fields.take("device", request.device);
  fields.take("cubin", request.cubin, true);
  fields.take("kernel", request.kernel, true);
  fields.take("grid", request.launch.grid, true);
  fields.take("block", request.launch.block, true);
  fields.take("cluster", request.launch.cluster);
  fields.take("smem", request.launch.shared_bytes);
  fields.take("arguments", arguments, true);
  fields.take("settings", request.settings);
  fields.take("cooperative", request.cooperative);
  fields.take("repeats", request.repeats);
  fields.take("launches", request.launches);
  fields.take("caches", request.caches);
  fields.take("warm_up_ms", request.warm_up_ms);
  fields.take("keep_buffers", request.keep_buffers);
  fields.take("outputs", request.outputs);
  std::string wrong = fields.wrong();
  if (!schema.empty() && schema != kWorkerSchema) {
    wrong = fmt::format("its schema is {}, this burin uses {}", schema, kWorkerSchema);
  }
  if (wrong.empty()) wrong = wrong_numbers(request);
  if (!wrong.empty()) return not_understood(wrong);
  Result<std::vector<launch::Argument>> parsed = launch::parse_arguments(arguments);
  if (!parsed) return parsed.error();
  request.launch.arguments = std::move(*parsed);
  return request;
}

WorkerAnswer read_answer(std::string_view text) {
  std::vector<WorkerAnswer> answers = read_answers(text);
  // Libraries may have words after the result too.
  if (answers.size() > 1 && !answers.back().whole) answers.pop_back();
  return answers.empty() ? WorkerAnswer{} : std::move(answers.back());
}

std::vector<WorkerAnswer> read_answers(std::string_view text) {
  std::vector<WorkerAnswer> answers;
  bool open = false;  // the last of them waits for its result
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    if (!open) answers.emplace_back();
    WorkerAnswer& answer = answers.back();
    open = true;
    const Value value = line.starts_with('{') ? Value::parse(line, nullptr, false) : Value();
    if (!value.is_object() || value.value("schema", Value()) != kWorkerSchema) {
      answer.other = line;
      continue;
    }
    const auto stage = value.find("stage");
    if (stage != value.end() && stage->is_string()) answer.stage = stage->get<std::string>();
    if (value.contains("result")) answer.result = result_of(value["result"]);
    if (value.contains("error")) answer.result = error_of(value["error"]);
    answer.whole = value.contains("result") || value.contains("error");
    open = !answer.whole;
  }
  return answers;
}

}  // namespace burin::measure
