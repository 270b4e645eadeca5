// T4 and Kernel Tuner's cachefile.
#include <algorithm>
#include <numeric>

#include "base/format.h"
#include "tune/formats/export.h"
#include "tune/formats/export_values.h"

namespace burin::tune {
namespace {

constexpr double kMsPerSecond = 1000;
constexpr double kUsPerMs = 1000;

// Kernel Tuner's names of the ways to fail.
std::string_view kernel_tuner_error(Status status) {
  switch (status) {
    case Status::kConstraints:
      return "InvalidConfig";
    case Status::kCompile:
      return "CompilationFailedConfig";
    default:
      return "RuntimeFailedConfig";
  }
}

OrderedJson times_ms(const Trial& trial) {
  OrderedJson times = OrderedJson::array();
  for (const double time : trial.times_us) times.push_back(time / kUsPerMs);
  return times;
}

double objective_value(const ExportedRun& run, const Trial& trial) {
  return run.maximise ? -trial.objective : trial.objective;
}

OrderedJson measurement(std::string_view name, OrderedJson value, std::string_view unit) {
  return {{"name", name}, {"value", std::move(value)}, {"unit", unit}};
}

OrderedJson t4_result(const ExportedRun& run, const Trial& trial) {
  const bool works = trial.status == Status::kOk;
  // The times of a result add up to what the trial took.
  const double runs_ms =
      std::accumulate(trial.times_us.begin(), trial.times_us.end(), 0.0) / kUsPerMs;
  OrderedJson times = {{"compilation", trial.compile_seconds * kMsPerSecond},
                       {"framework", std::max(0.0, trial.measure_seconds * kMsPerSecond - runs_ms)},
                       {"search_algorithm", 0},
                       {"validation", 0}};
  if (works) times["runtimes"] = times_ms(trial);
  OrderedJson measurements = OrderedJson::array();
  measurements.push_back(
      works ? measurement("time", trial.time_us / kUsPerMs, "ms")
            : measurement("time", std::string(kernel_tuner_error(trial.status)), ""));
  if (works && run.objective != "time") {
    measurements.push_back(measurement(run.objective, objective_value(run, trial), ""));
  }
  for (const auto& [name, value] : trial.figures) {
    if (name != "time" && name != run.objective) {
      measurements.push_back(measurement(name, value, ""));
    }
  }
  return {{"timestamp", timestamp(trial.unix_ms)},
          {"configuration", json_config(run, trial.point)},
          {"times", std::move(times)},
          {"invalidity", works ? "correct" : name(trial.status)},
          {"correctness", works ? 1 : 0},
          {"measurements", std::move(measurements)},
          {"objectives", OrderedJson::array({run.objective})}};
}

OrderedJson cache_entry(const ExportedRun& run, const Trial& trial) {
  const bool works = trial.status == Status::kOk;
  OrderedJson entry = json_config(run, trial.point);
  if (works) {
    entry["time"] = trial.time_us / kUsPerMs;
    entry["times"] = times_ms(trial);
  } else {
    entry["time"] = kernel_tuner_error(trial.status);
  }
  entry["compile_time"] = trial.compile_seconds * kMsPerSecond;
  entry["verification_time"] = 0;
  entry["benchmark_time"] = trial.measure_seconds * kMsPerSecond;
  if (works && run.objective != "time") entry[run.objective] = objective_value(run, trial);
  for (const auto& [name, value] : trial.figures) {
    if (!entry.contains(name)) entry[name] = value;
  }
  entry["strategy_time"] = 0;
  entry["framework_time"] = 0;
  if (!works) {
    entry["invalidity"] = name(trial.status);
    entry["reason"] = trial.reason;
  }
  entry["timestamp"] = timestamp(trial.unix_ms);
  return entry;
}

// A value in a cachefile's key: "32,NHWC,True", as Python prints it.
std::string key_part(const formula::Value& value) {
  const bool is_flag = std::holds_alternative<bool>(value);
  return is_flag ? formula::to_string(value) : formula::plain_text(value);
}

}  // namespace

OrderedJson json_value(const formula::Value& value) {
  return std::visit([](const auto& v) { return OrderedJson(v); }, value);
}

OrderedJson json_config(const ExportedRun& run, const Point& point) {
  OrderedJson config = OrderedJson::object();
  for (std::size_t k = 0; k < point.size(); ++k) {
    config[run.parameters[k].name] = json_value(run.parameters[k].values[point[k]]);
  }
  return config;
}

OrderedJson json_values(const formula::Names& names) {
  OrderedJson values = OrderedJson::array();
  for (const auto& [name, value] : names) values.push_back(json_value(value));
  return values;
}

std::string json_text(const OrderedJson& json, int indent) {
  return json.dump(indent, ' ', false, OrderedJson::error_handler_t::replace);
}

std::string t4_text(const ExportedRun& run) {
  OrderedJson results = OrderedJson::array();
  for (const Trial& trial : run.trials) results.push_back(t4_result(run, trial));
  OrderedJson metadata = {{"timeunit", "milliseconds"},
                          {"device_name", run.device},
                          {"kernel_name", run.kernel},
                          {"problem_size", json_values(run.problem_size)}};
  if (run.space_size > 0) metadata["space_size"] = run.space_size;
  return json_text({{"metadata", std::move(metadata)},
                    {"results", std::move(results)},
                    {"schema_version", "1.0.0"}},
                   2) +
         '\n';
}

std::string cachefile_text(const ExportedRun& run) {
  OrderedJson keys = OrderedJson::array(), parameters = OrderedJson::object();
  for (const Parameter& parameter : run.parameters) {
    keys.push_back(parameter.name);
    OrderedJson& values = parameters[parameter.name] = OrderedJson::array();
    for (const formula::Value& value : parameter.values) values.push_back(json_value(value));
  }
  const OrderedJson head = {{"device_name", run.device},
                            {"kernel_name", run.kernel},
                            {"problem_size", json_values(run.problem_size)},
                            {"tune_params_keys", std::move(keys)},
                            {"tune_params", std::move(parameters)},
                            {"objective", run.objective}};
  // Kernel Tuner appends to the file, and expects one entry on each line.
  std::string text = "{\n";
  for (const auto& [name, value] : head.items()) {
    text += fmt::format("{}: {},\n", json_text(name, -1), json_text(value, -1));
  }
  text += "\"cache\": {\n";
  for (std::size_t k = 0; k < run.trials.size(); ++k) {
    const Trial& trial = run.trials[k];
    std::string key;
    for (std::size_t p = 0; p < trial.point.size(); ++p) {
      if (p > 0) key += ',';
      key += key_part(run.parameters[p].values[trial.point[p]]);
    }
    text += fmt::format("{}: {}", json_text(key, -1), json_text(cache_entry(run, trial), -1));
    text += k + 1 < run.trials.size() ? ",\n" : "";
  }
  return text + "}\n}\n";
}

}  // namespace burin::tune
