// What the functions of the Python module answer: the JSON of a command, and its text report.
//
//   Result<Answer> answer = predict(request);
//   answer->json   // {"schema":"burin.predict/1",…}
//   answer->text   // what `burin predict` prints
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "emulate/outputs.h"
#include "jobs/advise.h"
#include "jobs/explain_launch.h"
#include "jobs/input/predict_request.h"
#include "jobs/open_images.h"
#include "jobs/run_launch.h"

namespace burin::python {

struct Answer {
  std::string json;
  std::string text;
  std::vector<std::string> warnings{};  // sentences
};

Result<Answer> predict(const jobs::PredictRequest& request);
Result<Answer> explain(const jobs::ExplainRequest& request);

// The JSON is an array, one element for each launch.
Result<Answer> advise(const jobs::AdviseRequest& request);

// A launch that ran, and what its buffers hold: by argument.
struct RunAnswer : Answer {
  std::map<std::size_t, emulate::ReadOutput> buffers{};
  bool passed = false;  // no fault, and every comparison was as expected
};
// Returns the buffers passed as the arguments in `returned`. A run that did not finish is an Error.
Result<RunAnswer> run(const jobs::RunRequest& request, const std::vector<std::size_t>& returned);

// {"schema":"burin.inspect/1",…}. With `instructions`, also the code of each kernel.
Result<Answer> inspect(const jobs::ImagesRequest& request, bool instructions);

// Returns whether burin.open() is to read the file as a capture.
bool is_capture(const std::string& file);

// {"schema":"burin.capture/1",…}. With `compare`, the launches are predicted too.
struct CaptureRequest {
  std::string file;
  std::optional<std::string> kernel{};
  bool compare = false;
  std::string machine{};
};
Result<Answer> capture(const CaptureRequest& request);

// {"schema":"burin.machines/1",…}: the machines that burin knows, or one with all of its values.
Result<Answer> machines(const std::string& name);

}  // namespace burin::python
