#include "app/predict_options.h"

#include <CLI/CLI.hpp>

#include "base/format.h"
#include "launch/number.h"
#include "launch/options.h"

namespace burin {
namespace {

// R or [FILE:]LINE=R, of --l2-hit.
Result<void> add_hit_rate(std::string_view text, PredictOptions& to) {
  const Error wrong{
      fmt::format("expected a rate from 0 to 1, or LINE=RATE or FILE:LINE=RATE, not '{}'", text),
      Exit::kUsage};
  const std::size_t equals = text.rfind('=');
  const bool has_line = equals != std::string_view::npos;
  const auto rate = parse_real<double>(has_line ? text.substr(equals + 1) : text);
  if (!rate || !(*rate >= 0 && *rate <= 1)) return wrong;
  if (!has_line) {
    to.l2_hit = rate;
    return {};
  }
  const std::string_view place = text.substr(0, equals);
  const std::size_t colon = place.rfind(':');
  const bool has_file = colon != std::string_view::npos;
  const auto line = parse_integer<std::uint32_t>(has_file ? place.substr(colon + 1) : place);
  if (!line || *line == 0 || colon == 0) return wrong;
  to.line_l2_hit.push_back({std::string(has_file ? place.substr(0, colon) : ""), *line, *rate});
  return {};
}

}  // namespace

void add_predict_options(CLI::App& app, PredictCommand& command) {
  add_launch_options(app, command.launch);
  app.get_option("FILE")->required(false);
  app.add_option("--machine", command.machine,
                 "GPU: a name from `burin machines`, or a machine file (default: by the kernel's "
                 "architecture)")
      ->type_name("NAME|FILE");
  app.add_option("--model", command.model, "Timing model: burin (default), or saake for comparison")
      ->type_name("burin|saake")
      ->check(CLI::IsMember({"burin", "saake"}).description(""));
  CLI::Option* cold = app.add_flag("--cold", command.cold, "Start with cold caches (default)");
  app.add_flag("--warm", command.warm, "Start with the buffers in L2, as far as they fit")
      ->excludes(cold);
  add_repeated(app, "--l2-hit", command.l2_hits, "[[FILE:]LINE=]RATE",
               "Use this L2 hit rate (0 to 1) instead of the emulated cache, for all accesses or "
               "for one line");
  add_repeated(app, "--trip", command.trips, "[FILE:]LINE=N",
               "Trip count of the loop at this line if it is Unknown");
  app.add_option("--unknown-access", command.unknown_access,
                 "Cost of an access to Unknown addresses: worst (default), coalesced or N sectors")
      ->type_name("POLICY");
  app.add_option("--max-instructions", command.most_instructions,
                 "Maximum warp instructions to execute (default: a few seconds' worth)")
      ->type_name("N")
      ->check(not_negative);
  app.add_option("--threads", command.threads, "Host threads for emulation (default: one per core)")
      ->type_name("N")
      ->check(not_negative);
  app.add_option("--device", command.device.device, "Also measure on this GPU")
      ->type_name("cuda:N");
}

Result<PredictOptions> parse_predict_options(const PredictCommand& command) {
  PredictOptions options;
  using Model = PredictOptions::Model;
  options.model = command.model == "saake" ? Model::kSaake : Model::kBurin;
  options.warm = command.warm;
  options.threads = command.threads;
  options.most_instructions = command.most_instructions;
  for (const std::string& text : command.l2_hits) {
    if (const Result<void> added = add_hit_rate(text, options); !added) {
      return added.error().within("--l2-hit");
    }
  }
  auto trips = parse_each<TripCount>("--trip", command.trips, parse_trip);
  if (!trips) return trips.error();
  options.trips = std::move(*trips);
  if (!command.unknown_access.empty()) {
    const Result<UnknownAccess> access = parse_unknown_access(command.unknown_access);
    if (!access) return access.error().within("--unknown-access");
    options.unknown = *access;
  }
  return options;
}

Result<PredictCommand> parse_line(const std::string& text, const PredictCommand& common) {
  PredictCommand command = common;
  CLI::App app;
  app.set_help_flag();
  add_predict_options(app, command);
  try {
    app.parse(text);
  } catch (const CLI::ParseError& error) {
    return Error{error.what(), Exit::kUsage};
  }
  // The line's own choice replaces the command line's.
  if (app.count("--cold") > 0) command.warm = false;
  if (app.count("--warm") > 0) command.cold = false;
  return command;
}

}  // namespace burin
