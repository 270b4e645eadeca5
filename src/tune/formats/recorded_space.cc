#include "tune/formats/recorded_space.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>
#include <vector>

#include "base/file.h"
#include "base/format.h"
#include "base/text.h"
#include "machine/parse_json.h"
#include "tune/formats/gzip.h"

namespace burin::tune {
namespace {

using Json = nlohmann::ordered_json;  // the order of a configuration's fields is the parameters'

constexpr std::size_t kMaxUnpackedBytes = std::size_t{4} << 30;
constexpr std::size_t kMaxValues = 65535;  // of one parameter: what a Point can number
constexpr double kFailedTime = 1e20;       // old cache files have it as the time of a failure

// What a pass over the brackets of a JSON text tells before it is parsed.
struct Outline {
  std::vector<std::string> keys;  // of the outermost object
  bool complete = false;          // every bracket is closed
  std::size_t last_entry = 0;     // after the last complete object inside a member of the outermost
};

Outline outline_of(std::string_view text) {
  Outline outline;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      const std::size_t begin = ++i;
      while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
      if (i >= text.size()) return outline;
      const std::size_t after = text.find_first_not_of(" \t\r\n", i + 1);
      if (depth == 1 && after != std::string_view::npos && text[after] == ':') {
        outline.keys.emplace_back(text.substr(begin, i - begin));
      }
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
      if (depth == 2 && c == '}') outline.last_entry = i + 1;
      if (depth == 0) {
        outline.complete = true;
        return outline;
      }
    }
  }
  return outline;
}

Result<Json> parsed(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    return Error{machine::json_sentence(error)};
  }
}

const Json* member(const Json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

std::string text_of(const Json& object, std::string_view key) {
  const Json* found = member(object, key);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

// The number, or the sum of the numbers of a list; 0 for anything else, and for what no time is.
double seconds_of(const Json& object, std::string_view key, double unit_seconds) {
  const Json* found = member(object, key);
  if (found == nullptr) return 0;
  double sum = 0;
  for (const Json& entry : found->is_array() ? *found : Json::array({*found})) {
    if (entry.is_number()) sum += entry.get<double>();
  }
  return std::isfinite(sum) && sum > 0 ? sum * unit_seconds : 0;
}

// What a unit is in seconds; the default for "" and units that are none of time.
double unit_seconds(std::string_view unit, double otherwise) {
  const std::string name = lower_case(unit);
  if (name.starts_with("ms") || name.starts_with("mil")) return 1e-3;  // "miliseconds" too
  if (name.starts_with("us") || name.starts_with("µs") || name.starts_with("mic")) return 1e-6;
  if (name.starts_with("ns") || name.starts_with("nan")) return 1e-9;
  if (name == "s" || name.starts_with("sec")) return 1;
  return otherwise;
}

// Kernel Tuner names failures by the class of its exception.
Status status_of_failure(std::string_view text) {
  if (text.find("Compil") != std::string_view::npos) return Status::kCompile;
  if (text.find("Invalid") != std::string_view::npos) return Status::kConstraints;
  if (text.find("Correct") != std::string_view::npos) return Status::kCorrectness;
  if (text.find("Timeout") != std::string_view::npos) return Status::kTimeout;
  return Status::kRuntime;
}

std::optional<formula::Value> value_of(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_unsigned() && json.get<std::uint64_t>() >> 63 != 0) return json.get<double>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number_float()) return json.get<double>();
  return std::nullopt;
}

// Takes the time that `json` holds: a number, or a text that names the failure.
void set_time(RecordedPoint& point, const Json& json, double us) {
  if (json.is_string() && point.status == Status::kOk) {
    point.reason = json.get<std::string>();
    point.status = status_of_failure(point.reason);
  }
  if (point.status != Status::kOk) return;
  const double time = json.is_number() ? json.get<double>() : -1;
  if (time * us > 0 && time < kFailedTime) {
    point.time_us = time * us;
  } else {
    point.status = Status::kRuntime;
    point.reason = "no time was recorded";
  }
}

// Configurations as they are read, and the space that they make in the end.
class Recording {
 public:
  explicit Recording(std::vector<std::string> names) : values_(names.size()) {
    for (std::string& name : names) parameters_.push_back({std::move(name), {}});
  }

  Result<void> add(const Json& configuration, RecordedPoint recorded) {
    std::vector<std::uint16_t> numbers;
    for (std::size_t p = 0; p < parameters_.size(); ++p) {
      const Json* json = member(configuration, parameters_[p].name);
      if (json == nullptr) return Error{fmt::format("has no value of {}", parameters_[p].name)};
      const std::optional<formula::Value> value = value_of(*json);
      if (!value) {
        return Error{fmt::format("the value of {} is neither a number nor a text nor true or false",
                                 parameters_[p].name)};
      }
      const std::optional<double> number = formula::number(*value);
      const Key key = number ? Key{*number} : Key{std::get<std::string>(*value)};
      const auto [found, is_new] = values_[p].emplace(key, parameters_[p].values.size());
      if (is_new) {
        if (parameters_[p].values.size() == kMaxValues) {
          return Error{fmt::format("{} has more than {} values", parameters_[p].name, kMaxValues)};
        }
        parameters_[p].values.push_back(*value);
      }
      numbers.push_back(static_cast<std::uint16_t>(found->second));
    }
    points_.push_back({std::move(numbers), std::move(recorded)});
    return {};
  }

  RecordedSpace finish() {
    for (std::size_t p = 0; p < parameters_.size(); ++p) sort_values(p);
    std::vector<Point> points;
    points.reserve(points_.size());
    for (const auto& [point, recorded] : points_) points.push_back(point);
    RecordedSpace space;
    space.space = Space::of_points(parameters_, std::move(points));
    space.points.resize(space.space.size());
    for (auto& [point, recorded] : points_) {
      space.points[space.space.index_of(point)] = std::move(recorded);
    }
    return space;
  }

 private:
  using Key = std::variant<double, std::string>;

  void sort_values(std::size_t p) {
    const std::vector<formula::Value>& values = parameters_[p].values;
    std::vector<std::uint16_t> order(values.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint16_t>(i);
    std::ranges::stable_sort(order, [&](std::uint16_t a, std::uint16_t b) {
      const std::optional<double> x = formula::number(values[a]), y = formula::number(values[b]);
      return x && (!y || *x < *y);
    });
    std::vector<std::uint16_t> place(values.size());
    std::vector<formula::Value> sorted;
    for (std::size_t i = 0; i < order.size(); ++i) {
      place[order[i]] = static_cast<std::uint16_t>(i);
      sorted.push_back(values[order[i]]);
    }
    for (auto& [point, recorded] : points_) point[p] = place[point[p]];
    parameters_[p].values = std::move(sorted);
  }

  std::vector<Parameter> parameters_;
  std::vector<std::map<Key, std::size_t>> values_;  // by parameter: the number of a value
  std::vector<std::pair<Point, RecordedPoint>> points_;
};

// The measurement named "time"; else that of the first objective. Null if there is neither.
const Json* time_measurement(const Json& result) {
  const Json* objectives = member(result, "objectives");
  const bool has_objective = objectives != nullptr && objectives->is_array() &&
                             !objectives->empty() && objectives->front().is_string();
  const std::string objective = has_objective ? objectives->front().get<std::string>() : "time";
  const Json* measurements = member(result, "measurements");
  const Json* found = nullptr;
  if (measurements == nullptr || !measurements->is_array()) return nullptr;
  for (const Json& measurement : *measurements) {
    const std::string name = text_of(measurement, "name");
    if (name == "time") return &measurement;
    if (name == objective && found == nullptr) found = &measurement;
  }
  return found;
}

Result<RecordedSpace> from_t4(const Json& file) {
  const Json* results = member(file, "results");
  if (results == nullptr || !results->is_array() || results->empty()) {
    return Error{"is a T4 file without results"};
  }
  const Json* metadata = member(file, "metadata");
  const Json none = Json::object();
  if (metadata == nullptr) metadata = &none;
  const double unit = unit_seconds(text_of(*metadata, "timeunit"), 1e-3);

  std::optional<Recording> recording;
  std::size_t number = 0;
  for (const Json& result : *results) {
    const std::string where = fmt::format("result {}", ++number);
    const Json* configuration = member(result, "configuration");
    if (configuration == nullptr || !configuration->is_object() || configuration->empty()) {
      return Error{where + " has no configuration"};
    }
    if (!recording) {
      std::vector<std::string> names;
      for (const auto& [name, value] : configuration->items()) names.push_back(name);
      recording.emplace(std::move(names));
    }

    RecordedPoint point;
    const std::string invalidity = text_of(result, "invalidity");
    if (!invalidity.empty()) {
      const std::optional<Status> status = parse_status(invalidity);
      if (!status) return Error{fmt::format("{}: unknown invalidity '{}'", where, invalidity)};
      point.status = *status;
      if (point.status != Status::kOk) point.reason = invalidity;
    }
    const Json* found = time_measurement(result);
    const Json* value = found == nullptr ? nullptr : member(*found, "value");
    if (value != nullptr) {
      set_time(point, *value, unit_seconds(text_of(*found, "unit"), unit) * 1e6);
    } else if (point.status == Status::kOk) {
      return Error{where + " is correct, but has no measurement of the time"};
    }
    if (const Json* times = member(result, "times"); times != nullptr) {
      for (const char* key : {"compilation", "compilation_time"}) {
        point.compile_seconds += seconds_of(*times, key, unit);
      }
      for (const char* key : {"runtimes", "framework", "framework_time", "validation",
                              "validation_time", "benchmark", "benchmark_time"}) {
        point.measure_seconds += seconds_of(*times, key, unit);
      }
    }
    if (Result<void> added = recording->add(*configuration, std::move(point)); !added) {
      return added.error().within(where);
    }
  }
  RecordedSpace space = recording->finish();
  space.kernel = text_of(*metadata, "kernel_name");
  space.device = text_of(*metadata, "device_name");
  if (const Json* size = member(*metadata, "space_size"); size != nullptr && size->is_number()) {
    space.fully_recorded = static_cast<double>(space.space.size()) >= size->get<double>();
    if (size->is_number_unsigned()) space.space_size = size->get<std::uint64_t>();
  }
  return space;
}

Result<RecordedSpace> from_cache_file(const Json& file) {
  const Json* keys = member(file, "tune_params_keys");
  const Json* cache = member(file, "cache");
  if (keys == nullptr || !keys->is_array() || keys->empty()) {
    return Error{"is a cache file without tune_params_keys"};
  }
  if (!cache->is_object() || cache->empty()) return Error{"is a cache file without results"};
  std::vector<std::string> names;
  for (const Json& key : *keys) {
    if (!key.is_string()) return Error{"tune_params_keys must hold the parameters' names"};
    names.push_back(key.get<std::string>());
  }
  Recording recording(std::move(names));
  constexpr double kMs = 1e-3;
  for (const auto& [name, entry] : cache->items()) {
    const std::string where = fmt::format("configuration {}", name);
    RecordedPoint point;
    const Json* failure = member(entry, "__error__");
    const Json* time = member(entry, "time");
    if (failure != nullptr && failure->is_string()) {
      set_time(point, *failure, 0);
    } else if (time != nullptr) {
      set_time(point, *time, 1e3);
    } else {
      return Error{where + " has neither time nor __error__"};
    }
    point.compile_seconds = seconds_of(entry, "compile_time", kMs);
    for (const char* key : {"benchmark_time", "verification_time", "framework_time"}) {
      point.measure_seconds += seconds_of(entry, key, kMs);
    }
    if (member(entry, "benchmark_time") == nullptr) {
      point.measure_seconds += seconds_of(entry, "times", kMs);
    }
    if (Result<void> added = recording.add(entry, std::move(point)); !added) {
      return added.error().within(where);
    }
  }
  RecordedSpace space = recording.finish();
  space.kernel = text_of(file, "kernel_name");
  space.device = text_of(file, "device_name");
  return space;
}

}  // namespace

Result<RecordedSpace> parse_recorded_space(std::string_view text) {
  const Outline outline = outline_of(text);
  const auto has = [&](std::string_view key) {
    return std::ranges::find(outline.keys, key) != outline.keys.end();
  };
  const bool is_cache_file = has("cache");
  if (!is_cache_file && !has("results")) {
    Result<Json> file = parsed(text);
    if (!file) return file.error();
    return Error{
        "is neither a T4 file (no \"results\") nor a cache file of Kernel Tuner (no "
        "\"cache\")"};
  }
  const bool cut_short = is_cache_file && !outline.complete;
  std::string closed;
  if (cut_short && outline.last_entry == 0) return Error{"is a cache file without results"};
  if (cut_short) {
    closed = std::string(text.substr(0, outline.last_entry)) + "}}";
    text = closed;
  }
  Result<Json> file = parsed(text);
  if (!file) return file.error();
  if (is_cache_file && member(*file, "cache") == nullptr) {
    return Error{"is a cache file without results"};
  }
  Result<RecordedSpace> space = is_cache_file ? from_cache_file(*file) : from_t4(*file);
  if (space && cut_short) space->fully_recorded = false;
  return space;
}

Result<RecordedSpace> read_recorded_space(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  std::string unpacked;
  std::string_view text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  if (is_gzip(file->bytes())) {
    Result<std::string> result = unpack_gzip(file->bytes(), kMaxUnpackedBytes);
    if (!result) return result.error().within(path);
    unpacked = std::move(*result);
    text = unpacked;
  }
  Result<RecordedSpace> space = parse_recorded_space(text);
  if (!space) return space.error().within(path);
  return space;
}

}  // namespace burin::tune
