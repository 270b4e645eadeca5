#include "tune/cluster/messages.h"

#include <array>
#include <limits>
#include <nlohmann/json.hpp>

namespace burin::tune {
namespace {

using ClusterJson = nlohmann::json;
using Kind = ClusterMessage::Kind;

constexpr std::array<const char*, 10> kKinds{"hello", "assigned", "ready", "failed", "run",
                                             "task",  "trial",    "again", "times",  "end"};

// JSON has no infinity.
ClusterJson finite(double value) {
  return value < std::numeric_limits<double>::infinity() ? ClusterJson(value)
                                                         : ClusterJson(nullptr);
}

double number_or_infinity(const ClusterJson& value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::infinity();
}

ClusterJson trial_json(const Trial& trial) {
  return {{"point", trial.point},
          {"status", name(trial.status)},
          {"reason", trial.reason},
          {"objective", finite(trial.objective)},
          {"time_us", finite(trial.time_us)},
          {"times_us", trial.times_us},
          {"cut_short", trial.cut_short},
          {"disturbed", trial.disturbed},
          {"compile_s", trial.compile_seconds},
          {"measure_s", trial.measure_seconds},
          {"figures", trial.figures},
          {"device", trial.device},
          {"host", trial.host},
          {"unix_ms", trial.unix_ms}};
}

Trial trial_of(const ClusterJson& from) {
  Trial trial;
  trial.point = from.at("point").get<Point>();
  trial.status = parse_status(from.at("status").get<std::string>()).value_or(Status::kRuntime);
  trial.reason = from.at("reason").get<std::string>();
  trial.objective = number_or_infinity(from.at("objective"));
  trial.time_us = number_or_infinity(from.at("time_us"));
  trial.times_us = from.at("times_us").get<std::vector<double>>();
  trial.cut_short = from.at("cut_short").get<bool>();
  trial.disturbed = from.at("disturbed").get<bool>();
  trial.compile_seconds = from.at("compile_s").get<double>();
  trial.measure_seconds = from.at("measure_s").get<double>();
  trial.figures = from.at("figures").get<std::map<std::string, double>>();
  trial.device = from.at("device").get<std::string>();
  trial.host = from.at("host").get<std::string>();
  trial.unix_ms = from.at("unix_ms").get<std::int64_t>();
  return trial;
}

}  // namespace

std::string write_message(const ClusterMessage& message) {
  ClusterJson text{{"kind", kKinds[static_cast<std::size_t>(message.kind)]},
                   {"host", message.host},
                   {"device", message.device},
                   {"gpu", message.gpu},
                   {"is_cpu", message.is_cpu},
                   {"number", message.number},
                   {"width", message.width},
                   {"point", message.point},
                   {"best_time_us", finite(message.best_time_us)},
                   {"times_us", message.times_us},
                   {"reason", message.reason}};
  if (message.kind == Kind::kTrial) text["trial"] = trial_json(message.trial);
  return text.dump(-1, ' ', false, ClusterJson::error_handler_t::replace);
}

Result<ClusterMessage> read_message(std::string_view text) {
  ClusterMessage message;
  try {
    const ClusterJson from = ClusterJson::parse(text);
    const std::string kind = from.at("kind").get<std::string>();
    const auto known = std::find(kKinds.begin(), kKinds.end(), kind);
    if (known == kKinds.end()) return Error{"unknown message '" + kind + "'", Exit::kDevice};
    message.kind = static_cast<Kind>(known - kKinds.begin());
    message.host = from.at("host").get<std::string>();
    message.device = from.at("device").get<std::string>();
    message.gpu = from.at("gpu").get<std::string>();
    message.is_cpu = from.at("is_cpu").get<bool>();
    message.number = from.at("number").get<std::uint64_t>();
    message.width = from.at("width").get<std::uint64_t>();
    message.point = from.at("point").get<Point>();
    message.best_time_us = number_or_infinity(from.at("best_time_us"));
    message.times_us = from.at("times_us").get<std::vector<double>>();
    message.reason = from.at("reason").get<std::string>();
    if (message.kind == Kind::kTrial) message.trial = trial_of(from.at("trial"));
  } catch (const ClusterJson::exception&) {
    return Error{"a message between ranks is damaged; do all ranks run the same burin?",
                 Exit::kDevice};
  }
  return message;
}

}  // namespace burin::tune
