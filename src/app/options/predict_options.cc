#include "app/options/predict_options.h"

#include <CLI/CLI.hpp>

#include "app/options/launch_options.h"
#include "app/options/option_values.h"

namespace burin::app {

void add_predict_options(CLI::App& app, jobs::PredictRequest& command) {
  add_launch_options(app, command.launch);
  app.get_option("FILE")->required(false);
  app.add_option("--machine", command.machine,
                 "GPU: a name from `burin machines`, or a machine file (default: by the kernel's "
                 "architecture)")
      ->type_name("NAME|FILE");
  add_real(
      app, "--clock", command.clock_mhz, 200, 5000,
      "SM clock, for a GPU that is limited to it (default: the machine's; memory keeps its own)")
      ->type_name("MHZ");
  app.add_option("--model", command.model, "Timing model: burin (default), or saake for comparison")
      ->type_name("burin|saake")
      ->check(one_of({"burin", "saake"}));
  CLI::Option* cold = app.add_flag("--cold", command.cold, "Start with cold caches (default)");
  app.add_flag("--warm", command.warm, "Start with the buffers in L2, as far as they fit")
      ->excludes(cold);
  add_repeated(app, "--l2-hit", command.l2_hits, "[[FILE:]LINE=]RATE",
               "Use this L2 hit rate (0 to 1) instead of the emulated cache, for all accesses or "
               "for one line");
  add_repeated(app, "--trip", command.trips, "[FILE:]LINE=N",
               "Trip count of the loop at this line if it is Unknown");
  app.add_option(
         "--unknown-access", command.unknown_access,
         "Cost of an access to Unknown addresses: likely (default), worst, coalesced or N sectors")
      ->type_name("POLICY");
  add_whole(
      app, "--max-instructions", command.most_instructions, 0, kNoLimit,
      "Maximum warp instructions to execute (default: a few seconds' worth, and 1 GiB of traces)");
  add_whole(app, "--threads", command.threads, 0, kMaxThreads,
            "Host threads for emulation (default: one per core)");
  app.add_option("--device", command.device.device, "Also measure on this GPU")
      ->type_name("cuda:N");
}

Result<jobs::PredictRequest> parse_line(const std::string& text,
                                        const jobs::PredictRequest& common) {
  jobs::PredictRequest command = common;
  CLI::App app;
  app.option_defaults()->disable_flag_override();
  app.set_help_flag();
  add_predict_options(app, command);
  try {
    app.parse(text);
  } catch (const CLI::ExtrasError&) {
    return Error{"unknown option or argument '" + app.remaining().front() + "'", Exit::kUsage};
  } catch (const CLI::ParseError& error) {
    return Error{sentence_of(error), Exit::kUsage};
  }
  // The line's own choice replaces the command line's.
  if (app.count("--cold") > 0) command.warm = false;
  if (app.count("--warm") > 0) command.cold = false;
  return command;
}

}  // namespace burin::app
