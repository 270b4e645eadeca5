// The options of `burin predict`, from the command line or from one line of a --launches file.
#pragma once

#include <string>

#include "base/result.h"
#include "jobs/input/predict_request.h"

namespace CLI {
class App;
}

namespace burin::app {

// Adds all options except --launches and --lines. FILE is not required here, because a line may
// leave options shared by all launches to the command line. complete() reports what is missing in
// the end.
void add_predict_options(CLI::App& app, jobs::PredictRequest& command);

// Parses one line of a --launches file. `text` is what follows the command's name; options missing
// from it are taken from `common`.
Result<jobs::PredictRequest> parse_line(const std::string& text,
                                        const jobs::PredictRequest& common);

}  // namespace burin::app
