// What burin and its worker process say to each other: JSON, one object a line. The worker reads
// requests on its standard input and answers each with lines on its standard output; docs/device.md
// lists the fields.
//
//   → {"schema":"burin.worker/1","cubin":"a.cubin","kernel":"_Z6reducePf","grid":[64,1,1],…}
//   ← {"schema":"burin.worker/1","stage":"running the kernel"}
//   ← {"schema":"burin.worker/1","result":{"gpu":"NVIDIA H200","times_us":[12.448,…],…}}
//
// The last line is a result or an error:
//
//   ← {"schema":"burin.worker/1","error":{"message":"…","exit":4}}
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "measure/device.h"

namespace burin::measure {

inline constexpr std::string_view kWorkerSchema = "burin.worker/1";

// Each is one line with its end. Arguments travel as the user wrote them, with the seed that the
// position gives; both sides must therefore stand in the same folder.
std::string request_line(const DeviceRequest& request);
std::string stage_line(std::string_view stage);
std::string result_line(const DeviceResult& result);
std::string error_line(const Error& error);

// An Error for a line of another schema, or whose fields are missing, surplus or of a wrong type.
Result<DeviceRequest> read_request(std::string_view line);

// What the worker had said when it ended. Lines that are not the protocol's are the words of
// libraries.
struct WorkerAnswer {
  std::string stage;   // the last one told; "" for none
  bool whole = false;  // a result or an error came
  Result<DeviceResult> result = Error{"no answer", Exit::kDevice};
  std::string other;  // the last line that is not the protocol's
};
WorkerAnswer read_answer(std::string_view text);

// The same of a worker that was given several requests: one for each that it answered, and, where
// it ended within one, what it said of that.
std::vector<WorkerAnswer> read_answers(std::string_view text);

}  // namespace burin::measure
