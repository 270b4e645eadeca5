// The options of `burin predict`, of the command line or of one line of a --launches file.
#pragma once

#include <string>

#include "base/result.h"
#include "jobs/input/predict_request.h"

namespace CLI {
class App;
}

namespace burin::app {

// All but --launches and --lines. FILE is not required here: a line may leave to the command line
// what all launches share. complete() tells what is missing in the end.
void add_predict_options(CLI::App& app, jobs::PredictRequest& command);

// `text` is what stands behind the command's name; what it leaves out is taken from `common`.
Result<jobs::PredictRequest> parse_line(const std::string& text,
                                        const jobs::PredictRequest& common);

}  // namespace burin::app
