#include "jobs/input/predict_request.h"

#include "base/format.h"
#include "jobs/input/keyed_options.h"
#include "launch/number.h"
#include "launch/options.h"

namespace burin::jobs {
namespace {

// R or [FILE:]LINE=R, of --l2-hit.
Result<void> add_hit_rate(std::string_view text, timing::PredictOptions& to) {
  const Error wrong{
      fmt::format("expected a rate from 0 to 1, or LINE=RATE or FILE:LINE=RATE, not '{}'", text),
      Exit::kUsage};
  const std::size_t equals = text.rfind('=');
  const bool has_line = equals != std::string_view::npos;
  const auto rate = launch::parse_real<double>(has_line ? text.substr(equals + 1) : text);
  if (!rate || !(*rate >= 0 && *rate <= 1)) return wrong;
  if (!has_line) {
    to.l2_hit = rate;
    return {};
  }
  const std::string_view place = text.substr(0, equals);
  const std::size_t colon = place.rfind(':');
  const bool has_file = colon != std::string_view::npos;
  const auto line =
      launch::parse_integer<std::uint32_t>(has_file ? place.substr(colon + 1) : place);
  if (!line || *line == 0 || colon == 0) return wrong;
  to.line_l2_hit.push_back({std::string(has_file ? place.substr(0, colon) : ""), *line, *rate});
  return {};
}

}  // namespace

std::vector<std::string> input_files(const PredictRequest& command) {
  std::vector<std::string> files = input_files(command.launch);
  files.push_back(command.machine);
  return files;
}

Result<timing::PredictOptions> parse_predict_options(const PredictRequest& command) {
  timing::PredictOptions options;
  using Model = timing::PredictOptions::Model;
  options.model = command.model == "saake" ? Model::kSaake : Model::kBurin;
  options.warm = command.warm;
  options.threads = command.threads;
  options.timeline_intervals = command.timeline_intervals;
  options.most_instructions = command.most_instructions;
  for (const std::string& text : command.l2_hits) {
    if (const Result<void> added = add_hit_rate(text, options); !added) {
      return added.error().within("--l2-hit");
    }
  }
  if (Result<void> fine = launch::check_one_value_each(command.l2_hits); !fine) {
    return fine.error().within("--l2-hit");
  }
  auto trips = parse_each_key<launch::TripCount>("--trip", command.trips, launch::parse_trip);
  if (!trips) return trips.error();
  options.trips = std::move(*trips);
  if (!command.unknown_access.empty()) {
    const Result<launch::UnknownAccess> access =
        launch::parse_unknown_access(command.unknown_access);
    if (!access) return access.error().within("--unknown-access");
    options.unknown = *access;
  }
  return options;
}

}  // namespace burin::jobs
