// Everything that is known about one launch, as one view of the HTML report: the documents of
// predict, explain and advise as far as they were made, the kernel's code with its profile, and the
// timeline of its warps.
#pragma once

#include <optional>
#include <string>

#include "report/advice/advise.h"
#include "report/html/code_json.h"
#include "report/launch/explain.h"
#include "report/launch/predict.h"
#include "report/write/json.h"

namespace burin::report {

struct LaunchView {
  std::string file;                        // as given by the user
  const PredictReport* predict = nullptr;  // null: not emulated
  const ExplainReport* explain = nullptr;
  const AdviseReport* advise = nullptr;
  const CodeReport& code;
  std::optional<double> measured_us{};  // on a GPU, now or in a capture
};

// Writes the view as an element of "views".
void write_launch_view(Json& json, const LaunchView& view);

// "transpose on h200".
std::string title_of(const LaunchView& view);

}  // namespace burin::report
